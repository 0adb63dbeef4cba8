#include "viewer/core/highlight.h"

#include <algorithm>

namespace stepscope {

const std::vector<uint32_t>* Highlight::Find(TraceId run, uint32_t set) const {
  for (const Rows& r : rows) {
    if (r.run == run && r.set == set) return &r.rows;
  }
  return nullptr;
}

}  // namespace stepscope
