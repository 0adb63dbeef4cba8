// WideProfile: XSpaces with many distinct kernels, ops, steps or instructions, each of them once,
// for tests of what a row of a table, or a line of a program, costs.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::test {

struct WideProfileOptions {
  uint32_t kernels = 0;   // kernels on one stream of one GPU, each with a name of its own
  bool own_ops = false;   // each kernel also has a framework op of its own, else all have the same
  uint32_t steps = 0;     // marked on the host, each with one kernel that it launched
  uint32_t host_ops = 0;  // framework ops on a host thread, each with a name of its own
  uint32_t instructions = 0;  // about so many in an HLO program, whose last fusion ran once
};

// An HloProto of a chain of fusions, each of eight instructions with metadata.
std::string WideProgram(uint32_t instructions);

// The bytes of the XSpace.
std::string WideProfile(const WideProfileOptions& options);

}  // namespace stepscope::test
