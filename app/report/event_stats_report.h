// What `stepscope events --stats` writes (docs/interface.md#events).
#pragma once

#include "model/base/text_sink.h"
#include "model/query/event_stats_table.h"

namespace stepscope {

// {"total": ROW, "groups": [ROW]}
void WriteStatsJson(const EventStatsReport& report, const TextSink& sink);
// The groups.
void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink);
// For people and terminals: rounded, with units.
void WriteStatsText(const EventStatsReport& report, const TextSink& sink);

}  // namespace stepscope
