#include "tests/support/gpu_profile.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "tests/support/gpu_model.h"
#include "tests/support/gpu_profile_names.h"
#include "tests/support/python_random.h"
#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

constexpr std::int64_t kUs = 1'000'000;  // picoseconds
constexpr std::uint64_t kStartUnixNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kHostBaseNs = 5'000;   // host and device lines start at different times,
constexpr std::int64_t kGpuBaseNs = 100'000;  // as profilers write them
constexpr std::int64_t kHeapCapacity = 40'000'000'000;

std::int64_t InPs(double us) { return static_cast<std::int64_t>(us * static_cast<double>(kUs)); }

constexpr std::array<std::string_view, 7> kScenarioNames = {
    "healthy", "inputbound", "launchbound", "copies", "staggered", "fp32", "fragmented"};

GpuModelKind ModelKind(const GpuProfileOptions& options) {
  if (options.model) return *options.model;
  if (options.scenario == GpuScenario::kFp32) return GpuModelKind::kFloat;
  if (options.scenario == GpuScenario::kLaunchBound) return GpuModelKind::kTinyKernels;
  return GpuModelKind::kHalf;
}

// An op as the generator uses it.
struct Op {
  Symbol name, kernel, details;  // name is `path:type`
  std::int64_t dur_ps;
  double factor;
  bool allocates, dropped;
};

enum class Busy : std::uint8_t { kKernel, kH2d, kD2h, kCollective };

struct BusySpan {
  Busy kind;
  std::int64_t begin_ps, end_ps;
};

struct LiveBlock {
  int op_index;
  std::int64_t size;
  Symbol op;
};

struct Gpu {
  Gpu(SymbolTable* symbols, int ordinal, const GpuProfileOptions& options)
      : index(ordinal),
        plane(symbols, ordinal, "/device:GPU:" + std::to_string(ordinal), kGpuBaseNs),
        noise(std::to_string(options.seed) + '/' + std::to_string(ordinal)) {}

  int index;  // a device plane's id is its ordinal
  PlaneStream plane;
  LineStream *compute, *h2d, *d2h, *nccl;
  LineStream* launch;            // the host thread that serves this GPU
  LineStream* worker = nullptr;  // a thread of tf.data, with contention only
  PythonRandom noise;  // one per GPU, so that --gpus and --drop do not change the other GPUs
  Symbol allocator, h2d_details;
  std::int64_t heap = 0, peak = 0;
  std::int64_t free_ps = 0;             // the device is done with the step before
  std::int64_t cpu_ps = 0, dev_ps = 0;  // times that host and device have reached in the step
  std::int64_t half_ps = 0;             // the device's time half way through the step
  std::vector<LiveBlock> live;          // to be freed at the end of the step
  std::vector<BusySpan> busy, earlier;  // device events of this step and the one before
};

std::int64_t UnionOf(std::vector<std::pair<std::int64_t, std::int64_t>> spans) {
  std::sort(spans.begin(), spans.end());
  std::int64_t total = 0, end = -1;
  for (const auto& [a, b] : spans) {
    total += std::max<std::int64_t>(0, b - std::max(a, end));
    end = std::max(end, b);
  }
  return total;
}

class Generator {
 public:
  Generator(const GpuProfileOptions& options, std::vector<StepTruth>* truth);
  std::uint64_t Run(const ByteSink& sink);

 private:
  void AddGpus();
  void AddOps();
  void Step(int step);
  void LaunchStep(Gpu* gpu, std::int64_t start);
  void CopyInput(Gpu* gpu);
  void LaunchOp(Gpu* gpu, int index);
  void Half(Gpu* gpu);
  void Stall(Gpu* gpu);
  void Synchronize(Gpu* gpu);
  void CopyOnDevice(Gpu* gpu);
  double FactorOf(const Gpu& gpu, const Op& op) const;
  void Contend(Gpu* gpu, std::int64_t begin);
  std::int64_t CostOf(int index) const;
  void CopyOutput(Gpu* gpu);
  void Allocate(Gpu* gpu, int index, std::int64_t cost);
  void Memory(Gpu* gpu, bool allocate, std::int64_t at, const LiveBlock& block);
  void SmallCollectives(Gpu* gpu);
  void PythonFrames(Gpu* gpu, std::int64_t begin, std::int64_t cost);
  void AllReduce(Gpu* gpu, std::int64_t begin, std::int64_t meet);
  void AddTruth(std::int64_t begin, std::int64_t end, std::int64_t wait, std::int64_t meet);
  GpuStepTruth TruthOf(const Gpu& gpu, std::int64_t meet) const;
  void AddBusy(Gpu* gpu, Busy kind, std::int64_t begin, std::int64_t end);
  void AddDeviceStats(PlaneStream* plane);
  std::uint64_t WriteAll(const ByteSink& sink);

