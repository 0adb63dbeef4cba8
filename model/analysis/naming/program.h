// Program: what program a trace is of, as far as words and advice depend on it: its framework, how
// far it is compiled, what it runs on, and what was recorded of it. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace.h"

namespace stepscope {

// How much of the program a compiler has made into one piece. JAX compiles whatever it runs.
enum class Build : uint8_t {
  kEager,     // nothing that was recorded
  kCompiled,  // torch.compile, tf.function, jax.jit
  kXla,       // TensorFlow's functions are compiled by XLA too
  kGraphs,    // graphs launch most of its device's work already, whoever compiled it
};

// The processor that runs the program's ops. kOther: an accelerator that is no GPU.
enum class Processor : uint8_t { kCpu, kGpu, kOther };

struct Program {
  Recorder recorder = Recorder::kUnknown;
  Framework framework = Framework::kUnknown;
  Build build = Build::kEager;
  Processor processor = Processor::kCpu;
  std::string device = "CPU";  // "GPU", "TPU", "MTIA"; "device" where several kinds are
  uint32_t devices = 0;        // how many of these; 0: the CPU is the device
  bool volta = false;          // one is of NVIDIA's Volta or Turing: neither TF32 nor bfloat16
  bool host_events = false;    // host threads have events
  bool python = false;         // Python functions are among the events
};

// O(names + tracks).
Program ProgramOf(const Trace& trace);

// "GPU", or "GPUs" if there are several.
std::string DeviceWord(const Program& program);

// Whether a host event of that name runs code that torch.compile made. O(name).
bool IsCompiledRegion(std::string_view name);

}  // namespace stepscope
