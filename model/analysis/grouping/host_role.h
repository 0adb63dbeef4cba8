// HostRole: what the name of a host event says about the host (docs/rules.md#losses).
#pragma once

#include <cstdint>

namespace stepscope {

// By the name alone, without what is around the event.
enum class HostRole : uint8_t {
  kWork,      // an op, a Python function, an annotation
  kNothing,   // the marker of a step or a wrapper: only what is inside it counts
  kExecutor,  // runs ops or a compiled program: short ops inside are dispatch
  kWait,      // waits for input, on any thread
  kInput,     // prepares input or waits for it, on the thread that feeds the device
  kSync,      // a call of the runtime that blocks until the device is done
  kEvent,     // such a call that waits for one event of a stream
  kBarrier,   // waits until all ranks are there
  kAwait,     // a framework's wait for results
  kGarbage,   // collects Python's garbage
  kSave,      // saves a checkpoint
  kPause,    // a call of Python that waits: for another thread, for time, for any of several things
  kPeer,     // a call of Python that waits for another process
  kCompile,  // compiles or loads a module
  kTune,     // measures candidates of kernels; the launches inside are no work of the program
  kLaunch,   // starts work on a device
  kGraph,    // starts a whole graph of work
  kCopy,     // starts a copy or fill
  kRuntime,  // another call of the runtime
  kCompute,  // an op of a program whose device is the CPU
};

}  // namespace stepscope
