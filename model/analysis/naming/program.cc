#include "model/analysis/naming/program.h"

#include <algorithm>
#include <array>

#include "model/analysis/naming/device_type.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

// A trace with events of PyTorch is PyTorch's, whatever else its process ran. JAX's programs have
// names of TensorFlow too.
int RankOf(Framework framework) {
  switch (framework) {
    case Framework::kTorch:
      return 3;
    case Framework::kJax:
      return 2;
    case Framework::kTensorFlow:
      return 1;
    case Framework::kUnknown:
      break;
  }
  return 0;
}

// By the namespaces in the name of a kernel.
Framework FrameworkOfKernel(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kTorch = {"at::native::", "_ZN2at6native",
                                                             "at_cuda_detail"};
  static constexpr std::array<std::string_view, 2> kTensorFlow = {"tensorflow::", "10tensorflow"};
  if (ContainsAny(name, kTorch)) return Framework::kTorch;
  return ContainsAny(name, kTensorFlow) ? Framework::kTensorFlow : Framework::kUnknown;
}

// How far TensorFlow's functions are compiled. It names one that Python made
// "__inference_NAME_NUMBER"; those of tf.data are no part of the step.
Build TensorFlowBuild(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kXla = {"XlaLaunch", "_XlaRun", "XlaCompile",
                                                           "cluster_"};
  if (BeginsWithAny(name, kXla)) return Build::kXla;
  const size_t at = name.find("__inference_");
  const bool function = at != name.npos && !name.substr(at).starts_with("__inference_Dataset");
  return function || name.starts_with("SessionRun") ? Build::kCompiled : Build::kEager;
}

Build BuildOf(Framework framework, bool torch_compiled, Build tensorflow) {
  switch (framework) {
    case Framework::kTorch:
      return torch_compiled ? Build::kCompiled : Build::kEager;
    case Framework::kTensorFlow:
      return tensorflow;
    case Framework::kJax:
      return Build::kCompiled;
    case Framework::kUnknown:
      break;
  }
  return Build::kEager;
}

// PyTorch, then JAX and TensorFlow: "torch/nn/module.py(12): f", "$module.py:12 f".
bool IsPythonFrame(const EventMeta& meta, std::string_view name) {
  if (meta.category == EventCategory::kPythonFunction) return true;
  return name.starts_with("$") && name.find(".py:") != name.npos;
}

// Accelerators that are no GPUs are named by the loader: "MTIA 0".
std::string_view WordOf(const Plane& plane) {
  static constexpr std::array<std::string_view, 5> kWords = {"MTIA", "XPU", "HPU", "NPU",
                                                             "Accelerator"};
  const std::string_view name = plane.display_name;
  const auto word = std::find(kWords.begin(), kWords.end(), name.substr(0, name.find(' ')));
  return word != kWords.end() ? *word : "GPU";
}

void AddDevice(std::string_view word, Program* program) {
  if (program->devices++ == 0) {
    program->device = word;
    program->processor = word == "GPU" ? Processor::kGpu : Processor::kOther;
  } else if (program->device != word) {
    program->device = "device";
    program->processor = Processor::kOther;
  }
}

void AddDevices(const Trace& trace, Program* program) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind == PlaneKind::kTpu) AddDevice("TPU", program);
    if (plane.kind != PlaneKind::kGpu) continue;
    AddDevice(WordOf(plane), program);
    const DeviceFacts facts = DeviceFactsOf(plane);
    const bool amd = facts.vendor == GpuVendor::kAmd || facts.name.find("AMD") != facts.name.npos;
    program->volta = program->volta || (!amd && ComputeMajorOf(plane) == 7);
  }
}

}  // namespace

Program ProgramOf(const Trace& trace) {
  Program program;
  program.recorder = trace.recording.recorder;
  AddDevices(trace, &program);
  for (const Track& track : trace.set.tracks) {
    const bool host = track.plane.value < trace.planes.size() &&
                      trace.planes[track.plane.value].kind == PlaneKind::kHostThreads;
    program.host_events = program.host_events || (host && track.events > 0);
  }
  // Recorders of vendors give events of any program the categories of PyTorch's.
  const bool vendor =
      program.recorder == Recorder::kNsight || program.recorder == Recorder::kRocprof;
  if (trace.kineto && !vendor) program.framework = Framework::kTorch;
  const NameTable& names = trace.names();
  bool torch_compiled = false;
  Build tensorflow = Build::kEager;
  for (const EventMeta& meta : names.metas) {
    const std::string_view name = names.strings.View(meta.name);
    Framework framework = FrameworkOfName(name);
    if (vendor && framework == Framework::kUnknown) framework = FrameworkOfKernel(name);
    if (RankOf(framework) > RankOf(program.framework)) program.framework = framework;
    torch_compiled = torch_compiled || IsCompiledRegion(name);
    tensorflow = std::max(tensorflow, TensorFlowBuild(name));
    program.python = program.python || IsPythonFrame(meta, name);
  }
  program.build = BuildOf(program.framework, torch_compiled, tensorflow);
  return program;
}

std::string DeviceWord(const Program& program) {
  return program.device + (program.devices > 1 ? "s" : "");
}

bool IsCompiledRegion(std::string_view name) {
  return name.starts_with("Torch-Compiled Region") || name.starts_with("CompiledFunction") ||
         name.starts_with("autograd::engine::evaluate_function: CompiledFunctionBackward") ||
         name.find("CompiledFxGraph") != std::string_view::npos;
}

}  // namespace stepscope
