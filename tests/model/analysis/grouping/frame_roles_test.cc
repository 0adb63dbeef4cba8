// The roles of Python functions (docs/rules.md#losses): true names of libraries beside names that
// look like them, and profiles whose outer functions are given such names.
#include "model/analysis/grouping/frame_roles.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "tests/support/kineto_text.h"
#include "tests/support/source_paths.h"

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

namespace {

std::string TextOf(const std::string& path) {
  const auto source = OpenByteSource(path, uint64_t{1} << 32, {}, nullptr);
  REQUIRE(source.ok());
  const auto bytes = (*source)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size()))
    text->replace(at, from.size(), to);
}

// The first sentence's class and the shares of all losses, in percent.
struct Judged {
  std::string id;
  std::vector<std::pair<std::string, double>> losses;
  bool operator==(const Judged&) const = default;
};

Judged JudgedOf(std::string text) {
  auto trace = LoadBytes("t.json", std::move(text), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const Verdict verdict = Judge(**trace, context.steps(), false);
  Judged judged{verdict.id, {}};
  for (const Loss& loss : verdict.losses) judged.losses.emplace_back(loss.id, loss.percent);
  return judged;
}

struct Recording {
  std::string path;
  const char* frame;  // a function of the program that encloses the others
};

}  // namespace

TEST_CASE("A program may lie in any folder: its verdict and losses stay the same") {
  for (const Recording& recording :
       {Recording{test::SourcePath("tests/data/torch_cpu_stack.json.gz"),
                  "gen_torch.py(14): <module>"},
        Recording{test::SharedPath("traces/timesformer_mi300.json.gz"),
                  "moca/library/profiling/profile.py(53): profile_function"}}) {
    CAPTURE(recording.path);
    if (!std::filesystem::exists(recording.path)) {
      MESSAGE("SKIPPED: no ", recording.path);
      continue;
    }
    const std::string text = TextOf(recording.path);
    REQUIRE(text.find(recording.frame) != std::string::npos);
    const Judged recorded = JudgedOf(text);
    REQUIRE_FALSE(recorded.losses.empty());
    for (const char* frame :
         {"/home/me/image_processing/train.py(1): main", "/x/tokenizers/serve.py(3): run",
          "/opt/autotuner/train.py(5): main", "torch/_inductor/output_code.py(7): __call__",
          "transformers/pipelines/pt_utils.py(124): __next__"}) {
      CAPTURE(frame);
      std::string renamed = text;
      ReplaceAll(&renamed, recording.frame, frame);
      CHECK(JudgedOf(std::move(renamed)) == recorded);
    }
  }
}

}  // namespace stepscope
