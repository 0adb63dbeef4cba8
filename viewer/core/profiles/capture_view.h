// What viewer and app tell each other about recording a running program. The viewer knows no
// network: the app does what a CaptureRequest asks for (app/session/capture_job.h). Plain values.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

struct CaptureRequest {
  std::string addresses;  // as typed: "node1:6009, node2:6009"
  int64_t duration_ms = 2000, delay_ms = 0;
  int host_level = 2, device_level = 1, python_level = 0;
  std::string folder;  // log directory; empty: CaptureStatus::default_folder
};

struct CaptureStatus {
  bool running = false;
  std::string addresses;       // of the recording in progress, or of the last one
  std::string stage;           // "Recording"
  double done = -1;            // of the stage, 0 to 1; negative: nobody knows
  std::string amount;          // how far the stage is: "1.2 of 2.0 s"; may be empty
  std::string problem;         // why nothing, or not all, was recorded, and what to do; empty: none
  bool some_recorded = false;  // `problem` is about some of the programs
  std::string default_folder;  // empty: there is none
};

}  // namespace stepscope
