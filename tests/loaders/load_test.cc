// The loaders' descriptors agree with what the desktop's files and docs say.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/loader.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(test::SourcePath(path));
  REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The endings in the patterns of the desktop's file types, without ".gz" and ".zst": ".trace.json"
// for
// "*.trace.json.gz".
std::vector<std::string> DesktopEndings() {
  const std::string xml = ReadText("packaging/desktop/stepscope.xml");
  constexpr std::string_view kBegin = "pattern=\"";
  std::vector<std::string> endings;
  for (size_t at = xml.find(kBegin); at != xml.npos; at = xml.find(kBegin, at)) {
    at += kBegin.size();
    std::string_view pattern = std::string_view(xml).substr(at, xml.find('"', at) - at);
    if (pattern.starts_with('*')) pattern.remove_prefix(1);
    for (const std::string_view packed : kPackedEndings) {
      if (pattern.ends_with(packed)) pattern.remove_suffix(packed.size());
    }
    endings.emplace_back(pattern);
  }
  return endings;
}

TEST_CASE("The desktop's file types are the endings that belong to a loader") {
  const std::vector<std::string> desktop = DesktopEndings();
  REQUIRE(desktop.size() > 5);
  std::vector<std::string> own;
  for (const LoaderDesc* loader : Loaders()) {
    for (const FileEnding& ending : loader->endings) {
      if (ending.kind != FileEnding::Kind::kOwn && ending.kind != FileEnding::Kind::kCommon)
        continue;
      own.emplace_back(ending.text);
    }
  }
  for (const std::string& ending : own) {
    CAPTURE(ending);
    CHECK(std::any_of(desktop.begin(), desktop.end(),
                      [&](const std::string& known) { return ending.ends_with(known); }));
  }
  for (const std::string& known : desktop) {
    CAPTURE(known);
    CHECK(std::any_of(own.begin(), own.end(),
                      [&](const std::string& ending) { return ending.ends_with(known); }));
  }
}

TEST_CASE("docs/formats.md names every ending of each loader") {
  const std::string text = ReadText("docs/formats.md");
  for (const LoaderDesc* loader : Loaders()) {
    for (const FileEnding& ending : loader->endings) {
      CAPTURE(ending.text);
      CHECK(text.find("`" + std::string(ending.text) + "`") != text.npos);
    }
  }
}

TEST_CASE("Formats have names of their own, and no capability comes from nowhere") {
  std::vector<std::string> names;
  for (const LoaderDesc* loader : Loaders()) names.emplace_back(loader->format->name);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  for (const LoaderDesc* loader : Loaders()) {
    const Capabilities& told = loader->format->capabilities;
    CAPTURE(loader->format->name);
    // PyTorch's categories are event categories, and torch.profiler records PyTorch's.
    CHECK((told.event_categories || !told.pytorch_events));
    CHECK((told.pytorch_events || !told.torch_profiler));
  }
}

}  // namespace
}  // namespace stepscope
