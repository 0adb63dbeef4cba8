// Capabilities: what a trace tells by its format and what it leaves out. A loader has one constant
// TraceFormat for each format that it reads, and Trace::format points at it: code that reads a
// trace asks for the capability that it needs and never for the format.
#pragma once

#include "model/recorder.h"

namespace stepscope {

// Each is false unless the format says so. Those marked (*) hold only for traces of the format
// whose events have PyTorch's categories (Trace::kineto).
struct Capabilities {
  bool read_by_xprof = false;       // XProf reads it: its numbers are what ours are compared with
  bool event_categories = false;    // each event has a category: a kernel is known by it
  bool pytorch_events = false;      // (*) categories are PyTorch's: cpu_op, user_annotation, ...
  bool torch_profiler = false;      // (*) torch.profiler recorded it: ops are cpu_op events
  bool planes_tell_hosts = false;   // host events are on planes of their own: /host:CPU
  bool plane_metadata = false;      // metadata of events belongs to a plane
  bool group_stats = false;         // group_id, if there, is XProf's grouping
  bool kernel_annotations = false;  // kernels say their module, framework op, scope and source
  // Any event may have a long name, which is read as tf_op. Not where `pytorch_events` holds.
  bool long_names_for_tf_op = false;
  bool argument_names = false;   // arguments are called what XProf or torch.profiler call them
  bool chrome_events = false;    // the file is JSON, and its events are Chrome trace events
  bool any_program = false;      // traces of all kinds of programs are written in it
  bool one_run = false;          // the file holds one run of a program, from begin to end
  bool memory_snapshot = false;  // it holds an allocator's history (allocator_history.h)
};

struct TraceFormat {
  const char* name;  // "XSpace", "Chrome trace"
  Capabilities capabilities;
  // Of every file of the format; kUnknown: TraceBuilder finds it (FindRecorder).
  Recorder recorder = Recorder::kUnknown;
};

// The format of a trace that was built in memory and not loaded.
extern const TraceFormat kBuiltInMemory;

}  // namespace stepscope