  StatArg Correlation() const { return StatArg::Uint(n_.correlation_id, correlation_); }
  StatArg Context() const { return StatArg::Ref(n_.context_id, n_.context); }
  StatArg Device(const Gpu& gpu) const {
    return StatArg::Uint(n_.device_id, static_cast<std::uint64_t>(gpu.index));
  }

  const GpuProfileOptions& options_;
  std::vector<StepTruth>* truth_;
  SymbolTable symbols_;
  GpuProfileNames n_{&symbols_};
  PlaneStream host_{&symbols_, 0, "/host:CPU", kHostBaseNs};
  LineStream *main_thread_, *data_thread_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<Op> ops_;
  std::array<Symbol, 7> shapes_{};
  // In proportion to the step, so that kHealthy is healthy at any size
  std::int64_t h2d_ps_, ring_ps_;
  std::int64_t now_ = 100 * kUs, before_ = 0;
  std::uint64_t correlation_ = 1;
  int step_ = 0;
};

Generator::Generator(const GpuProfileOptions& options, std::vector<StepTruth>* truth)
    : options_(options),
      truth_(truth),
      h2d_ps_(static_cast<std::int64_t>(3.6 * options.layers) * kUs),
      ring_ps_(3 * kUs * options.layers) {
  if (options_.collective_us) ring_ps_ = InPs(*options_.collective_us);
  if (options_.h2d_us) h2d_ps_ = InPs(*options_.h2d_us);
  main_thread_ = host_.Line(1001, "python3");
  data_thread_ = host_.Line(1900, "tf_data_iterator");
  AddGpus();
  AddOps();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    shapes_[i] = symbols_.Add("[128," + std::to_string(8 + i) + ",56,56]");
  }
}

void Generator::AddGpus() {
  const auto nearly_full = static_cast<std::int64_t>(static_cast<double>(kHeapCapacity) * .92);
  const std::int64_t base = options_.scenario == GpuScenario::kFragmented
                                ? nearly_full / 4096 * 4096
                                : std::int64_t{1} << 30;
  for (int g = 0; g < options_.gpus; ++g) {
    auto gpu = std::make_unique<Gpu>(&symbols_, g, options_);
    gpu->compute = gpu->plane.Line(14, "Stream #14(Compute)");
    gpu->h2d = gpu->plane.Line(15, "Stream #15(MemcpyH2D)");
    gpu->d2h = gpu->plane.Line(16, "Stream #16(MemcpyD2H)");
    gpu->nccl = gpu->plane.Line(20, "Stream #20(Compute)");
    gpu->launch = host_.Line(1100 + g, "tf_gpu_" + std::to_string(g));
    if (options_.contention_us > 0)
      gpu->worker = host_.Line(1901 + g, "tf_data_worker_" + std::to_string(g));
    gpu->allocator = symbols_.Add("GPU_" + std::to_string(g) + "_bfc");
    gpu->h2d_details = symbols_.Add(
        "kind_src:pinned kind_dst:device size:" + std::to_string(h2d_ps_ / kUs * 24000) +
        " dest:" + std::to_string(g) + " async:1");
    gpu->heap = gpu->peak = base;
    gpus_.push_back(std::move(gpu));
  }
}

