// Events of a batch of text as plain records, with names that each worker interns for itself. Times
// are picoseconds from the file's time base, offsets are bytes into the inflated text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/common/counted_diagnostics.h"
#include "loaders/common/json_number.h"
#include "model/string_pool.h"
#include "model/time.h"

namespace stepscope::chrome {

// The faults of the events of a Chrome trace (docs/chrome.md), in whatever order they are found.
// Each batch counts its own, and the file's owner merges them.
enum class ChromeDiagnostic : uint8_t {
  kEmptyObject,  // the trailing {} of TensorFlow
  kNotAnObject,
  kNoPhase,
  kUnknownPhase,
  kIgnoredPhase,
  kNoTimestamp,
  kTimeOutOfRange,
  kBadDuration,
  kNegativeDuration,
  kNoProcess,
  kNoThread,
  kNoCounterValue,
  kNoId,
  kRepaired,
  kDamaged,
  kTruncatedEvent,
  kUnreadableTail,
  kMisplacedText,
  kUnterminated,
  kInvalidUtf8,
  kUnmatchedBegin,
  kUnmatchedEnd,
  kUnmatchedAsyncBegin,
  kUnmatchedAsyncEnd,
  kFlowWithoutStart,
  kFlowWithoutEnd,
  kFlowWithoutSlice,
  kUnknownMetadata,
  kNoCommonClock,
  kFarAway,
  kTruncatedStream,
  kCount
};

class ChromeDiagnostics : public CountedDiagnostics<ChromeDiagnostic, PlacesKept::kSmallest> {
 public:
  void Report(const std::string& file, Diagnostics* out) const;
};

constexpr uint32_t kNoAux = 0xffffffffu;

struct ParsedEvent {
  int64_t ts, dur;
  uint64_t offset;
  uint32_t meta;    // number in WorkerNames::metas
  uint32_t thread;  // number in WorkerNames::threads
  uint32_t aux;     // index of BatchResult::aux, or kNoAux
  char ph;
};

// Fields that only some phases have.
struct EventAux {
  uint64_t id = 0, bind_id = 0;  // numbers as they are, other texts hashed
  uint64_t args_offset = ~uint64_t{0};
  std::string_view scope;  // raw, in the worker's strings
  uint32_t first_sample = 0, samples = 0;
  bool has_id = false, id_is_local = false, bind_enclosing = false, flow_in = false,
       flow_out = false;
};

struct CounterSample {
  std::string_view series;  // raw, in the worker's strings
  double value;
};

// A [memory] instant of PyTorch's allocator.
struct MemorySample {
  uint32_t thread;
  int64_t ts;
  int64_t total_allocated = -1, total_reserved = -1, device_type = -1, device_id = -1;
};

// Two raw tokens: name and category, or process and thread. They are views of the worker's strings,
// whose bytes stay where they are.
struct NamePair {
  std::string_view first, second;
};

struct BatchResult {
  std::vector<ParsedEvent> events;
  std::vector<EventAux> aux;
  std::vector<CounterSample> samples;
  std::vector<MemorySample> memory;
  ChromeDiagnostics diagnostics;
  // Events with time 0 and length 0: those in `events`, and those too far from the time base.
  uint64_t at_zero = 0, lost_times = 0;
  // Names that the worker met for the first time in this batch, by their numbers. A batch carries
  // them, so nobody reads a worker's tables while it goes on with the next batch.
  std::vector<NamePair> new_metas, new_threads;
  void Clear();  // clears all but the new names
};

// A map from a pair of numbers to its index in order of first appearance. Open addressing; keys are
// never removed. O(1), whichever of the two numbers varies.
class PairIndex {
 public:
  // True when the pair is new.
  bool Insert(uint32_t a, uint32_t b, uint32_t* index);
  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }
  uint32_t first(uint32_t i) const { return static_cast<uint32_t>(keys_[i] >> 32); }
  uint32_t second(uint32_t i) const { return static_cast<uint32_t>(keys_[i]); }

 private:
  void Grow();
  uint64_t SlotOf(uint64_t key) const;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> table_;  // index + 1
};

// Names met by one worker; one thread at a time. Tokens are kept raw (with quotes), so interning
// needs no unescaping.
struct WorkerNames {
  StringPool strings;
  PairIndex metas;    // (name, cat)
  PairIndex threads;  // (pid, tid)
  // Names of the event before: neighbours mostly have the same.
  StringId last_cat{0};
  NamePair last_thread;
  uint32_t last_thread_number = kNoThread;
  static constexpr uint32_t kNoThread = 0xffffffffu;
};

}  // namespace stepscope::chrome
