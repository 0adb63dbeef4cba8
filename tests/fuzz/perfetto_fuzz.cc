// Loads any bytes as a Perfetto trace.
#include "tests/fuzz/loader_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::test::FuzzLoader("fuzz.pftrace", {reinterpret_cast<const char*>(data), size});
}
