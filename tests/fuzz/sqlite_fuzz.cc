// Loads any bytes as a database of Nsight Systems or rocprofv3.
#include "tests/fuzz/loader_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::test::FuzzLoader("fuzz.sqlite", {reinterpret_cast<const char*>(data), size});
}
