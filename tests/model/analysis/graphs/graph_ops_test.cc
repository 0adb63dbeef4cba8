#include "model/analysis/graphs/graph_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/graphs/graph_matcher.h"
#include "model/analysis/graphs/hlo_kernels.h"
#include "model/graph_captures.h"
#include "tests/support/graph_traces.h"
#include "tests/support/loaded.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"
#include "tests/support/table_rows.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::AddCapture;
using test::AddReplay;
using test::GraphKernels;
using test::Int;
using test::KinetoText;
using test::Real;
using test::Text;

std::shared_ptr<const Trace> LoadText(const std::string& text) {
  return test::Loaded("t.json", text);
}

// Loads a replay with captures beside it.
std::shared_ptr<const Trace> WithCaptures(const std::string& replay,
                                          std::vector<GraphCapture> captures) {
  const auto bytes = MakeByteSource("t.json", replay, replay.size() + 1);
  REQUIRE(bytes.ok());
  InputFile file;
  file.path = "t.json";
  file.opened = *bytes;
  TraceBuilder builder;
  Progress progress;
  for (const LoaderDesc* loader : Loaders()) {
    if (!loader->format->capabilities.chrome_events) continue;
    REQUIRE(loader->load(builder, std::span(&file, 1), {}, {}, progress).ok());
  }
  builder.trace().source =
      std::make_shared<SourceWithCaptures>(builder.trace().source, std::move(captures));
  const Result<std::shared_ptr<const Trace>> trace = builder.Finish();
  REQUIRE(trace.ok());
  return *trace;
}

struct Found {
  explicit Found(std::shared_ptr<const Trace> of, Definitions d = Definitions::kStepscope)
      : trace(std::move(of)), context(trace, d), graphs(GraphOps::Compute(context)) {}
  // The op of the n-th kernel of the graphs, by row; "-": not found.
  std::string Op(size_t n) const {
    return n < graphs.kernels.size() ? std::string(graphs.NameOf(At(n))) : "-";
  }
  const GraphOp& At(size_t n) const { return graphs.ops[graphs.kernels[n].op]; }

  std::shared_ptr<const Trace> trace;
  AnalysisContext context;
  GraphOps graphs;
};

TEST_CASE("Kernels of a replay get op, module, layer and shapes of the capture beside it") {
  const Found found(WithCaptures(test::ReplayText(GraphKernels(3)),
                                 {{"bs_32.json", "FULL", 32, LoadText(test::CaptureText(3))}}));
  const GraphOps& graphs = found.graphs;
  REQUIRE(graphs.launches.size() == 1);
  CHECK(graphs.launches[0].kernels == 13);
  CHECK(graphs.launches[0].matched == 13);
  CHECK(graphs.launches[0].confidence() == 1.0);
  REQUIRE(graphs.kernels.size() == 13);
  CHECK(found.Op(0) == "aten::embedding");
  CHECK(found.Op(1) == "aiter::rmsnorm");
  CHECK(found.Op(6) == "aten::mm");
  CHECK(graphs.ModuleOf(found.At(6)) == "Model_0 / DecoderLayer_1 / Linear_5");
  CHECK(graphs.LayerOf(found.At(6)) == "DecoderLayer_1");
  CHECK(graphs.LayerOf(found.At(0)).empty());
  CHECK(graphs.ShapesOf(found.At(6)) == "[[32,64],[]]");
  CHECK(SourceText(graphs.sources[found.At(6).source]) == "capture bs_32.json");
}

TEST_CASE("A kernel that was not recorded stays without op, and confidence says so") {
  std::vector<std::string> kernels = GraphKernels(3);
  kernels[6] = "something_else";
  const Found found(WithCaptures(test::ReplayText(kernels),
                                 {{"bs_32.json", "FULL", 32, LoadText(test::CaptureText(3))}}));
  REQUIRE(found.graphs.launches.size() == 1);
  CHECK(found.graphs.launches[0].matched == 12);
  CHECK(found.graphs.launches[0].confidence() == doctest::Approx(12.0 / 13));
  CHECK(found.graphs.ModuleOf(found.At(6)) == "Model_0 / DecoderLayer_1 / Linear_6");
}

