// The result of parsing one batch of events: plain records, with names interned per worker. The
// two parsers (BatchParser and TolerantReader) fill RawFields with slices of the text; EventSink
// does the rest for both. Times are picoseconds from the file's time base, offsets are bytes into
// the inflated text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/chrome_diagnostics.h"
#include "loaders/common/json_number.h"
#include "model/string_pool.h"
#include "model/time.h"

namespace stepscope::chrome {

// Values of the keys that loading needs, as raw JSON tokens (strings with quotes); absent: empty.
struct RawFields {
  std::string_view ph, ts, dur, pid, tid, name, cat, id, scope, bind_id, bp, flow_in, flow_out;
  std::string_view id2;        // an object
  const char* args = nullptr;  // first character of the value
  bool any = false;            // the object has a member
};

// The slot of a key, or null if loading does not need it. `key` begins after the opening quote and
// contains the closing one; more text may follow.
std::string_view* FieldOf(RawFields* fields, std::string_view key);
constexpr size_t kLongestKey = sizeof("flow_out\"") - 1;

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
  uint64_t probes() const {
    return probes_;
  }  // slots looked at by all calls, for tests of its cost

 private:
  void Grow();
  uint64_t SlotOf(uint64_t key) const;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> table_;  // index + 1
  uint64_t probes_ = 0;
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

// Turns the RawFields of an event into records of a BatchResult. One thread.
class EventSink {
 public:
  EventSink(Int128 base_ps, WorkerNames* names, BatchResult* out)
      : base_ps_(base_ps), names_(names), out_(out) {}
  // The bytes [first, end) being parsed lie at `offset` of the text.
  void SetOrigin(const char* first, const char* end, uint64_t offset) {
    first_ = first;
    end_ = end;
    offset_ = offset;
  }
  void Add(const RawFields& fields, const char* object);
  void Count(ChromeDiagnostic diagnostic, const char* at) {
    out_->diagnostics.Count(diagnostic, Offset(at));
  }

 private:
  uint64_t Offset(const char* at) const;
  bool Times(const RawFields& fields, char ph, const char* object, ParsedEvent* event);
  uint32_t Thread(const RawFields& fields, char ph, const char* object);
  bool Extra(const RawFields& fields, char ph, const char* object, ParsedEvent* event);
  void CounterValues(const RawFields& fields, EventAux* aux);
  void Memory(const RawFields& fields, const ParsedEvent& event);
  std::string_view Keep(std::string_view token) {
    return names_->strings.View(names_->strings.Intern(token));
  }
  uint32_t Meta(const RawFields& fields);
  uint32_t Number(PairIndex* index, StringId first, StringId second, std::vector<NamePair>* added);

  Int128 base_ps_;
  WorkerNames* names_;
  BatchResult* out_;
  const char* first_ = nullptr;
  const char* end_ = nullptr;
  uint64_t offset_ = 0;
};

}  // namespace stepscope::chrome
