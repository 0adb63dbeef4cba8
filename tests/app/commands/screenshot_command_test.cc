
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("screenshot: reads its options") {
  const ParsedCommandLine parsed =
      Parse({"screenshot", "dir", "-o", "x.png", "--size", "1280x800", "--scale", "2", "--range",
             "12ms..15ms", "--theme", "light"});
  const ScreenshotOptions& shot = OptionsOf<ScreenshotOptions>(parsed);
  CHECK(shot.output == "x.png");
  CHECK(shot.width == 1280);
  CHECK(shot.height == 800);
  CHECK(shot.scale == 2);
  CHECK(shot.theme == "light");
  CHECK(shot.range == TimeRange{12 * kPsPerMs, 15 * kPsPerMs});
}

TEST_CASE("screenshot: needs a file to write, a size and a range that can be read") {
  CheckUsageError({"screenshot", "a"}, "--output");
  CheckUsageError({"screenshot", "a", "-o", "x.png", "--size", "big"}, "1920x1080");
  CheckUsageError({"screenshot", "a", "-o", "x.png", "--range", "15ms..12ms"}, "12ms..15ms");
}

}  // namespace
}  // namespace stepscope