TEST_CASE("A capture of something else is not taken") {
  const Found found(WithCaptures(test::ReplayText({"a", "b", "c", "d", "gemm_kernel"}),
                                 {{"bs_32.json", "FULL", 32, LoadText(test::CaptureText(3))}}));
  REQUIRE(found.graphs.launches.size() == 1);
  CHECK(found.graphs.launches[0].matched == 0);
  CHECK(found.graphs.kernels.empty());
}

TEST_CASE("If several captures fit, the one with the step's batch size is taken") {
  const Found found(WithCaptures(test::ReplayText(GraphKernels(2)),
                                 {{"bs_16.json", "FULL", 16, LoadText(test::CaptureText(2, 16))},
                                  {"bs_32.json", "FULL", 32, LoadText(test::CaptureText(2, 32))}}));
  REQUIRE(found.graphs.kernels.size() == 9);
  CHECK(found.graphs.ShapesOf(found.At(0)) == "[[32,64],[]]");
  CHECK(found.graphs.launches[0].alike == 1);
}

TEST_CASE("Graphs that were recorded in the trace itself are found") {
  KinetoText t;
  AddCapture(2, 8, 0, &t);
  AddReplay(GraphKernels(2), 1, 1000, &t);
  AddReplay(GraphKernels(2), 2, 2000, &t);
  const Found found(LoadText(t.Text()));
  REQUIRE(found.graphs.launches.size() == 2);
  REQUIRE(found.graphs.kernels.size() == 18);
  CHECK(found.Op(17) == "sgl::silu");
  CHECK(SourceText(found.graphs.sources[0]) == "recording in this trace");
  // Both replays share the ops of one recording.
  CHECK(found.graphs.ops.size() == 9);
}

TEST_CASE("Graphs that look alike are replayed in the order of their recordings") {
  KinetoText t;
  AddCapture(1, 8, 0, &t);
  AddCapture(1, 9, 200, &t);
  AddReplay(GraphKernels(1), 1, 1000, &t);
  AddReplay(GraphKernels(1), 2, 2000, &t);
  const Found found(LoadText(t.Text()));
  REQUIRE(found.graphs.kernels.size() == 10);
  CHECK(found.graphs.launches[0].alike == 2);
  CHECK(found.graphs.ShapesOf(found.At(0)) == "[[8,64],[]]");
  CHECK(found.graphs.ShapesOf(found.At(5)) == "[[9,64],[]]");
}

// Adds kernels with a launch each, as a warm-up runs them.
void AddEager(const std::vector<std::string>& kernels, int first, double begin, KinetoText* t) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const double at = begin + 20 * static_cast<double>(i);
    const int correlation = first + static_cast<int>(i);
    t->Host("cpu_op", "op " + kernels[i], at, 10);
    t->Launch(correlation, at + 1, 2, "hipLaunchKernel");
    t->On(0, 3).Kernel(kernels[i], correlation, at + 5, 5);
  }
}

TEST_CASE("Earlier eager steps of the same trace name the ops of a graph") {
  const std::vector<std::string> kernels = GraphKernels(2);
  KinetoText t;
  AddEager(kernels, 100, 0, &t);
  AddReplay(kernels, 1, 1000, &t);
  const Found found(LoadText(t.Text()));
  REQUIRE(found.graphs.launches.size() == 1);
  CHECK(found.graphs.launches[0].matched == 9);
  CHECK(found.Op(0) == "op gather_kernel");
  CHECK(SourceText(found.graphs.sources[0]) == "eager steps of this trace");
}

TEST_CASE("A few eager kernels of the same names prove nothing") {
  KinetoText t;
  AddEager({"a", "b", "c"}, 100, 0, &t);
  AddReplay({"a", "b", "c"}, 1, 1000, &t);
  CHECK(Found(LoadText(t.Text())).graphs.kernels.empty());
}

