// Chooses the program that a page of HLO programs is about. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "model/analysis/analysis.h"

namespace stepscope {

inline constexpr const char* kNoHloPrograms =
    "The profile has no HLO programs. XLA writes them: record a program of JAX, or one of "
    "TensorFlow with jit_compile=True. Other ops are on the page Operations.";

struct HloChoiceFound {
  uint32_t program = 0xffffffffu;  // index in HloPrograms::list()
  std::string why_not;             // "" if the program can be read
};
// The program that params.hlo names, else the one whose ops take the most time, or the largest
// where none has ops. Decodes it.
HloChoiceFound FindHloProgram(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
