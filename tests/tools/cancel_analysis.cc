// Measures how long analyses go on after they were told to stop: each one on a context of its own,
// stopped after 10, 20 ... 90 % of its own time, and two sides of a comparison. The processor time
// of all threads says the same on a machine that has other work.
//
//   cancel_analysis FILE
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <thread>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/jobs/scheduler.h"

namespace {

using namespace stepscope;
using Clock = std::chrono::steady_clock;
using Work = std::function<void()>;

double MsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double RunMs(const Work& work) {
  const auto begin = Clock::now();
  work();
  return MsSince(begin);
}

double ProcessorMs() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct StopCost {
  double ms = 0, processor_ms = 0;
};

// The time from the request to stop until the work returned and its result was destroyed; 0 if it
// had ended before.
StopCost StopMs(const Work& work, double after_ms) {
  Scheduler* const scheduler = JobScope::Current().scheduler;
  std::stop_source stop;
  std::atomic<bool> ended{false};
  std::thread thread([&] {
    const JobScope job(scheduler, stop.get_token());
    CatchStopped(work);
    ended = true;
  });
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(after_ms));
  const bool late = ended;
  const auto asked = Clock::now();
  const double used = ProcessorMs();
  stop.request_stop();
  thread.join();
  return late ? StopCost() : StopCost{MsSince(asked), ProcessorMs() - used};
}

void Measure(const char* name, const Work& work) {
  const double whole = RunMs(work);
  StopCost worst;
  int worst_percent = 0;
  for (int percent = 10; percent < 100; percent += 10) {
    const StopCost stopped = StopMs(work, whole * percent / 100);
    worst.ms = std::max(worst.ms, stopped.ms);
    if (stopped.processor_ms <= worst.processor_ms) continue;
    worst.processor_ms = stopped.processor_ms, worst_percent = percent;
  }
  std::printf("%-16s %7.0f ms, stopped: at most %5.0f ms, %5.0f ms of processors (after %d %%)\n",
              name, whole, worst.ms, worst.processor_ms, worst_percent);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cancel_analysis FILE\n");
    return 2;
  }
  Scheduler scheduler;
  const JobScope job(&scheduler);
  Progress progress;
  const auto trace = LoadPath(argv[1], {}, {}, progress);
  if (!trace.ok()) {
    std::fprintf(stderr, "cancel_analysis: %s\n", trace.status().message().c_str());
    return 1;
  }
  for (const AnalysisDesc& analysis : Analyses()) {
    Measure(analysis.id, [&] {
      AnalysisContext context(*trace, Definitions::kStepscope);
      RunAnalysis(analysis, context, {});
    });
  }
  Measure("compare", [&] {
    AnalysisContext a(*trace, Definitions::kStepscope), b(*trace, Definitions::kStepscope);
    Comparison().compare(a, b, {});
  });
  return 0;
}
