// The statistics that `stepscope events --stats` writes (docs/interface.md#events).
#pragma once

#include "model/base/text_sink.h"
#include "model/query/event_stats.h"

namespace stepscope {

// Writes {"total": ROW, "groups": [ROW]}.
void WriteStatsJson(const EventStatsReport& report, const TextSink& sink);
// Writes the groups, without the total.
void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink);
// Writes total and groups for people: rounded, with units.
void WriteStatsText(const EventStatsReport& report, const TextSink& sink);

}  // namespace stepscope