void Generator::AddOps() {
  const auto contains = [](const std::string& path, const std::string& part) {
    return !part.empty() && path.find(part) != std::string::npos;
  };
  const std::vector<OpSpec> others = GpuModel(options_.layers, options_.other_model);
  std::size_t at = 0;
  std::vector<OpSpec> specs = GpuModel(options_.layers, ModelKind(options_));
  for (int i = 0; i < options_.extra_times; ++i)
    specs.insert(specs.end(), options_.extra.begin(), options_.extra.end());
  for (OpSpec& spec : specs) {
    if (contains(spec.path, options_.other_ops)) spec = others.at(at);
    ++at;
    Op op{};
    op.name = symbols_.Add(spec.path + ':' + std::string(spec.type));
    op.kernel = symbols_.Add(spec.kernel);
    op.details = symbols_.Add(KernelDetails(spec));
    op.dur_ps = spec.us * kUs;
    op.factor = contains(spec.path, options_.slower_op) ? options_.slower_factor : 1;
    op.allocates =
        spec.type == "Conv2D" || spec.type == "MatMul" || spec.type == "FusedBatchNormV3";
    op.dropped = contains(spec.path, options_.drop_op);
    ops_.push_back(op);
  }
}

std::uint64_t Generator::Run(const ByteSink& sink) {
  for (int step = 0; step < options_.steps; ++step) Step(step);
  return WriteAll(sink);
}

void Generator::Step(int step) {
  step_ = step;
  const std::int64_t begin = now_;
  const double default_wait_us = options_.scenario == GpuScenario::kInputBound ? 4000 : 40;
  const std::int64_t wait = InPs(options_.input_wait_us.value_or(default_wait_us));
  data_thread_->Event(n_.iterator, step != 0 ? begin - 60 * kUs : begin, wait,
                      {StatArg::Int(n_.id, step + 1), StatArg::Int(n_.parent_id, 0)});
  main_thread_->Event(n_.get_next, begin + 10 * kUs, wait, {StatArg::Ref(n_.tf_op, n_.get_next)});
  std::int64_t meet = 0, half = 0, launched = 0;
  for (const auto& gpu : gpus_) {
    LaunchStep(gpu.get(), begin + 20 * kUs + wait);
    meet = std::max(meet, gpu->dev_ps);
    half = std::max(half, gpu->half_ps);
    launched = std::max(launched, gpu->cpu_ps);
  }
  const bool hide = options_.hide_collectives;
  for (const auto& gpu : gpus_)
    AllReduce(gpu.get(), hide ? gpu->half_ps : gpu->dev_ps, hide ? half : meet);
  const std::int64_t done = hide ? std::max(meet, half + ring_ps_) : meet + ring_ps_;
  if (options_.run_ahead) {  // the host starts the next step when it has launched this one,
    now_ = std::max(launched + 30 * kUs, before_);  // at most one step ahead
  } else {
    now_ = done + 20 * kUs;
  }
  before_ = done;
  // The function begins 9 us before the launches.
  const std::int64_t marker =
      options_.marker_after_input ? begin + 20 * kUs + wait - 19 * kUs / 2 : begin;
  const std::int64_t end = now_ - 5 * kUs;
  main_thread_->Event(n_.train, marker, end - marker,
                      {StatArg::Int(n_.step_num, step), StatArg::Int(n_.root, 1),
                       StatArg::Ref(n_.step_name, n_.train), StatArg::Int(n_.id, step + 1)});
  const std::int64_t between = InPs(options_.between_us);
  if (between > 0 && options_.between_recorded)
    main_thread_->Event(n_.write_metrics, end + kUs, between, {});
  now_ += between;
  host_.Flush();
  for (const auto& gpu : gpus_) gpu->plane.Flush();
  if (truth_ != nullptr) AddTruth(begin, end, wait, meet);
}

