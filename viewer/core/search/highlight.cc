#include "viewer/core/search/highlight.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/base/sort_runs.h"

namespace stepscope {

const std::vector<uint32_t>* Highlight::Find(ProfileId profile, uint32_t set) const {
  for (const Rows& r : rows) {
    if (r.profile == profile && r.set == set) return r.rows.get();
  }
  return nullptr;
}

Highlight::Rows RowsOf(ProfileId profile, uint32_t set, std::vector<uint32_t> rows) {
  return {profile, set, std::make_shared<const std::vector<uint32_t>>(std::move(rows))};
}

std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events) {
  struct Part {
    ProfileId profile;
    uint32_t set = 0;
    std::vector<uint32_t> rows;
  };
  std::vector<Part> parts;
  for (const EventRef& event : events) {
    auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.profile == event.trace && part.set == event.set;
    });
    if (found == parts.end()) found = parts.insert(found, {event.trace, event.set, {}});
    found->rows.push_back(event.row.value);
  }
  std::vector<Highlight::Rows> sorted;
  for (Part& part : parts) {
    SortRuns(part.rows.begin(), part.rows.end(), std::less<>());
    sorted.push_back(RowsOf(part.profile, part.set, std::move(part.rows)));
  }
  return sorted;
}

std::vector<Highlight::Rows> CountedRows(std::span<const Highlight::Rows> rows) {
  const auto has_own = [&](ProfileId profile) {
    return std::any_of(rows.begin(), rows.end(), [&](const Highlight::Rows& part) {
      return part.profile == profile && part.set == 0 && !part.rows->empty();
    });
  };
  std::vector<Highlight::Rows> counted;
  for (const Highlight::Rows& part : rows) {
    const bool counts = part.set == 0 || !has_own(part.profile);
    if (counts && !part.rows->empty()) counted.push_back(part);
  }
  return counted;
}

}  // namespace stepscope
