// Cost: how much an instruction computes and moves (cost_model.h). A value.
#pragma once

#include <cstdint>

namespace stepscope::xla {

enum class CostVariant : uint8_t { kBase, kGpu };

struct Cost {
  double flops = 0, transcendentals = 0;
  double bytes = 0;  // read and written, in all memories
  // In memory space 0. XLA leaves out tuples here, except those of fusions.
  double read = 0, written = 0;
  double elsewhere = 0;  // of `bytes`: in other memory spaces
  Cost& operator+=(const Cost& o);
};

}  // namespace stepscope::xla
