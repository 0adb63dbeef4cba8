// Loads any bytes as a Riegeli file of XSpaces or as the data of one of its chunks, because
// checksums refuse most files. The first byte says which.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/loader_fuzz.h"
#include "tests/support/riegeli_writer.h"

namespace {

// The first bytes say how many records there are and how large; the rest is the data.
std::string AsChunk(const std::string& input) {
  const auto at = [&](size_t i) {
    return i < input.size() ? static_cast<uint8_t>(input[i]) : uint8_t{0};
  };
  const uint64_t size = at(1) | uint64_t{at(2)} << 8;
  stepscope::test::RiegeliWriter file;
  file.Chunk('r', input.size() > 3 ? std::string_view(input).substr(3) : std::string_view(), at(0),
             size);
  return file.Bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  if (size == 0) return 0;
  std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  return test::FuzzLoader("fuzz.xplane.riegeli",
                          (data[0] & 1) != 0 ? AsChunk(input) : std::move(input));
}
