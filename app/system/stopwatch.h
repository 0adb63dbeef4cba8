// Measures the time since it was made.
#pragma once

#include <chrono>

namespace stepscope {

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double Ms() const { return Seconds() * 1e3; }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace stepscope
