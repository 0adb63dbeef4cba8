// Options of `stepscope capture`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "capture/address.h"

namespace stepscope {

struct CaptureOptions {
  std::vector<capture::Address> servers;
  std::optional<std::chrono::milliseconds> duration;  // none: 2 s; with `monitor` until Ctrl+C
  std::chrono::milliseconds delay{0};
  int host_level = 2, device_level = 1, python_level = 0;
  int attempts = 3;
  std::string log_directory = ".";
  bool monitor = false;  // watch, do not record
  bool no_open = false;  // say where the run is, and open no window
};

}  // namespace stepscope
