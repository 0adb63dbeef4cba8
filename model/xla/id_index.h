// IdIndex: finds what a file calls by a number. The first of several with one number wins. One
// thread. Ids are as the file has them, so each table hashes them in its own way.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/number_hash.h"

namespace stepscope::xla {

class IdIndex {
 public:
  static constexpr uint32_t kNowhere = 0xffffffffu;

  // Forgets everything and makes room for `count` ids. O(count).
  void Reset(size_t count) { rows_.assign(std::bit_ceil(2 * count + 1), {0, kNowhere}); }
  // False if the id is known already. At most as many ids as there is room for. O(1).
  bool Add(int64_t id, uint32_t place) {
    Row& row = rows_[Find(id)];
    if (row.place != kNowhere) return false;
    row = {id, place};
    return true;
  }
  // kNowhere for an unknown id. O(1).
  uint32_t Of(int64_t id) const { return rows_.empty() ? kNowhere : rows_[Find(id)].place; }

 private:
  struct Row {
    int64_t id;
    uint32_t place;
  };
  size_t Find(int64_t id) const {
    const size_t mask = rows_.size() - 1;
    size_t at = hash_(static_cast<uint64_t>(id)) & mask;
    while (rows_[at].place != kNowhere && rows_[at].id != id) at = (at + 1) & mask;
    return at;
  }

  SeededHash hash_;
  std::vector<Row> rows_;
};

}  // namespace stepscope::xla
