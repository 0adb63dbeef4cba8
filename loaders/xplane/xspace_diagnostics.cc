#include "loaders/xplane/xspace_diagnostics.h"

#include <algorithm>

namespace stepscope::xplane {
namespace {

struct DiagnosticText {
  XspaceDiagnostic diagnostic;
  const char* id;
  Severity severity;
  const char* text;
};

constexpr std::array kTexts = {
    DiagnosticText{
        XspaceDiagnostic::kBadSpace, "xplane.bad_space", Severity::kError,
        "Bytes between planes that are no XSpace: the rest of the file could not be read."},
    DiagnosticText{
        XspaceDiagnostic::kBadPlane, "xplane.bad_plane", Severity::kError,
        "Bytes inside a plane that are no field of it: the rest of that plane could not be read."},
    DiagnosticText{
        XspaceDiagnostic::kBadLine, "xplane.bad_line", Severity::kError,
        "Bytes inside a line that are no field of it: the rest of that line could not be read."},
    DiagnosticText{XspaceDiagnostic::kBadEvent, "xplane.bad_event", Severity::kWarning,
                   "Events with broken bytes: what came before them was kept."},
    DiagnosticText{XspaceDiagnostic::kBadMetadata, "xplane.bad_metadata", Severity::kWarning,
                   "Metadata entries with broken bytes: what came before them was kept."},
    DiagnosticText{
        XspaceDiagnostic::kLengthPastEnd, "xplane.length_past_end", Severity::kWarning,
        "Lengths that go past the end of what holds them: the file is cut off or damaged; "
        "cut there."},
    DiagnosticText{XspaceDiagnostic::kWrongType, "xplane.wrong_wire_type", Severity::kWarning,
                   "Known fields of an unexpected type: skipped."},
    DiagnosticText{XspaceDiagnostic::kMissingMetadata, "xplane.missing_metadata",
                   Severity::kWarning,
                   "Events whose metadata is not in the file: they have no name."},
    DiagnosticText{XspaceDiagnostic::kDuplicateMetadata, "xplane.duplicate_metadata",
                   Severity::kWarning,
                   "Metadata ids defined more than once: the last definition counts."},
    DiagnosticText{XspaceDiagnostic::kNegativeDuration, "xplane.negative_duration",
                   Severity::kWarning, "Events of negative duration: shown as instants."},
    DiagnosticText{XspaceDiagnostic::kTimeClipped, "xplane.time_clipped", Severity::kWarning,
                   "Events further than 106 days from the origin: clipped to there."},
    DiagnosticText{
        XspaceDiagnostic::kZeroBasedLine, "xplane.zero_based_line", Severity::kWarning,
        "Lines that count from the start of profiling beside lines that count from 1970: "
        "shifted to match."},
    DiagnosticText{
        XspaceDiagnostic::kStrayLine, "xplane.stray_line", Severity::kWarning,
        "Lines that start more than 53 days before or after the rest: not used to place the "
        "origin."},
    DiagnosticText{
        XspaceDiagnostic::kTruncatedStream, "xplane.truncated_stream", Severity::kWarning,
        "The compressed file is cut off or damaged: what came out before that was read."},
    DiagnosticText{XspaceDiagnostic::kTooManyPlanes, "xplane.too_many_planes", Severity::kWarning,
                   "More planes than this program shows: the rest was left out."},
    DiagnosticText{XspaceDiagnostic::kTooManyLines, "xplane.too_many_lines", Severity::kWarning,
                   "More lines than this program shows: the rest was left out."},
    DiagnosticText{XspaceDiagnostic::kTooManyMetadata, "xplane.too_many_metadata",
                   Severity::kWarning,
                   "More metadata entries than this program keeps: the rest was left out."},
    DiagnosticText{XspaceDiagnostic::kNameCut, "xplane.name_cut", Severity::kInfo,
                   "Names longer than 1 MiB: cut."},
    DiagnosticText{XspaceDiagnostic::kHloLimit, "xplane.hlo_limit", Severity::kWarning,
                   "More HLO instructions than this program keeps: the rest was left out."},
    DiagnosticText{XspaceDiagnostic::kBadCounter, "xplane.bad_counter", Severity::kWarning,
                   "Counter events without a number."},
};
static_assert(kTexts.size() == static_cast<size_t>(XspaceDiagnostic::kCount));

}  // namespace

uint64_t XspaceDiagnostics::total() const {
  uint64_t n = 0;
  if (entries_ == nullptr) return 0;
  for (const Entry& e : *entries_) n += e.count;
  return n;
}

void XspaceDiagnostics::Merge(const XspaceDiagnostics& other) {
  if (other.entries_ == nullptr) return;
  for (size_t i = 0; i < other.entries_->size(); ++i) {
    const Entry& e = (*other.entries_)[i];
    const uint64_t places = std::min<uint64_t>(e.count, e.first.size());
    for (uint64_t k = 0; k < places; ++k)
      Count(static_cast<XspaceDiagnostic>(i), e.first[k],
            k + 1 == places ? e.count - places + 1 : 1);
  }
}

void XspaceDiagnostics::Report(const std::string& file, const std::string& where,
                               Diagnostics* out) const {
  if (entries_ == nullptr) return;
  for (const DiagnosticText& t : kTexts) {
    const Entry& e = (*entries_)[static_cast<size_t>(t.diagnostic)];
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
