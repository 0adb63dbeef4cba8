#include "model/analysis/graphs/hlo_kernels.h"

#include <cctype>

namespace stepscope {

std::string KernelNameOf(std::string_view instruction) {
  std::string name(instruction);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

HloKernels::HloKernels(const HloTable& hlo) {
  for (const auto& [id, program] : hlo.programs) {
    ByKernel& of_program = programs_[static_cast<int64_t>(id)];
    for (const auto& [name, instruction] : program.instructions) {
      const Found found{static_cast<int64_t>(id), name, &instruction};
      const std::string kernel = KernelNameOf(name);
      Add(kernel, found, &of_program);
      Add(kernel, found, &all_);
    }
  }
}

void HloKernels::Add(const std::string& kernel, const Found& found, ByKernel* to) {
  const auto [it, added] = to->try_emplace(kernel, Place{found, false});
  if (!added) it->second.several = true;
}

std::optional<HloKernels::Found> HloKernels::Find(int64_t program, std::string_view kernel) const {
  const auto known = programs_.find(program);
  if (program >= 0 && known == programs_.end()) return std::nullopt;
  const ByKernel& names = known != programs_.end() ? known->second : all_;
  const auto it = names.find(std::string(kernel));
  if (it == names.end() || it->second.several) return std::nullopt;
  return it->second.found;
}

}  // namespace stepscope
