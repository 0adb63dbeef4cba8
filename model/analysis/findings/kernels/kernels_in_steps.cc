#include "model/analysis/findings/kernels/kernels_in_steps.h"

#include <optional>
#include <utility>

#include "model/analysis/tables/in_unit.h"
#include "model/base/task.h"

namespace stepscope {
namespace {

void KeepInSteps(const Trace& trace, const StepSpans& spans, size_t row, ResultTable* table) {
  std::vector<EventRow> kept;
  Ps time = 0;
  RowLink& link = table->links[row];
  SpanReader reader(trace, spans);
  for (const EventRow event : link.rows) {
    const std::optional<Ps> duration = reader.DurationIn(event);
    if (!duration) continue;
    kept.push_back(event);
    time += *duration;
  }
  if (kept.size() == link.rows.size()) return;
  const auto set = [&](const char* column, Value value) {
    const int c = table->Column(column);
    if (c >= 0) table->rows[row][static_cast<size_t>(c)] = std::move(value);
  };
  const double us = InUs(time), n = static_cast<double>(kept.size());
  set("occurrences", static_cast<int64_t>(kept.size()));
  set("total_duration_us", us);
  set("avg_duration_us", n > 0 ? us / n : 0.0);
  link.total = kept.size();
  link.rows = EventRows(std::move(kept));
}

}  // namespace

ResultTable KernelsInSteps(const Trace& trace, const ResultTable& kernels, const StepSpans& spans,
                           std::stop_token stop) {
  ResultTable table = kernels;
  if (spans.none() || table.links.size() != table.rows.size()) return table;
  ParallelFor(table.rows.size(), [&](size_t row) {
    if (!stop.stop_requested()) KeepInSteps(trace, spans, row, &table);
  });
  return table;
}

}  // namespace stepscope
