#include "model/analysis/xla/hlo_ops.h"

#include <doctest/doctest.h>

#include "model/analysis/tables/cells.h"
#include "model/analysis/xla/hlo_programs.h"
#include "tests/support/hlo_program.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::HloProgram;
using test::TextField;

constexpr int64_t kUs = 1'000'000;  // ps

// Program 7: main calls `dot.1` (f32[64,64] by f32[64,64]) and `add.1`.
std::string DotProgram() {
  HloProgram p("jit_step");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[64,64]"),
                b = p.Add("b", "parameter", "f32[64,64]");
  const int64_t c = p.Add("dot.1", "dot", "f32[64,64]", {a, b}, {},
                          TextField(30, test::IntsField(1, {1}) + test::IntsField(2, {0})));
  p.Add("add.1", "add", "f32[64,64]", {c, a});
  return p.Bytes();
}

void AddPrograms(test::XSpaceBuilder* space) {
  test::PlaneBuilder& plane = space->Plane("/host:metadata");
  plane.EventMetadata(7, "jit_step(7)").Stat("Hlo Proto", test::Bytes{DotProgram()});
}

void AddOp(test::LineBuilder* line, const char* kernel, int64_t at_us, int64_t us, const char* op,
           int64_t program = 7) {
  line->Event(kernel, at_us * kUs, us * kUs)
      .Stat("hlo_op", op)
      .Stat("hlo_module", "jit_step")
      .Stat("program_id", program);
}

std::shared_ptr<const Trace> Load(const test::XSpaceBuilder& space) {
  return test::Loaded("host.xplane.pb", space.Bytes());
}

// Two executions of dot.1, each as two kernels, with add.1 after each, and an op of a program that
// the file does not have.
std::shared_ptr<const Trace> GpuTrace() {
  test::XSpaceBuilder space;
  test::LineBuilder& line = space.Plane("/device:GPU:0").Line(14, "Stream #14(Compute)");
  for (const int64_t t : {0, 100}) {
    AddOp(&line, "gemm", t, 10, "dot.1");
    AddOp(&line, "reduce", t + 10, 10, "dot.1");
    AddOp(&line, "add", t + 20, 5, "outer::add.1");
  }
  AddOp(&line, "other", 150, 5, "fusion.9", 8);
  AddPrograms(&space);
  return Load(space);
}

