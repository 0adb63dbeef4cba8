// Op statistics and the input pipeline (docs/rules.md#ops, docs/rules.md#input-pipeline): each
// rule with a case to which it does not apply, on profiles built here.
#include "model/analysis/ops/op_database.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/pages/input_pipeline.h"
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::Ref;
using test::XSpaceBuilder;
constexpr int64_t kUs = kPsPerUs;

struct Ops {
  std::shared_ptr<const Trace> trace;
  AnalysisContext context;

  Ops(const std::string& name, const std::string& bytes, Definitions definitions)
      : trace(Load(name, bytes)), context(trace, definitions) {}
  Ops(const XSpaceBuilder& space, Definitions definitions)
      : Ops("h.xplane.pb", space.Bytes(), definitions) {}
  static std::shared_ptr<const Trace> Load(const std::string& name, const std::string& bytes) {
    auto loaded = LoadBytes(name, bytes, {});
    REQUIRE(loaded.ok());
    return *loaded;
  }
  const HostOps& Host() { return (kept = context.Get<OpDatabase>(AnalysisParams()))->hosts.at(0); }
  std::shared_ptr<const OpDatabase> kept;
  static const OpRow* Find(const OpSide& side, std::string_view name) {
    for (const OpRow& op : side.ops) {
      if (op.name == name) return &op;
    }
    return nullptr;
  }
  const OpRow* OnHost(std::string_view name) { return Find(Host().host_side, name); }
  const OpRow* OnDevice(std::string_view name) { return Find(Host().device_side, name); }
};

}  // namespace

TEST_CASE("Command buffers hide the ops of their kernels, and the pages of ops say so") {
  const auto context = [](const char* graph) {
    std::string events =
        R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},)"
        R"({"ph":"M","name":"thread_name","pid":1,"tid":18,"args":{"name":"Stream #18"}},)"
        R"({"ph":"M","name":"process_name","pid":701,"args":{"name":"/host:CPU"}})";
    for (int n = 0; n < 30; ++n) {
      const std::string at = std::to_string(1000 + 100 * n);
      events += R"(,{"ph":"X","name":"dispatch","pid":701,"tid":1,"dur":20,"ts":)" + at + "}";
      events += R"(,{"ph":"X","name":"fusion","pid":1,"tid":18,"dur":4,"ts":)" + at +
                R"(,"args":{"hlo_module":"jit_f")" + graph + "}}";
    }
    return std::make_unique<AnalysisContext>(
        Ops::Load("h.trace.json", "{\"traceEvents\":[" + events + "]}"), Definitions::kStepscope);
  };
  const auto buffers = context(R"(,"cuda_graph_exec_id":"1")");
  for (const char* page : {"op_stats", "hlo_stats"}) {
    CAPTURE(page);
    CHECK(buffers->Get(page)->empty_reason.find("--xla_gpu_enable_command_buffer= ") !=
          std::string::npos);
    CHECK(context("")->Get(page)->empty_reason.find("command") == std::string::npos);
  }
  // All of the work is in them: they are no advice.
  const AnalysisResult findings = *buffers->Get("findings");
  const ResultTable& rules = test::TableOf(findings, "findings");
  for (size_t r = 0; r < rules.size(); ++r)
    CHECK(test::Text(findings, "findings", r, "remedy").find("command buffer") ==
          std::string::npos);
}

TEST_CASE("An op links to all of its events, on every thread and however many") {
  constexpr size_t kEach = 6000;
  XSpaceBuilder b;
  auto& plane = b.Plane("/host:CPU");
  for (int64_t thread = 1; thread <= 2; ++thread) {
    auto& line = plane.Line(thread, "tf_Compute/" + std::to_string(thread));
    for (size_t i = 0; i < kEach; ++i)
      line.Event("a/Add:AddV2", static_cast<int64_t>(i) * 10 * kUs, 5 * kUs);
  }
  for (const Definitions definitions : {Definitions::kStepscope, Definitions::kXprof}) {
    Ops ops(b, definitions);
    const OpRow* add = ops.OnHost("a/Add");
    REQUIRE(add);
    CHECK(add->occurrences == 2 * kEach);
    const std::set<EventRow> rows(add->rows.begin(), add->rows.end());
    CHECK(rows.size() == 2 * kEach);
    for (const EventRow row : rows) CHECK(ops.trace->set.Name(row) == "a/Add:AddV2");
    const AnalysisResult r = FindAnalysis("op_stats")->run(ops.context, {});
    CHECK(r.Table("ops")->links.at(0).rows.size() == 2 * kEach);
    CHECK(r.Table("ops")->links.at(0).total == 2 * kEach);
  }
}

