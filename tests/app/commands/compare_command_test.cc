
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("compare: takes two paths and what report takes") {
  const ParsedCommandLine parsed =
      Parse({"compare", "a.pb", "b.pb", "--panel", "op_stats", "--format", "json", "--steps",
             "3..7", "-o", "x.json", "--peaks", "MY GPU: fp16=900 memory=3000"});
  const CompareOptions& options = OptionsOf<CompareOptions>(parsed);
  CHECK(parsed.input.paths == std::vector<std::string>{"a.pb", "b.pb"});
  CHECK(options.panels == std::vector<std::string>{"op_stats"});
  CHECK(options.format == ReportFormat::kJson);
  CHECK(options.output == "x.json");
  REQUIRE(options.peaks.size() == 1);
  CHECK(options.peaks[0].numbers.fp16 == 900);
  CHECK(Parse({"compare", "a", "b", "--format", "csv"}).command != nullptr);
  CHECK(Parse({"compare", "--panel", "op_stats", "a", "b"}).input.paths.size() == 2);
}

TEST_CASE("compare: refuses another number of paths, and options of report alone") {
  CheckUsageError({"compare", "a"}, "1 were given");
  CheckUsageError({"compare", "a", "b", "c"}, "3 were given");
  CheckUsageError({"compare", "a", "b", "--compat", "xprof"}, "--compat");
}

}  // namespace
}  // namespace stepscope
