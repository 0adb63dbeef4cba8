// Compares what PyTorch's ops cost with reference tables (golden/torch_*.json of the shared
// recordings): products of matrices, convolutions and attention, each op and shape. The references
// count the sum with a bias, and not the sums of rows that attention writes.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/torch/torch_ops.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

using AnyJson = nlohmann::json;

// "[[1, 2], []]" without its spaces.
std::string Compact(std::string text) {
  std::erase(text, ' ');
  return text;
}

bool IsCompared(const std::string& kind) {
  return kind == "GEMM" || kind.starts_with("CONV") || kind == "SDPA_fwd";
}

bool Near(double ours, double theirs, double part) {
  return std::abs(ours - theirs) <= part * std::abs(theirs);
}

// The number of rows that were compared; 0 where the recording is not there.
size_t CompareTorchOps(const std::string& name) {
  const std::string path = test::SharedPath("traces/" + name + ".json.gz");
  std::ifstream golden(test::SharedPath("golden/torch_" + name + ".json"));
  if (!std::filesystem::exists(path) || !golden.good()) {
    MESSAGE("SKIPPED: the shared recording of " << name << " is not there");
    return 0;
  }
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const TorchOps ops = TorchOps::Compute(context, {});
  std::map<std::string, const TorchOp*> by_key;
  for (const TorchOp& op : ops.ops) by_key[op.operation + Compact(op.dims)] = &op;
  size_t compared = 0;
  for (const AnyJson& row : AnyJson::parse(golden)) {
    if (!IsCompared(row["kind"])) continue;
    const std::string key =
        row["operation"].get<std::string>() + Compact(row["input_dims"].get<std::string>());
    CAPTURE(key);
    const auto found = by_key.find(key);
    REQUIRE(found != by_key.end());
    const TorchOp& op = *found->second;
    REQUIRE(op.cost);
    CHECK(op.calls == row["count"]);
    CHECK(Near(op.cost->flops, row["gflops"].get<double>() * 1e9, .005));
    CHECK(Near(op.cost->bytes, row["mib"].get<double>() * 1048576, .01));
    CHECK(Near(static_cast<double>(op.time) / static_cast<double>(kPsPerUs),
               row["kernel_us_sum"].get<double>(), .005));
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("Costs of PyTorch's ops of real recordings are those of the reference tables") {
  const std::pair<const char*, size_t> kRows[] = {
      {"bert_h100", 5}, {"qwen_h100", 6}, {"timesformer_mi300", 12}};
  for (const auto& [name, rows] : kRows) {
    CAPTURE(name);
    const size_t compared = CompareTorchOps(name);
    CHECK((compared == 0 || compared == rows));
  }
}

}  // namespace stepscope
