// Writes a profile that has one thing many times (tests/support/shape_profiles.h), to measure by
// hand how time and memory grow.
//
//   make_shape SHAPE COUNT OUT     OUT: *.json a Chrome trace, else an XSpace
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/shape_profiles.h"

int main(int argc, char** argv) {
  using namespace stepscope::test;
  if (argc != 4) {
    std::fprintf(stderr, "usage: make_shape SHAPE COUNT OUT\n");
    return 2;
  }
  const std::string name = argv[1], path = argv[3];
  const auto n = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  for (const Shape shape : kAllShapes) {
    if (NameOf(shape) != name) continue;
    const std::string bytes =
        path.ends_with(".json") ? ChromeShape(shape, n) : XSpaceShape(shape, n);
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return out.good() ? 0 : 1;
  }
  std::fprintf(stderr, "%s: no such shape\n", name.c_str());
  return 2;
}
