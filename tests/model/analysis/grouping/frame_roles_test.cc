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

HostRole RoleOf(const char* name) { return RoleOfHostEvent(name, EventCategory::kPythonFunction); }

}  // namespace

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
    CHECK(RoleOf(name) == HostRole::kInput);
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
    CHECK(RoleOf(name) == HostRole::kWork);
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
    CHECK(RoleOf(name) == HostRole::kCompile);
  }
}

TEST_CASE("Running compiled code is not compiling, and a folder of a program is no tuner") {
  for (const char* name :
       {"torch/_inductor/output_code.py(12): __call__",
        "torch/_inductor/cudagraph_trees.py(12): run",
        "torch/_inductor/runtime/triton_heuristics.py(12): run",
        "triton/compiler/compiler.py(12): launch_metadata", "triton/runtime/autotuner.py(12): run",
        "/opt/autotuner/train.py(5): main", "/opt/autotuner/train.py: main",
        "$tracing_compilation.py:12 call_function", "/x/torch/_inductor/train.py(5): main"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) == HostRole::kWork);
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
    t.Host("python_function", outer, begin + 10, 920);
    t.Host("cpu_op", "aten::add", begin + 15, dispatches ? 900 : 800);
    t.Launch(s + 1, begin + (dispatches ? 905 : 940), 5);
    t.Kernel("kernel", s + 1, begin + (dispatches ? 912 : 947), 50);
  }
  auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  REQUIRE(context.steps().device_steps.size() == 4);
  return context.steps().device_steps[2].class_times;
}

}  // namespace

TEST_CASE("A function that dispatches ops to the device is neither input nor compilation") {
  for (const char* outer : {"torch/utils/data/dataloader.py(720): __next__",
                            "torch/_dynamo/convert_frame.py(12): compile_frame"}) {
    CAPTURE(outer);
    const StepClassTimes work = LossesUnder(outer, true), prepares = LossesUnder(outer, false);
    CHECK(At(work, StepTimeClass::kInput) + At(work, StepTimeClass::kCompile) == 0);
    CHECK(At(work, StepTimeClass::kHost) > 850 * kPsPerUs);
    CHECK(At(prepares, StepTimeClass::kInput) + At(prepares, StepTimeClass::kCompile) ==
          920 * kPsPerUs);
  }
}

}  // namespace stepscope
