#include "loaders/chrome_json/event.h"

#include <algorithm>
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
    {ChromeDiagnostic::kNoProcess, "chrome.no_process", Severity::kInfo,
     "Events without a process id, shown in process 0"},
    {ChromeDiagnostic::kNoThread, "chrome.no_thread", Severity::kInfo,
     "Events without a thread id, shown on thread 0 of their process"},
    {ChromeDiagnostic::kNoCounterValue, "chrome.no_counter_value", Severity::kWarning,
     "Counter events without a number"},
    {ChromeDiagnostic::kNoId, "chrome.no_id", Severity::kWarning,
     "Asynchronous or flow events without an id"},
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

void BatchResult::Clear() {
  events.clear();
  aux.clear();
  samples.clear();
  memory.clear();
  diagnostics = {};
  at_zero = lost_times = 0;
}

// The key is mixed twice, so that both of its halves reach all bits of the slot.
uint64_t PairIndex::SlotOf(uint64_t key) const {
  const uint64_t h = key * 0x9e3779b97f4a7c15ull;
  return ((h ^ h >> 32) * 0xbf58476d1ce4e5b9ull >> 20) & (table_.size() - 1);
}

bool PairIndex::Insert(uint32_t a, uint32_t b, uint32_t* index) {
  if ((keys_.size() + 1) * 2 > table_.size()) Grow();
  const uint64_t key = uint64_t{a} << 32 | b;
  const uint64_t mask = table_.size() - 1;
  uint64_t slot = SlotOf(key);
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    if (keys_[table_[slot] - 1] == key) {
      *index = table_[slot] - 1;
      return false;
    }
  }
  *index = static_cast<uint32_t>(keys_.size());
  keys_.push_back(key);
  table_[slot] = *index + 1;
  return true;
}

void PairIndex::Grow() {
  table_.assign(std::max<size_t>(64, table_.size() * 2), 0);
  const uint64_t mask = table_.size() - 1;
  for (size_t i = 0; i < keys_.size(); ++i) {
    uint64_t slot = SlotOf(keys_[i]);
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<uint32_t>(i + 1);
  }
}

}  // namespace stepscope::chrome
