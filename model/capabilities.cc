#include "model/capabilities.h"

#include "model/allocator_history.h"
#include "model/trace_formats.h"

namespace stepscope {

Capabilities CapabilitiesOf(const Trace& trace) {
  const bool xspace = trace.format == TraceFormat::kXSpace;
  const bool chrome = trace.format == TraceFormat::kChromeJson;
  const bool categories = chrome || trace.format == kNsightSystems || trace.format == kRocpd ||
                          trace.format == kPerfetto;
  return {.read_by_xprof = xspace,
          .event_categories = categories,
          .pytorch_events = trace.kineto,
          .planes_tell_hosts = xspace,
          .plane_metadata = xspace,
          .group_stats = xspace,
          .kernel_annotations = xspace,
          .long_names_for_tf_op = chrome && !trace.kineto};
}

const char* FormatName(TraceFormat format) {
  if (format == kMemorySnapshot) return "Memory snapshot";
  if (format == kNsightSystems) return "Nsight Systems export";
  if (format == kRocpd) return "rocprofv3 database";
  if (format == kPerfetto) return "Perfetto trace";
  return format == TraceFormat::kXSpace ? "XSpace" : "Chrome trace";
}

}  // namespace stepscope
