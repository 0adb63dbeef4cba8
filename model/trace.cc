#include "model/trace.h"

namespace stepscope {

const HloInstruction* HloTable::Find(uint64_t program_id, std::string_view instruction) const {
  const auto program = programs.find(program_id);
  if (program == programs.end()) return nullptr;
  const auto it = program->second.instructions.find(std::string(instruction));
  return it == program->second.instructions.end() ? nullptr : &it->second;
}

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
