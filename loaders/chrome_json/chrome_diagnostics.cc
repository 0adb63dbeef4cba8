#include "loaders/chrome_json/chrome_diagnostics.h"

#include <iterator>

namespace stepscope::chrome {
namespace {

constexpr DiagnosticText<ChromeDiagnostic> kDiagnosticTexts[] = {
    {ChromeDiagnostic::kEmptyObject, "chrome.empty_event", Severity::kInfo,
     "Empty objects among the events (TensorFlow ends its list with one)"},
    {ChromeDiagnostic::kNotAnObject, "chrome.not_an_object", Severity::kWarning,
     "Entries of the event list that are no objects"},
    {ChromeDiagnostic::kNoPhase, "chrome.no_phase", Severity::kWarning,
     "Events without a phase (ph)"},
    {ChromeDiagnostic::kUnknownPhase, "chrome.unknown_phase", Severity::kWarning,
     "Events of a phase that the format does not define"},
    {ChromeDiagnostic::kIgnoredPhase, "chrome.ignored_phase", Severity::kInfo,
     "Clock marks, memory dumps and links (phases c, V, v, =, parentheses), which are not shown"},
    {ChromeDiagnostic::kNoTimestamp, "chrome.no_timestamp", Severity::kWarning,
     "Events without a usable timestamp (ts)"},
    {ChromeDiagnostic::kTimeOutOfRange, "chrome.time_out_of_range", Severity::kWarning,
     "Events more than 50 days away from the others"},
    {ChromeDiagnostic::kBadDuration, "chrome.no_duration", Severity::kInfo,
     "Complete events without a usable duration, shown with length 0"},
    {ChromeDiagnostic::kNegativeDuration, "chrome.negative_duration", Severity::kWarning,
     "Events with a negative duration, shown with length 0"},
    {ChromeDiagnostic::kNoThread, "chrome.no_thread", Severity::kInfo,
     "Events without a process or thread id, shown in process 0, thread 0"},
    {ChromeDiagnostic::kNoCounterValue, "chrome.no_counter_value", Severity::kWarning,
     "Counter events without a number"},
    {ChromeDiagnostic::kNoId, "chrome.no_id", Severity::kWarning,
     "Asynchronous or flow events without an id"},
    {ChromeDiagnostic::kRefusedBatch, "chrome.refused_batch", Severity::kInfo,
     "Pieces of the text that are not strict JSON and were read by the tolerant reader"},
    {ChromeDiagnostic::kRepaired, "chrome.repaired", Severity::kInfo,
     "Places repaired: a comma or a value missing or too many"},
    {ChromeDiagnostic::kDamaged, "chrome.damaged_event", Severity::kWarning,
     "Events that could not be read; reading went on at the next one"},
    {ChromeDiagnostic::kTruncatedEvent, "chrome.truncated_event", Severity::kWarning,
     "Events cut off by the end of the text"},
    {ChromeDiagnostic::kUnreadableTail, "chrome.unreadable_tail", Severity::kError,
     "The rest of the text is too damaged to read"},
    {ChromeDiagnostic::kMisplacedText, "chrome.misplaced_text", Severity::kWarning,
     "Text outside of the event list that is no JSON"},
    {ChromeDiagnostic::kUnterminated, "chrome.unterminated", Severity::kInfo,
     "The event list or the object around it is not closed: the program that wrote it stopped "
     "early"},
    {ChromeDiagnostic::kInvalidUtf8, "chrome.invalid_utf8", Severity::kInfo,
     "Names with invalid UTF-8 or broken escapes; the bytes are shown as U+FFFD"},
    {ChromeDiagnostic::kUnmatchedBegin, "chrome.unmatched_begin", Severity::kWarning,
     "B events without an E, drawn to the last event of their thread"},
    {ChromeDiagnostic::kUnmatchedEnd, "chrome.unmatched_end", Severity::kWarning,
     "E events without a B"},
    {ChromeDiagnostic::kUnmatchedAsyncBegin, "chrome.unmatched_async_begin", Severity::kWarning,
     "Asynchronous begins without an end, drawn to the last event of their process"},
    {ChromeDiagnostic::kUnmatchedAsyncEnd, "chrome.unmatched_async_end", Severity::kWarning,
     "Asynchronous ends without a begin"},
    {ChromeDiagnostic::kFlowWithoutStart, "chrome.flow_without_start", Severity::kInfo,
     "Flow ends and steps whose start is not in the trace"},
    {ChromeDiagnostic::kFlowWithoutEnd, "chrome.flow_without_end", Severity::kInfo,
     "Flow starts whose end is not in the trace"},
    {ChromeDiagnostic::kFlowWithoutSlice, "chrome.flow_without_slice", Severity::kInfo,
     "Flow events with no slice to attach to"},
    {ChromeDiagnostic::kUnknownMetadata, "chrome.unknown_metadata", Severity::kInfo,
     "Metadata events with a name that means nothing here"},
    {ChromeDiagnostic::kNoCommonClock, "chrome.no_common_clock", Severity::kWarning,
     "Files without a common clock: each starts at 0"},
    {ChromeDiagnostic::kFarAway, "chrome.far_away", Severity::kWarning,
     "Files recorded more than 100 days from most others: each starts at 0, and what they did at "
     "one time says nothing"},
    {ChromeDiagnostic::kTruncatedStream, "chrome.truncated_stream", Severity::kWarning,
     "The compressed file ends early or is damaged; what could be inflated is shown"},
};
static_assert(std::size(kDiagnosticTexts) == static_cast<size_t>(ChromeDiagnostic::kCount));

}  // namespace

void ChromeDiagnostics::Report(const std::string& file, Diagnostics* out) const {
  CountedDiagnostics::Report(kDiagnosticTexts, file, "", out);
}

}  // namespace stepscope::chrome
