#include "app/session/job_view.h"

#include <utility>

namespace stepscope {

LoadingView ViewOfJob(std::string path, std::chrono::steady_clock::time_point begin,
                      const Progress* progress) {
  const auto now = std::chrono::steady_clock::now();
  const auto since = [&](std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  LoadingView view;
  view.path = std::move(path);
  view.seconds = since(begin);
  if (progress == nullptr) return view;
  view.stage = progress->stage();
  const auto stages = progress->history();
  if (!stages.empty()) view.stage_seconds = since(stages.back().second);
  view.bytes_done = progress->bytes_done.load(std::memory_order_relaxed);
  view.bytes_total = progress->bytes_total.load(std::memory_order_relaxed);
  view.events = progress->events.load(std::memory_order_relaxed);
  return view;
}

}  // namespace stepscope
