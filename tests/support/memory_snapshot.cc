#include "tests/support/memory_snapshot.h"

#include <bit>

namespace stepscope::test {

PickleWriter::PickleWriter(int protocol) : protocol_(protocol) {
  out_ = {'\x80', static_cast<char>(protocol)};
}

void PickleWriter::Little(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8 * i));
}

void PickleWriter::Memoize() {
  if (protocol_ >= 4) {
    out_ += '\x94';
  } else if (memo_ < 256) {
    out_ += 'q';
    Little(memo_, 1);
  } else {
    out_ += 'r';
    Little(memo_, 4);
  }
  ++memo_;
}

void PickleWriter::Recall(uint32_t memo) {
  out_ += memo < 256 ? 'h' : 'j';
  Little(memo, memo < 256 ? 1 : 4);
}

void PickleWriter::Int(int64_t value) {
  if (value >= 0 && value < 256) {
    out_ += 'K';
    Little(static_cast<uint64_t>(value), 1);
  } else if (value >= 0 && value < 65536) {
    out_ += 'M';
    Little(static_cast<uint64_t>(value), 2);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    out_ += 'J';
    Little(static_cast<uint64_t>(value), 4);
  } else {
    out_ += "\x8a\x08";
    Little(static_cast<uint64_t>(value), 8);
  }
}

void PickleWriter::Real(double value) {
  out_ += 'G';
  Little(__builtin_bswap64(std::bit_cast<uint64_t>(value)), 8);
}

void PickleWriter::Text(std::string_view text) {
  if (const auto known = texts_.find(text); known != texts_.end()) {
    Recall(known->second);
    return;
  }
  const bool is_short = protocol_ >= 4 && text.size() < 256;
  out_ += is_short ? '\x8c' : 'X';
  Little(text.size(), is_short ? 1 : 4);
  out_ += text;
  texts_.emplace(text, memo_);
  Memoize();
}

void PickleWriter::BeginList() {
  out_ += ']';
  Memoize();
  out_ += '(';
}

void PickleWriter::BeginDict() {
  out_ += '}';
  Memoize();
  out_ += '(';
}

namespace {

class SnapshotWriter {
 public:
  explicit SnapshotWriter(int protocol) : out_(protocol) {}

  std::string Write(const SnapshotFile& file) {
    out_.BeginDict();
    Key("segments");
    out_.BeginList();
    for (const SnapshotSegment& segment : file.segments) Write(segment);
    out_.EndList();
    Key("device_traces");
    out_.BeginList();
    for (const auto& events : file.devices) {
      out_.BeginList();
      for (const SnapshotEvent& event : events) Write(event);
      out_.EndList();
    }
    out_.EndList();
    Key("allocator_settings");
    out_.BeginDict();
    Pair("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:False");
    Key("garbage_collection_threshold");
    out_.Real(0.25);
    Key("expandable_segments");
    out_.Bool(false);
    out_.EndDict();
    Key("external_annotations");
    out_.BeginList();
    for (const SnapshotNote& note : file.notes) Write(note);
    out_.EndList();
    out_.EndDict();
    return out_.Bytes();
  }

 private:
  void Key(std::string_view key) { out_.Text(key); }
  void Pair(std::string_view key, int64_t value) { Key(key), out_.Int(value); }
  void Pair(std::string_view key, std::string_view value) { Key(key), out_.Text(value); }
  void Pair(std::string_view key, const char* value) { Pair(key, std::string_view(value)); }

  void Write(const SnapshotFrame& frame) {
    const std::string key = frame.file + ":" + std::to_string(frame.line) + ":" + frame.name;
    if (const auto known = frames_.find(key); known != frames_.end()) {
      out_.Recall(known->second);
      return;
    }
    out_.BeginDict();
    frames_[key] = out_.last();
    Pair("name", frame.name);
    Pair("filename", frame.file);
    Pair("line", frame.line);
    out_.EndDict();
  }

  void Write(const SnapshotStack& stack) {
    Key("frames");
    out_.BeginList();
    for (const SnapshotFrame& frame : stack) Write(frame);
    out_.EndList();
  }

  void Write(const SnapshotEvent& event) {
    out_.BeginDict();
    Pair("action", event.action);
    // An out-of-memory event has the free bytes in place of an address.
    if (event.device_free) {
      Pair("device_free", *event.device_free);
    } else {
      Pair("addr", static_cast<int64_t>(event.address));
    }
    Pair("size", event.size);
    Pair("stream", static_cast<int64_t>(event.stream));
    Pair("time_us", event.time_us);
    if (!event.context.empty()) Pair("compile_context", event.context);
    Write(event.frames);
    out_.EndDict();
  }

  void Write(const SnapshotBlock& block) {
    out_.BeginDict();
    Pair("address", static_cast<int64_t>(block.address));
    Pair("size", block.size);
    Pair("requested_size", block.requested != 0 ? block.requested : block.size);
    Pair("state", block.state);
    Write(block.frames);
    out_.EndDict();
  }

  void Write(const SnapshotSegment& segment) {
    out_.BeginDict();
    Pair("device", segment.device);
    Pair("address", static_cast<int64_t>(segment.address));
    Pair("total_size", segment.size);
    Pair("stream", int64_t{0});
    Pair("segment_type", segment.size > (2 << 20) ? "large" : "small");
    Key("segment_pool_id");
    out_.BeginTuple();
    out_.Int(0);
    out_.Int(segment.pool);
    out_.EndTuple();
    Key("is_expandable");
    out_.Bool(false);
    Key("blocks");
    out_.BeginList();
    for (const SnapshotBlock& block : segment.blocks) Write(block);
    out_.EndList();
    out_.EndDict();
  }

