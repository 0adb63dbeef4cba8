// A store taken apart into its sections, and put together again, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loaders/store/section.h"
#include "model/trace.h"

namespace stepscope::test {

struct StorePart {
  store::SectionHeader header;
  std::string payload;  // unpacked
  size_t at = 0;        // of the header in the file
};

std::string StoreOf(const Trace& trace);
// All sections but the index. The store must be good.
std::vector<StorePart> PartsOf(std::string_view store);
// A store of these parts, with good checksums. `whole`: with an index, so that it is not cut.
std::string Join(const std::vector<StorePart>& parts, bool whole = true);
// The parts as the fuzz target takes them.
std::string FuzzInput(const std::vector<StorePart>& parts);

}  // namespace stepscope::test
