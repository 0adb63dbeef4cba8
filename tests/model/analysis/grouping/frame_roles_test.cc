// The roles of Python functions (docs/rules.md#losses): true names of libraries beside names that
// look like them.
#include "model/analysis/grouping/frame_roles.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/kineto_text.h"

namespace stepscope {
namespace {

HostRole RoleOfFrame(const char* name) {
  return RoleOfHostEvent(name, EventCategory::kPythonFunction);
}

struct FramePair {
  const char* true_name;
  const char* look_alike;
};

// A pair for each row of the table, in its order.
constexpr FramePair kPairs[] = {
    {"torch/utils/data/dataloader.py(720): __next__", "/x/torch/utils/data/train.py(3): run"},
    {"$dataloader.py:720 __next__", "$train_dataloader.py:720 __next__"},
    {"$dataloader.py:750 _next_data", "$dataloader.py:750 _next_data_and_train"},
    {"$dataloader.py:750 _get_data", "$dataloader.py:750 _get_data_size"},
    {"$dataloader.py:750 _try_get_data", "$my.py:750 _try_get_data"},
    {"torchvision/transforms/functional.py(7): resize",
     "my/torchvision/transforms/functional.py(7): resize"},
    {"torchvision/io/image.py(7): decode_jpeg", "torchvision/models/io.py(7): forward"},
    {"torchvision/datasets/folder.py(9): loader", "torchvision_datasets/folder.py(9): loader"},
    {"transformers/image_processing_utils.py(40): __call__",
     "transformers/models/vit/modeling_vit.py(40): __call__"},
    {"transformers/feature_extraction_utils.py(113): items",
     "transformers/modeling_feature_extraction.py(113): items"},
    {"transformers/models/bert/tokenization_bert.py(5): tokenize",
     "transformers/models/bert/modeling_bert.py(5): forward"},
    {"tokenizers/implementations/base_tokenizer.py(8): encode", "/x/tokenizers/serve.py(3): run"},
    {"webdataset/tariterators.py(3): f", "my_webdataset/x.py(3): f"},
    {"albumentations/core/composition.py(3): __call__", "my_albumentations/x.py(3): f"},
    {"torch/_inductor/output_code.py(12): __call__", "/x/torch/_inductor/output_code.py(5): main"},
    {"torch/_inductor/cudagraph_trees.py(12): run",
     "/x/torch/_inductor/cudagraph_trees.py(5): main"},
    {"torch/_inductor/utils.py(2417): run", "torch/_inductor/utils.py(2417): print_performance"},
    {"torch/_inductor/codecache.py(1100): __call__", "torch/_inductor/codecache.py(1100): load"},
    {"torch/_inductor/compile_fx.py(1200): run", "torch/_inductor/compile_fx.py(1200): runs"},
    {"torch/_inductor/runtime/triton_heuristics.py(12): autotune_to_one_config",
     "torch/_inductor/runtime/triton_heuristics.py(12): run"},
    {"torch/_inductor/runtime/triton_heuristics.py(12): benchmark_all_configs",
     "torch/_inductor/runtime/triton_heuristics.py(12): launcher"},
    {"torch/_inductor/runtime/triton_heuristics.py(12): coordinate_descent_tuning",
     "torch/_inductor/runtime/triton_heuristics.py(12): grid"},
    {"torch/_inductor/runtime/triton_heuristics.py(12): precompile",
     "torch/_inductor/runtime/triton_heuristics.py(12): precompiled"},
    {"torch/_inductor/runtime/benchmarking.py(12): benchmark_gpu",
     "/x/benchmarking.py(12): benchmark_gpu"},
    {"torch/_inductor/runtime/hints.py(12): f", "/x/torch/_inductor/runtime/hints.py(12): f"},
    {"torch/_inductor/select_algorithm.py(12): benchmark_choices",
     "torch/_inductor/select_algorithm.py(12): output_node"},
    {"torch/_inductor/autotune_process.py(12): benchmark",
     "torch/_inductor/autotune_process.py(12): initialize"},
    {"torch/_inductor/compile_fx.py(12): compile_fx_inner", "/x/torch/_inductor/train.py(5): main"},
    {"torch/_dynamo/convert_frame.py(12): compile_frame", "torch/_dynamo/eval_frame.py(12): _fn"},
    {"triton/compiler/compiler.py(12): launch_metadata",
     "triton/runtime/compiler.py(12): launch_metadata"},
    {"triton/compiler/compiler.py(12): __getitem__", "triton/runtime/jit.py(12): __getitem__"},
    {"triton/compiler/compiler.py(12): runner", "triton/runtime/jit.py(12): runner"},
    {"triton/compiler/compiler.py(12): run", "triton/runtime/jit.py(12): run"},
    {"triton/compiler/compiler.py(12): compile", "/x/triton/compiler/compiler.py(12): compile"},
    {"triton/runtime/autotuner.py(12): _bench", "triton/runtime/autotuner.py(12): run"},
    {"triton/runtime/autotuner.py(12): benchmark", "triton/runtime/jit.py(12): benchmark"},
    {"triton/testing.py(9): do_bench_cudagraph", "/x/triton/testing.py(9): do_bench"},
    {"$compiler.py:341 backend_compile_and_load", "$compiler.py:341 my_backend_compile"},
    {"$compiler.py:3 compile_or_get_cached", "$compiler.py:3 compile_or_get_cached_later"},
    {"$partial_eval.py:2129 trace_to_jaxpr_nocache", "$partial_eval.py:2129 my_trace_to_jaxpr"},
    {"$mlir.py:1374 lower_jaxpr_to_module", "$mlir.py:1374 follower_jaxpr"},
    {"$dispatch.py:3 xla_compile", "$dispatch.py:3 xla_compiled"},
    {"$tracing_compilation.py:12 trace_function", "$tracing_compilation.py:12 call_function"},
    {"$tracing_compilation.py:12 _maybe_define_function", "$tracing.py:12 _maybe_define_function"},
    {"$tracing_compilation.py:12 _create_concrete_function",
     "$tracing.py:12 _create_concrete_function"},
    {"$api.py:3154 block_until_ready", "$api.py:3154 block_until_ready_soon"},
    {"$array.py:404 __array__", "$array.py:404 __arrays__"},
    {"$profiler.py:417 wrapper", "$my_profiler.py:417 wrapper"},
    {"$array.py:629 _value", "$my_array.py:629 _value"},
    {"$multihost_utils.py:100 sync_global_devices", "$my_utils.py:100 sync_global_devices"},
    {"torch/distributed/distributed_c10d.py(4100): barrier",
     "/x/distributed_c10d.py(4100): barrier"},
    {"torch/distributed/distributed_c10d.py(4200): monitored_barrier",
     "torch/distributed/distributed_c10d.py(2500): all_reduce"},
    {"torch/serialization.py(944): save", "torch/serialization.py(1300): load"},
    {"torch/distributed/checkpoint/state_dict_saver.py(80): save",
     "torch/distributed/checkpoint/state_dict_loader.py(80): load"},
    {"safetensors/torch.py(250): save_file", "safetensors/torch.py(250): load_file"},
    {"$checkpoint_manager.py:900 save", "$checkpoint_manager.py:900 restore"},
    {"$checkpointer.py:90 save", "$checkpointer.py:90 save_plot"},
    {"$async_checkpointer.py:90 save", "$my_async_checkpointer.py:90 save"},
    {"$model_checkpoint.py:300 _save_model", "$model_checkpoint.py:300 on_batch_end"},
    {"$saving_lib.py:90 save_model", "$saving_lib.py:90 load_model"},
    {"$saving_api.py:90 save_model", "$saving_api.py:90 load_model"},
    {"$checkpoint.py:9 save", "$checkpoint.py:9 restore"},
    {"threading.py(320): wait", "/x/threading.py(320): wait"},
    {"/usr/lib/python3.12/threading.py(324): wait_for",
     "/x/python3.12/threading.py(324): wait_for"},
    {"threading.py(1100): join", "threading.py(1000): run"},
    {"threading.py(450): acquire", "threading.py(450): release"},
    {"threading.py(1110): _wait_for_tstate_lock", "threading.py(1110): _wait"},
    {"queue.py(171): get", "my/queue.py(171): get"},
    {"$queue.py:130 put", "$queue.py:130 putter"},
    {"queue.py(80): join", "queue.py(80): qsize"},
    {"selectors.py(402): select", "selectors.py(402): register"},
    {"concurrent/futures/_base.py(428): result", "/x/concurrent/futures/_base.py(428): result"},
    {"concurrent/futures/_base.py(260): wait", "concurrent/futures/thread.py(50): run"},
    {"multiprocessing/queues.py(103): get", "torch/multiprocessing/queue.py(103): get"},
    {"multiprocessing/connection.py(250): recv", "multiprocessing/connection.py(250): send"},
    {"multiprocessing/connection.py(430): _recv_bytes",
     "multiprocessing/connection.py(430): _send_bytes"},
    {"multiprocessing/connection.py(257): poll", "multiprocessing/connection.py(257): fileno"},
    {"multiprocessing/connection.py(440): _poll", "multiprocessing/connection.py(440): close"},
    {"multiprocessing/connection.py(1122): wait", "my/multiprocessing/connection.py(9): wait"},
    {"multiprocessing/pool.py(771): get", "multiprocessing/pool.py(125): worker"},
    {"multiprocessing/process.py(149): join", "multiprocessing/process.py(108): run"},
    {"multiprocessing/popen_fork.py(43): wait", "multiprocessing/popen_fork.py(66): _launch"},
    {"multiprocessing/popen_fork.py(27): poll", "multiprocessing/popen_fork.py(60): kill"},
    {"multiprocessing/synchronize.py(95): __enter__",
     "multiprocessing/synchronize.py(98): __exit__"},
    {"subprocess.py(1264): wait", "my_subprocess.py(1264): wait"},
    {"subprocess.py(2040): _wait", "subprocess.py(2040): _waits"},
    {"subprocess.py(2028): _try_wait", "subprocess.py(2028): _execute_child"},
    {"subprocess.py(1200): communicate", "subprocess.py(1200): __init__"},
};

}  // namespace

TEST_CASE("Each row of the table of functions finds its own, and not what looks like it") {
  const auto rows = FrameRows();
  REQUIRE(rows.size() == std::size(kPairs));
  for (size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(kPairs[i].true_name);
    CHECK_FALSE(rows[i].source.empty());
    const auto frame = ParsePythonFrame(kPairs[i].true_name);
    REQUIRE(frame.has_value());
    CHECK(FrameRowOf(*frame) == &rows[i]);
    CAPTURE(kPairs[i].look_alike);
    const auto other = ParsePythonFrame(kPairs[i].look_alike);
    REQUIRE(other.has_value());
    CHECK(FrameRowOf(*other) != &rows[i]);
  }
}

TEST_CASE("Functions of libraries that prepare input are input") {
  for (const char* name :
       {"torch/utils/data/dataloader.py(720): __next__",
        "/usr/lib/python3.12/site-packages/torch/utils/data/_utils/fetch.py(49): fetch",
        "$dataloader.py:720 __next__", "torchvision/transforms/functional.py(7): resize",
        "torchvision/io/image.py(7): decode_jpeg", "torchvision/datasets/folder.py(9): loader",
        "transformers/image_processing_utils.py(40): __call__",
        "transformers/models/vivit/image_processing_vivit.py(40): rescale",
        "transformers/feature_extraction_utils.py(113): items",
        "transformers/models/bert/tokenization_bert.py(5): tokenize",
        "tokenizers/implementations/base_tokenizer.py(8): encode",
        "webdataset/tariterators.py(3): f", "albumentations/core/composition.py(3): __call__",
        "/home/me/train.py(9): load_batch", "$loader.py:12 load_batch"}) {
    CAPTURE(name);
    CHECK(RoleOfFrame(name) == HostRole::kInput);
  }
}

TEST_CASE("Functions that only look like those of input libraries are work") {
  for (const char* name :
       {"/home/me/image_processing/train.py(1): main", "/home/me/image_processing/train.py: main",
        "/x/tokenizers/serve.py(3): run", "/x/torch/utils/data/train.py(3): run",
        "/x/data_loader/train.py(3): main", "$train_dataloader.py:720 __next__",
        "$dataloader.py:9 main", "transformers/models/bert/modeling_bert.py(5): forward",
        "transformers/pipelines/pt_utils.py(124): __next__", "my_albumentations/x.py(3): f",
        "/home/me/train.py(9): load_batches_and_train", "$train.py:12 main"}) {
    CAPTURE(name);
    CHECK(RoleOfFrame(name) == HostRole::kWork);
  }
}

TEST_CASE("Functions that compile or tune are compilation") {
  for (const char* name :
       {"torch/_dynamo/convert_frame.py(12): compile_frame",
        "torch/_inductor/compile_fx.py(12): compile_fx_inner",
        "torch/_inductor/runtime/triton_heuristics.py(12): autotune_to_one_config",
        "torch/_inductor/runtime/triton_heuristics.py(12): benchmark_all_configs",
        "torch/_inductor/runtime/benchmarking.py(12): benchmark_gpu",
        "triton/compiler/compiler.py(12): compile", "triton/runtime/autotuner.py(12): _bench",
        "$compiler.py:341 backend_compile_and_load", "$compiler.py:3 compile_or_get_cached",
        "$partial_eval.py:2129 trace_to_jaxpr_nocache", "$mlir.py:1374 lower_jaxpr_to_module",
        "$tracing_compilation.py:12 trace_function"}) {
    CAPTURE(name);
    const HostRole role = RoleOfFrame(name);
    CHECK((role == HostRole::kCompile || role == HostRole::kTune));
  }
}

TEST_CASE("Running compiled code is not compiling, and a folder of a program is no tuner") {
  for (const char* name :
       {"torch/_inductor/output_code.py(12): __call__",
        "torch/_inductor/cudagraph_trees.py(12): run",
        "torch/_inductor/runtime/triton_heuristics.py(12): run",
        "triton/compiler/compiler.py(12): launch_metadata", "triton/runtime/autotuner.py(12): run",
        "torch/_inductor/utils.py(2417): run", "torch/_inductor/codecache.py(1100): __call__",
        "torch/_inductor/compile_fx.py(1200): run", "/opt/autotuner/train.py(5): main",
        "/opt/autotuner/train.py: main", "$tracing_compilation.py:12 call_function",
        "/x/torch/_inductor/train.py(5): main"}) {
    CAPTURE(name);
    CHECK(RoleOfFrame(name) == HostRole::kWork);
  }
  CHECK(RoleOfHostEvent("CompiledFxGraph", EventCategory::kCpuOp) == HostRole::kWork);
}

TEST_CASE("Phases of TorchDynamo's compilation compile; the lookup of compiled code does not") {
  for (const EventCategory category : {EventCategory::kCpuOp, EventCategory::kUserAnnotation}) {
    for (const char* name : {"compile_inner (dynamo_timed)", "entire_frame_compile (dynamo_timed)",
                             "_recursive_pre_grad_passes (dynamo_timed)"}) {
      CAPTURE(name);
      CHECK(RoleOfHostEvent(name, category) == HostRole::kCompile);
    }
    for (const char* name : {"TorchDynamo Cache Lookup", "Torch-Compiled Region: 0/0",
                             "dynamo_timed", "(dynamo_timed) train"}) {
      CAPTURE(name);
      CHECK(RoleOfHostEvent(name, category) == HostRole::kWork);
    }
  }
}

TEST_CASE("Scopes of ops and paths without a function say nothing, the op says what it is") {
  for (const char* name :
       {"autotuner/dense/MatMul:MatMul", "data_loader/embedding/GatherV2:GatherV2",
        "preprocess/conv/Conv2D:Conv2D", "checkpointing/dense/Relu:Relu", "/opt/autotuner/train.py",
        "/x/dataloader/serve.py", "/home/me/collate/train.py"}) {
    CAPTURE(name);
    CHECK(RoleOfHostEvent(name, EventCategory::kUnknown) == HostRole::kWork);
  }
  CHECK(RoleOfHostEvent("model/XlaCompile", EventCategory::kUnknown) == HostRole::kCompile);
  CHECK(RoleOfHostEvent("train/load_batch", EventCategory::kUnknown) == HostRole::kInput);
}

TEST_CASE("A name that holds .py and no function is no Python function") {
  for (const char* name : {"train.py", "a.python(3): f", "x.py(3", "x.py(3)", ".py(", ""}) {
    CAPTURE(name);
    CHECK_FALSE(ParsePythonFrame(name).has_value());
  }
}

namespace {

// Steps of 1 ms: an op takes 900 us on the host, inside `outer`, and launches a kernel of 100 us if
// `dispatches`; else the kernel is launched behind `outer`.
StepClassTimes LossesUnder(const std::string& outer, bool dispatches) {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const int begin = s * 1'000;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 990);
    const bool function = outer.find(".py") != std::string::npos;
    t.Host(function ? "python_function" : "user_annotation", outer, begin + 10, 920);
    t.Host("cpu_op", "aten::add", begin + 15, dispatches ? 900 : 800);
    t.Launch(s + 1, begin + (dispatches ? 905 : 940), 5);
    t.Kernel("kernel", s + 1, begin + (dispatches ? 912 : 947), 50);
  }
  auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  REQUIRE(context.Get<StepDatabase>().device_steps.size() == 4);
  return context.Get<StepDatabase>().device_steps[2].class_times;
}

}  // namespace

TEST_CASE("A function that dispatches ops to the device is neither input nor compilation") {
  for (const char* outer : {"torch/utils/data/dataloader.py(720): __next__",
                            "torch/_dynamo/convert_frame.py(12): compile_frame",
                            "run_on_dataloader"}) {  // an annotation
    CAPTURE(outer);
    const StepClassTimes work = LossesUnder(outer, true), prepares = LossesUnder(outer, false);
    CHECK(At(work, StepTimeClass::kInput) + At(work, StepTimeClass::kCompile) == 0);
    CHECK(At(work, StepTimeClass::kHost) > 850 * kPsPerUs);
    CHECK(At(prepares, StepTimeClass::kInput) + At(prepares, StepTimeClass::kCompile) ==
          920 * kPsPerUs);
  }
}

}  // namespace stepscope
