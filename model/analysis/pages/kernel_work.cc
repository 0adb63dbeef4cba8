#include "model/analysis/pages/kernel_work.h"

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

}  // namespace stepscope
