#include "model/analysis/pages/kernel_work.h"

#include <vector>

#include "model/analysis/findings/kernels/kernel_rows.h"
#include "model/base/task.h"

namespace stepscope {
void CategoryTimes::Add(KernelCategory category, double time, bool matrix) {
  CategoryTime& of = times_[static_cast<size_t>(category)];
  of.category = category;
  of.time += time, all_ += time;
  if (matrix) of.matrix += time;
}

const CategoryTime* CategoryTimes::LargestCompute() const {
  const CategoryTime* most = nullptr;
  for (const CategoryTime& of : times_) {
    const bool computes =
        of.category != KernelCategory::kCollective && of.category != KernelCategory::kCopy;
    if (computes && of.time > 0 && (most == nullptr || of.time > most->time)) most = &of;
  }
  return most;
}

CategoryTimes KernelTimesInSteps(const Trace& trace, const AnalysisResult& kernels,
                                 const StepSpans& spans) {
  CategoryTimes times;
  const ResultTable* table = kernels.Table("kernels");
  if (table == nullptr) return times;
  const KernelRows rows(*table);
  if (!rows.known()) return times;
  std::vector<double> of_row(table->rows.size());
  ParallelFor(of_row.size(), [&](size_t r) {
    SpanReader reader(trace, spans);
    for (const EventRow event : rows.events(r))
      of_row[r] += static_cast<double>(reader.DurationIn(event).value_or(0));
  });
  for (size_t r = 0; r < of_row.size(); ++r)
    times.Add(CategoryOfKernel(rows.name(r), rows.op(r)), of_row[r], rows.uses(r));
  return times;
}

}  // namespace stepscope
