
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("bench: reads its options") {
  CHECK_FALSE(OptionsOf<BenchOptions>(Parse({"bench", "dir"})).panels);
  const ParsedCommandLine parsed = Parse({"bench", "dir", "--frames", "50", "--panels"});
  const BenchOptions& bench = OptionsOf<BenchOptions>(parsed);
  CHECK(bench.panels);
  CHECK_FALSE(bench.tools);
  CHECK(bench.frames == 50);
  CHECK(OptionsOf<BenchOptions>(Parse({"bench", "dir", "--tools"})).tools);
  const ParsedCommandLine some =
      Parse({"bench", "dir", "--panel", "hlo_graph", "--panel", "memory"});
  CHECK(OptionsOf<BenchOptions>(some).only_panels ==
        std::vector<std::string>{"hlo_graph", "memory"});
  CheckUsageError({"bench", "a", "--panel", "nothing"}, "--panel");
  CheckUsageError({"bench", "a", "--frames", "-3"}, "--frames");
}

TEST_CASE("bench: takes one path, or two to compare") {
  CHECK(Parse({"bench", "--compare", "a", "b"}).input.compare);
  CHECK(Parse({"bench", "--compare", "a", "b"}).command != nullptr);
  CheckUsageError({"bench", "a", "b"}, "one PATH");
  CheckUsageError({"bench", "--compare", "a"}, "two paths");
}

}  // namespace
}  // namespace stepscope
