// make_wide_xspace OUT.xplane.pb [--kernels N] [--own-ops] [--steps N] [--host-ops N]
// [--instructions N]: writes an XSpace with many distinct kernels, steps, ops or HLO instructions;
// see tests/support/wide_profile.h.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/wide_profile.h"

namespace {

bool ParseNumber(std::string_view text, uint32_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool Parse(const std::vector<std::string_view>& words, stepscope::test::WideProfileOptions* out) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--own-ops") {
      out->own_ops = true;
      continue;
    }
    uint32_t* number = words[i] == "--kernels"        ? &out->kernels
                       : words[i] == "--steps"        ? &out->steps
                       : words[i] == "--host-ops"     ? &out->host_ops
                       : words[i] == "--instructions" ? &out->instructions
                                                      : nullptr;
    if (number == nullptr || i + 1 == words.size() || !ParseNumber(words[++i], number)) {
      return false;
    }
  }
  return !words.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  stepscope::test::WideProfileOptions options;
  if (!Parse(words, &options)) {
    std::fputs(
        "make_wide_xspace OUT.xplane.pb [--kernels N] [--own-ops] [--steps N] [--host-ops N] "
        "[--instructions N]\n",
        stderr);
    return 2;
  }
  const std::string bytes = stepscope::test::WideProfile(options);
  std::FILE* file = std::fopen(std::string(words[0]).c_str(), "wb");
  const bool ok = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (!file || std::fclose(file) != 0 || !ok) {
    std::perror(std::string(words[0]).c_str());
    return 1;
  }
}
