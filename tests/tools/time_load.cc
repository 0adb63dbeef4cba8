// Loads a profile as the program does, without a window. Prints how long each stage takes, when a
// profile from afar can be seen first, whether progress only goes forward and reaches the end, and
// how soon a cancelled load returns.
//
//   time_load PATH [--threads N] [--preview-from BYTES|none]
//             [--cancel-after MS]...
//
// --preview-from is the size from which on a file here has a first picture; "none": no file has.
// Each --cancel-after is a load of its own, stopped that long after its beginning; "end" stops one
// at every tenth of a whole load's time.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "loaders/loader.h"
#include "model/jobs/scheduler.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;
using Loaded = Result<std::shared_ptr<const Trace>>;

double Ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

// Reads the progress every millisecond, as the window does.
struct Watch {
  uint64_t bytes = 0, events = 0, backwards = 0, looks = 0;
  void Look(const Progress& progress) {
    const uint64_t b = progress.bytes_done, e = progress.events;
    if (b < bytes || e < events) ++backwards;
    bytes = b;
    events = e;
    ++looks;
  }
};

void PrintStages(const Progress& progress, Clock::time_point end) {
  const auto stages = progress.history();
  for (size_t i = 0; i < stages.size(); ++i) {
    const auto next = i + 1 < stages.size() ? stages[i + 1].second : end;
    std::printf("  %-24s %8.1f ms\n", stages[i].first, Ms(next - stages[i].second));
  }
}

// The milliseconds that a load takes; `cancel_after` below 0: it runs to its end.
double Load(const std::string& path, LoadOptions options, double cancel_after) {
  const auto begin = Clock::now();
  std::atomic<double> previewed{-1};  // ms
  options.preview = [&](const std::shared_ptr<const Trace>&) {
    previewed = Ms(Clock::now() - begin);
  };
  Progress progress;
  std::atomic<bool> done{false};
  Loaded loaded = Status(ErrorCode::kIo, "not loaded");
  Scheduler scheduler;
  std::jthread job([&](const std::stop_token& stop) {
    const JobScope scope(&scheduler);
    loaded = LoadPath(path, options, stop, progress);
    done = true;
  });
  Watch watch;
  while (!done && (cancel_after < 0 || Ms(Clock::now() - begin) < cancel_after)) {
    watch.Look(progress);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto asked = Clock::now();
  const std::string stage = progress.stage();
  job.request_stop();
  job.join();
  const auto end = Clock::now();
  watch.Look(progress);
  const bool cancelled = loaded.status().code() == ErrorCode::kCancelled;
  if (cancelled) {
    std::printf("cancelled after %7.1f ms, in '%s': returned after %.1f ms\n", cancel_after,
                stage.c_str(), Ms(end - asked));
    return Ms(end - begin);
  }
  std::printf("loaded in %.1f ms: %s\n", Ms(end - begin),
              loaded.ok() ? "ok" : loaded.status().message().c_str());
  PrintStages(progress, end);
  if (previewed >= 0) std::printf("  first picture after %.1f ms\n", previewed.load());
  std::printf("  progress: %llu of %llu bytes, %llu events, %llu looks, %llu times backwards\n",
              static_cast<unsigned long long>(watch.bytes),
              static_cast<unsigned long long>(progress.bytes_total.load()),
              static_cast<unsigned long long>(watch.events),
              static_cast<unsigned long long>(watch.looks),
              static_cast<unsigned long long>(watch.backwards));
  return Ms(end - begin);
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: time_load PATH [--threads N] [--preview-from BYTES|none] [--cancel-after "
                 "MS|end]...\n");
    return 2;
  }
  LoadOptions options;
  std::vector<double> cancels;
  bool tenths = false;
  for (int i = 2; i + 1 < argc; i += 2) {
    const bool end = std::strcmp(argv[i + 1], "end") == 0;
    if (std::strcmp(argv[i], "--threads") == 0) {
      options.threads = static_cast<unsigned>(std::atoi(argv[i + 1]));
    } else if (std::strcmp(argv[i], "--preview-from") == 0) {
      const bool none = std::strcmp(argv[i + 1], "none") == 0;
      options.preview_from_bytes = none ? ~uint64_t{0} : std::strtoull(argv[i + 1], nullptr, 10);
    } else if (end) {
      tenths = true;
    } else {
      cancels.push_back(std::atof(argv[i + 1]));
    }
  }
  const double whole = Load(argv[1], options, -1);
  for (int tenth = 1; tenths && tenth < 10; ++tenth) cancels.push_back(whole * tenth / 10);
  for (const double ms : cancels) Load(argv[1], options, ms);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) { return stepscope::Main(argc, argv); }
