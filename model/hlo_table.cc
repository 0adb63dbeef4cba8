#include "model/hlo_table.h"

namespace stepscope {

const HloInstruction* HloTable::Find(uint64_t program_id, std::string_view instruction) const {
  const auto program = programs.find(program_id);
  if (program == programs.end()) return nullptr;
  const auto it = program->second.instructions.find(std::string(instruction));
  return it == program->second.instructions.end() ? nullptr : &it->second;
}

}  // namespace stepscope
