// Writes seeds for the fuzz target of stores: `make_store_seeds PROFILE OUT` makes OUT, a store as
// it is, and OUT.sections, its sections as the target packs them itself.
#include <cstdio>
#include <fstream>
#include <string>

#include "loaders/loader.h"
#include "tests/support/store_parts.h"

int main(int argc, char** argv) {
  using namespace stepscope;
  if (argc != 3) return std::fprintf(stderr, "make_store_seeds PROFILE OUT\n"), 2;
  Progress progress;
  const auto trace = LoadPath(argv[1], {}, {}, progress);
  if (!trace.ok()) return std::fprintf(stderr, "%s\n", trace.status().message().c_str()), 3;
  const std::string store = test::StoreOf(**trace);
  std::ofstream(argv[2], std::ios::binary) << std::string(1, '\0') << store;
  std::ofstream(std::string(argv[2]) + ".sections", std::ios::binary)
      << test::FuzzInput(test::PartsOf(store));
  return 0;
}
