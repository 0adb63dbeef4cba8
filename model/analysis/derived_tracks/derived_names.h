// DerivedNames holds the names of derived tracks and their events, a table for each device plane
// with each name once. One thread fills it while the plane is derived; then the table is shared
// and immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/track.h"

namespace stepscope {

class DerivedNames {
 public:
  explicit DerivedNames(PlaneId plane) : plane_(plane), table_(std::make_shared<NameTable>()) {}

  // The meta with this name and display name (empty: the name is shown). Amortised O(length).
  uint32_t Meta(std::string_view name, std::string_view display = {},
                EventCategory category = EventCategory::kUnknown) {
    StringId name_id = table_->strings.Intern(name), display_id = table_->strings.Intern(display);
    uint64_t key = uint64_t{name_id.value} << 32 | display_id.value;
    auto [it, added] = metas_.try_emplace(key, static_cast<uint32_t>(table_->metas.size()));
    if (added) table_->metas.push_back({name_id, display_id, category, plane_, 0});
    return it->second;
  }
  StringId Intern(std::string_view text) { return table_->strings.Intern(text); }
  std::shared_ptr<const NameTable> table() const { return table_; }

 private:
  PlaneId plane_;
  std::shared_ptr<NameTable> table_;
  std::unordered_map<uint64_t, uint32_t> metas_;
};

}  // namespace stepscope
