// make_riegeli IN.xplane.pb OUT.xplane.riegeli [PARTS [COMPRESSION]]: writes the recording as
// PARTS (16) records, a chunk each, as JAX does. COMPRESSION: b (brotli), z (zstd), s (snappy) or
// 0.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/riegeli_writer.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "make_riegeli IN.xplane.pb OUT.xplane.riegeli [PARTS [b|z|s|0]]\n");
    return 2;
  }
  using namespace stepscope::test;
  std::ifstream in(argv[1], std::ios::binary);
  const std::string space{std::istreambuf_iterator<char>(in), {}};
  const char code = argc > 4 ? argv[4][0] : 'b';
  const auto compression = static_cast<RiegeliCompression>(code == '0' ? '\0' : code);
  RiegeliWriter file;
  for (const std::string& record : SplitXSpace(space, argc > 3 ? std::atoi(argv[3]) : 16))
    file.Records({record}, compression).Pad();
  std::ofstream out(argv[2], std::ios::binary);
  out.write(file.Bytes().data(), static_cast<std::streamsize>(file.Bytes().size()));
  return out.good() ? 0 : 1;
}
