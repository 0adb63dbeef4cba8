// What `stepscope events --stats` writes (docs/interface.md#events).
#pragma once

#include "model/base/text_sink.h"
#include "model/query/event_stats.h"

namespace stepscope {

struct EventStatsReport {
  const Trace* trace = nullptr;
  const EventStats* stats = nullptr;
  GroupBy by = GroupBy::kName;
  const StepDatabase* steps = nullptr;  // for kStep
  std::string about;                    // text: a line that says of which part and query
  bool wide = false;                    // text: all columns
};

// {"total": ROW, "groups": [ROW]}
void WriteStatsJson(const EventStatsReport& report, const TextSink& sink);
// The groups.
void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink);
// For people and terminals: rounded, with units.
void WriteStatsText(const EventStatsReport& report, const TextSink& sink);

}  // namespace stepscope
