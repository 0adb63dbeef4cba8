// Loads any bytes as a store. Checksums refuse most files, so the bytes may also be a list of
// sections that are packed first: the first byte says which.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "loaders/store/section.h"
#include "tests/fuzz/loader_fuzz.h"

namespace {

using stepscope::store::SectionHeader;

uint64_t Take(std::string_view* rest, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes && !rest->empty(); ++i) {
    value |= uint64_t{static_cast<uint8_t>(rest->front())} << (8 * i);
    rest->remove_prefix(1);
  }
  return value;
}

// Sections: id (4 bytes), count (4), key (4), length of the payload (4), payload.
std::string AsSections(std::string_view rest) {
  std::string file = stepscope::store::FileHeader();
  while (rest.size() >= 16) {
    SectionHeader header;
    header.id = std::string(rest.substr(0, 4));
    rest.remove_prefix(4);
    header.version = 1;
    header.count = static_cast<uint32_t>(Take(&rest, 4));
    header.key = Take(&rest, 4);
    const auto size = static_cast<size_t>(Take(&rest, 4));
    const std::string_view payload = rest.substr(0, std::min(size, rest.size()));
    rest.remove_prefix(payload.size());
    file += stepscope::store::PackSection(header, payload);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  return test::FuzzLoader("fuzz.stepscope",
                          (data[0] & 1) != 0 ? AsSections(input) : std::string(input));
}
