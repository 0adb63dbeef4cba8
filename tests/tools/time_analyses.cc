// Prints what analyses of a profile cost, part by part: processor time of all threads, wall time,
// page faults, and the peak of resident memory up to the part's end. Parts that analyses share come
// first, each on its own; then every analysis as in `bench`, all on one context.
//
//   time_analyses PATH
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/steps.h"
#include "model/jobs/scheduler.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

// Counts what the process has used so far.
struct Used {
  double cpu_ms = 0;
  long faults = 0;
  long peak_kib = 0;
  Clock::time_point time;
};

Used UsedNow() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return {ms(usage.ru_utime) + ms(usage.ru_stime), usage.ru_minflt, usage.ru_maxrss, Clock::now()};
}

void Print(const char* part, const Used& before) {
  const Used now = UsedNow();
  const std::chrono::duration<double, std::milli> wall = now.time - before.time;
  std::printf("%-16s %8.1f ms processor %8.1f ms wall %8ld faults %6ld MB peak\n", part,
              now.cpu_ms - before.cpu_ms, wall.count(), now.faults - before.faults,
              now.peak_kib * 1024 / 1'000'000);
}

template <typename Work>
void Time(const char* part, Work work) {
  const Used before = UsedNow();
  work();
  Print(part, before);
}

void TimeAll(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const Used before = UsedNow();
  Time("typed stats", [&] { context.stats(); });
  Time("order", [&] { context.Get<EventOrder>(); });
  Time("grouping", [&] { context.Get<Grouping>(); });
  Time("steps", [&] { context.Get<StepDatabase>(); });
  Time("ops", [&] { context.Get<OpDatabase>(AnalysisParams()); });
  std::vector<AnalysisResult> results;
  for (const AnalysisDesc& analysis : Analyses())
    Time(analysis.id, [&] { results.push_back(RunAnalysis(analysis, context, {})); });
  Print("all analyses", before);
  Time("derived tracks", [&] { context.Get<DerivedTracks>(); });
}

int Run(const char* path) {
  const Used before = UsedNow();
  Progress progress;
  Result<std::shared_ptr<const Trace>> trace = LoadPath(path, {}, {}, progress);
  if (!trace.ok()) {
    std::fprintf(stderr, "%s\n", trace.status().message().c_str());
    return EXIT_FAILURE;
  }
  Print("load", before);
  TimeAll(std::move(trace).value());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: time_analyses PATH\n", stderr);
    return EXIT_FAILURE;
  }
  stepscope::Scheduler scheduler;
  const stepscope::JobScope job(&scheduler);
  return stepscope::Run(argv[1]);
}
