// Looks up the ops that launched kernels of PyTorch, where ids are close together and far apart.
#include "model/analysis/kernels/launching_ops.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"

namespace stepscope {
namespace {

std::string Span(const char* category, const char* name, int begin, int duration,
                 const std::string& args) {
  return std::string(R"({"ph":"X","pid":1,"tid":1,"cat":")") + category + R"(","name":")" + name +
         R"(","ts":)" + std::to_string(begin) + R"(,"dur":)" + std::to_string(duration) +
         R"(,"args":{)" + args + "}}";
}

TEST_CASE("LaunchingOps: finds the first op by its id, else the op around the call") {
  for (const int64_t apart : {int64_t{1}, int64_t{1} << 40, int64_t{-1}}) {
    CAPTURE(apart);
    const auto id = [&](const char* key, int64_t n) {
      return std::string("\"") + key + "\":" + std::to_string(n * apart);
    };
    const std::string text =
        "[" + Span("cpu_op", "aten::mm", 0, 10, id("External id", 5)) + "," +
        Span("cuda_runtime", "cudaLaunchKernel", 2, 3, id("correlation", 7)) + "," +
        Span("cpu_op", "aten::add", 20, 10, id("External id", 5)) + "," +
        Span("cpu_op", "aten::mul", 40, 10, id("External id", 9)) + "," +
        Span("cuda_runtime", "cudaLaunchKernel", 60, 1, id("correlation", 8)) + "," +
        Span("kernel", "k", 5, 1, id("External id", 11) + "," + id("correlation", 7)) + "]";
    const auto loaded = LoadBytes("t.json", text, {});
    REQUIRE(loaded.ok());
    AnalysisContext context(*loaded, Definitions::kStepscope);
    const LaunchingOps ops(**loaded, context.stats());
    AncestorReader ancestors((*loaded)->set);
    const auto name = [&](int64_t external_id, int64_t correlation) {
      return ops.NameOf(external_id, correlation, &ancestors);
    };
    CHECK(name(5 * apart, -1000) == "aten::mm");
    CHECK(name(9 * apart, 7 * apart) == "aten::mul");
    CHECK(name(11 * apart, 7 * apart) == "aten::mm");  // a kernel's id is no op's
    CHECK(name(11 * apart, 8 * apart).empty());        // a call in no op
    CHECK(name(6 * apart, 1000 * apart).empty());
    CHECK(name(INT64_MAX, INT64_MIN).empty());
  }
}

}  // namespace
}  // namespace stepscope
