#include "tests/support/planted_losses.h"

#include <doctest/doctest.h>

#include "tests/support/loaded.h"
#include "tests/support/table_cells.h"

namespace stepscope::test {
namespace {

using O = GpuProfileOptions;

constexpr const char* kBoth = "GPU 0, GPU 1";
constexpr const char* kAll = "0..7";

constexpr std::string_view kGemm = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn";
constexpr std::string_view kEigen = "void Eigen::internal::EigenMetaKernel<Eigen::half>(long)";

// A softmax between two products, each of so many us, and the same in one kernel.
std::vector<OpSpec> Attention(double us) {
  return {ExtraOp("BatchMatMulV2", kGemm, us), ExtraOp("Mul", kEigen, us / 4),
          ExtraOp("Softmax", "softmax_warp_forward", us), ExtraOp("BatchMatMulV2", kGemm, us)};
}
std::vector<OpSpec> FusedAttention(double us) {
  return {ExtraOp("FlashAttention", "flash_fwd_kernel", 2 * us)};
}

// Kernels of one type each, of so many us, which one kernel of that length replaces.
std::vector<OpSpec> Chain(std::initializer_list<std::string_view> types, double us) {
  std::vector<OpSpec> ops;
  for (const std::string_view type : types) ops.push_back(ExtraOp(type, kEigen, us));
  return ops;
}
std::vector<OpSpec> Norm(double us) { return Chain({"Square", "Mean", "Rsqrt", "Mul"}, us); }
std::vector<OpSpec> Rotary(double us) { return Chain({"Neg", "ConcatV2", "Mul", "AddV2"}, us); }

SetOptions Extra(const std::vector<OpSpec>& ops, int times) {
  return [=](O* o) { o->extra = ops, o->extra_times = times; };
}

PlantedLoss Stalled(const char* rule, const char* name, double us, const char* loss = nullptr) {
  return {name, rule, StallIn(name, us), {}, kBoth, kAll, loss};
}

std::vector<PlantedLoss> OfTheHost() {
  const SetOptions no_input = [](O* o) { o->input_wait_us = 0; };
  const SetOptions late_marker = [](O* o) {
    o->marker_after_input = true, o->input_wait_us = 2000;
  };
  const SetOptions metrics = [](O* o) { o->between_us = 2500; };
  const SetOptions contention = [](O* o) { o->contention_us = 90, o->contention_every = 2; };
  const SetOptions waits = [](O* o) { o->sync_every = 1; };
  const SetOptions items = [](O* o) {
    o->scenario = GpuScenario::kCopies, o->d2h_us = 2, o->d2h_every = 3, o->op_cost_us = 12;
  };
  const SetOptions read_later = [=](O* o) {
    items(o);
    o->d2h_blocks = false;
  };
  return {
      {"input", "input-bound", InScenario(GpuScenario::kInputBound), no_input, kBoth, kAll,
       "input"},
      {"late marker", "input-bound", late_marker, no_input, kBoth, "1..7", "input"},
      {"contention", "host-threads", contention, {}, kBoth, "2, 4, 6"},
      {"metrics", "between-steps", metrics, {}, kBoth, "1..7", "between_steps"},
      Stalled("host-op", "net/unique:Unique", 2000, "host"),
      Stalled("sync", "cudaStreamSynchronize", 2000, "sync"),
      // Each of 61 ops costs 3.2 us until the call returns and 7 us for the next launch.
      {"waits for the device", "sync", waits, {}, kBoth, kAll},
      {"items", "sync", items, read_later, kBoth, kAll},
      Stalled("loss-scaling", "LossScaleOptimizer/IsFinite:IsFinite", 1000),
      Stalled("compile", "XlaCompile", 2000, "compile"),
      Stalled("memory", "cudaMalloc", 1000),
  };
}

std::vector<PlantedLoss> OfLaunches() {
  const SetOptions fused = [](O* o) { o->model = GpuModelKind::kFused, o->op_cost_us = 24; };
  const SetOptions some = [](O* o) { o->model = GpuModelKind::kHalfTiny, o->op_cost_us = 24; };
  const SetOptions some_fused = [](O* o) {
    o->model = GpuModelKind::kHalfFused, o->op_cost_us = 24;
  };
  const SetOptions slow = [](O* o) { o->op_cost_us = 90; };
  const SetOptions tiny = InScenario(GpuScenario::kLaunchBound);
  // Two of 162 launches are a copy and a collective; 8 of 10 ops of a layer are tiny.
  return {
      {"tiny kernels", "launch-bound", tiny, fused, kBoth, kAll, "launch"},
      {"slow launches", "launch-bound", slow, {}, kBoth, kAll, "launch"},
      {"tiny kernels", "short-kernels", tiny, fused, kBoth, kAll, nullptr, 100 * 160 / 162.},
      {"some tiny kernels", "short-kernels", some, some_fused, kBoth, kAll, nullptr,
       100 * 90 / 112.},
  };
}

std::vector<PlantedLoss> OfTheDevice() {
  const SetOptions to_device = [](O* o) { o->h2d_us = 1000; };
  const SetOptions next_to_none = [](O* o) { o->h2d_us = 1; };
  const SetOptions on_device = [](O* o) { o->d2d_us = 700; };
  const SetOptions tf32 = [](O* o) { o->model = GpuModelKind::kTensorFloat; };
  return {
      {"copies to the host",
       "copies",
       InScenario(GpuScenario::kCopies),
       {},
       kBoth,
       kAll,
       "d2h",
       100 * 10 * 160 / 4913.},  // each call drains the queue
      {"copies to the device", "copies", to_device, next_to_none, kBoth, kAll, "h2d"},
      {"copies on the device", "copies", on_device, {}, kBoth, kAll, "d2d"},
      {"float",
       "matrix-units",
       InScenario(GpuScenario::kFp32),
       {},
       kBoth,
       kAll,
       nullptr,
       100 * 1.5 * 4678 / 7892.},  // a third of the loss stays
      {"TF32", "precision", tf32, {}, kBoth, kAll, nullptr, 0},
  };
}

// The device spends 3213 us in a step without the extra ops.
std::vector<PlantedLoss> OfFusion() {
  return {
      {"attention", "attention", Extra(Attention(80), 4), Extra(FusedAttention(80), 4), kBoth, kAll,
       nullptr, 100 * 1050 / (3213 + 1050.)},
      {"norms", "unfused-ops", Extra(Norm(30), 8), Extra(Chain({"RmsNorm"}, 30), 8), kBoth, kAll,
       nullptr, 100 * 970 / (3213 + 970.)},
      {"rotary embeddings", "unfused-ops", Extra(Rotary(30), 8), Extra(Chain({"Rope"}, 30), 8),
       kBoth, kAll, nullptr, 100 * 970 / (3213 + 970.)},
      {"multiplications that no op launched", "matrix-units",
       Extra({ExtraOp("Compiled", "volta_sgemm_128x32_nt", 150)}, 8),
       Extra({ExtraOp("Compiled", kGemm, 50)}, 8), kBoth, kAll, nullptr,
       100 * 1212 / (3213 + 1212.)},
  };
}

// Ops that cost so much that no kernel of the program is launched in time.
SetOptions Frames(int frames) {
  return [=](O* o) { o->scenario = GpuScenario::kLaunchBound, o->python_frames = frames; };
}

std::vector<PlantedLoss> OfTheLaunchingThread() {
  const SetOptions tiny = [](O* o) { o->scenario = GpuScenario::kLaunchBound, o->compiled = true; };
  const SetOptions fused = [](O* o) {
    o->model = GpuModelKind::kFused, o->op_cost_us = 24, o->compiled = true;
  };
  return {
      Stalled("blocked-host", "cudaStreamSynchronize", 2000),
      {"kernels of compiled code", "compiled-launches", tiny, fused},
      {"frames", "profiler-overhead", Frames(4), Frames(0), kBoth, kAll, nullptr, 1000 * 4 / 26.},
  };
}

std::vector<PlantedLoss> OfNamedKernels() {
  constexpr std::string_view kConversion = "cudnn::ops::nchwToNhwcKernel<__half, float>";
  constexpr std::string_view kUnaligned =
      "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>";
  constexpr std::string_view kAligned =
      "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align4>";
  return {
      {"conversions", "layout", Extra({ExtraOp("Cast", kConversion, 40)}, 12), {}, kBoth, kAll},
      {"rows of one element", "alignment", Extra({ExtraOp("MatMul", kUnaligned, 60)}, 12),
       Extra({ExtraOp("MatMul", kAligned, 36)}, 12), kBoth, kAll, nullptr,
       100 * 727 / (3213 + 727.)},
  };
}

PlantedLoss ManyCollectives() {
  return {"collectives of 20 us", "small-collectives", [](O* o) { o->small_collectives = 30; },
          [](O* o) { o->small_collectives = 1; }};
}

std::vector<PlantedLoss> OfSeveralGpus() {
  const SetOptions network = [](O* o) { o->collective_us = 1200; };
  const SetOptions hidden = [](O* o) { o->collective_us = 1200, o->hide_collectives = true; };
  const SetOptions late_host = InScenario(GpuScenario::kStaggered);
  const SetOptions late_gpu = [](O* o) { o->slower_gpu = 0, o->slower_factor = 1.5; };
  const SetOptions turns = [](O* o) {
    o->scenario = GpuScenario::kStaggered, o->take_turns = true;
  };
  const SetOptions sequential = [](O* o) { o->sequential = true; };
  const SetOptions slow = [](O* o) { o->outlier_step = 4; };
  const SetOptions first = [](O* o) {
    o->stall = "cudaMalloc", o->stall_us = 1500, o->stall_step = 1;
  };
  const SetOptions stalled = [](O* o) { o->stall = "gc", o->stall_us = 2000, o->stall_step = 5; };
  return {
      ManyCollectives(),
      {"slow network", "allreduce", network, hidden, kBoth, kAll, "collective"},
      {"late host", "imbalance", late_host, {}, "GPU 1", kAll, "collective_wait"},
      {"late GPU", "imbalance", late_gpu, {}, "GPU 0", kAll, "collective_wait"},
      {"turns at being late", "imbalance", turns, {}, kBoth, kAll, "collective_wait"},
      {"one after the other", "sequential-gpus", sequential, {}, kBoth, kAll, nullptr, 100},
      {"slow step", "outlier-steps", slow, {}, kBoth, "4", nullptr, 100 * 8 * 371 / 3213.},
      {"first call", "warm-up", first, {}, kBoth, "1"},
      {"stalled step", "outlier-steps", stalled, {}, kBoth, "5", nullptr, 100 * 2007 / 3213.},
  };
}

std::function<void(O*, double)> StallOf(const char* name) {
  return [name](O* o, double us) { o->stall = name, o->stall_us = us; };
}

// Replaces the ops in the first block of each stage by those of `model`, `factor` times as long.
void FirstBlocks(O* o, GpuModelKind model, double factor) {
  o->other_ops = o->slower_op = "block0/";
  o->other_model = model, o->slower_factor = factor;
}

}  // namespace

std::vector<PlantedLoss> PlantedLosses() {
  std::vector<PlantedLoss> all = OfTheHost();
  for (const auto& some : {OfLaunches(), OfTheDevice(), OfFusion(), OfTheLaunchingThread(),
                           OfNamedKernels(), OfSeveralGpus()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<ThresholdEdge> ThresholdEdges() {
  return {
      {"input-bound", [](O* o, double us) { o->input_wait_us = us; }, 160, 175},
      {"host-threads", [](O* o, double us) { o->contention_us = us, o->contention_every = 2; },
       54.4, 55.2},
      {"between-steps", [](O* o, double us) { o->between_us = us; }, 185, 205},
      {"short-kernels",
       [](O* o, double n) {
         o->layers = static_cast<int>(n), o->slower_op = "stage0/", o->slower_factor = 0.8;
       },
       19, 18},  // 29 of 59 kernels, and 28 of 56
      {"unfused-ops", [](O* o, double us) { o->extra = Norm(us); }, 39, 46},
      {"unfused-ops", [](O* o, double us) { o->extra = Rotary(us); }, 39, 46},
      {"attention", [](O* o, double us) { o->extra = Attention(us); }, 48, 57},
      {"blocked-host", StallOf("cudaStreamSynchronize"), 160, 178},
      {"layout", [](O* o, double us) { o->extra = {ExtraOp("Cast", "nchwToNhwcKernel", us)}; }, 157,
       180},
      {"alignment",
       [](O* o, double us) { o->extra = {ExtraOp("MatMul", "s1688gemm_nt_align2", us)}; }, 157,
       180},
      {"small-collectives",
       [](O* o, double n) { o->small_collectives = 5, o->layers = static_cast<int>(n); }, 22, 19},
      {"compiled-launches", [](O* o, double us) { o->op_cost_us = us, o->compiled = true; }, 51.6,
       52.0},
      {"profiler-overhead",
       [](O* o, double us) {
         o->scenario = GpuScenario::kLaunchBound, o->python_frames = 2, o->op_cost_us = us;
       },
       40, 36},
      {"launch-bound", [](O* o, double us) { o->op_cost_us = us; }, 51.3, 51.6},
      {"host-op",  // a stall of up to 200 us would count as dispatch
       [](O* o, double us) { o->layers = 40, o->stall = "net/unique:Unique", o->stall_us = us; },
       310, 345},
      {"copies", [](O* o, double us) { o->d2d_us = us; }, 160, 178},
      {"copies", [](O* o, double us) { o->h2d_us = us; }, 155, 178},
      {"sync", StallOf("cudaStreamSynchronize"), 160, 178},
      {"matrix-units", [](O* o, double x) { FirstBlocks(o, GpuModelKind::kFloat, x); }, 0.5, 0.56},
      {"precision",
       [](O* o, double x) {
         o->model = GpuModelKind::kTensorFloat;
         FirstBlocks(o, GpuModelKind::kHalf, x);
       },
       2.1, 1.9},  // the rule reports below its threshold
      {"loss-scaling", StallOf("LossScaleOptimizer/IsFinite:IsFinite"), 62, 70},
      {"compile", StallOf("XlaCompile"), 160, 178},
      {"memory",
       [](O* o, double steps) {
         o->scenario = GpuScenario::kFragmented, o->steps = static_cast<int>(steps);
       },
       6, 7, nullptr, "fragmented"},  // each step adds 5 %
      {"memory", [](O* o, double bytes) { o->leak_bytes = static_cast<int64_t>(bytes); }, 190e6,
       210e6, "memory-growth", "more after each step"},
      {"memory", [](O* o, double bytes) { o->leak_bytes = static_cast<int64_t>(bytes); }, 2.5e9,
       2.3e9, "memory-headroom", "a larger batch fits"},
      {"memory", StallOf("cudaMalloc"), 62, 70, "memory-outside", "outside of the framework"},
      {"allreduce", [](O* o, double us) { o->collective_us = us; }, 158, 175},
      {"imbalance", [](O* o, double us) { o->scenario = GpuScenario::kStaggered, o->late_us = us; },
       160, 175},
      {"sequential-gpus",
       [](O* o, double us) { o->scenario = GpuScenario::kStaggered, o->late_us = us; }, 1950, 2100},
      {"warm-up",
       [](O* o, double us) { o->stall = "cudaMalloc", o->stall_us = us, o->stall_step = 1; }, 1280,
       1440},
      {"outlier-steps",
       [](O* o, double us) { o->stall = "gc", o->stall_us = us, o->stall_step = 4; }, 600, 680},
  };
}

GpuProfileOptions HealthyTraining() {
  GpuProfileOptions options;
  options.steps = 8;
  options.layers = 20;
  return options;
}

SetOptions StallIn(const char* name, double us) {
  return [=](GpuProfileOptions* o) { o->stall = name, o->stall_us = us; };
}

SetOptions InScenario(GpuScenario scenario) {
  return [=](GpuProfileOptions* o) { o->scenario = scenario; };
}

std::shared_ptr<const Trace> TraceOf(const GpuProfileOptions& options) {
  return test::Loaded("h.xplane.pb", MakeGpuProfile(options));
}

AnalysisResult FindingsOf(const GpuProfileOptions& options, const FindingThresholds& thresholds) {
  AnalysisContext context(TraceOf(options), Definitions::kStepscope);
  return FindAll(context, {}, thresholds);
}

int RowOfRule(const AnalysisResult& result, std::string_view rule) {
  const ResultTable& table = TableOf(result, "findings");
  for (size_t r = 0; r < table.size(); ++r) {
    const bool saves = Real(result, "findings", r, "saving_ms_per_step") > 0;
    if (saves && table.ShownText(r, table.Column("rule")) == rule) return static_cast<int>(r);
  }
  return -1;
}

double StepMsOf(const AnalysisResult& result) {
  return std::get<double>(result.Find("step_ms")->value);
}

}  // namespace stepscope::test