TEST_CASE(
    "Host ops: known names and tf_op count, other events do not; self time is without what is "
    "inside") {
  XSpaceBuilder b;
  b.Plane("/host:CPU")
      .Line(1, "tf_Compute/1")
      .Event("a/MatMul:MatMul", 0, 100 * kUs)
      .Event("a/Add:AddV2", 20 * kUs, 30 * kUs)
      .Event("no op at all", 60 * kUs, 10 * kUs)
      .Event("something", 200 * kUs, 5 * kUs)
      .Stat("tf_op", "XlaModule:")
      .Event("a/Add:AddV2", 300 * kUs, 10 * kUs);
  Ops ops(b, Definitions::kStepscope);
  REQUIRE(ops.OnHost("a/MatMul"));
  CHECK(ops.OnHost("a/MatMul")->time == 100 * kUs);
  CHECK(ops.OnHost("a/MatMul")->self == 70 * kUs);
  CHECK(ops.OnHost("a/Add")->occurrences == 2);
  CHECK(ops.OnHost("a/Add")->self == 40 * kUs);
  CHECK(ops.OnHost("no op at all") == nullptr);
  CHECK(ops.Host().host_side.ops.size() == 3);
  CHECK(ops.Host().host_side.busy == 115 * kUs);
  CHECK(ops.Host().host_side.total == 310 * kUs);
}

TEST_CASE("An event whose name and tf_op both name an op counts once, by its name") {
  XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "t").Event("a:MatMul", 0, 10 * kUs).Stat("tf_op", "b:Conv2D");
  for (Definitions definitions : {Definitions::kXprof, Definitions::kStepscope}) {
    Ops ops(b, definitions);
    CHECK(ops.OnHost("b") == nullptr);
    REQUIRE(ops.OnHost("a"));
    CHECK(ops.OnHost("a")->self == 10 * kUs);
  }
}

TEST_CASE(
    "Nested ops that end together: ours gives each its part, and the parts sum to the union") {
  XSpaceBuilder b;
  b.Plane("/host:CPU")
      .Line(1, "t")
      .Event("a:Outer", 0, 100 * kUs)
      .Event("b:Inner", 60 * kUs, 40 * kUs);
  Ops own(b, Definitions::kStepscope);
  CHECK(own.OnHost("a")->self == 60 * kUs);
  CHECK(own.OnHost("b")->self == 40 * kUs);
  CHECK(own.Host().host_side.busy == 100 * kUs);
}

TEST_CASE("Device total: XProf forgets the lines' own begin") {
  XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0");
  for (int64_t i = 0; i < 2; ++i) {
    gpu.Line(1 + i, "Stream #" + std::to_string(1 + i))
        .TimestampNs(i * 1'000'000)
        .Event("k", 0, kUs)
        .Stat("tf_op", "x:A")
        .Stat("kernel_details", Ref{"regs:1"});
  }
  CHECK(Ops(b, Definitions::kXprof).Host().device_side.total == 2 * kUs);
  CHECK(Ops(b, Definitions::kStepscope).Host().device_side.total == 1001 * kUs);
}

TEST_CASE(
    "Device ops: HLO ops without their program are left out by XProf only; kernels of no op "
    "are nobody's") {
  XSpaceBuilder b;
  auto& line = b.Plane("/device:GPU:0").Line(1, "Stream #1");
  line.Event("k1", 0, kUs).Stat("tf_op", "a/b:MatMul");
  line.Event("k2", 2 * kUs, kUs).Stat("hlo_op", "call::fusion.1").Stat("program_id", int64_t{7});
  line.Event("k3", 4 * kUs, kUs);
  Ops xprof(b, Definitions::kXprof), own(b, Definitions::kStepscope);
  CHECK(xprof.Host().device_side.ops.size() == 1);
  CHECK(own.Host().device_side.ops.size() == 2);
  REQUIRE(own.OnDevice("fusion.1"));
  CHECK(own.OnDevice("fusion.1")->type == "Unknown");
  CHECK(own.OnDevice("a/b")->type == "MatMul");
}

TEST_CASE("PyTorch: cpu_op events are ops, with the time of the kernels they launched") {
  const std::string json = R"({"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","cat":"cpu_op","name":"aten::addmm","pid":1,"tid":1,"ts":10,"dur":60},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,
     "args":{"correlation":9}},
    {"ph":"X","cat":"python_function","name":"train.py(3): step","pid":1,"tid":1,"ts":200,"dur":9},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":50,"dur":30,
     "args":{"correlation":9,"device":0,"stream":7}}]})";
  Ops ops("rank0.pt.trace.json", json, Definitions::kStepscope);
  REQUIRE(ops.OnHost("aten::addmm"));
  CHECK(ops.OnHost("aten::addmm")->self == 60 * kUs);
  CHECK(ops.OnHost("aten::addmm")->device_time == 30 * kUs);
  CHECK(ops.OnHost("aten::linear")->self == 40 * kUs);
  CHECK(ops.OnHost("aten::linear")->device_time == 0);  // the op inside it launched the kernel
  CHECK(ops.Host().host_side.ops.size() == 2);
  REQUIRE(ops.OnDevice("aten::addmm"));
  CHECK(ops.OnDevice("aten::addmm")->time == 30 * kUs);
  CHECK(ops.OnHost("aten::addmm")->type == "addmm");
  CHECK(ops.OnDevice("aten::addmm")->type == "addmm");
}

