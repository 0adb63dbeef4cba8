#include "loaders/xplane/issues.h"

#include <algorithm>

namespace stepscope::xplane {
namespace {

struct IssueText {
  Issue issue;
  const char* id;
  Severity severity;
  const char* text;
};

constexpr std::array kTexts = {
    IssueText{Issue::kBadSpace, "xplane.bad_space", Severity::kError,
              "Bytes between planes that are no XSpace: the rest of the file could not be read."},
    IssueText{
        Issue::kBadPlane, "xplane.bad_plane", Severity::kError,
        "Bytes inside a plane that are no field of it: the rest of that plane could not be read."},
    IssueText{
        Issue::kBadLine, "xplane.bad_line", Severity::kError,
        "Bytes inside a line that are no field of it: the rest of that line could not be read."},
    IssueText{Issue::kBadEvent, "xplane.bad_event", Severity::kWarning,
              "Events with broken bytes: what came before them was kept."},
    IssueText{Issue::kBadMetadata, "xplane.bad_metadata", Severity::kWarning,
              "Metadata entries with broken bytes: what came before them was kept."},
    IssueText{Issue::kLengthPastEnd, "xplane.length_past_end", Severity::kWarning,
              "Lengths that go past the end of what holds them: the file is cut off or damaged; "
              "cut there."},
    IssueText{Issue::kWrongType, "xplane.wrong_wire_type", Severity::kWarning,
              "Known fields of an unexpected type: skipped."},
    IssueText{Issue::kMissingMetadata, "xplane.missing_metadata", Severity::kWarning,
              "Events whose metadata is not in the file: they have no name."},
    IssueText{Issue::kDuplicateMetadata, "xplane.duplicate_metadata", Severity::kWarning,
              "Metadata ids defined more than once: the last definition counts."},
    IssueText{Issue::kNegativeDuration, "xplane.negative_duration", Severity::kWarning,
              "Events of negative duration: shown as instants."},
    IssueText{Issue::kTimeClipped, "xplane.time_clipped", Severity::kWarning,
              "Events further than 106 days from the origin: clipped to there."},
    IssueText{Issue::kZeroBasedLine, "xplane.zero_based_line", Severity::kWarning,
              "Lines that count from the start of profiling beside lines that count from 1970: "
              "shifted to match."},
    IssueText{Issue::kStrayLine, "xplane.stray_line", Severity::kWarning,
              "Lines that start more than 53 days before or after the rest: not used to place the "
              "origin."},
    IssueText{Issue::kTruncatedStream, "xplane.truncated_stream", Severity::kWarning,
              "The compressed file is cut off or damaged: what came out before that was read."},
    IssueText{Issue::kTooManyPlanes, "xplane.too_many_planes", Severity::kWarning,
              "More planes than this program shows: the rest was left out."},
    IssueText{Issue::kTooManyLines, "xplane.too_many_lines", Severity::kWarning,
              "More lines than this program shows: the rest was left out."},
    IssueText{Issue::kTooManyMetadata, "xplane.too_many_metadata", Severity::kWarning,
              "More metadata entries than this program keeps: the rest was left out."},
    IssueText{Issue::kNameCut, "xplane.name_cut", Severity::kInfo, "Names longer than 1 MiB: cut."},
    IssueText{Issue::kHloLimit, "xplane.hlo_limit", Severity::kWarning,
              "More HLO instructions than this program keeps: the rest was left out."},
    IssueText{Issue::kBadCounter, "xplane.bad_counter", Severity::kWarning,
              "Counter events without a number."},
};
static_assert(kTexts.size() == static_cast<size_t>(Issue::kCount));

}  // namespace

uint64_t Issues::total() const {
  uint64_t n = 0;
  if (entries_ == nullptr) return 0;
  for (const Entry& e : *entries_) n += e.count;
  return n;
}

void Issues::Merge(const Issues& other) {
  if (other.entries_ == nullptr) return;
  for (size_t i = 0; i < other.entries_->size(); ++i) {
    const Entry& e = (*other.entries_)[i];
    const uint64_t places = std::min<uint64_t>(e.count, e.first.size());
    for (uint64_t k = 0; k < places; ++k)
      Count(static_cast<Issue>(i), e.first[k], k + 1 == places ? e.count - places + 1 : 1);
  }
}

void Issues::Report(const std::string& file, const std::string& where, Diagnostics* out) const {
  if (entries_ == nullptr) return;
  for (const IssueText& t : kTexts) {
    const Entry& e = (*entries_)[static_cast<size_t>(t.issue)];
    if (e.count == 0) continue;
    const uint64_t places = std::min<uint64_t>(e.count, e.first.size());
    for (uint64_t i = 0; i < places; ++i) {
      std::string place = file + " byte " + std::to_string(e.first[i]);
      if (!where.empty()) place += ", " + where;
      out->Count(t.id, t.severity, t.text, std::move(place), i == 0 ? e.count - places + 1 : 1);
    }
  }
}

}  // namespace stepscope::xplane
