#include "viewer/core/highlight.h"

#include <algorithm>

namespace stepscope {

const std::vector<uint32_t>* Highlight::Find(TraceId run, uint32_t set) const {
  for (const Rows& r : rows) {
    if (r.run == run && r.set == set) return &r.rows;
  }
  return nullptr;
}

std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events) {
  std::vector<Highlight::Rows> parts;
  for (const EventRef& event : events) {
    auto found = std::find_if(parts.begin(), parts.end(), [&](const Highlight::Rows& part) {
      return part.run == event.trace && part.set == event.set;
    });
    if (found == parts.end()) found = parts.insert(found, {event.trace, event.set, {}});
    found->rows.push_back(event.row.value);
  }
  return parts;
}

}  // namespace stepscope
