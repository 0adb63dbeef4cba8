// Options of `stepscope capture`.
#pragma once

#include <chrono>
#include <optional>

#include "capture/record.h"

namespace stepscope {

struct CaptureOptions {
  capture::RecordOptions record;
  bool monitor = false;                            // watch, do not record
  std::optional<std::chrono::milliseconds> watch;  // with `monitor`: how long; none: until Ctrl+C
  bool no_open = false;                            // say where the run is, and open no window
};

}  // namespace stepscope