const HloOp* Find(const HloOpTable& table, std::string_view name) {
  for (const HloOp& op : table.ops) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

TEST_CASE("an execution of several kernels counts its operations once; XProf counts kernels") {
  const auto trace = GpuTrace();
  AnalysisContext own(trace, Definitions::kStepscope), xprof(trace, Definitions::kXprof);
  const double once = 2.0 * 64 * 64 * 64;
  const HloOp* dot = Find(*own.Get<HloOpTable>(AnalysisParams()), "dot.1");
  REQUIRE(dot != nullptr);
  CHECK(dot->occurrences == 2);
  CHECK(dot->events == 4);
  CHECK(dot->flops == 2 * once);
  CHECK(dot->category == "dot");
  CHECK(dot->time == 40 * kUs);
  const HloOp* theirs = Find(*xprof.Get<HloOpTable>(AnalysisParams()), "dot.1");
  REQUIRE(theirs != nullptr);
  CHECK(theirs->occurrences == 4);
  CHECK(theirs->flops == 4 * once);
}

TEST_CASE("ops of programs that are not in the file are listed; XProf drops them") {
  const auto trace = GpuTrace();
  AnalysisContext own(trace, Definitions::kStepscope), xprof(trace, Definitions::kXprof);
  const HloOp* other = Find(*own.Get<HloOpTable>(AnalysisParams()), "fusion.9");
  REQUIRE(other != nullptr);
  CHECK(other->category == "unknown");
  CHECK(other->flops == 0);
  CHECK(Find(*xprof.Get<HloOpTable>(AnalysisParams()), "fusion.9") == nullptr);
  CHECK(xprof.Get<HloOpTable>(AnalysisParams())->dropped_events == 1);
  CHECK(own.Get<HloOpTable>(AnalysisParams())->idle() == 155 * kUs - 55 * kUs);
  CHECK(xprof.Get<HloOpTable>(AnalysisParams())->idle() == 155 * kUs - 50 * kUs);
}

TEST_CASE(
    "a report has each instruction with its costs and all programs; a page of a window has not") {
  AnalysisContext own(GpuTrace(), Definitions::kStepscope);
  CHECK(own.Get("hlo_graph")->Table("instructions") == nullptr);
  AnalysisParams params;
  params.hlo.whole = true;
  params.hlo.memory_space = kAllMemorySpaces;
  const auto page = own.Get("hlo_graph", params);
  const ResultTable* programs = page->Table("programs");
  REQUIRE(programs);
  REQUIRE(programs->size() == 1);
  CHECK(NumberOf(programs->At(0, 2)) == 4);
  const ResultTable* instructions = page->Table("instructions");
  REQUIRE(instructions);
  REQUIRE(instructions->size() == 4);
  const auto cell = [&](const char* column) {
    return instructions->columns[static_cast<size_t>(instructions->Column(column))].values.Own(2);
  };
  CHECK(cell("name") == Value(std::string("dot.1")));
  CHECK(cell("operands") == Value(std::string("a, b")));
  CHECK(cell("users") == Value(std::string("add.1")));
  CHECK(cell("flops") == Value(2.0 * 64 * 64 * 64));
  CHECK(cell("bytes_accessed") == Value(3.0 * 16384));
  CHECK(cell("program") == Value(std::string("jit_step(7)")));
  params.hlo.program = "nothing";
  CHECK_FALSE(own.Get("hlo_graph", params)->empty_reason.empty());
}

TEST_CASE("the last part of an op's name counts, and pages are made of the ops") {
  AnalysisContext own(GpuTrace(), Definitions::kStepscope);
  CHECK(Find(*own.Get<HloOpTable>(AnalysisParams()), "add.1") != nullptr);
  CHECK(own.Get("hlo_stats")->Table("hlo_stats")->size() == 3);
  CHECK(own.Get("roofline")->Table("roofline")->size() >= 4);
  const auto profile = own.Get("hlo_profile");
  CHECK(profile->Table("by_category")->size() == 1 + 1 + 3 * 2);  // root, IDLE, three ops
  CHECK(own.Get("hlo_memory")->Find("program")->label == "Program");
}

TEST_CASE("on a CPU ops nest, and calls that start work on a device are none") {
  test::XSpaceBuilder space;
  test::LineBuilder& line = space.Plane("/host:CPU").Line(1, "tf_XLAPjRtCpuClient/1");
  AddOp(&line, "dot.1", 0, 100, "dot.1");
  AddOp(&line, "add.1", 20, 30, "add.1");
  line.Event("cuLaunchKernel", 200 * kUs, kUs)
      .Stat("hlo_op", "dot.1")
      .Stat("program_id", int64_t{7})
      .Stat("correlation_id", int64_t{3});
  AddPrograms(&space);
  const auto trace = Load(space);
  AnalysisContext own(trace, Definitions::kStepscope), xprof(trace, Definitions::kXprof);
  const auto ops = own.Get<HloOpTable>(AnalysisParams());
  REQUIRE(ops->ops.size() == 2);
  CHECK(Find(*ops, "dot.1")->time == 100 * kUs);
  CHECK(Find(*ops, "dot.1")->self == 70 * kUs);
  CHECK(Find(*ops, "add.1")->flops == 64 * 64);
  CHECK(ops->total == 100 * kUs);
  CHECK(xprof.Get<HloOpTable>(AnalysisParams())->ops.empty());
  CHECK_FALSE(xprof.Get("hlo_stats")->empty_reason.empty());
}

TEST_CASE("programs are found by name and id, and none is decoded before it is asked for") {
  AnalysisContext own(GpuTrace(), Definitions::kStepscope);
  const HloPrograms& programs = own.Get<HloPrograms>();
  REQUIRE(programs.list().size() == 1);
  CHECK(programs.NameOf(0) == "jit_step(7)");
  for (const char* name : {"jit_step(7)", "7", "jit_step"}) CHECK(programs.FindByName(name) == 0);
  CHECK(programs.FindByName("jit") == HloPrograms::kNone);
  CHECK(programs.Module(0)->instructions.size() == 4);
}

TEST_CASE("kernels of a graph are known by their names") {
  test::XSpaceBuilder space;
  space.Plane("/device:GPU:0")
      .Line(14, "Stream #14(Compute)")
      .Event("add_1", 0, 5 * kUs)
      .Stat("kernel_details", test::Ref{"regs:1"})
      .Stat("cuda_graph_exec_id", uint64_t{3})
      .Stat("program_id", int64_t{7});
  AddPrograms(&space);
  const auto trace = Load(space);
  AnalysisContext own(trace, Definitions::kStepscope), xprof(trace, Definitions::kXprof);
  const HloOp* add = Find(*own.Get<HloOpTable>(AnalysisParams()), "add.1");
  REQUIRE(add != nullptr);
  CHECK(add->events_by_kernel == 1);
  CHECK(add->category == "non-fusion elementwise");
  CHECK(xprof.Get<HloOpTable>(AnalysisParams())->ops.empty());
}

TEST_CASE("kernels of a command buffer are known by their names; others are the buffer's") {
  test::XSpaceBuilder space;
  test::LineBuilder& line = space.Plane("/device:GPU:0").Line(14, "Stream #14(Compute)");
  const auto add = [&](const char* kernel, int64_t at) {
    line.Event(kernel, at * kUs, 5 * kUs)
        .Stat("kernel_details", test::Ref{"regs:1"})
        .Stat("cuda_graph_exec_id", uint64_t{3})
        .Stat("hlo_op", "command_buffer_1")
        .Stat("hlo_module", "jit_step")
        .Stat("program_id", int64_t{7});
  };
  add("add_1", 0);
  add("nvjet_sm90_tst_128x64", 10);
  AddPrograms(&space);
  const auto trace = Load(space);
  AnalysisContext own(trace, Definitions::kStepscope), xprof(trace, Definitions::kXprof);
  const HloOp* named = Find(*own.Get<HloOpTable>(AnalysisParams()), "add.1");
  REQUIRE(named != nullptr);
  CHECK(named->events_by_kernel == 1);
  CHECK(named->time == 5 * kUs);
  const HloOp* buffer = Find(*own.Get<HloOpTable>(AnalysisParams()), "command_buffer_1");
  REQUIRE(buffer != nullptr);
  CHECK(buffer->time == 5 * kUs);
  CHECK(Find(*xprof.Get<HloOpTable>(AnalysisParams()), "add.1") == nullptr);
}

TEST_CASE("a product of float32 that is faster than float32 can be was rounded to TF32") {
  constexpr double kFlops = 2.0 * 64 * 64 * 64;
  for (const auto& [kernel, ns, peak] :
       {std::tuple{"gemm_fusion", 4, 495e3}, std::tuple{"gemm_fusion", 40, 67e3},
        std::tuple{"sm90_xmma_gemm_f32f32_tf32f32", 40, 495e3}}) {
    CAPTURE(kernel);
    CAPTURE(kFlops / ns);  // GFLOP/s
    test::XSpaceBuilder space;
    test::PlaneBuilder& gpu = space.Plane("/device:GPU:0");
    gpu.Stat("gpu_device_name", "NVIDIA H100 80GB HBM3");
    gpu.Line(14, "Stream #14(Compute)")
        .Event(kernel, 0, ns * 1000)
        .Stat("hlo_op", "dot.1")
        .Stat("hlo_module", "jit_step")
        .Stat("program_id", int64_t{7});
    AddPrograms(&space);
    AnalysisContext own(Load(space), Definitions::kStepscope);
    const HloOp* dot = Find(*own.Get<HloOpTable>(AnalysisParams()), "dot.1");
    REQUIRE(dot != nullptr);
    CHECK(dot->flops == kFlops);
    CHECK(dot->peak_flops == doctest::Approx(peak).epsilon(0.01));
  }
}

TEST_CASE("a program that cannot be read, and one that there is not, say so") {
  test::XSpaceBuilder space;
  space.Plane("/device:GPU:0").Line(14, "Stream #14(Compute)").Event("k", 0, kUs);
  space.Plane("/host:metadata").EventMetadata(7, "jit_step(7)").Stat("Hlo Proto", test::Bytes{"x"});
  AnalysisContext own(Load(space), Definitions::kStepscope);
  CHECK(own.Get("hlo_memory")->empty_reason.find("cannot be read") != std::string::npos);
  AnalysisParams params;
  params.hlo.program = "jit_other";
  CHECK(own.Get("hlo_graph", params)->empty_reason.find("jit_other") != std::string::npos);
}

TEST_CASE("a TPU's ops have the core's own times and the costs of their metadata") {
  test::XSpaceBuilder space;
  test::PlaneBuilder& plane = space.Plane("/device:TPU:0");
  std::string access, breakdown;
  access = test::IntsField(1, {1}) + test::IntsField(2, {1}) + test::IntsField(3, {512});
  breakdown = TextField(1, access);
  plane.EventMetadata(1, "%add = f32[] add(...)")
      .DisplayName("add")
      .Stat("program_id", uint64_t{7})
      .Stat("symbol_id", uint64_t{2})
      .Stat("flops", int64_t{100})
      .Stat("bytes_accessed", int64_t{1000})
      .Stat("hlo_category", "non-fusion elementwise")
      .Stat("memory_access_breakdown", test::Bytes{breakdown});
  test::LineBuilder& line = plane.Line(3, "XLA Ops");
  for (const int64_t t : {0, 50}) {
    line.EventById(1, t * kUs, 40 * kUs)
        .Stat("device_offset_ps", t * kUs)
        .Stat("device_duration_ps", 10 * kUs);
  }
  AddPrograms(&space);
  AnalysisContext own(Load(space), Definitions::kStepscope);
  const auto ops = own.Get<HloOpTable>(AnalysisParams());
  REQUIRE(ops->ops.size() == 1);
  CHECK(ops->ops[0].name == "add");
  CHECK(ops->ops[0].time == 20 * kUs);
  CHECK(ops->ops[0].flops == 200);
  CHECK(ops->ops[0].bytes == 2000);
  CHECK(ops->ops[0].hbm == 1024);
  CHECK(ops->total == 60 * kUs);
}

// 1.6 TB/s move 16 MB in 10 us.
TEST_CASE("the bytes of an asynchronous copy count once, in a wait that is long enough for them") {
  test::XSpaceBuilder space;
  test::PlaneBuilder& plane = space.Plane("/device:TPU:0");
  plane.Stat("device_type_string", "TPU v6 Lite");
  plane.Stat("peak_hbm_bw_gigabytes_per_second", 1600.0);
  test::LineBuilder& line = plane.Line(3, "XLA Ops");
  const auto add = [&](int64_t id, const char* name, const char* category, int64_t begin,
                       int64_t duration) {
    plane.EventMetadata(id, "%" + std::string(name) + " = f32[] op(...)")
        .DisplayName(name)
        .Stat("program_id", uint64_t{7})
        .Stat("symbol_id", uint64_t{2})
        .Stat("bytes_accessed", int64_t{8'000'000})
        .Stat("hlo_category", category);
    line.EventById(id, begin * kUs, duration * kUs)
        .Stat("device_offset_ps", begin * kUs)
        .Stat("device_duration_ps", duration * kUs);
  };
  add(1, "copy-start", "copy-start", 0, 1);
  add(2, "copy-done", "copy-done", 1, 10);
  add(3, "copy-start.1", "copy-start", 20, 1);
  add(4, "copy-done.1", "copy-done", 21, 2);
  add(5, "add", "non-fusion elementwise", 30, 1);
  const auto trace = Load(space);
  for (const Definitions definitions : {Definitions::kStepscope, Definitions::kXprof}) {
    AnalysisContext context(trace, definitions);
    const auto ops = context.Get<HloOpTable>(AnalysisParams());
    REQUIRE(ops->ops.size() == 5);
    REQUIRE(ops->peaks.hbm > 1000);
    const bool ours = definitions == Definitions::kStepscope;
    for (const HloOp& op : ops->ops) {
      CAPTURE(op.name);
      const bool counts = !ours || op.name == "copy-done" || op.name == "add";
      CHECK(op.bytes == (counts ? 8e6 : 0));
    }
  }
}

}  // namespace
}  // namespace stepscope