  void Write(const SnapshotNote& note) {
    out_.BeginDict();
    Pair("stage", note.stage);
    Pair("name", note.name);
    Pair("device", note.device);
    Pair("time_us", note.time_us);
    out_.EndDict();
  }

  PickleWriter out_;
  std::map<std::string, uint32_t> frames_;
};

// Plays the loop. Addresses are given out in ascending order, and none is used again.
class TrainingLoop {
 public:
  explicit TrainingLoop(TrainingSnapshot* out) : out_(*out) { out_.file.devices.resize(1); }

  void Run(int steps, int layers, int64_t leak, bool out_of_memory) {
    for (int k = 0; k < layers; ++k) Allocate((4 + k % 5) << 20, {});
    recording_ = true;
    for (int step = 0; step < steps; ++step) {
      Note("START", "step " + std::to_string(step));
      Step(step, layers, leak);
      Note("END", "step " + std::to_string(step));
    }
    if (out_of_memory) {
      SnapshotEvent event{"oom", 0, int64_t{64} << 30, ++now_, At("/job/model.py", 41, "block_5")};
      event.device_free = 1 << 20;
      events().push_back(event);
    }
    AddSegments();
    out_.events = events().size();
    for (const auto& [address, live] : live_) out_.at_end[live.frame] += live.size;
  }

 private:
  struct Live {
    int64_t size;
    std::string frame;
    SnapshotStack stack;
  };

  std::vector<SnapshotEvent>& events() { return out_.file.devices[0]; }

  static SnapshotStack At(const char* file, int line, const char* name) {
    return {{"THPVariable_empty", "??", 0},
            {"linear", "/usr/lib/python3/site-packages/torch/nn/functional.py", 2100},
            {name, file, line},
            {"main", "/job/train.py", 120}};
  }
  // The innermost frame of the program itself, as reports name it.
  static std::string FrameOf(const SnapshotStack& stack) {
    for (const SnapshotFrame& f : stack) {
      if (f.file.starts_with("/job/"))
        return f.file.substr(5) + ":" + std::to_string(f.line) + " " + f.name;
    }
    return {};
  }

  void Note(const char* stage, const std::string& name) {
    out_.file.notes.push_back({stage, name, now_});
  }

  uint64_t Allocate(int64_t size, const SnapshotStack& stack, const std::string& context = {}) {
    const uint64_t address = next_;
    next_ += static_cast<uint64_t>(size);
    now_ += 7;
    live_[address] = {size, FrameOf(stack), stack};
    total_ += size;
    if (!recording_) return address;
    events().push_back({"alloc", address, size, now_, stack, 0, context});
    if (total_ > out_.peak_bytes) {
      out_.peak_bytes = total_;
      out_.peak_time_us = now_;
      out_.at_peak.clear();
      for (const auto& [a, live] : live_) out_.at_peak[live.frame] += live.size;
    }
    return address;
  }

  void Free(uint64_t address) {
    const Live live = live_.at(address);
    events().push_back({"free_requested", address, live.size, ++now_, live.stack});
    events().push_back({"free_completed", address, live.size, ++now_, live.stack});
    live_.erase(address);
    total_ -= live.size;
  }

  void Step(int step, int layers, int64_t leak) {
    std::vector<uint64_t> activations;
    for (int k = 0; k < layers; ++k) {
      activations.push_back(Allocate((1 + (k * 7 + step) % 9) * 512 * 600,
                                     At("/job/model.py", 30 + k, "block"),
                                     k % 4 == 0 ? "[0/0]" : ""));
    }
    for (const uint64_t address : activations) Free(address);
    if (step == 0) Allocate(32 << 20, At("/job/train.py", 75, "train_step"));
    if (leak > 0) Allocate(leak, At("/job/train.py", 88, "loss_history"));
  }

  // Adds one segment that holds all addresses that were given out.
  void AddSegments() {
    SnapshotSegment segment{kBase, static_cast<int64_t>(next_ - kBase) + (1 << 20)};
    for (const auto& [address, live] : live_)
      segment.blocks.push_back(
          {address, live.size, live.size - 100, "active_allocated", live.stack});
    segment.blocks.push_back({next_, 1 << 20, 1 << 20, "inactive"});
    out_.reserved_bytes = segment.size;
    out_.file.segments.push_back(segment);
  }

  static constexpr uint64_t kBase = 0x7f5a00000000;
  TrainingSnapshot& out_;
  bool recording_ = false;
  int64_t now_ = 1'760'000'000'000'000, total_ = 0;
  uint64_t next_ = kBase;
  std::map<uint64_t, Live> live_;
};

}  // namespace

std::string ToPickle(const SnapshotFile& file, int protocol) {
  return SnapshotWriter(protocol).Write(file);
}

TrainingSnapshot MakeTrainingSnapshot(int steps, int layers, int64_t leak, bool out_of_memory) {
  TrainingSnapshot snapshot;
  TrainingLoop(&snapshot).Run(steps, layers, leak, out_of_memory);
  return snapshot;
}

}  // namespace stepscope::test
