// Writes memory snapshots as PyTorch pickles them, and one of a training loop with its truth.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::test {

// Writes a pickle value by value, as Python's pickler does: texts and containers are memoized.
class PickleWriter {
 public:
  explicit PickleWriter(int protocol = 4);
  void Int(int64_t value);
  void Real(double value);
  void Text(std::string_view text);  // a text that was written before comes from the memo
  void None() { out_ += 'N'; }
  void Bool(bool value) { out_ += value ? '\x88' : '\x89'; }
  void BeginList();  // then its items and EndList
  void EndList() { out_ += 'e'; }
  void BeginDict();  // then key, value, … and EndDict
  void EndDict() { out_ += 'u'; }
  void BeginTuple() { out_ += '('; }
  void EndTuple() { out_ += 't'; }
  uint32_t last() const { return memo_ - 1; }  // the memo number of the last value
  void Recall(uint32_t memo);
  void Raw(std::string_view bytes) { out_ += bytes; }
  std::string Bytes() const { return out_ + "."; }

 private:
  void Little(uint64_t value, int bytes);
  void Memoize();

  std::string out_;
  int protocol_;
  uint32_t memo_ = 0;
  std::map<std::string, uint32_t, std::less<>> texts_;
};

struct SnapshotFrame {
  std::string name, file;
  int line = 0;
};
using SnapshotStack = std::vector<SnapshotFrame>;

struct SnapshotEvent {
  std::string action;
  uint64_t address = 0;
  int64_t size = 0, time_us = 0;
  SnapshotStack frames = {};
  uint64_t stream = 0;
  std::string context = {};
  std::optional<int64_t> device_free = {};
};

struct SnapshotBlock {
  uint64_t address = 0;
  int64_t size = 0, requested = 0;
  std::string state = "active_allocated";
  SnapshotStack frames = {};
};

struct SnapshotSegment {
  uint64_t address = 0;
  int64_t size = 0;
  std::vector<SnapshotBlock> blocks = {};
  int device = 0;
  int pool = 0;
};

struct SnapshotNote {
  std::string stage, name;
  int64_t time_us = 0;
  int device = 0;
};

struct SnapshotFile {
  std::vector<std::vector<SnapshotEvent>> devices;
  std::vector<SnapshotSegment> segments;
  std::vector<SnapshotNote> notes;
};
std::string ToPickle(const SnapshotFile& file, int protocol = 4);

// A loop of steps: weights from before the recording, activations that come and go, a buffer that
// the first step makes and keeps, and `leak` bytes that each step keeps.
struct TrainingSnapshot {
  SnapshotFile file;
  int64_t peak_bytes = 0, peak_time_us = 0, reserved_bytes = 0;
  size_t events = 0;
  std::map<std::string, int64_t> at_peak, at_end;  // bytes, by "train.py:88 loss_history"
};
TrainingSnapshot MakeTrainingSnapshot(int steps, int layers, int64_t leak, bool out_of_memory);

}  // namespace stepscope::test
