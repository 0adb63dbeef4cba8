// StepSeries: a quantity that changes at moments and holds between them, while it is being filled;
// becomes a counter of a track. Used by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "model/track.h"

namespace stepscope {

class StepSeries {
 public:
  void Reserve(size_t n) { time_.reserve(n), value_.reserve(n); }
  // Times do not fall. A value that the series has already is left out.
  void Add(Ps time, double value) {
    if (!value_.empty() && value_.back() == value) return;
    Put(time, value);
  }
  // Keeps a point for each call: of samples, not of a level.
  void Put(Ps time, double value) {
    time_.push_back(time);
    value_.push_back(value);
  }
  bool empty() const { return time_.empty(); }
  // The counter, with at most `most` points (2 and more). Of more points, each of most / 2 windows
  // of equal length keeps its largest value and its last, so that neither peaks nor what holds
  // after a window change. O(points).
  CounterSeries Take(StringId name, size_t most);

 private:
  void Thin(size_t most);

  std::vector<Ps> time_;
  std::vector<double> value_;
};

}  // namespace stepscope