void Generator::LaunchStep(Gpu* gpu, std::int64_t start) {
  const int late_gpu = options_.take_turns ? step_ % options_.gpus : options_.gpus - 1;
  const bool late = options_.scenario == GpuScenario::kStaggered && gpu->index == late_gpu;
  std::int64_t process = start + gpu->index * 4 * kUs + (late ? InPs(options_.late_us) : 0);
  if (options_.sequential && gpu->index > 0)
    process = std::max(process, gpus_[static_cast<std::size_t>(gpu->index) - 1]->dev_ps);
  gpu->cpu_ps = process;
  gpu->heap += options_.leak_bytes;
  CopyInput(gpu);
  const int half = static_cast<int>(ops_.size()) / 2;
  std::int64_t contended = gpu->cpu_ps;
  for (int i = 0; i < static_cast<int>(ops_.size()); ++i) {
    if (i == half) Half(gpu);
    if (i == half && options_.contention_every == 0) contended = gpu->cpu_ps;
    LaunchOp(gpu, i);
    if (options_.sync_every > 0 && (i + 1) % options_.sync_every == 0) Synchronize(gpu);
  }
  if (options_.compiled) {
    gpu->launch->Event(symbols_.Add("Torch-Compiled Region: 0/0"), process + 5 * kUs,
                       gpu->cpu_ps - process - 4 * kUs, {});
  }
  SmallCollectives(gpu);
  Contend(gpu, contended);
  std::int64_t at = gpu->cpu_ps + kUs;
  for (const LiveBlock& block : gpu->live) {  // frees are 10 ns apart, inside the executor's event
    Memory(gpu, false, at, block);
    at += kUs / 100;
  }
  gpu->live.clear();
  const std::int64_t context = std::int64_t{step_} * options_.gpus + gpu->index + 1;
  main_thread_->Event(n_.function_run, start - 9 * kUs + gpu->index * kUs / 2, kUs / 3,
                      {StatArg::Int(n_.producer_type, 2), StatArg::Int(n_.producer, context)});
  gpu->launch->Event(n_.process, process, gpu->cpu_ps - process + 8 * kUs,
                     {StatArg::Int(n_.id, step_ + 1), StatArg::Int(n_.iter_num, 0),
                      StatArg::Int(n_.consumer_type, 2), StatArg::Int(n_.consumer, context)});
}

void Generator::CopyInput(Gpu* gpu) {
  const std::int64_t dev = gpu->cpu_ps + 15 * kUs;
  const StatArg details = StatArg::Ref(n_.memcpy_details, gpu->h2d_details);
  gpu->launch->Event(n_.h2d, gpu->cpu_ps, 4 * kUs,
                     {Device(*gpu), Correlation(), Context(), details});
  gpu->h2d->Event(n_.h2d, dev, h2d_ps_, {Correlation(), details});
  AddBusy(gpu, Busy::kH2d, dev, dev + h2d_ps_);
  ++correlation_;
  gpu->dev_ps = std::max(dev + h2d_ps_ + 5 * kUs, gpu->free_ps);
  gpu->cpu_ps += 5 * kUs;  // the copy's API call is over before the first op starts
}

void Generator::Half(Gpu* gpu) {
  gpu->half_ps = gpu->dev_ps;
  if (options_.d2d_us > 0) CopyOnDevice(gpu);
  Stall(gpu);
}

// The call returns when the device is done; then nothing is queued.
void Generator::Synchronize(Gpu* gpu) {
  const std::int64_t begin = gpu->cpu_ps;
  gpu->cpu_ps = std::max(begin, gpu->dev_ps) + 3 * kUs;
  gpu->launch->Event(symbols_.Add("cudaStreamSynchronize"), begin, gpu->cpu_ps - begin, {});
}

// The copy runs between two kernels; the host does not wait for it.
void Generator::CopyOnDevice(Gpu* gpu) {
  const std::int64_t dev = std::max(gpu->dev_ps, gpu->cpu_ps + 5 * kUs);
  gpu->launch->Event(n_.d2d, gpu->cpu_ps, 2 * kUs, {Device(*gpu), Correlation(), Context()});
  gpu->compute->Event(n_.d2d, dev, InPs(options_.d2d_us), {Correlation(), Context()});
  gpu->cpu_ps += 3 * kUs;
  gpu->dev_ps = dev + InPs(options_.d2d_us) + kUs / 4;
  ++correlation_;
}

void Generator::Stall(Gpu* gpu) {
  const bool other = options_.stall_step >= 0 && options_.stall_step != step_;
  if (options_.stall_us <= 0 || other) return;
  const std::int64_t begin = std::max(gpu->cpu_ps, gpu->dev_ps);
  const std::int64_t time = InPs(options_.stall_us);
  gpu->launch->Event(symbols_.Add(options_.stall), begin, time, {});
  gpu->cpu_ps = begin + time;
}

