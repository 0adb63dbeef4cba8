// The contents of a loaded profile as `stepscope info` prints them, for people or as JSON
// (docs/interface.md#info).
#pragma once

#include <string>
#include <vector>

#include "model/analysis/recording/recording.h"
#include "model/base/text_sink.h"
#include "model/trace.h"

namespace stepscope {

struct InfoInput {
  std::string path;                      // as the user gave it
  std::vector<std::string> runs;         // newest first
  const Trace* trace = nullptr;          // never null
  const Recording* recording = nullptr;  // null: not known
  size_t steps = 0;                      // rows of the overview's table "steps"
};

// Both texts are written track by track and never in memory as a whole.
void WriteInfoJson(const InfoInput& input, const TextSink& sink);
// Escape sequences in names are escaped.
void WriteInfoText(const InfoInput& input, const TextSink& sink);

}  // namespace stepscope