TEST_CASE("Streams of a graph are matched one by one with what the longer ones leave") {
  KinetoText t;
  AddReplay({"gather_kernel", "norm_kernel", "gemm_kernel", "act_kernel"}, 1, 0, &t);
  t.On(0, 4).Kernel("gemm_kernel", 1, 12, 5);
  const Found found(
      WithCaptures(t.Text(), {{"bs_32.json", "FULL", 32, LoadText(test::CaptureText(1))}}));
  REQUIRE(found.graphs.launches.size() == 1);
  CHECK(found.graphs.launches[0].matched == 5);
  std::vector<uint32_t> ops;
  for (const GraphKernel& kernel : found.graphs.kernels) ops.push_back(kernel.op);
  std::sort(ops.begin(), ops.end());
  CHECK(std::unique(ops.begin(), ops.end()) == ops.end());
}

TEST_CASE("Tables of kernels and ops count what graphs ran; XProf's definitions do not") {
  const std::shared_ptr<const Trace> trace =
      WithCaptures(test::ReplayText(GraphKernels(3)),
                   {{"bs_32.json", "FULL", 32, LoadText(test::CaptureText(3))}});
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult kernels = FindAnalysis("kernel_stats")->run(context, {});
  CHECK(Text(kernels, "by_op", 0, "name") == "aten::mm");
  CHECK(Int(kernels, "by_op", 0, "occurrences") == 6);
  CHECK(Int(kernels, "graphs", 0, "matched") == 13);
  CHECK(Text(kernels, "graph_ops", 0, "name") == "aten::mm");
  CHECK(Text(kernels, "graph_ops", 0, "parent_module") == "Linear");
  CHECK(Real(kernels, "graph_ops", 0, "total_duration_us") == doctest::Approx(30));
  CHECK(Text(kernels, "graph_kernels", 1, "layer") == "DecoderLayer_0");
  const AnalysisResult ops = FindAnalysis("op_stats")->run(context, {});
  const ResultTable& table = test::TableOf(ops, "ops");
  const auto name = static_cast<size_t>(table.Column("operation"));
  const auto rows = test::RowsOf(table);
  CHECK(std::any_of(rows.begin(), rows.end(), [&](const std::vector<Value>& row) {
    return RawValue(row[name]) == "aten::mm";
  }));

  AnalysisContext compat(trace, Definitions::kXprof);
  CHECK(GraphOps::Compute(compat).launches.empty());
  CHECK(FindAnalysis("kernel_stats")->run(compat, {}).Table("graphs") == nullptr);
}

TEST_CASE("A kernel is the HLO instruction of its name, if it is the only one") {
  HloTable hlo;
  hlo.programs[7].instructions["loop_add_fusion.3"].op_name = "jit(f)/add";
  hlo.programs[7].instructions["a.b"] = {};
  hlo.programs[7].instructions["a-b"] = {};
  hlo.programs[8].instructions["loop_add_fusion.3"] = {};
  const HloKernels kernels(hlo);
  const auto found = kernels.Find(7, "loop_add_fusion_3");
  REQUIRE(found.has_value());
  CHECK(found->instruction == "loop_add_fusion.3");
  CHECK(found->hlo->op_name == "jit(f)/add");
  CHECK_FALSE(kernels.Find(7, "a_b").has_value());
  CHECK_FALSE(kernels.Find(9, "loop_add_fusion_3").has_value());
  CHECK_FALSE(kernels.Find(-1, "loop_add_fusion_3").has_value());
}