void Generator::Contend(Gpu* gpu, std::int64_t begin) {
  const int every = options_.contention_every;
  if (gpu->worker == nullptr || (every > 0 && step_ % every != 0)) return;
  gpu->worker->Event(symbols_.Add("Iterator::Prefetch::BatchV2::Map"), begin, gpu->cpu_ps - begin,
                     {});
}

// They follow one another on the stream of the kernels.
void Generator::SmallCollectives(Gpu* gpu) {
  for (int i = 0; i < options_.small_collectives; ++i) {
    gpu->compute->Event(symbols_.Add(options_.small_collective), gpu->dev_ps, 20 * kUs,
                        {Correlation(), Context()});
    gpu->launch->Event(n_.launch_kernel, gpu->cpu_ps, kUs,
                       {Device(*gpu), Correlation(), Context()});
    gpu->cpu_ps += 2 * kUs;
    gpu->dev_ps += 20 * kUs;
    ++correlation_;
  }
}

// The frames enclose one another, and all of the op.
void Generator::PythonFrames(Gpu* gpu, std::int64_t begin, std::int64_t cost) {
  for (int i = 0; i < options_.python_frames; ++i) {
    gpu->launch->Event(symbols_.Add("$layer.py:" + std::to_string(i) + " forward"), begin, cost,
                       {});
  }
}

// Returns the time that an op costs the launching thread, in ps.
std::int64_t Generator::CostOf(int index) const {
  const int every = options_.contention_every;
  const bool now = every > 0 ? step_ % every == 0 : index >= static_cast<int>(ops_.size()) / 2;
  const bool contended = options_.contention_us > 0 && now;
  if (contended) return InPs(options_.contention_us);
  if (options_.op_cost_us) return InPs(*options_.op_cost_us);
  return (options_.scenario == GpuScenario::kLaunchBound ? 24 : 5) * kUs;
}

double Generator::FactorOf(const Gpu& gpu, const Op& op) const {
  const double factor = gpu.index == options_.slower_gpu ? options_.slower_factor : op.factor;
  return factor * (step_ == options_.outlier_step ? 2 : 1);
}

void Generator::LaunchOp(Gpu* gpu, int index) {
  const Op& op = ops_[static_cast<std::size_t>(index)];
  const double jitter = gpu->noise.Uniform(.97, 1.05);  // drawn for dropped ops too
  if (op.dropped) return;
  const std::int64_t cost = CostOf(index);
  const std::int64_t frames = options_.python_frames * kUs / 2;
  PythonFrames(gpu, gpu->cpu_ps, cost + frames);
  gpu->cpu_ps += cost + frames;
  const std::int64_t cpu = gpu->cpu_ps;
  const StatArg tf_op = StatArg::Ref(n_.tf_op, op.name);
  const StatArg details = StatArg::Ref(n_.kernel_details, op.details);
  gpu->launch->Event(op.name, cpu - cost, cost - kUs / 2, {tf_op});
  gpu->launch->Event(n_.launch_kernel, cpu - 3 * kUs, 2 * kUs,
                     {Device(*gpu), Correlation(), Context(), details});
  const std::int64_t dev = std::max(gpu->dev_ps, cpu + 2 * kUs);
  const auto dur =
      static_cast<std::int64_t>(static_cast<double>(op.dur_ps) * jitter * FactorOf(*gpu, op));
  gpu->compute->Event(op.kernel, dev, dur, {Correlation(), tf_op, Context(), details});
  AddBusy(gpu, Busy::kKernel, dev, dev + dur);
  gpu->dev_ps = dev + dur + kUs / 4 + InPs(options_.gap_us);
  ++correlation_;
  if (options_.scenario == GpuScenario::kCopies &&
      index % options_.d2h_every == options_.d2h_every - 1)
    CopyOutput(gpu);
  if (options_.memory && op.allocates) Allocate(gpu, index, cost);
}

