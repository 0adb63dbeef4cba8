// Which ops run one by one (docs/rules.md#grouping).
#include <map>

#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using namespace test;

// By operation: "Eager" or "Function".
std::map<std::string, std::string> Executions(const AnalysisResult& ops) {
  std::map<std::string, std::string> out;
  const ResultTable& t = TableOf(ops, "ops");
  for (size_t r = 0; r < t.size(); ++r)
    out[Text(ops, "ops", r, "host_or_device") + " " + Text(ops, "ops", r, "operation")] =
        Text(ops, "ops", r, "eager");
  return out;
}

}  // namespace

TEST_CASE("eager: PyTorch's ops are, except in compiled regions and graphs") {
  KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("gemm", 1, 20, 30);
  t.Host("user_annotation", "Torch-Compiled Region: 0/0", 20, 20)
      .Host("cpu_op", "triton_poi_fused_add_0", 22, 10)
      .Launch(2, 24, 3)
      .Kernel("triton_poi_fused_add_0", 2, 60, 10);
  t.Host("cpu_op", "## Call CompiledFxGraph abc ##", 50, 10)
      .Host("cpu_op", "extern_kernels.mm", 51, 4)
      .Launch(3, 52, 2)
      .Kernel("gemm2", 3, 80, 5);
  t.Launch(4, 70, 3, "cudaGraphLaunch").Kernel("of_a_graph", 4, 90, 5);
  const AnalysisResult r = Analyse("t.json", t.Text(), "op_stats");
  const std::map<std::string, std::string> how = Executions(r);
  CHECK(how.at("Host aten::mm") == "Eager");
  CHECK(how.at("Device aten::mm") == "Eager");
  CHECK(how.at("Host triton_poi_fused_add_0") == "Function");
  CHECK(how.at("Device triton_poi_fused_add_0") == "Function");
  CHECK(how.at("Host extern_kernels.mm") == "Function");
  CHECK(how.at("Device of_a_graph") == "Function");
  const AnalysisResult overview = Analyse("t.json", t.Text(), "overview");
  CHECK(std::get<double>(overview.Find("device_op_time_eager_percent")->value) ==
        doctest::Approx(60));
}

TEST_CASE("eager: an EagerExecute makes an op eager, but no function") {
  XSpaceBuilder b;
  auto& line = b.Plane("/host:CPU").Line(1, "python");
  line.Event("EagerExecute", 0, 1000).Stat("eager_op", "Mul").Stat("is_func", int64_t{0});
  line.Event("EagerLocalExecute: Mul", 100, 500);
  line.Event("EagerExecute", 2000, 3000)
      .Stat("eager_op", "__inference_train_7")
      .Stat("is_func", int64_t{1});
  line.Event("model/add:AddV2", 2500, 400);
  const AnalysisResult ours = Analyse("t.xplane.pb", b.Bytes(), "op_stats");
  const std::map<std::string, std::string> how = Executions(ours);
  CHECK(how.size() == 2);
  CHECK(how.at("Host Mul") == "Eager");
  CHECK(how.at("Host model/add") == "Function");
  CHECK(Real(ours, "ops", 0, "total_self_time") == doctest::Approx(0.001));
  CHECK(Text(ours, "ops", 0, "type") == "Mul");
  const AnalysisResult xprof = Analyse("t.xplane.pb", b.Bytes(), "op_stats", Definitions::kXprof);
  CHECK(Executions(xprof).size() == 1);
}

}  // namespace stepscope
