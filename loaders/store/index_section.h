// INDX: where all sections of a store lie. It comes last, with a trailer that says where it begins.
// A store without it was cut off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/store/section.h"

namespace stepscope::store {

inline constexpr std::string_view kIndexId = "INDX", kTrailerMagic = "STEPEND\n";
inline constexpr size_t kTrailerBytes = 16;

struct IndexEntry {
  std::string id;
  uint64_t key = 0;
  uint32_t count = 0;
  uint64_t at = 0;  // of the section's header
};

SectionHeader IndexHeader(const std::vector<IndexEntry>& entries);
std::string IndexBytes(const std::vector<IndexEntry>& entries);
std::string Trailer(uint64_t index_at);

}  // namespace stepscope::store
