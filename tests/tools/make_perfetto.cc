// make_perfetto OUT.pftrace [--steps N] [--ranks N] [--launches N]: writes a Perfetto trace of any
// size; see tests/support/perfetto_profile.h. 308 MB: --ranks 4 --steps 2400 --launches 60.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/perfetto_profile.h"

namespace {

bool ParseNumber(std::string_view text, uint32_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool Parse(const std::vector<std::string_view>& words,
           stepscope::test::PerfettoProfileOptions* out) {
  for (size_t i = 1; i < words.size(); ++i) {
    uint32_t* number = words[i] == "--steps"      ? &out->steps
                       : words[i] == "--ranks"    ? &out->ranks
                       : words[i] == "--launches" ? &out->launches
                                                  : nullptr;
    if (number == nullptr || i + 1 == words.size() || !ParseNumber(words[++i], number))
      return false;
  }
  return !words.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  stepscope::test::PerfettoProfileOptions options;
  if (!Parse(words, &options)) {
    std::fputs("make_perfetto OUT.pftrace [--steps N] [--ranks N] [--launches N]\n", stderr);
    return 2;
  }
  std::FILE* file = std::fopen(std::string(words[0]).c_str(), "wb");
  bool ok = file != nullptr;
  stepscope::test::WritePerfettoProfile(options, [&](std::string_view bytes) {
    ok = ok && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  });
  if (file == nullptr || std::fclose(file) != 0 || !ok) {
    std::perror(std::string(words[0]).c_str());
    return 1;
  }
}
