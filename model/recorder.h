// Recorder: the tool that wrote a recording. RecordingHeader: what a file says about its recording
// beside the events. Plain values; the functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"

namespace stepscope {

enum class Recorder : uint8_t {
  kUnknown,
  kTorch,        // torch.profiler (Kineto), or PyTorch's autograd profiler
  kXla,          // the profiler of TensorFlow 2 and JAX
  kTimeline,     // TensorFlow 1's timeline
  kTorchNpu,     // Ascend's torch_npu and msprof
  kNsight,       // Nsight Systems
  kRocprof,      // rocprof, rocprofv3, rocmProfileData
  kTorchMemory,  // torch.cuda.memory._snapshot
  // Recorders of other kinds of programs.
  kVizTracer,
  kRay,
  kHorovod,
  kOnnxRuntime,
  kBrowser,
  kPySpy,
  kPerfetto,
  kOther,
  kCount
};

// "torch.profiler", "Nsight Systems"; "an unknown program" for kUnknown and kOther.
const char* NameOf(Recorder recorder);

// Whether the recording is no program of TensorFlow, JAX or PyTorch: the timeline, search,
// statistics, flame graphs and SQL work, and nothing is judged.
inline bool IsForeign(Recorder recorder) { return recorder >= Recorder::kVizTracer; }

// A device that the file names and that has no event.
struct NamedDevice {
  HostId host;
  int ordinal = -1;
  std::string name;         // "NVIDIA A100 80GB PCIe"; empty: unknown
  bool has_memory = false;  // allocations on it were recorded
};

struct RecordingHeader {
  Recorder recorder = Recorder::kUnknown;
  std::string version;   // in the file's own words: "schema 1", "2021.5.1"; empty: unknown
  std::string evidence;  // what tells the recorder: "category cpu_op"
  std::vector<std::string> asked;      // options that were on: "with_stack", "record_shapes"
  std::vector<std::string> not_asked;  // options that were off
  std::vector<NamedDevice> devices;    // without events
};

// The framework that ran a program.
enum class Framework : uint8_t { kUnknown, kTorch, kTensorFlow, kJax };
// By the name of one event or op; kUnknown for most names. O(name).
Framework FrameworkOfName(std::string_view name);

}  // namespace stepscope
