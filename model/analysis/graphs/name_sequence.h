// NameSequence holds names in the order in which they were recorded, and finds in it a part that
// was run again: the kernels of a graph's replay among those of its capture. A name is a number.
// Immutable, so any thread may ask it. Takes 8 bytes a name, and some
// 50 for each different four names in a row; while it is made, 8 more a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/base/number_hash.h"

namespace stepscope {

inline constexpr uint32_t kUnmatched = 0xffffffffu;

// For each name of a part its place in the sequence, or kUnmatched. Places rise.
struct NameAlignment {
  std::vector<uint32_t> to;
  size_t matched = 0;
};

class NameSequence {
 public:
  explicit NameSequence(std::vector<uint32_t> names);  // expected O(n)

  std::span<const uint32_t> names() const { return names_; }
  // The last place at which the whole part lies without a gap, or kUnmatched. O(n + part).
  uint32_t LastRun(std::span<const uint32_t> part) const;
  // The last run if there is one. Else the names in order, with gaps on both sides, from the
  // sequence's begin or from where the part most likely begins, whichever matches more. After a
  // gap it continues where four names in a row are equal and the fewest names are left out. O(n
  // log n).
  NameAlignment Align(std::span<const uint32_t> part) const;

 private:
  static constexpr size_t kGram = 4;  // names in a row that are looked up
  struct Jump {
    size_t skip = 0;  // names of the part left out
    uint32_t to = kUnmatched;
  };

  // The part of places_ that names in a row have.
  struct Gram {
    uint32_t begin = 0, size = 0;
  };

  // The places of the grams with the hash of this one, ascending.
  std::span<const uint32_t> PlacesOf(std::span<const uint32_t> gram) const;
  // The first place from `from` on with the four names that `gram` begins with, or kUnmatched.
  uint32_t NextGram(std::span<const uint32_t> gram, uint32_t from) const;
  // The place at which most grams of the part say that it begins.
  uint32_t LikelyBegin(std::span<const uint32_t> part) const;
  NameAlignment AlignFrom(std::span<const uint32_t> part, uint32_t at) const;
  Jump NextJump(std::span<const uint32_t> rest, uint32_t from) const;

  std::vector<uint32_t> names_;
  std::unordered_map<uint64_t, Gram, SeededHash> grams_;  // by hash
  std::vector<uint32_t> places_;                          // gram after gram
};

}  // namespace stepscope
