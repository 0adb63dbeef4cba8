#include "loaders/chrome_json/problems.h"

namespace stepscope::chrome {
namespace {

struct ProblemDesc {
  Problem problem;
  const char* id;
  Severity severity;
  const char* text;
};

constexpr ProblemDesc kProblems[] = {
    {Problem::kEmptyObject, "chrome.empty_event", Severity::kInfo,
     "Empty objects among the events (TensorFlow ends its list with one)"},
    {Problem::kNotAnObject, "chrome.not_an_object", Severity::kWarning,
     "Entries of the event list that are no objects"},
    {Problem::kNoPhase, "chrome.no_phase", Severity::kWarning, "Events without a phase (ph)"},
    {Problem::kUnknownPhase, "chrome.unknown_phase", Severity::kWarning,
     "Events of a phase that the format does not define"},
    {Problem::kIgnoredPhase, "chrome.ignored_phase", Severity::kInfo,
     "Clock marks, memory dumps and links (phases c, V, v, =, parentheses), which are not shown"},
    {Problem::kNoTimestamp, "chrome.no_timestamp", Severity::kWarning,
     "Events without a usable timestamp (ts)"},
    {Problem::kTimeOutOfRange, "chrome.time_out_of_range", Severity::kWarning,
     "Events more than 50 days away from the others"},
    {Problem::kBadDuration, "chrome.no_duration", Severity::kInfo,
     "Complete events without a usable duration, shown with length 0"},
    {Problem::kNegativeDuration, "chrome.negative_duration", Severity::kWarning,
     "Events with a negative duration, shown with length 0"},
    {Problem::kNoThread, "chrome.no_thread", Severity::kInfo,
     "Events without a process or thread id, shown in process 0, thread 0"},
    {Problem::kNoCounterValue, "chrome.no_counter_value", Severity::kWarning,
     "Counter events without a number"},
    {Problem::kNoId, "chrome.no_id", Severity::kWarning,
     "Asynchronous or flow events without an id"},
    {Problem::kRefusedBatch, "chrome.refused_batch", Severity::kInfo,
     "Pieces of the text that are not strict JSON and were read by the tolerant reader"},
    {Problem::kRepaired, "chrome.repaired", Severity::kInfo,
     "Places repaired: a comma or a value missing or too many"},
    {Problem::kDamaged, "chrome.damaged_event", Severity::kWarning,
     "Events that could not be read; reading went on at the next one"},
    {Problem::kTruncatedEvent, "chrome.truncated_event", Severity::kWarning,
     "Events cut off by the end of the text"},
    {Problem::kUnreadableTail, "chrome.unreadable_tail", Severity::kError,
     "The rest of the text is too damaged to read"},
    {Problem::kMisplacedText, "chrome.misplaced_text", Severity::kWarning,
     "Text outside of the event list that is no JSON"},
    {Problem::kUnterminated, "chrome.unterminated", Severity::kInfo,
     "The event list or the object around it is not closed: the program that wrote it stopped "
     "early"},
    {Problem::kInvalidUtf8, "chrome.invalid_utf8", Severity::kInfo,
     "Names with invalid UTF-8 or broken escapes; the bytes are shown as U+FFFD"},
    {Problem::kUnmatchedBegin, "chrome.unmatched_begin", Severity::kWarning,
     "B events without an E, drawn to the last event of their thread"},
    {Problem::kUnmatchedEnd, "chrome.unmatched_end", Severity::kWarning, "E events without a B"},
    {Problem::kUnmatchedAsyncBegin, "chrome.unmatched_async_begin", Severity::kWarning,
     "Asynchronous begins without an end, drawn to the last event of their process"},
    {Problem::kUnmatchedAsyncEnd, "chrome.unmatched_async_end", Severity::kWarning,
     "Asynchronous ends without a begin"},
    {Problem::kFlowWithoutStart, "chrome.flow_without_start", Severity::kInfo,
     "Flow ends and steps whose start is not in the trace"},
    {Problem::kFlowWithoutEnd, "chrome.flow_without_end", Severity::kInfo,
     "Flow starts whose end is not in the trace"},
    {Problem::kFlowWithoutSlice, "chrome.flow_without_slice", Severity::kInfo,
     "Flow events with no slice to attach to"},
    {Problem::kUnknownMetadata, "chrome.unknown_metadata", Severity::kInfo,
     "Metadata events with a name that means nothing here"},
    {Problem::kNoCommonClock, "chrome.no_common_clock", Severity::kWarning,
     "Files without a common clock: each starts at 0"},
    {Problem::kFarAway, "chrome.far_away", Severity::kWarning,
     "Files recorded more than 100 days from most others: each starts at 0, and what they did at "
     "one time says nothing"},
    {Problem::kTruncatedStream, "chrome.truncated_stream", Severity::kWarning,
     "The compressed file ends early or is damaged; what could be inflated is shown"},
};
static_assert(std::size(kProblems) == static_cast<size_t>(Problem::kCount));

}  // namespace

void ProblemCounts::Add(Problem p, uint64_t offset) {
  if (rows_ == nullptr) rows_ = std::make_unique<Rows>();
  Row& row = (*rows_)[static_cast<size_t>(p)];
  ++row.count;
  row.Keep(offset);
}

void ProblemCounts::Row::Keep(uint64_t offset) {
  if (places == first.size() && offset >= first.back()) return;
  if (places < first.size()) ++places;
  size_t i = places - 1;
  for (; i > 0 && first[i - 1] > offset; --i) first[i] = first[i - 1];
  first[i] = offset;
}

void ProblemCounts::Merge(const ProblemCounts& other) {
  if (other.rows_ == nullptr) return;
  if (rows_ == nullptr) rows_ = std::make_unique<Rows>();
  for (size_t i = 0; i < rows_->size(); ++i) {
    const Row& from = (*other.rows_)[i];
    (*rows_)[i].count += from.count;
    for (uint32_t k = 0; k < from.places; ++k) (*rows_)[i].Keep(from.first[k]);
  }
}

void ProblemCounts::Report(const std::string& file, Diagnostics* out) const {
  if (rows_ == nullptr) return;
  for (const ProblemDesc& desc : kProblems) {
    const Row& row = (*rows_)[static_cast<size_t>(desc.problem)];
    if (row.count == 0) continue;
    for (uint32_t k = 0; k < row.places; ++k) {
      const uint64_t n = k == 0 ? row.count - (row.places - 1) : 1;
      out->Count(desc.id, desc.severity, desc.text, file + " byte " + std::to_string(row.first[k]),
                 n);
    }
  }
}

}  // namespace stepscope::chrome
