#include "model/capabilities.h"

#include "model/allocator_history.h"

namespace stepscope {

Capabilities CapabilitiesOf(const Trace& trace) {
  const bool xspace = trace.format == TraceFormat::kXSpace;
  const bool chrome = trace.format == TraceFormat::kChromeJson;
  return {.read_by_xprof = xspace,
          .event_categories = chrome,
          .pytorch_events = trace.kineto,
          .planes_tell_hosts = xspace,
          .plane_metadata = xspace,
          .group_stats = xspace,
          .kernel_annotations = xspace,
          .long_names_for_tf_op = chrome && !trace.kineto};
}

const char* FormatName(TraceFormat format) {
  if (format == kMemorySnapshot) return "Memory snapshot";
  return format == TraceFormat::kXSpace ? "XSpace" : "Chrome trace";
}

}  // namespace stepscope