TEST_CASE("Kernels of an XLA command buffer get the ops of the HLO in the profile") {
  std::string op, instruction, computation, module, proto;
  test::PutBytes(&op, 1, "add");
  test::PutBytes(&op, 2, "jit(f)/layer_1/add");
  test::PutBytes(&instruction, 1, "loop_add_fusion.3");
  test::PutBytes(&instruction, 2, "fusion");
  test::PutBytes(&instruction, 7, op);
  test::PutBytes(&computation, 1, "command_buffer");
  test::PutBytes(&computation, 2, instruction);
  test::PutBytes(&module, 1, "jit_f");
  test::PutBytes(&module, 3, computation);
  test::PutBytes(&proto, 1, module);
  test::XSpaceBuilder space;
  test::LineBuilder& stream = space.Plane("/device:GPU:0").Line(14, "Stream #14(Compute)");
  int64_t at = 0;
  for (const char* kernel : {"loop_add_fusion_3", "library_gemm"}) {
    stream.Event(kernel, at += 10 * kPsPerUs, 5 * kPsPerUs)
        .Stat("kernel_details", test::Ref{"regs:1"})
        .Stat("cuda_graph_exec_id", uint64_t{3})
        .Stat("program_id", int64_t{77});
  }
  space.Plane("/host:metadata")
      .EventMetadata(77, "jit_f(77)")
      .Stat("Hlo Proto", test::Bytes{proto});
  const auto trace = LoadBytes("h.xplane.pb", space.Bytes(), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  const Found found(*trace);
  REQUIRE(found.graphs.launches.size() == 1);
  CHECK(found.graphs.launches[0].kernels == 2);
  CHECK(found.graphs.launches[0].confidence() == 0.5);
  REQUIRE(found.graphs.kernels.size() == 1);
  CHECK(found.Op(0) == "jit(f)/layer_1/add");
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult kernels = FindAnalysis("kernel_stats")->run(context, {});
  CHECK(Text(kernels, "graph_kernels", 0, "op_name") == "jit(f)/layer_1/add");
  CHECK(Text(kernels, "by_op", 0, "name") != Text(kernels, "by_op", 1, "name"));
}

TEST_CASE("Launches that all look different cost a bounded amount of work") {
  std::vector<uint32_t> names(100'000);
  for (size_t i = 0; i < names.size(); ++i) names[i] = static_cast<uint32_t>(i % 1000);
  GraphRecipe recipe{RecipeKind::kCapture, NameSequence(names), {}};
  GraphMatcher matcher({{&recipe, 0, -1}});
  size_t matched = 0;
  for (uint32_t i = 0; i < 2000; ++i) matched += matcher.Match({{i % 1000, i / 1000}}, -1).matched;
  CHECK(matched < 4000);
}

// The reference tables beside the sample: time of each op and module class, in us.
std::map<std::pair<std::string, std::string>, double> ReadReference(const std::string& path) {
  std::map<std::pair<std::string, std::string>, double> reference;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // name,parent_module,total_direct_kernel_time_sum,...
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name, module, time;
    std::getline(fields, name, ',');
    std::getline(fields, module, ',');
    std::getline(fields, time, ',');
    if (module.starts_with("nn.Module: ")) reference[{name, module.substr(11)}] = std::stod(time);
  }
  return reference;
}

TEST_CASE("A decode step of a server: each op and module has the time of the reference tables") {
  const std::string root = test::SharedPath("traces/graphs/sglang_decode/");
  if (!std::filesystem::exists(root)) {
    MESSAGE("SKIPPED: " << root << " is not there");
    return;
  }
  Progress progress;
  const auto trace = LoadPath(root + "sglang_Qwen3-8B_decode.json.gz", {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  const Found found(*trace);
  REQUIRE(found.graphs.launches.size() == 1);
  CHECK(found.graphs.launches[0].kernels == 544);
  CHECK(found.graphs.launches[0].matched == 544);
  std::map<std::pair<std::string, std::string>, double> measured;
  for (size_t i = 0; i < found.graphs.kernels.size(); ++i) {
    const std::string path = found.graphs.ModuleOf(found.At(i));
    const size_t slash = path.rfind(" / ");
    std::string op = found.Op(i);
    if (op.ends_with("_100")) op.resize(op.size() - 4);  // without the line number
    measured[{op, std::string(
                      ModuleClass(slash == std::string::npos ? path : path.substr(slash + 3)))}] +=
        static_cast<double>((*trace)->set.Duration(EventRow(found.graphs.kernels[i].row))) / 1e6;
  }
  auto reference = ReadReference(root + "perf_csvs/ops_summary.csv");
  reference.erase({"aten::argmax", "Sampler"});  // it ran beside the graph
  REQUIRE(reference.size() == 13);
  CHECK(measured.size() == reference.size());
  double same = 0, all = 0;
  for (const auto& [key, time] : reference) {
    all += time;
    // The tables round the begin and end of each kernel to 32 bits.
    const double off = std::abs(measured[key] - time);
    CHECK_MESSAGE(off < 0.02 + time * 1e-4, key.first << " of " << key.second << ": " << off);
    if (off < 0.02 + time * 1e-4) same += time;
  }
  MESSAGE("of the reference's time of ops in modules: " << 100 * same / all << " %");
}

}  // namespace
}  // namespace stepscope
