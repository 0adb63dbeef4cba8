#include "model/capabilities.h"

namespace stepscope {

Capabilities CapabilitiesOf(const Trace& trace) {
  const bool xspace = trace.format == TraceFormat::kXSpace;
  return {.read_by_xprof = xspace,
          .event_categories = !xspace,
          .pytorch_events = trace.kineto,
          .planes_tell_hosts = xspace,
          .plane_metadata = xspace,
          .group_stats = xspace,
          .kernel_annotations = xspace,
          .long_names_for_tf_op = !xspace && !trace.kineto};
}

const char* FormatName(TraceFormat format) {
  return format == TraceFormat::kXSpace ? "XSpace" : "Chrome trace";
}

}  // namespace stepscope
