
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("export: reads its options") {
  const ParsedCommandLine parsed = Parse({"export", "a", "-o", "b.json.gz", "--range", "1ms..2ms"});
  CHECK(OptionsOf<ExportOptions>(parsed).output == "b.json.gz");
  CHECK(OptionsOf<ExportOptions>(parsed).range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CheckUsageError({"export", "a", "b", "-o", "c"}, "one PATH");
}

}  // namespace
}  // namespace stepscope
