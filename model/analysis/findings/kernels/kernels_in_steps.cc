#include "model/analysis/findings/kernels/kernels_in_steps.h"

#include <utility>
#include <vector>

#include "model/analysis/findings/kernels/kernel_rows.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/task.h"

namespace stepscope {
namespace {

// Changes a row of `table` to the kernels that are not left out.
void KeepInSteps(const LeftOutRows& left_out, size_t row, ResultTable* table) {
  std::vector<EventRow> gone;
  Ps gone_time = 0;
  RowLink& link = table->links[row];
  left_out.ForEach(link.rows, [&](EventRow event, Ps duration) {
    gone.push_back(event);
    gone_time += duration;
  });
  if (gone.empty()) return;
  std::vector<EventRow> kept;
  kept.reserve(link.rows.size() - gone.size());
  auto next = gone.begin();  // in the order of the rows
  for (const EventRow event : link.rows) {
    if (next != gone.end() && event == *next) {
      ++next;
    } else {
      kept.push_back(event);
    }
  }
  const Ps time = KernelRows(*table).total(row) - gone_time;
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
  const LeftOutRows left_out(trace.set, spans);
  ParallelFor(table.rows.size(), [&](size_t row) {
    if (!stop.stop_requested()) KeepInSteps(left_out, row, &table);
  });
  return table;
}

}  // namespace stepscope
