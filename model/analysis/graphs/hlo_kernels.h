// HloKernels finds the HLO instruction of a kernel by its name: XLA calls a kernel as its
// instruction, with underscores for what C++ does not allow in names. Views the table, which must
// outlive it. Immutable. O(instructions) to build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/trace.h"

namespace stepscope {

class HloKernels {
 public:
  explicit HloKernels(const HloTable& hlo);

  struct Found {
    int64_t program = 0;
    std::string_view instruction;
    const HloInstruction* hlo = nullptr;
  };
  // Looks in the program, or in all programs where it is not known (-1). Returns nothing where no
  // instruction or several fit. O(length of the name).
  std::optional<Found> Find(int64_t program, std::string_view kernel) const;

 private:
  struct Place {
    Found found;
    bool several = false;
  };
  using ByKernel = std::unordered_map<std::string, Place>;
  static void Add(const std::string& kernel, const Found& found, ByKernel* to);

  std::unordered_map<int64_t, ByKernel> programs_;
  ByKernel all_;
};

// "loop_add_fusion.3" becomes "loop_add_fusion_3".
std::string KernelNameOf(std::string_view instruction);

}  // namespace stepscope
