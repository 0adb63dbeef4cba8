// What packets refer to by number, for each sequence of packets and each time that its state begins
// anew. Names are strings of the trace. Filled by one thread, then read by any.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "loaders/xplane/wire.h"
#include "model/string_pool.h"

namespace stepscope::perfetto {

// Numbers to strings: dense ones in a list.
class InternedNames {
 public:
  void Set(uint64_t iid, StringId name) {
    if (iid >= kDense) {
      sparse_[iid] = name;
      return;
    }
    if (iid >= dense_.size()) dense_.resize(iid + 1, StringId());
    dense_[iid] = name;
  }
  StringId Find(uint64_t iid) const {  // invalid if unknown
    if (iid < dense_.size()) return dense_[iid];
    const auto it = sparse_.find(iid);
    return it == sparse_.end() ? StringId() : it->second;
  }

 private:
  static constexpr uint64_t kDense = 1 << 16;
  std::vector<StringId> dense_;
  std::unordered_map<uint64_t, StringId> sparse_;
};

struct Interned {
  InternedNames categories, events, annotations, texts, stages;
  std::unordered_map<uint64_t, int64_t> contexts;  // pids of graphics contexts
  void Add(const xplane::Field& interned_data, StringPool* strings);
};

// All of a file's. Packets of the file and inflated ones lie in two ranges of references, each in
// order: so a state begins at a place in both.
class InternedHistory {
 public:
  struct Place {
    uint64_t plain = 0, inflated = 0;  // the first packet from there on
  };
  Interned& Begin(uint32_t sequence, const Place& place);
  // `plain`: the reference is that of a packet of the file.
  const Interned* At(uint32_t sequence, uint64_t ref, bool plain) const;

 private:
  struct State {
    Place begin;
    std::unique_ptr<Interned> interned;
  };
  std::unordered_map<uint32_t, std::vector<State>> all_;
};

}  // namespace stepscope::perfetto