TEST_CASE("A wait of the host for a device is no device time of the op that waits") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::item", 0, 100)
      .Launch(1, 20, 5, "cudaMemcpyAsync")
      .Device("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 1, 30, 2)
      .Launch(2, 40, 50, "cudaStreamSynchronize")
      .Device("cuda_sync", "Stream Sync", 2, 41, 48);
  Ops ops("t.json", t.Text(test::kH100), Definitions::kStepscope);
  REQUIRE(ops.OnDevice("aten::item"));
  CHECK(ops.OnDevice("aten::item")->time == 2 * kUs);
  CHECK(ops.OnHost("aten::item")->device_time == 2 * kUs);
  CHECK(ops.Host().device_side.total == 2 * kUs);
}

TEST_CASE(
    "A kernel that no op launched uses the matrix unit alike in all tables; XProf's as it has it") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::relu", 0, 100).Launch(1, 20, 5).Kernel("relu_kernel", 1, 50, 10);
  t.Kernel("sm90_xmma_gemm_bf16", 2, 100, 30).Kernel("fill_kernel", 3, 200, 5);
  using test::Text;
  for (const Definitions definitions : {Definitions::kStepscope, Definitions::kXprof}) {
    const auto of = [&](const char* analysis) {
      return test::Analyse("t.json", t.Text(test::kH100), analysis, definitions);
    };
    const bool ours = definitions == Definitions::kStepscope;
    CAPTURE(ours);
    const AnalysisResult kernels = of("kernel_stats"), ops = of("op_stats"), page = of("overview");
    REQUIRE(Text(kernels, "kernels", 0, "kernel_name") == "sm90_xmma_gemm_bf16");
    CHECK(Text(kernels, "kernels", 0, "op_name").empty());
    CHECK(Text(kernels, "kernels", 0, "is_op_tensor_core_eligible") == (ours ? "true" : "false"));
    REQUIRE(Text(page, "top_ops", 0, "operation") == "sm90_xmma_gemm_bf16");
    CHECK(Text(page, "top_ops", 0, "tcUtilization") == (ours ? "true" : "false"));
    CHECK(Text(page, "top_ops", 0, "tcEligibility") == (ours ? "true" : "false"));
    CHECK(Text(page, "top_ops", 1, "tcUtilization") == "false");
    REQUIRE(Text(ops, "ops", 0, "operation") == "sm90_xmma_gemm_bf16");
    CHECK(test::Real(ops, "ops", 0, "gpu_tensorcore_utilization") == (ours ? 1 : 0));
    CHECK(test::Real(ops, "ops", 1, "gpu_tensorcore_utilization") == 0);
  }
}

TEST_CASE("Input operations by the names of their iterators") {
  using C = InputCategory;
  CHECK(CategoryOfInput("Iterator::Root::TFRecord", "Dataset") == C::kDemandedRead);
  CHECK(CategoryOfInput("Iterator::Root::Prefetch::TFRecord", "Dataset") == C::kAdvancedRead);
  CHECK(CategoryOfInput("Iterator::Root::Map", "Dataset") == C::kPreprocessing);
  CHECK(CategoryOfInput("Iterator::Prefetch", "Dataset") == C::kPreprocessing);  // it reads no file
  CHECK(CategoryOfInput("x", "InfeedEnqueueTuple") == C::kEnqueue);
  CHECK(CategoryOfInput("x", "MemcpyHToD") == C::kEnqueue);
  CHECK(CategoryOfInput("x", "READ") == C::kDemandedRead);
  CHECK(CategoryOfInput("x", "unknown") == C::kUnknown);
  CHECK(CategoryOfInput("x", "MatMul") == C::kNotInput);
  CHECK(CategoryOfInput("IteratorGetNext", "IteratorGetNext") == C::kNotInput);
}

TEST_CASE("Input pipeline: the share of enqueueing comes from the distance of the calls") {
  XSpaceBuilder b;
  auto& line = b.Plane("/host:CPU").Line(1, "t");
  line.Event("Iterator::Root::Map", 0, 40 * kUs);
  for (int64_t i = 0; i < 3; ++i)
    line.Event("e:InfeedEnqueueTuple", (100 + 100 * i) * kUs, 50 * kUs);
  Ops ops(b, Definitions::kStepscope);
  const AnalysisResult r = FindAnalysis("input_pipeline")->run(ops.context, {});
  const auto us = [&](const char* id) { return std::get<double>(r.Find(id)->value); };
  CHECK(us("enqueue_us") == doctest::Approx(150));
  // Half of the period is enqueueing, so the other half is spent before it: 150 us, all of it
  // preprocessing.
  CHECK(us("preprocessing_us") == doctest::Approx(150));
  CHECK(us("demanded_file_read_us") == 0);
  CHECK(r.Table("host_ops")->size() == 2);
  XSpaceBuilder none;
  none.Plane("/host:CPU").Line(1, "t").Event("a:MatMul", 0, 10);
  Ops empty(none, Definitions::kStepscope);
  CHECK(FindAnalysis("input_pipeline")->run(empty.context, {}).Table("host_ops")->empty());
}

}  // namespace stepscope
