// Loads any bytes as the part of a fleet, and puts its ranks together. Checksums refuse most files,
// so the bytes may also be a payload that is packed first: the first byte says which.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "loaders/fleet/fleet_loader.h"
#include "loaders/store/section.h"
#include "model/analysis/analysis.h"
#include "tests/fuzz/loader_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string bytes(input);
  if ((data[0] & 1) != 0) {
    store::SectionHeader header;
    header.id = "FACT";
    bytes =
        std::string(fleet::kPartMagic) + std::string("\1\0", 2) + store::PackSection(header, input);
  }
  const auto trace = test::LoadFuzzed("fuzz.stepfacts", bytes);
  if (trace == nullptr) return 0;
  AnalysisContext context(trace, Definitions::kStepscope);
  for (const char* page : {"fleet", "ranks"}) FindAnalysis(page)->run(context, {});
  return 0;
}
