// HeldValueSeries: collects a quantity that changes at moments and holds its value between them,
// such as bytes in use, and makes a counter of it. Used by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "model/track.h"

namespace stepscope {

class HeldValueSeries {
 public:
  void Reserve(size_t n) { time_.reserve(n), value_.reserve(n); }
  // Adds a change. Times must not fall; a value equal to the last one adds no point.
  void Add(Ps time, double value) {
    if (!value_.empty() && value_.back() == value) return;
    Put(time, value);
  }
  // Adds a point even if the value is the last one's: for samples.
  void Put(Ps time, double value) {
    time_.push_back(time);
    value_.push_back(value);
  }
  bool empty() const { return time_.empty(); }
  // The counter, with at most `most` points (2 or more); the series is empty afterwards. If there
  // are more, time is cut into most / 2 equal windows, and each keeps its largest and its last
  // value: peaks stay, and so does what holds after a window. O(points).
  CounterSeries Take(StringId name, size_t most);

 private:
  void Thin(size_t most);

  std::vector<Ps> time_;
  std::vector<double> value_;
};

}  // namespace stepscope
