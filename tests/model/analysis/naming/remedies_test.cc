#include "model/analysis/naming/remedies.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

// Every program that a remedy may be asked for.
std::vector<Program> Programs() {
  std::vector<Program> programs;
  for (const Framework framework :
       {Framework::kUnknown, Framework::kTorch, Framework::kTensorFlow, Framework::kJax}) {
    for (const Build build : {Build::kEager, Build::kCompiled, Build::kXla}) {
      for (const Processor processor : {Processor::kCpu, Processor::kGpu, Processor::kOther}) {
        Program program;
        program.framework = framework;
        program.build = build;
        program.processor = processor;
        program.device = processor == Processor::kCpu   ? "CPU"
                         : processor == Processor::kGpu ? "GPU"
                                                        : "MTIA";
        programs.push_back(program);
      }
    }
  }
  return programs;
}

std::set<std::string_view> Ids() {
  std::set<std::string_view> ids;
  for (const RemedyRow& row : RemedyRows()) ids.insert(row.id);
  return ids;
}

// Remedies about a thing that only one framework has, which rules ask for where they found it: a
// stage of tf.data, an optimizer of PyTorch.
bool IsOfOneFramework(std::string_view id) {
  static constexpr std::array<std::string_view, 7> kIds = {
      "input-bound.reader",       "input-bound.one-thread", "input-bound.no-prefetch",
      "input-bound.in-process",   "input-bound.workers",    "unfused-ops.optimizer",
      "small-collectives.buffers"};
  return BeginsWithAny(id, kIds);
}

void CheckNone(const Program& program, std::span<const std::string_view> words) {
  for (const std::string_view id : Ids()) {
    if (IsOfOneFramework(id)) continue;
    const std::string text = RemedyFor(id, program);
    CAPTURE(id);
    CAPTURE(text);
    CHECK_FALSE(ContainsAny(text, words));
  }
}

}  // namespace

TEST_CASE("Every id has a remedy for every program, as a sentence") {
  for (const Program& program : Programs()) {
    for (const std::string_view id : Ids()) {
      const std::string text = RemedyFor(id, program);
      CAPTURE(id);
      CHECK_FALSE(text.empty());
      if (id.starts_with("word.")) continue;
      CHECK(text.ends_with("."));
      CHECK(text[0] >= 'A');
      CHECK(text[0] <= 'Z');
      CHECK(text.find("{device}") == std::string::npos);
    }
  }
  CHECK(RemedyFor("no such loss", Program()).empty());
}

TEST_CASE("A remedy speaks of the framework that was recorded") {
  static constexpr std::array<std::string_view, 8> kTorch = {
      "torch",          "DDP",     "DataLoader",  "with_stack",
      "channels_last:", ".item()", "empty_cache", "non_blocking"};
  static constexpr std::array<std::string_view, 8> kTf = {
      "tf.", "keras", "Keras", "TF_", "TF_GPU", "tf.data", "jit_compile", ".numpy()"};
  static constexpr std::array<std::string_view, 4> kJax = {"jax", "JAX", "--xla", "Pallas"};
  for (const Program& program : Programs()) {
    CAPTURE(static_cast<int>(program.framework));
    if (program.framework == Framework::kTensorFlow) CheckNone(program, kTorch);
    if (program.framework == Framework::kJax) CheckNone(program, kTorch), CheckNone(program, kTf);
    if (program.framework == Framework::kTorch) CheckNone(program, kTf), CheckNone(program, kJax);
    if (program.framework == Framework::kTensorFlow) CheckNone(program, kJax);
  }
}

TEST_CASE("Code that is compiled already is not advised to be compiled") {
  static constexpr std::array<std::string_view, 6> kCompile = {
      "Compile the step",   "with torch.compile", "jax.jit",
      "into a tf.function", "with jax.jit",       "tf.function with"};
  for (const Program& program : Programs()) {
    if (program.build == Build::kEager && program.framework != Framework::kJax) continue;
    for (const std::string_view id : {"host-op", "launch-bound", "compiled-launches"}) {
      CAPTURE(RemedyFor(id, program));
      CHECK_FALSE(ContainsAny(RemedyFor(id, program), kCompile));
    }
  }
}

TEST_CASE("Graphs, pinned memory and TF32 are for devices that have them") {
  static constexpr std::array<std::string_view, 3> kGpuWords = {"CUDA graph", "command buffer",
                                                                "--xla_gpu"};
  for (const Program& program : Programs()) {
    if (program.processor != Processor::kGpu) CheckNone(program, kGpuWords);
    CHECK(RemedyFor("alignment.volta", program).find("TF32") == std::string::npos);
    CHECK(RemedyFor("loss-scaling.volta", program).find("bfloat16") == std::string::npos);
    CHECK(RemedyFor("word.mixed-precision.volta", program).find("bfloat16") == std::string::npos);
  }
  Program cpu;
  cpu.framework = Framework::kTorch;
  CHECK(RemedyFor("input-bound.in-process", cpu).find("pin_memory") == std::string::npos);
  Program mtia;
  mtia.processor = Processor::kOther;
  mtia.device = "MTIA";
  CHECK(RemedyFor("imbalance", mtia).find("the late MTIA ") != std::string::npos);
}

}  // namespace stepscope
