#include "model/trace.h"

namespace stepscope {

std::string_view Trace::HostName(HostId h) const {
  return h.value < hosts.size() ? names().strings.View(hosts[h.value].name) : std::string_view{};
}

}  // namespace stepscope
