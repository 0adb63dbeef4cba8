#include "model/analysis/naming/remedies.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

using Row = RemedyRow;

template <typename Kind>
constexpr uint8_t Bit(Kind kind) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(kind));
}

constexpr uint8_t kTorch = Bit(Framework::kTorch), kTf = Bit(Framework::kTensorFlow),
                  kJax = Bit(Framework::kJax), kAnyFramework = 0xff;
constexpr uint8_t kEager = Bit(Build::kEager), kCompiled = Bit(Build::kCompiled),
                  kXla = Bit(Build::kXla), kGraphs = Bit(Build::kGraphs), kAnyBuild = 0xff;
constexpr uint8_t kCpu = Bit(Processor::kCpu), kGpu = Bit(Processor::kGpu), kAnywhere = 0xff;

constexpr uint32_t kNsight = 1U << static_cast<unsigned>(Recorder::kNsight),
                   kRocprof = 1U << static_cast<unsigned>(Recorder::kRocprof),
                   kTorchNpu = 1U << static_cast<unsigned>(Recorder::kTorchNpu);

constexpr std::array kRows = {
    // --- input ---
    Row{"input-bound", kTorch, kAnyBuild, kAnywhere,
        "Prepare batches ahead of their steps: in worker processes of a DataLoader (num_workers, "
        "prefetch_factor), or on a thread of your own."},
    Row{"input-bound", kTf, kAnyBuild, kAnywhere,
        "Give map and interleave num_parallel_calls=tf.data.AUTOTUNE, cache() what stays the "
        "same, and end the pipeline with prefetch(); the input page has its stages."},
    Row{"input-bound", kJax, kAnyBuild, kAnywhere,
        "Prepare batches ahead of their steps: a loader with worker processes (Grain), and "
        "jax.device_put of a batch before its step needs it."},
    Row{"input-bound", kAnyFramework, kAnyBuild, kAnywhere,
        "Prepare batches ahead of their steps, on more threads or processes, and keep what stays "
        "the same."},
    Row{"input-bound.in-process", kAnyFramework, kAnyBuild, kCpu,
        "The loader works in the training process: give it num_workers > 0 and prefetch_factor."},
    Row{"input-bound.in-process", kAnyFramework, kAnyBuild, kAnywhere,
        "The loader works in the training process: give it num_workers > 0, pin_memory and "
        "prefetch_factor, and copy with non_blocking=True."},
    Row{"input-bound.workers", kAnyFramework, kAnyBuild, kCpu,
        "Give the loader more workers, persistent_workers and a larger prefetch_factor; do "
        "costly transforms before training."},
    Row{"input-bound.workers", kAnyFramework, kAnyBuild, kAnywhere,
        "Give the loader more workers, persistent_workers, pin_memory and a larger "
        "prefetch_factor; do costly transforms before training."},
    Row{"input-bound.reader", kAnyFramework, kAnyBuild, kAnywhere,
        "Reading is slow: interleave several files with num_parallel_calls=tf.data.AUTOTUNE, "
        "cache() what fits, and prefetch."},
    Row{"input-bound.one-thread", kAnyFramework, kAnyBuild, kAnywhere,
        "This stage runs on one thread: give it num_parallel_calls=tf.data.AUTOTUNE, cache() "
        "before it what does not change, and prefetch() last."},
    Row{"input-bound.no-prefetch", kAnyFramework, kAnyBuild, kAnywhere,
        "End the pipeline with prefetch(tf.data.AUTOTUNE)."},
    Row{"host-threads", kTorch, kAnyBuild, kAnywhere,
        "Give the input pipeline fewer threads, and leave a core to the thread that launches."},
    Row{"host-threads", kTf, kAnyBuild, kAnywhere,
        "Set TF_GPU_THREAD_MODE=gpu_private, or give the input pipeline fewer threads "
        "(tf.data.Options.threading.private_threadpool_size)."},
    Row{"host-threads", kJax, kAnyBuild, kAnywhere,
        "Give the input pipeline fewer threads, and call back to the host less often "
        "(jax.debug.callback, io_callback)."},
    Row{"host-threads", kAnyFramework, kAnyBuild, kAnywhere,
        "Give the input pipeline fewer threads, and call back to the host less often."},
    // --- one device: the host ---
    Row{"between-steps", kTorch, kAnyBuild, kAnywhere,
        "Do metrics and logging every N steps or on another thread, and read a loss a step "
        "later than it is computed."},
    Row{"between-steps", kTf, kAnyBuild, kAnywhere,
        "Do metrics, callbacks and summaries every N steps or on another thread; Keras: "
        "steps_per_execution."},
    Row{"between-steps", kJax, kAnyBuild, kAnywhere,
        "Do metrics and logging every N steps, and read results of an earlier step, so that "
        "the next one is dispatched at once."},
    Row{"between-steps", kAnyFramework, kAnyBuild, kAnywhere,
        "Do metrics, callbacks and logging every N steps or on another thread."},
    Row{"short-kernels", kAnyFramework, kGraphs, kGpu,
        "Graphs launch them already: make them longer with a larger batch, or fuse them."},
    Row{"short-kernels", kTorch, kEager, kGpu,
        "Fuse them with torch.compile, launch them as a CUDA graph, or make them longer with a "
        "larger batch."},
    Row{"short-kernels", kTorch, kCompiled, kGpu,
        "Launch the compiled code as a CUDA graph (mode=\"reduce-overhead\"), or make the "
        "kernels longer with a larger batch."},
    Row{"short-kernels", kTorch, kEager, kAnywhere,
        "Fuse them with torch.compile, or make them longer with a larger batch."},
    Row{"short-kernels", kTf, kXla, kAnywhere, "Make them longer with a larger batch."},
    Row{"short-kernels", kTf, kAnyBuild, kAnywhere,
        "Fuse them with XLA (jit_compile=True), or make them longer with a larger batch."},
    Row{"short-kernels", kJax, kAnyBuild, kGpu,
        "Let XLA launch more of them as command buffers "
        "(--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUDNN), or make them longer with a "
        "larger batch."},
    Row{"short-kernels", kAnyFramework, kAnyBuild, kAnywhere,
        "Fuse them, launch them as one graph, or make them longer with a larger batch."},
    Row{"launch-bound", kAnyFramework, kAnyBuild, kCpu,
        "Give each op more work: fewer and larger ops, or a larger batch."},
    Row{"launch-bound", kAnyFramework, kGraphs, kGpu,
        "Graphs launch most kernels already: launch fewer and larger graphs, put what is launched "
        "between them into them, or give each more work with a larger batch."},
    Row{"launch-bound", kTorch, kEager, kGpu,
        "Launch less: fuse kernels with torch.compile, capture CUDA graphs, or give each "
        "kernel more work with a larger batch."},
    Row{"launch-bound", kTorch, kCompiled, kGpu,
        "Launch less: capture the compiled code as CUDA graphs (mode=\"reduce-overhead\"), or "
        "give each kernel more work with a larger batch."},
    Row{"launch-bound", kTorch, kEager, kAnywhere,
        "Launch less: fuse kernels with torch.compile, or give each kernel more work with a "
        "larger batch."},
    Row{"launch-bound", kTf, kEager, kAnywhere,
        "Launch less: fuse kernels with XLA (tf.function with jit_compile=True), or give each "
        "kernel more work with a larger batch."},
    Row{"launch-bound", kTf, kCompiled, kAnywhere,
        "Launch less: fuse kernels with XLA (jit_compile=True), or give each kernel more work "
        "with a larger batch."},
    Row{"launch-bound", kJax, kAnyBuild, kGpu,
        "Launch less: let XLA capture more into command buffers "
        "(--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUDNN), or give each kernel more work "
        "with a larger batch."},
    Row{"launch-bound", kAnyFramework, kAnyBuild, kAnywhere,
        "Launch less: fuse kernels, or give each more work with a larger batch."},
    Row{"compiled-launches", kAnyFramework, kGraphs, kGpu,
        "Graphs launch most kernels already: give each call more work with a larger batch."},
    Row{"compiled-launches", kTorch, kAnyBuild, kGpu,
        "Compile with mode=\"reduce-overhead\" (CUDA graphs): static shapes and inputs at "
        "fixed addresses; or give each call more work with a larger batch."},
    Row{"compiled-launches", kJax, kAnyBuild, kGpu,
        "Let XLA capture more into command buffers "
        "(--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUDNN), or give each call more work: "
        "several steps in one call with jax.lax.scan."},
    Row{"compiled-launches", kJax, kAnyBuild, kAnywhere,
        "Give each call more work: several steps in one call with jax.lax.scan."},
    Row{"compiled-launches", kAnyFramework, kAnyBuild, kGpu,
        "Launch the compiled code as one graph, or give each call more work."},
    Row{"compiled-launches", kAnyFramework, kAnyBuild, kAnywhere,
        "Give each call of the compiled code more work."},
    Row{"host-op", kAnyFramework, kGraphs, kGpu,
        "Graphs launch most kernels already: let the host do less between them, prepare the next "
        "launch while a graph runs, or do several steps in one."},
    Row{"host-op", kTorch, kEager, kGpu,
        "Compile the step with torch.compile or capture CUDA graphs, so that Python does not "
        "dispatch each op."},
    Row{"host-op", kTorch, kEager, kAnywhere,
        "Compile the step with torch.compile, or use fewer and larger ops, so that Python does "
        "not dispatch each op."},
    Row{"host-op", kTorch, kAnyBuild, kGpu,
        "See where the step leaves the compiled code (TORCH_LOGS=graph_breaks), and capture "
        "CUDA graphs (mode=\"reduce-overhead\")."},
    Row{"host-op", kTorch, kAnyBuild, kAnywhere,
        "See where the step leaves the compiled code (TORCH_LOGS=graph_breaks), and give each "
        "call more work."},
    Row{"host-op", kTf, kEager, kAnywhere,
        "Put the step into a tf.function, so that Python does not dispatch each op."},
    Row{"host-op", kTf, kAnyBuild, kAnywhere,
        "Call the tf.function less often and with more work: several steps in one call (Keras: "
        "steps_per_execution), or a larger batch."},
    Row{"host-op", kJax, kAnyBuild, kAnywhere,
        "Call jitted functions less often and with more work: the whole step in one, several "
        "steps with jax.lax.scan, or a larger batch."},
    Row{"host-op", kAnyFramework, kAnyBuild, kAnywhere,
        "Let the host do less for each step: fewer and larger ops, or several steps at once."},
    Row{"host-op.on-host", kTorch, kAnyBuild, kAnywhere,
        "Place the op's tensors on the device, replace the op by one that runs there, or move "
        "it out of the step."},
    Row{"host-op.on-host", kTf, kAnyBuild, kAnywhere,
        "Place the op on the device, replace it by one that runs there, or move it out of the "
        "step; tf.debugging.set_log_device_placement(True) says where ops are."},
    Row{"host-op.on-host", kAnyFramework, kAnyBuild, kAnywhere,
        "Place the op on the device, replace it by one that runs there, or move it out of the "
        "step."},
    Row{"host-op.own-range", kAnyFramework, kAnyBuild, kAnywhere,
        "Do what that range does ahead of the step, on another thread or process, or do it on the "
        "{device}."},
    Row{"host-op.runtime", kJax, kAnyBuild, kAnywhere,
        "Give each call of the compiled step more work (a larger batch, several steps with "
        "jax.lax.scan), and see in the timeline what the runtime waits for."},
    Row{"host-op.runtime", kAnyFramework, kAnyBuild, kAnywhere,
        "Give each call of the compiled step more work (a larger batch, several steps in one "
        "call), and see in the timeline what the runtime waits for."},
    Row{"host-op.awaits", kAnyFramework, kAnyBuild, kAnywhere,
        "The program waits for its own results: see in the timeline which thread is to "
        "launch the next work, and what holds it up."},
    Row{"host-op.pause", kAnyFramework, kAnyBuild, kAnywhere,
        "See in the timeline which thread, process or host that call waits for: the work is late "
        "there."},
    Row{"host-op.peer", kTorch, kAnyBuild, kAnywhere,
        "See in that process why its answer is late; if it is a worker of a data loader, give the "
        "loader more workers and a larger prefetch_factor."},
    Row{"host-op.peer", kAnyFramework, kAnyBuild, kAnywhere,
        "See in that process why its answer is late; if it prepares input, use more processes."},
    Row{"garbage", kAnyFramework, kAnyBuild, kAnywhere,
        "Collect garbage when it is convenient: gc.freeze() behind the set-up, gc.disable() "
        "before the loop, and gc.collect() every N steps."},
    Row{"checkpoint", kTorch, kAnyBuild, kAnywhere,
        "Save less often, or in the background (torch.distributed.checkpoint.async_save)."},
    Row{"checkpoint", kTf, kAnyBuild, kAnywhere,
        "Save less often, or in the background "
        "(tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True))."},
    Row{"checkpoint", kJax, kAnyBuild, kAnywhere,
        "Save less often, or in the background (orbax.checkpoint.AsyncCheckpointer)."},
    Row{"checkpoint", kAnyFramework, kAnyBuild, kAnywhere,
        "Save less often, or in the background."},
    Row{"barrier", kAnyFramework, kAnyBuild, kAnywhere,
        "Leave out barriers inside the loop; see among the ranks which one comes late to them."},
    Row{"event-wait", kTorch, kAnyBuild, kAnywhere,
        "Let the stream wait for the event (stream.wait_event), not the host, or ask for it a "
        "step later."},
    Row{"event-wait", kAnyFramework, kAnyBuild, kAnywhere,
        "Let the stream wait for the event, not the host, or ask for it a step later."},
    // --- what a recording lacks ---
    Row{"record.device", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with nsys profile --trace=cuda.", kNsight},
    Row{"record.device", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with rocprofv3 --kernel-trace --memory-copy-trace.", kRocprof},
    Row{"record.device", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.NPU].", kTorchNpu},
    Row{"record.device", kTorch, kAnyBuild, kAnywhere,
        "Record with ProfilerActivity.CUDA among the activities, and with permission for CUPTI "
        "(NVreg_RestrictProfilingToAdminUsers=0, or run privileged)."},
    Row{"record.device", kTf, kAnyBuild, kAnywhere,
        "Record where TensorFlow finds CUPTI (libcupti on LD_LIBRARY_PATH) and may use it "
        "(NVreg_RestrictProfilingToAdminUsers=0, or run privileged)."},
    Row{"record.device", kJax, kAnyBuild, kAnywhere,
        "Record where JAX finds CUPTI (jax[cuda12] installs it) and may use it "
        "(NVreg_RestrictProfilingToAdminUsers=0, or run privileged)."},
    Row{"record.device", kAnyFramework, kAnyBuild, kAnywhere,
        "Record the device too; CUPTI needs permission on NVIDIA GPUs "
        "(NVreg_RestrictProfilingToAdminUsers=0, or run privileged)."},
    Row{"record.runtime", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with nsys profile --trace=cuda.", kNsight},
    Row{"record.runtime", kAnyFramework, kAnyBuild, kAnywhere, "Record with rocprofv3 --hip-trace.",
        kRocprof},
    Row{"record.runtime", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.NPU].", kTorchNpu},
    Row{"record.runtime", kTorch, kAnyBuild, kAnywhere,
        "Record with ProfilerActivity.CUDA among the activities."},
    Row{"record.runtime", kAnyFramework, kAnyBuild, kAnywhere, "Record calls of the runtime too."},
    Row{"record.ops", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with nsys profile --pytorch=autograd-nvtx, or mark ops with NVTX ranges.", kNsight},
    Row{"record.ops", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark ops with roctx ranges, and record with rocprofv3 --marker-trace.", kRocprof},
    Row{"record.ops", kTorch, kAnyBuild, kAnywhere,
        "Record with ProfilerActivity.CPU among the activities."},
    Row{"record.ops", kAnyFramework, kAnyBuild, kAnywhere, "Record with host_tracer_level=2."},
    Row{"record.python-functions", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with nsys profile --python-sampling=true.", kNsight},
    Row{"record.python-functions", kAnyFramework, kAnyBuild, kAnywhere,
        "Rocprof records none: mark parts of the program with roctx ranges.", kRocprof},
    Row{"record.python-functions", kTorch, kAnyBuild, kAnywhere, "Record with with_stack=True."},
    Row{"record.python-functions", kTf, kAnyBuild, kAnywhere, "Record with python_tracer_level=1."},
    Row{"record.python-functions", kJax, kAnyBuild, kAnywhere,
        "Record with python_tracer_level=1."},
    Row{"record.python-functions", kAnyFramework, kAnyBuild, kAnywhere,
        "Record functions of Python too."},
    Row{"record.shapes", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark ops with torch.autograd.profiler.emit_nvtx(record_shapes=True).", kNsight},
    Row{"record.shapes", kAnyFramework, kAnyBuild, kAnywhere, "Record with record_shapes=True."},
    Row{"record.host", kAnyFramework, kAnyBuild, kAnywhere,
        "Record the host too (nsys profile --trace=cuda,nvtx,osrt), so that the cause can be seen.",
        kNsight},
    Row{"record.host", kAnyFramework, kAnyBuild, kAnywhere,
        "Record the host too (rocprofv3 --hip-trace --marker-trace), so that the cause can be "
        "seen.",
        kRocprof},
    Row{"record.python", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark parts of the program with NVTX ranges, or sample the host (nsys profile "
        "--sample=process-tree), to see what it does.",
        kNsight},
    Row{"record.python", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark parts of the program with roctx ranges to see what the host does.", kRocprof},
    Row{"record.memory", kAnyFramework, kAnyBuild, kAnywhere,
        "Record them with nsys profile --cuda-memory-usage=true.", kNsight},
    Row{"record.memory", kAnyFramework, kAnyBuild, kAnywhere,
        "rocprofv3 --memory-allocation-trace records them.", kRocprof},
    Row{"record.kernels", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with nsys profile --trace=cuda where the program uses a GPU.", kNsight},
    Row{"record.kernels", kAnyFramework, kAnyBuild, kAnywhere,
        "Record with rocprofv3 --kernel-trace where the program uses a GPU.", kRocprof},
    Row{"too-little", kAnyFramework, kAnyBuild, kAnywhere,
        "Record several steps, and mark each with an NVTX range of one name.", kNsight},
    Row{"mark-steps", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark each step with an NVTX range of one name.", kNsight},
    Row{"too-little", kAnyFramework, kAnyBuild, kAnywhere,
        "Record several steps, and mark each with a roctx range of one name.", kRocprof},
    Row{"mark-steps", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark each step with a roctx range of one name.", kRocprof},
    Row{"profiler-overhead", kAnyFramework, kAnyBuild, kAnywhere,
        "Record once more without sampling, and compare the steps.", kNsight | kRocprof},
    Row{"record.host", kTorch, kAnyBuild, kAnywhere,
        "Record the host too (activities=[ProfilerActivity.CPU, ...]), so that the cause can "
        "be seen."},
    Row{"record.host", kTf, kAnyBuild, kAnywhere,
        "Record the host too (host_tracer_level=2), so that the cause can be seen."},
    Row{"record.host", kJax, kAnyBuild, kAnywhere,
        "Record the host too (host_tracer_level=2), so that the cause can be seen."},
    Row{"record.host", kAnyFramework, kAnyBuild, kAnywhere,
        "Record events of the host too, so that the cause can be seen."},
    Row{"record.python", kTorch, kAnyBuild, kAnywhere,
        "Record Python functions (with_stack=True) to see what the host does."},
    Row{"record.python", kTf, kAnyBuild, kAnywhere,
        "Record Python functions (python_tracer_level=1) to see what the host does."},
    Row{"record.python", kJax, kAnyBuild, kAnywhere,
        "Record Python functions (python_tracer_level=1) to see what the host does."},
    Row{"record.python", kAnyFramework, kAnyBuild, kAnywhere,
        "Record Python functions to see what the host does."},
    Row{"unknown", kAnyFramework, kAnyBuild, kAnywhere,
        "See in the timeline what other threads of the host do then: nothing was recorded on "
        "the thread that launches."},
    Row{"unknown.called", kAnyFramework, kAnyBuild, kAnywhere,
        "See in the timeline which stream, device or process that call waits for: the host was "
        "recorded, what holds up the device was not."},
    Row{"profiler-overhead", kTorch, kAnyBuild, kAnywhere,
        "Record once more without with_stack, and compare the steps."},
    Row{"profiler-overhead", kTf, kAnyBuild, kAnywhere,
        "Record once more with python_tracer_level=0, and compare the steps."},
    Row{"profiler-overhead", kJax, kAnyBuild, kAnywhere,
        "Record once more with python_tracer_level=0, and compare the steps."},
    Row{"profiler-overhead", kAnyFramework, kAnyBuild, kAnywhere,
        "Record once more without Python functions, and compare the steps."},
    Row{"impossible-durations", kAnyFramework, kAnyBuild, kAnywhere,
        "Do not trust sums of these events. Record again; if it comes back, update the profiler "
        "and the driver."},
    Row{"record.memory", kTorch, kAnyBuild, kAnywhere,
        "Record them with profile(profile_memory=True)."},
    Row{"record.memory", kTf, kAnyBuild, kAnywhere,
        "TensorFlow records them for allocators of GPUs."},
    Row{"record.memory", kJax, kAnyBuild, kAnywhere,
        "JAX does not record allocations in a trace; jax.profiler.save_device_memory_profile "
        "writes what is live."},
    Row{"record.memory", kAnyFramework, kAnyBuild, kAnywhere,
        "TensorFlow records them for allocators of GPUs, and PyTorch with "
        "profile(profile_memory=True)."},
    Row{"record.kernels", kTorch, kAnyBuild, kAnywhere,
        "Record on a machine with a GPU, with ProfilerActivity.CUDA among the activities; on "
        "NVIDIA, CUPTI needs permission (NVreg_RestrictProfilingToAdminUsers=0, or run "
        "privileged)."},
    Row{"record.kernels", kAnyFramework, kAnyBuild, kAnywhere,
        "Record on a machine with a GPU; on NVIDIA, CUPTI needs permission "
        "(NVreg_RestrictProfilingToAdminUsers=0, or run privileged)."},
    Row{"too-little", kTorch, kAnyBuild, kAnywhere,
        "Record several steps: call step() of torch.profiler after each, with a schedule."},
    Row{"too-little", kTf, kAnyBuild, kAnywhere,
        "Record several steps, and mark them with tf.profiler.experimental.Trace."},
    Row{"too-little", kJax, kAnyBuild, kAnywhere,
        "Record several steps, and mark them with jax.profiler.StepTraceAnnotation."},
    Row{"too-little", kAnyFramework, kAnyBuild, kAnywhere,
        "Record several steps: mark them with tf.profiler.experimental.Trace, "
        "jax.profiler.StepTraceAnnotation or torch.profiler's schedule."},
    Row{"mark-steps", kTorch, kAnyBuild, kAnywhere,
        "Call step() of torch.profiler after each step, with a schedule."},
    Row{"mark-steps", kTf, kAnyBuild, kAnywhere, "Mark steps with tf.profiler.experimental.Trace."},
    Row{"mark-steps", kJax, kAnyBuild, kAnywhere,
        "Mark steps with jax.profiler.StepTraceAnnotation."},
    Row{"mark-steps", kAnyFramework, kAnyBuild, kAnywhere,
        "Mark steps with tf.profiler.experimental.Trace, jax.profiler.StepTraceAnnotation or "
        "torch.profiler's schedule."},
    Row{"too-little.device", kAnyFramework, kAnyBuild, kAnywhere,
        "If the program computes on the {device}, its work was not recorded: see the "
        "diagnostics, and record a few steps with little else."},
    // --- one device: copies and blocking calls ---
    Row{"copies", kTorch, kAnyBuild, kAnywhere,
        "Keep data on the device, copy from pinned memory on a stream of its own "
        "(non_blocking=True), and copy less often."},
    Row{"copies", kTf, kAnyBuild, kAnywhere,
        "Keep data on the device, let tf.data copy ahead "
        "(tf.data.experimental.prefetch_to_device), and copy less often."},
    Row{"copies", kJax, kAnyBuild, kAnywhere,
        "Keep data on the device, copy a batch with jax.device_put before its step needs it, "
        "and read results less often."},
    Row{"copies", kAnyFramework, kAnyBuild, kAnywhere,
        "Keep data on the device, copy from pinned memory on a stream of its own, and copy "
        "less often."},
    Row{"copies.pinned", kTorch, kAnyBuild, kAnywhere,
        "Keep data on the device, start each copy before its result is needed, on a stream of its "
        "own, so that kernels hide it, and copy less often."},
    Row{"copies.pinned", kTf, kAnyBuild, kAnywhere,
        "Keep data on the device, let tf.data copy ahead "
        "(tf.data.experimental.prefetch_to_device), and copy less often."},
    Row{"copies.pinned", kJax, kAnyBuild, kAnywhere,
        "Keep data on the device, copy a batch with jax.device_put before its step needs it, "
        "and read results less often."},
    Row{"copies.pinned", kAnyFramework, kAnyBuild, kAnywhere,
        "Keep data on the device, start each copy before its result is needed, on a stream of its "
        "own, and copy less often."},
    Row{"copies.async", kAnyFramework, kAnyBuild, kAnywhere,
        "Keep the arrays in the device's memory where they fit, copy smaller types, or start each "
        "copy earlier, so that more work hides it."},
    Row{"copies.on-device", kTorch, kAnyBuild, kAnywhere,
        "Avoid clones and changes of layout (contiguous(), transposes that are copied), write "
        "in place, and fill less."},
    Row{"copies.on-device", kJax, kAnyBuild, kAnywhere,
        "Let results take the place of arguments (donate_argnums), and avoid transposes that "
        "are copied."},
    Row{"copies.on-device", kAnyFramework, kAnyBuild, kAnywhere,
        "Avoid clones and transposes that are copied, write in place, and fill less."},
    Row{"sync", kTorch, kAnyBuild, kAnywhere,
        "Avoid .item(), print, float(tensor) and copies of pageable memory inside the step; "
        "read results a step later."},
    Row{"sync", kTf, kAnyBuild, kAnywhere,
        "Avoid .numpy(), print and float(tensor) inside the step; read results a step later."},
    Row{"sync", kJax, kAnyBuild, kAnywhere,
        "Avoid float(array), numpy.asarray, print and block_until_ready inside the step; read "
        "results a step later."},
    Row{"sync", kAnyFramework, kAnyBuild, kAnywhere,
        "Avoid waiting for results and copies of pageable memory inside the step; read results "
        "a step later."},
    Row{"blocked-host", kTorch, kAnyBuild, kAnywhere,
        "Copy from pinned memory without waiting (non_blocking=True), read results a step "
        "later, and keep what the host asks for on the host."},
    Row{"blocked-host", kAnyFramework, kAnyBuild, kAnywhere,
        "Copy without waiting, read results a step later, and keep what the host asks for on "
        "the host."},
    Row{"blocked-host.queued", kAnyFramework, kAnyBuild, kAnywhere,
        "See in the timeline what the call waits for; begin the recording earlier, so that the "
        "work that it waits for is in it."},
    Row{"queued", kAnyFramework, kAnyBuild, kAnywhere,
        "The host is ahead, so faster launches do not help. See in the timeline which stream, "
        "copy or device the next kernel waits for; fewer and larger kernels leave fewer gaps."},
    // --- one device: its kernels ---
    Row{"unfused-ops.norm", kTorch, kAnyBuild, kAnywhere,
        "Use a fused norm: torch.nn.functional.rms_norm under torch.compile, or a kernel of "
        "Liger, Apex or Transformer Engine."},
    Row{"unfused-ops.rotary", kTorch, kAnyBuild, kAnywhere,
        "Use a fused rotary embedding: torch.compile around it, or a kernel of Liger, vLLM or "
        "Transformer Engine."},
    Row{"unfused-ops.optimizer", kAnyFramework, kAnyBuild, kAnywhere,
        "Pass fused=True to the optimizer (torch.optim.Adam, AdamW, SGD)."},
    Row{"unfused-ops", kTf, kAnyBuild, kAnywhere,
        "Use a fused op of the framework, or XLA (jit_compile=True)."},
    Row{"unfused-ops", kJax, kAnyBuild, kAnywhere,
        "Use a fused kernel, such as one of Pallas or of Transformer Engine."},
    Row{"unfused-ops", kAnyFramework, kAnyBuild, kAnywhere,
        "Use a fused op of the framework or of a library."},
    Row{"attention", kTorch, kAnyBuild, kAnywhere,
        "Call torch.nn.functional.scaled_dot_product_attention (attn_implementation=\"sdpa\" "
        "or \"flash_attention_2\" in transformers); return no attention weights."},
    Row{"attention", kJax, kAnyBuild, kAnywhere,
        "Call jax.nn.dot_product_attention with implementation=\"cudnn\", or a Pallas kernel."},
    Row{"attention", kTf, kAnyBuild, kAnywhere,
        "Use keras.layers.MultiHeadAttention with flash attention "
        "(keras.config.enable_flash_attention), and return no attention scores."},
    Row{"attention", kAnyFramework, kAnyBuild, kAnywhere,
        "Call a fused attention kernel of the framework or of cuDNN."},
    Row{"matrix-units", kAnyFramework, kAnyBuild, kAnywhere,
        "Use {precision}, and dimensions that are multiples of 8."},
    Row{"matrix-units.tf32", kAnyFramework, kAnyBuild, kAnywhere,
        "Use {precision}, or TF32 ({tf32}) for what stays in 32 bits, and dimensions that are "
        "multiples of 8."},
    Row{"matrix-units.volta", kAnyFramework, kAnyBuild, kAnywhere,
        "Use {precision}, and dimensions that are multiples of 8; Tensor Cores of these GPUs "
        "take neither TF32 nor bfloat16."},
    Row{"matrix-units.some", kAnyFramework, kAnyBuild, kAnywhere,
        "Try {precision}, and dimensions that are multiples of 8."},
    Row{"precision", kAnyFramework, kAnyBuild, kAnywhere, "Use {precision}."},
    Row{"word.mixed-precision", kTorch, kAnyBuild, kAnywhere,
        "torch.autocast(\"cuda\", dtype=torch.bfloat16)"},
    Row{"word.mixed-precision", kTf, kAnyBuild, kAnywhere,
        "tf.keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")"},
    Row{"word.mixed-precision", kJax, kAnyBuild, kAnywhere, "bfloat16 parameters and activations"},
    Row{"word.mixed-precision", kAnyFramework, kAnyBuild, kAnywhere,
        "mixed precision with bfloat16"},
    Row{"word.mixed-precision.volta", kTorch, kAnyBuild, kAnywhere,
        "torch.autocast(\"cuda\", dtype=torch.float16)"},
    Row{"word.mixed-precision.volta", kTf, kAnyBuild, kAnywhere,
        "tf.keras.mixed_precision.set_global_policy(\"mixed_float16\")"},
    Row{"word.mixed-precision.volta", kJax, kAnyBuild, kAnywhere,
        "float16 parameters and activations"},
    Row{"word.mixed-precision.volta", kAnyFramework, kAnyBuild, kAnywhere,
        "mixed precision with float16"},
    Row{"word.tf32", kTorch, kAnyBuild, kAnywhere, "torch.set_float32_matmul_precision(\"high\")"},
    Row{"word.tf32", kTf, kAnyBuild, kAnywhere,
        "tf.config.experimental.enable_tensor_float_32_execution(True)"},
    Row{"word.tf32", kJax, kAnyBuild, kAnywhere, "jax_default_matmul_precision=\"tensorfloat32\""},
    Row{"word.tf32", kAnyFramework, kAnyBuild, kAnywhere, "as the framework's settings have it"},
    Row{"alignment", kAnyFramework, kAnyBuild, kAnywhere,
        "Make the inner dimensions multiples of 8 (16 bits) or 4 (TF32): pad vocabularies, "
        "classes and feature counts."},
    Row{"alignment.volta", kAnyFramework, kAnyBuild, kAnywhere,
        "Make the inner dimensions multiples of 8: pad vocabularies, classes and feature "
        "counts."},
    Row{"layout", kTorch, kAnyBuild, kAnywhere,
        "Keep tensors in channels_last: model.to(memory_format=torch.channels_last), and the "
        "input too."},
    Row{"layout", kTf, kAnyBuild, kAnywhere,
        "Build the model with data_format='channels_last' and 16 bits, so that no op between "
        "convolutions asks for the other layout."},
    Row{"layout", kJax, kAnyBuild, kAnywhere,
        "Give convolutions NHWC: dimension_numbers=('NHWC', 'HWIO', 'NHWC')."},
    Row{"layout", kAnyFramework, kAnyBuild, kAnywhere,
        "Keep tensors in NHWC, the layout that convolutions on Tensor Cores work in."},
    Row{"loss-scaling", kAnyFramework, kAnyBuild, kAnywhere,
        "Use bfloat16, which needs no loss scaling, or a static loss scale."},
    Row{"loss-scaling.volta", kAnyFramework, kAnyBuild, kAnywhere,
        "Use a static loss scale, or update the scale less often."},
    Row{"compile", kTorch, kCompiled, kAnywhere,
        "Profile after a few steps of warm-up; look for shapes that change from step to step "
        "(TORCH_LOGS=recompiles names them)."},
    Row{"compile", kTf, kAnyBuild, kAnywhere,
        "Profile after a few steps of warm-up; look for shapes or Python values that change "
        "from step to step: a tf.function is traced anew for each."},
    Row{"compile", kJax, kAnyBuild, kAnywhere,
        "Profile after a few steps of warm-up; look for shapes that change from step to step "
        "(JAX_LOG_COMPILES=1 names what is compiled)."},
    Row{"compile", kAnyFramework, kAnyBuild, kAnywhere,
        "Profile after a few steps of warm-up; look for shapes that change from step to step."},
    Row{"warm-up", kAnyFramework, kAnyBuild, kGpu,
        "Run a few steps before what is recorded and timed. Where the first steps matter, load "
        "modules at the start (CUDA_MODULE_LOADING=EAGER on NVIDIA GPUs), keep compiled and tuned "
        "code in caches, and reserve memory ahead."},
    Row{"warm-up", kAnyFramework, kAnyBuild, kAnywhere,
        "Run a few steps before what is recorded and timed. Where the first steps matter, keep "
        "compiled and tuned code in caches."},
    // --- memory ---
    Row{"memory", kTorch, kAnyBuild, kAnywhere,
        "Free large tensors earlier, allocate large ones first, or set "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True."},
    Row{"memory", kTf, kAnyBuild, kAnywhere,
        "Free large tensors earlier, allocate large ones first, or set "
        "TF_GPU_ALLOCATOR=cuda_malloc_async."},
    Row{"memory", kJax, kAnyBuild, kAnywhere,
        "Free large arrays earlier (donate_argnums), and allocate large ones first."},
    Row{"memory", kAnyFramework, kAnyBuild, kAnywhere,
        "Free large tensors earlier, and allocate large ones first."},
    Row{"memory.growth", kAnyFramework, kAnyBuild, kAnywhere,
        "See in the memory panel what is still live after the step: keep no tensors of earlier "
        "steps (losses for logging, lists, hooks)."},
    Row{"memory.room", kAnyFramework, kAnyBuild, kAnywhere,
        "Try a larger batch: it amortises launches and communication."},
    Row{"memory.outside", kTorch, kAnyBuild, kAnywhere,
        "Let the pool keep its memory: no empty_cache() inside the loop, expandable segments, "
        "shapes that stay the same."},
    Row{"memory.outside", kAnyFramework, kAnyBuild, kAnywhere,
        "Let the pool keep its memory, and keep shapes the same."},
    Row{"memory.failed", kAnyFramework, kAnyBuild, kAnywhere,
        "See in the memory snapshot who holds the memory then: free it earlier, take a smaller "
        "batch, or recompute activations."},
    // --- several devices ---
    Row{"allreduce", kTorch, kAnyBuild, kAnywhere,
        "Overlap them with the backward pass, make buckets larger (DDP: bucket_cap_mb), send "
        "fewer bytes, or make the batch larger."},
    Row{"allreduce", kTf, kAnyBuild, kAnywhere,
        "Overlap them with the backward pass, send fewer bytes, or make the batch larger."},
    Row{"allreduce", kJax, kAnyBuild, kGpu,
        "Let XLA overlap them (--xla_gpu_enable_latency_hiding_scheduler=true), send fewer "
        "bytes, or make the batch larger."},
    Row{"allreduce", kAnyFramework, kAnyBuild, kAnywhere,
        "Overlap them with the backward pass, make buckets larger, send fewer bytes, or make "
        "the batch larger."},
    Row{"allreduce.ranks", kTorch, kAnyBuild, kAnywhere,
        "See among the ranks whether one is late; overlap them with the backward pass, make "
        "buckets larger (DDP: bucket_cap_mb), or send fewer bytes."},
    Row{"allreduce.ranks", kAnyFramework, kAnyBuild, kAnywhere,
        "See among the ranks whether one is late; overlap them with the backward pass, or send "
        "fewer bytes."},
    Row{"small-collectives.buffers", kAnyFramework, kAnyBuild, kAnywhere,
        "DistributedDataParallel sends its buffers before each forward pass: pass "
        "broadcast_buffers=False, or keep them equal (SyncBatchNorm), and put what is left in "
        "one tensor."},
    Row{"small-collectives", kTorch, kAnyBuild, kAnywhere,
        "Put them together: a larger bucket_cap_mb (DDP) or wrapping unit (FSDP), "
        "torch.distributed._coalescing_manager, one tensor for all metrics."},
    Row{"small-collectives", kJax, kAnyBuild, kGpu,
        "Put them together: XLA's --xla_gpu_all_reduce_combine_threshold_bytes (and those of "
        "all-gather and reduce-scatter), one psum of a tree for all metrics."},
    Row{"small-collectives", kJax, kAnyBuild, kAnywhere,
        "Put them together: one psum of a tree for all metrics."},
    Row{"small-collectives", kTf, kAnyBuild, kAnywhere,
        "Put them together: tf.distribute.experimental.CommunicationOptions(bytes_per_pack=0) "
        "packs all gradients; reduce metrics once."},
    Row{"small-collectives", kAnyFramework, kAnyBuild, kAnywhere,
        "Put them together: larger buckets, one tensor for all metrics."},
    Row{"imbalance", kTf, kAnyBuild, kGpu,
        "See what the late {device} and its host thread do then; give all the same work; "
        "TF_GPU_THREAD_MODE=gpu_private."},
    Row{"imbalance", kAnyFramework, kAnyBuild, kAnywhere,
        "See what the late {device} and its host thread do then, and give all the same work."},
    Row{"sequential-gpus", kTorch, kAnyBuild, kAnywhere,
        "Run a process for each {device} (DistributedDataParallel): threads of one process "
        "wait for each other."},
    Row{"sequential-gpus", kAnyFramework, kAnyBuild, kAnywhere,
        "Look for control dependencies and shared host threads that make one {device} wait for "
        "another."},
    Row{"device", kAnyFramework, kAnyBuild, kCpu, "See which ops take the time."},
    Row{"device.programs", kJax, kAnyBuild, kAnywhere,
        "Record with a newer JAX, whose runtime for CPUs records the ops inside a program."},
    Row{"device.programs", kAnyFramework, kAnyBuild, kAnywhere,
        "Record the ops inside the programs, to see which take the time."},
    Row{"device", kAnyFramework, kAnyBuild, kAnywhere,
        "Make the work of the {device} faster: see the kernels."},
};

bool Fits(const RemedyRow& row, const Program& program) {
  return (row.frameworks & Bit(program.framework)) != 0 && (row.builds & Bit(program.build)) != 0 &&
         (row.processors & Bit(program.processor)) != 0 &&
         (row.recorders >> static_cast<unsigned>(program.recorder) & 1U) != 0;
}

const RemedyRow* RowFor(std::string_view id, const Program& program) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [&](const RemedyRow& r) { return r.id == id && Fits(r, program); });
  return row != kRows.end() ? &*row : nullptr;
}

void Put(std::string_view mark, std::string_view word, std::string* text) {
  if (const size_t at = text->find(mark); at != std::string::npos)
    text->replace(at, mark.size(), word);
}

}  // namespace

std::span<const RemedyRow> RemedyRows() { return kRows; }

std::string RemedyFor(std::string_view id, const Program& program) {
  const RemedyRow* row = program.volta ? RowFor(std::string(id) + ".volta", program) : nullptr;
  if (row == nullptr) row = RowFor(id, program);
  if (row == nullptr) {
    const size_t dot = id.rfind('.');
    return dot != id.npos ? RemedyFor(id.substr(0, dot), program) : std::string();
  }
  std::string text(row->text);
  Put("{device}", program.device, &text);
  if (text.find('{') == std::string::npos) return text;
  Put("{precision}", RemedyFor("word.mixed-precision", program), &text);
  Put("{tf32}", RemedyFor("word.tf32", program), &text);
  return text;
}

}  // namespace stepscope