void Generator::CopyOutput(Gpu* gpu) {
  const bool blocks = options_.d2h_blocks;
  const std::int64_t call = gpu->cpu_ps + 2 * kUs, time = InPs(options_.d2h_us);
  const std::int64_t dev = blocks ? gpu->dev_ps : std::max(gpu->dev_ps, call + 2 * kUs);
  const StatArg details =
      StatArg::Ref(n_.memcpy_details, blocks ? n_.d2h_details : n_.d2h_async_details);
  gpu->cpu_ps = blocks ? dev + time + 3 * kUs : call + kUs;  // when the call returns
  gpu->launch->Event(n_.d2h, call, gpu->cpu_ps - call,
                     {Device(*gpu), Correlation(), Context(), details});
  gpu->d2h->Event(n_.d2h, dev, time, {Correlation(), details});
  AddBusy(gpu, Busy::kD2h, dev, dev + time);
  gpu->dev_ps = dev + time + (blocks ? 5 * kUs : kUs / 4);
  ++correlation_;
}

void Generator::Allocate(Gpu* gpu, int index, std::int64_t cost) {
  const LiveBlock block{index, std::int64_t{4096} * (64 + index % 40 * 9),
                        ops_[static_cast<std::size_t>(index)].name};
  Memory(gpu, true, gpu->cpu_ps - cost + kUs / 4, block);
  if (index % 5 != 0) {  // a temporary; the others live to the end of the step
    Memory(gpu, false, gpu->cpu_ps - 3 * kUs / 4, block);
  } else {
    gpu->live.push_back(block);
  }
}

void Generator::Memory(Gpu* gpu, bool allocate, std::int64_t at, const LiveBlock& block) {
  const int i = block.op_index;
  gpu->heap += allocate ? block.size : -block.size;
  gpu->peak = std::max(gpu->peak, gpu->heap);
  const bool fragmented = options_.scenario == GpuScenario::kFragmented;
  const double fragmentation = .02 + (fragmented ? .05 * std::min(step_, 18) : 0);
  const std::int64_t address =
      0x7f0000000000 + gpu->index * (std::int64_t{1} << 36) + i * (std::int64_t{1} << 22);
  gpu->launch->Event(
      allocate ? n_.allocation : n_.deallocation, at, 0,
      {StatArg::Ref(n_.allocator_name, gpu->allocator), StatArg::Int(n_.bytes_reserved, 0),
       StatArg::Int(n_.bytes_allocated, gpu->heap),
       StatArg::Int(n_.bytes_available, kHeapCapacity - gpu->heap),
       StatArg::Double(n_.fragmentation, fragmentation),
       StatArg::Int(n_.peak_bytes_in_use, gpu->peak),
       StatArg::Int(n_.requested_bytes, block.size - 512),
       StatArg::Int(n_.allocation_bytes, block.size), StatArg::Int(n_.addr, address),
       StatArg::Ref(n_.tf_op, block.op), StatArg::Int(n_.step_id, step_ + 100),
       StatArg::Ref(n_.region_type, i % 3 != 0 ? n_.output : n_.temp),
       StatArg::Int(n_.data_type, options_.scenario == GpuScenario::kFp32 ? 1 : 19),
       StatArg::Ref(n_.shape, shapes_[static_cast<std::size_t>(i % 7)])});
}

// The collective begins when this GPU is ready and ends `ring_ps_` after the last one is.
void Generator::AllReduce(Gpu* gpu, std::int64_t begin, std::int64_t meet) {
  const std::int64_t end = meet + ring_ps_;
  gpu->launch->Event(n_.launch_kernel, gpu->cpu_ps + 3 * kUs, 2 * kUs,
                     {Device(*gpu), Correlation(), Context()});
  gpu->nccl->Event(n_.all_reduce, begin, end - begin,
                   {Correlation(), StatArg::Ref(n_.tf_op, n_.all_reduce_op), Context(),
                    StatArg::Ref(n_.kernel_details, n_.all_reduce_details)});
  AddBusy(gpu, Busy::kCollective, begin, end);
  ++correlation_;
  gpu->free_ps = std::max(gpu->dev_ps, end) + 5 * kUs;
}

void Generator::AddBusy(Gpu* gpu, Busy kind, std::int64_t begin, std::int64_t end) {
  if (truth_ != nullptr) gpu->busy.push_back({kind, begin, end});
}

