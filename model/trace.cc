#include "model/trace.h"

namespace stepscope {

std::string_view Trace::HostName(HostId h) const {
  return h.value < hosts.size() ? names().strings.View(hosts[h.value].name) : std::string_view{};
}

Capabilities CapabilitiesOf(const Trace& trace) {
  Capabilities told = trace.format->capabilities;
  told.pytorch_events = told.pytorch_events && trace.kineto;
  told.torch_profiler = told.torch_profiler && trace.kineto;
  told.long_names_for_tf_op = told.long_names_for_tf_op && !trace.kineto;
  return told;
}

}  // namespace stepscope
