#include "loaders/xplane/scan/xspace_diagnostics.h"

#include <iterator>

namespace stepscope::xplane {
namespace {

constexpr DiagnosticText<XspaceDiagnostic> kDiagnosticTexts[] = {
    {XspaceDiagnostic::kBadSpace, "xplane.bad_space", Severity::kError,
     "Bytes between planes that are no XSpace: the rest of the file could not be read."},
    {XspaceDiagnostic::kBadPlane, "xplane.bad_plane", Severity::kError,
     "Bytes inside a plane that are no field of it: the rest of that plane could not be read."},
    {XspaceDiagnostic::kBadLine, "xplane.bad_line", Severity::kError,
     "Bytes inside a line that are no field of it: the rest of that line could not be read."},
    {XspaceDiagnostic::kBadEvent, "xplane.bad_event", Severity::kWarning,
     "Events with broken bytes: what came before them was kept."},
    {XspaceDiagnostic::kBadMetadata, "xplane.bad_metadata", Severity::kWarning,
     "Metadata entries with broken bytes: what came before them was kept."},
    {XspaceDiagnostic::kLengthPastEnd, "xplane.length_past_end", Severity::kWarning,
     "Lengths that go past the end of what holds them: the file is cut off or damaged; "
     "cut there."},
    {XspaceDiagnostic::kWrongType, "xplane.wrong_wire_type", Severity::kWarning,
     "Known fields of an unexpected type: skipped."},
    {XspaceDiagnostic::kMissingMetadata, "xplane.missing_metadata", Severity::kWarning,
     "Events whose metadata is not in the file: they have no name."},
    {XspaceDiagnostic::kDuplicateMetadata, "xplane.duplicate_metadata", Severity::kWarning,
     "Metadata ids defined more than once: the last definition counts."},
    {XspaceDiagnostic::kNegativeDuration, "xplane.negative_duration", Severity::kWarning,
     "Events of negative duration: shown as instants."},
    {XspaceDiagnostic::kTimeClipped, "xplane.time_clipped", Severity::kWarning,
     "Events further than 106 days from the origin: clipped to there."},
    {XspaceDiagnostic::kZeroBasedLine, "xplane.zero_based_line", Severity::kWarning,
     "Lines that count from the start of profiling beside lines that count from 1970: "
     "shifted to match."},
    {XspaceDiagnostic::kStrayLine, "xplane.stray_line", Severity::kWarning,
     "Lines that start more than 53 days before or after the rest: not used to place the "
     "origin."},
    {XspaceDiagnostic::kTruncatedStream, "xplane.truncated_stream", Severity::kWarning,
     "The compressed file is cut off or damaged: what came out before that was read."},
    {XspaceDiagnostic::kTooManyPlanes, "xplane.too_many_planes", Severity::kWarning,
     "More planes than this program shows: the rest was left out."},
    {XspaceDiagnostic::kTooManyLines, "xplane.too_many_lines", Severity::kWarning,
     "More lines than this program shows: the rest was left out."},
    {XspaceDiagnostic::kTooManyMetadata, "xplane.too_many_metadata", Severity::kWarning,
     "More metadata entries than this program keeps: the rest was left out."},
    {XspaceDiagnostic::kNameCut, "xplane.name_cut", Severity::kInfo,
     "Names longer than 1 MiB: cut."},
    {XspaceDiagnostic::kHloLimit, "xplane.hlo_limit", Severity::kWarning,
     "More HLO instructions than this program keeps: the rest was left out."},
    {XspaceDiagnostic::kBadCounter, "xplane.bad_counter", Severity::kWarning,
     "Counter events without a number."},
};
static_assert(std::size(kDiagnosticTexts) == static_cast<size_t>(XspaceDiagnostic::kCount));

}  // namespace

void XspaceDiagnostics::Report(const std::string& file, const std::string& where,
                               Diagnostics* out) const {
  CountedDiagnostics::Report(kDiagnosticTexts, file, where, out);
}

}  // namespace stepscope::xplane