void Generator::AddTruth(std::int64_t begin, std::int64_t end, std::int64_t wait,
                         std::int64_t meet) {
  StepTruth step{step_, begin, end, now_ - begin, now_ - end, wait, {}};
  for (const auto& gpu : gpus_) {
    step.gpus.push_back(TruthOf(*gpu, meet));
    gpu->earlier.swap(gpu->busy);
    gpu->busy.clear();
  }
  truth_->push_back(std::move(step));
}

GpuStepTruth Generator::TruthOf(const Gpu& gpu, std::int64_t meet) const {
  GpuStepTruth t;
  t.first_ps = gpu.busy.front().begin_ps;
  for (const BusySpan& span : gpu.busy) {
    t.first_ps = std::min(t.first_ps, span.begin_ps);
    t.last_ps = std::max(t.last_ps, span.end_ps);
    const std::int64_t dur = span.end_ps - span.begin_ps;
    switch (span.kind) {
      case Busy::kKernel:
        t.kernel_ps += dur;
        break;
      case Busy::kH2d:
        t.h2d_ps += dur;
        break;
      case Busy::kD2h:
        t.d2h_ps += dur;
        break;
      case Busy::kCollective:
        t.collective_ps += dur;
        break;
    }
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const auto* list : {&gpu.busy, &gpu.earlier}) {
    for (const BusySpan& span : *list) {
      if (span.end_ps <= t.first_ps) continue;
      spans.emplace_back(std::max(span.begin_ps, t.first_ps), span.end_ps);
    }
  }
  t.idle_ps = t.last_ps - t.first_ps - UnionOf(std::move(spans));
  t.collective_wait_ps = meet - gpu.dev_ps;
  return t;
}

void Generator::AddDeviceStats(PlaneStream* plane) {
  plane->StringStat(symbols_.Add("device_vendor"), "Nvidia");
  plane->Stat(StatArg::Int(symbols_.Add("clock_rate"), 1410000));
  plane->Stat(StatArg::Int(symbols_.Add("core_count"), 108));
  plane->Stat(StatArg::Uint(symbols_.Add("memory_bandwidth"), 1555200000000));
  plane->Stat(StatArg::Uint(symbols_.Add("memory_size"), 42505273344));
  plane->Stat(StatArg::Int(symbols_.Add("compute_cap_major"), 8));
  plane->Stat(StatArg::Int(symbols_.Add("compute_cap_minor"), 0));
}

std::uint64_t Generator::WriteAll(const ByteSink& sink) {
  std::uint64_t events = host_.EventCount();
  for (const auto& gpu : gpus_) {
    events += gpu->plane.EventCount();
    AddDeviceStats(&gpu->plane);
    gpu->plane.Write(sink);
  }
  host_.Write(sink);
  PlaneStream environment(&symbols_, 90, "Task Environment", 0);
  environment.Stat(StatArg::Uint(symbols_.Add("profile_start_time"), kStartUnixNs));
  environment.Stat(StatArg::Uint(symbols_.Add("profile_stop_time"),
                                 kStartUnixNs + static_cast<std::uint64_t>(now_ / 1000)));
  environment.Write(sink);
  std::string hostname;
  PutBytes(&hostname, 4, options_.host);
  sink(hostname);
  return events;
}

}  // namespace

std::optional<GpuScenario> ParseGpuScenario(std::string_view name) {
  const auto it = std::find(kScenarioNames.begin(), kScenarioNames.end(), name);
  if (it == kScenarioNames.end()) return std::nullopt;
  return static_cast<GpuScenario>(it - kScenarioNames.begin());
}

std::string_view GpuScenarioName(GpuScenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)];
}

std::uint64_t WriteGpuProfile(const GpuProfileOptions& options, const ByteSink& sink,
                              std::vector<StepTruth>* truth) {
  return Generator(options, truth).Run(sink);
}

std::string MakeGpuProfile(const GpuProfileOptions& options, std::vector<StepTruth>* truth) {
  std::string out;
  WriteGpuProfile(
      options, [&](std::string_view bytes) { out += bytes; }, truth);
  return out;
}

}  // namespace stepscope::test
