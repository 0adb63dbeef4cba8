// ViewOfJob: how a long job of the session is shown while it runs. UI thread only.
#pragma once

#include <chrono>
#include <string>

#include "model/base/job.h"
#include "viewer/core/profiles/session_view.h"

namespace stepscope {

// `progress` null: the job has not begun.
LoadingView ViewOfJob(std::string path, std::chrono::steady_clock::time_point begin,
                      const Progress* progress);

}  // namespace stepscope
