#include "model/analysis/intervals/held_value_series.h"

#include <algorithm>

namespace stepscope {

void HeldValueSeries::Thin(size_t most) {
  if (time_.size() <= most) return;
  const auto windows = static_cast<Ps>(std::max<size_t>(1, most / 2));
  const Ps first = time_.front();
  const Ps width = std::max<Ps>(1, SaturatingSub(time_.back(), first) / windows + 1);
  size_t kept = 0;
  for (size_t i = 0; i < time_.size();) {
    const Ps window = (time_[i] - first) / width;
    size_t largest = i, last = i;
    for (; last + 1 < time_.size() && (time_[last + 1] - first) / width == window; ++last) {
      if (value_[last + 1] > value_[largest]) largest = last + 1;
    }
    // The largest value stands for the whole window up to its last change.
    const Ps begin = time_[i], end = time_[last];
    const double high = value_[largest], held = value_[last];
    time_[kept] = begin, value_[kept++] = high;
    if (last > i) time_[kept] = end, value_[kept++] = held;
    i = last + 1;
  }
  time_.resize(kept), value_.resize(kept);
}

CounterSeries HeldValueSeries::Take(StringId name, size_t most) {
  Thin(most);
  CounterSeries series;
  series.name = name;
  // Copies, so that no memory stays reserved for points that were thinned out.
  series.time.assign(time_.begin(), time_.end());
  series.value.assign(value_.begin(), value_.end());
  if (!value_.empty()) {
    const auto [low, high] = std::minmax_element(value_.begin(), value_.end());
    series.min = *low;
    series.max = *high;
  }
  time_ = {}, value_ = {};
  return series;
}

}  // namespace stepscope
