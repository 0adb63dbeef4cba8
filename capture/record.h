// RecordPrograms: records running programs for some time, and writes what they answer as
// TensorBoard does: LOGDIR/plugins/profile/RUN/HOST.xplane.pb. Several programs are recorded at the
// same moment as one run. Any thread; returns when the run is written.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capture/address.h"
#include "capture/call_servers.h"
#include "capture/grpc_call.h"
#include "model/base/status.h"
#include "model/jobs/job.h"

namespace stepscope::capture {

struct RecordOptions {
  std::vector<Address> servers;  // at least one
  std::chrono::milliseconds duration{2000};
  std::chrono::milliseconds delay{0};  // before the recording begins
  int host_level = 2;                  // 0: none, 1: annotations, 2: ops, 3: all
  int device_level = 1;                // 0: none, 1: kernels and copies
  int python_level = 0;                // 0: none, 1: calls of functions
  int attempts = 3;                    // as long as nothing is recorded
  std::string log_directory = ".";
  uint64_t max_answer_bytes = kMaxAnswerBytes;
};

// Writes a file, and the folders that it is in, as a whole or not at all.
using WriteFile = std::function<bool(const std::string& path, std::string_view contents)>;

struct Recorded {
  std::string run_directory;
  std::vector<std::string> files;
  uint64_t bytes = 0;
  int attempts = 1;
  std::vector<std::string>
      failures;  // of servers that gave nothing, while others did: one line each
};

// kIo, kLimit or kFormat where no server gave a profile: one line for the first of them, which says
// what to do; nothing is left in the log directory then. kCancelled within 0.1 s of a stop. `sent`
// is when the last attempt began, which the stage kStageRecording is counted from.
Result<Recorded> RecordPrograms(const RecordOptions& options, const WriteFile& write,
                                const std::stop_token& stop, Progress& progress, SentTime* sent);

}  // namespace stepscope::capture
