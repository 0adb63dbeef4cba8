// Capabilities: what a trace's format tells and what it leaves out. The one place that knows
// formats apart; what reads a trace asks for what it needs and not where the trace comes from.
#pragma once

#include "model/trace.h"

namespace stepscope {

struct Capabilities {
  bool read_by_xprof = false;      // so there are XProf's numbers to be compatible with
  bool event_categories = false;   // each event has its category: a kernel is one by that
  bool pytorch_events = false;     // categories are PyTorch's: cpu_op, user_annotation and the like
  bool planes_tell_hosts = false;  // host events are on planes of their own: /host:CPU
  bool plane_metadata = false;     // metadata of events belongs to a plane
  bool group_stats = false;        // group_id is of XProf's grouping, if there at all
  bool kernel_annotations = false;    // kernels say their module, framework op, scope and source
  bool long_names_for_tf_op = false;  // any event may have a long name, which is read as tf_op
};

Capabilities CapabilitiesOf(const Trace& trace);

const char* FormatName(TraceFormat format);  // "XSpace", "Chrome trace"

}  // namespace stepscope
