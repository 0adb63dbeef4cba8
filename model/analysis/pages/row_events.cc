#include "model/analysis/pages/row_events.h"

#include "model/analysis/findings/findings.h"
#include "model/analysis/intervals/event_order.h"

namespace stepscope {

std::vector<RowEvent> EventsOfRow(const Trace& trace, const ResultTable& table, size_t row) {
  std::vector<RowEvent> listed;
  if (row >= table.links.size() || table.links[row].set != 0) return listed;
  RowReader events(trace.set);
  for (const EventRow event : table.links[row].rows) {
    if (event.value >= trace.set.rows) continue;
    const Track& track = trace.set.tracks[events.TrackOf(event.value)];
    listed.push_back({{events.Start(event.value), events.End(event.value)},
                      trace.names().strings.View(track.name)});
  }
  return listed;
}

int EventColumn(const AnalysisResult& result, const ResultTable& table) {
  const bool lists = result.panel == "findings" && table.id == kFindingTable;
  return lists ? table.Column(kFindingEvents) : -1;
}

}  // namespace stepscope
