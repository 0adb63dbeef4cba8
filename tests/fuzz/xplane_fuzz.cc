// Loads any bytes as an XSpace, plain or compressed.
#include "tests/fuzz/loader_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::test::FuzzLoader("fuzz.xplane.pb", {reinterpret_cast<const char*>(data), size});
}
