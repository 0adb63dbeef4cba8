// Interned data: what packets refer to by number. Each sequence of packets has its own, which
// begins anew whenever the sequence's state is cleared. Names are strings of the trace. Filled by
// one thread, then read by any.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/common/wire.h"
#include "model/string_pool.h"

namespace stepscope::perfetto {

// A map from numbers to strings: a list where numbers are dense, else a hash map.
class InternedNames {
 public:
  void Set(uint64_t iid, StringId name) {
    if (iid >= dense_.size() && iid > kFirst + kRoom * ++count_) {
      sparse_[iid] = name;
      return;
    }
    if (iid >= dense_.size()) dense_.resize(iid + 1, StringId());
    dense_[iid] = name;
  }
  StringId Find(uint64_t iid) const {  // invalid if unknown
    if (iid < dense_.size() && (dense_[iid].valid() || sparse_.empty())) return dense_[iid];
    const auto it = sparse_.find(iid);
    return it == sparse_.end() ? StringId() : it->second;
  }

 private:
  static constexpr uint64_t kFirst = 64, kRoom = 16;
  uint64_t count_ = 0;
  std::vector<StringId> dense_;
  std::unordered_map<uint64_t, StringId> sparse_;
};

// A kernel as a GPU profiler describes it. Arguments are messages, as they are in the packet.
struct InternedKernel {
  StringId name{0}, readable{0}, arch{0};
  std::vector<StringId> arguments;
};
struct InternedCounters {
  int64_t gpu = 0;
  std::vector<std::pair<uint64_t, StringId>> names;
};

struct Interned {
  InternedNames categories, events, annotations, texts, stages, kernel_arguments;
  std::unordered_map<uint64_t, int64_t> contexts;  // pids of graphics contexts
  std::unordered_map<uint64_t, InternedKernel> kernels;
  std::unordered_map<uint64_t, InternedCounters> counters;
  // Adds the entries of an InternedData message.
  void Read(const proto::Field& interned_data, StringPool* strings);
};

// All interned data of a file. References of packets in the file and of inflated packets are two
// ranges, each in order; so a state begins at a place in both.
class InternedHistory {
 public:
  struct Place {
    uint64_t plain = 0, inflated = 0;  // the first packet from there on
  };
  Interned& Begin(uint32_t sequence, const Place& place);
  // The state that holds for the packet at `ref`, or null. `plain`: the packet lies in the file and
  // was not inflated.
  const Interned* At(uint32_t sequence, uint64_t ref, bool plain) const;

 private:
  struct State {
    Place begin;
    std::unique_ptr<Interned> interned;
  };
  std::unordered_map<uint32_t, std::vector<State>> all_;
};

}  // namespace stepscope::perfetto
