// Generates TensorFlow-style GPU training profiles (XSpaces) of any size, without TensorFlow: one
// plane per device with one line per stream, kernel_details, correlation ids that tie each kernel
// to its cuLaunchKernel on a host thread, step roots (_r=1, step_num), tf.data iterators, BFC
// allocator events. Each scenario plants one loss, which analyses have to find.
//
// The same options give the same bytes, on every machine. They are the bytes of the reference
// generator in Python, so that XProf's answers to that one's profiles (tests/golden/gpu_*) hold for
// these. Times are picoseconds. Memory is about the size of the output, time some 0.2 us an event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/gpu_model.h"
#include "tests/support/plane_stream.h"

namespace stepscope::test {

enum class GpuScenario : std::uint8_t {
  kHealthy,      // kernels back to back
  kInputBound,   // every step waits for a tf.data iterator
  kLaunchBound,  // 8 kernels of 3 us in each layer; the GPU idles while the host dispatches them
  kCopies,       // synchronous device-to-host copies between kernels; the host waits for each
  kStaggered,    // the last GPU starts each step late; AllReduce on the others waits for it
  kFp32,         // float only: eligible ops run without Tensor Cores, three times slower
  kFragmented,   // the allocator is 92 % full and its largest free chunk shrinks every step
};

std::optional<GpuScenario> ParseGpuScenario(std::string_view name);
std::string_view GpuScenarioName(GpuScenario scenario);

struct GpuProfileOptions {
  int gpus = 2;  // kStaggered needs two
  int steps = 10;
  int layers = 50;
  GpuScenario scenario = GpuScenario::kHealthy;
  std::string host = "worker-0";
  std::int64_t seed = 0;
  bool memory = true;  // allocator events
  // These make two profiles that differ in one thing, for comparisons.
  std::string slower_op;  // kernels of ops whose path contains this take `slower_factor` as long
  double slower_factor = 1;
  std::string drop_op;                  // ops whose path contains this are left out
  std::optional<double> input_wait_us;  // the input wait of every step
  int outlier_step = -1;                // this step's kernels take twice as long
  bool run_ahead = false;  // the host launches the next step while the GPU works on this one
  bool marker_after_input = false;  // the step's marker begins after its input was fetched
  double between_us = 0;            // how long the host writes metrics after each step's marker

  // Losses of findings (docs/findings.md), which the reference generator does not have.

  // Half way through each step the launching thread is in `stall` ("cudaStreamSynchronize",
  // "net/unique:Unique") for so long, with nothing queued.
  double stall_us = 0;
  std::string stall;
  std::optional<double> collective_us;  // a step's collective; default: in proportion to the layers
  bool sequential = false;              // each GPU begins when the one before is done
  // The time that each op costs the launching thread in the second half of each step, while tf.data
  // works; 0: nothing.
  double contention_us = 0;
  int contention_every = 0;     // contention in all of every so many steps; 0: as above
  std::int64_t leak_bytes = 0;  // in each step on each GPU, never freed
  // These plant a loss, or leave it out, for tests of what a finding saves.
  std::optional<GpuModelKind> model;  // default: the scenario's
  std::string other_ops;              // ops whose path contains this have the kernels of this model
  GpuModelKind other_model = GpuModelKind::kHalf;  // must have as many ops
  std::optional<double> op_cost_us;                // what each op costs the launching thread
  int stall_step = -1;                             // the stall is in this step only
  int slower_gpu = -1;           // slower_factor holds for all ops of this GPU only
  double late_us = 1500;         // how late the GPU of kStaggered begins
  bool take_turns = false;       // another GPU is late in each step
  int sync_every = 0;            // the host waits for the device after every so many ops; 0: never
  double d2h_us = 160;           // each copy of kCopies takes so long
  int d2h_every = 6;             // and comes after every so many ops
  bool d2h_blocks = true;        // the host waits for each copy
  std::optional<double> h2d_us;  // the input's copy; default: in proportion to the layers
  double gap_us = 0;             // between a kernel and the next, however early that is launched
  double d2d_us = 0;             // a copy on the device half way through each step
  bool between_recorded = true;  // whether what the host does between steps has an event
  std::vector<OpSpec> extra;     // ops after those of the model
  int extra_times = 1;           // how often they are repeated
  int small_collectives = 0;     // of 20 us each, one after another, before the step's collective
  const char* small_collective = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)";
  int python_frames = 0;          // around each op; recording one costs the thread 0.5 us
  bool compiled = false;          // the ops are launched inside a region of torch.compile
  bool hide_collectives = false;  // collectives begin half way through the step, beside its kernels
};

// The losses that were planted in one step on one GPU.
struct GpuStepTruth {
  std::int64_t first_ps = 0, last_ps = 0;  // begin of the first and end of the last device event
  std::int64_t idle_ps = 0;                // between these two
  std::int64_t collective_wait_ps = 0;     // the part of the collective in which it waits for a GPU
  std::int64_t kernel_ps = 0, h2d_ps = 0, d2h_ps = 0, collective_ps = 0;
};

struct StepTruth {
  int step = 0;
  std::int64_t begin_ps = 0, end_ps = 0;  // on the host; the begin includes the input
  std::int64_t period_ps = 0;             // to the next step's begin
  std::int64_t between_ps = 0;            // from the end to the next step's begin
  std::int64_t input_wait_ps = 0;
  std::vector<GpuStepTruth> gpus;
};

// Writes the profile to `sink` and returns the number of events. `truth` may be null; gathering
// it costs a little time.
std::uint64_t WriteGpuProfile(const GpuProfileOptions& options, const ByteSink& sink,
                              std::vector<StepTruth>* truth = nullptr);

std::string MakeGpuProfile(const GpuProfileOptions& options,
                           std::vector<StepTruth>* truth = nullptr);

// The truth as JSON, as the reference generator's --truth writes it.
std::string GpuTruthJson(GpuScenario scenario, std::span<const StepTruth> steps);

}  // namespace stepscope::test
