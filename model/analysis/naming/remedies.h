// What to try against a loss, in the words of the framework that was recorded. One table has all
// remedies, because the same loss needs another one in each framework, in code that is compiled
// already, and on another processor. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/analysis/naming/program.h"

namespace stepscope {

// A remedy and the programs that it is for. The first row with the id that fits a program holds.
struct RemedyRow {
  // What it is against: the id of a rule (findings/rules.cc) or of a loss that no rule has
  // ("queued"), and behind a '.' what more is known ("input-bound.reader").
  std::string_view id;
  uint8_t frameworks;  // bits 1 << Framework
  uint8_t builds;      // bits 1 << Build
  uint8_t processors;  // bits 1 << Processor
  std::string_view text;
  uint32_t recorders = ~0U;  // bits 1 << Recorder
};
std::span<const RemedyRow> RemedyRows();

// Where no row with the id fits, the id without its last part is asked for: "unfused-ops" for
// "unfused-ops.norm". For a program on Volta or Turing the row "ID.volta" comes first. "{device}"
// in the text becomes the program's device, "{precision}" and "{tf32}" the rows
// "word.mixed-precision" and "word.tf32". Empty for an unknown id. O(rows).
std::string RemedyFor(std::string_view id, const Program& program);

}  // namespace stepscope
