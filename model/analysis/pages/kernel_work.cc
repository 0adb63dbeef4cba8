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
  const LeftOutRows left_out(trace.set, spans);
  std::vector<Ps> of_row(table->rows.size());
  ParallelFor(of_row.size(), [&](size_t r) {
    of_row[r] = rows.total(r);
    left_out.ForEach(rows.events(r), [&](EventRow, Ps time) { of_row[r] -= time; });
  });
  KernelCategories categories;
  for (size_t r = 0; r < of_row.size(); ++r)
    times.Add(categories.Of(rows.name(r), rows.op(r)), static_cast<double>(of_row[r]),
              rows.uses(r));
  return times;
}

}  // namespace stepscope
