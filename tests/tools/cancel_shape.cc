// Measures how long a load goes on after it was told to stop, until what it had built is destroyed:
// each shape of tests/support/shape_profiles.h, stopped after 30, 60 and 90 % of its load time.
//
//   cancel_shape COUNT [SHAPE]     writes to $TMPDIR or /tmp, removes it again
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "loaders/loader.h"
#include "model/jobs/scheduler.h"
#include "tests/support/shape_profiles.h"

namespace {

using namespace stepscope;
using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double LoadMs(const std::string& path) {
  Progress progress;
  const auto begin = Clock::now();
  const auto trace = LoadPath(path, {}, {}, progress);
  return trace.ok() ? MsSince(begin) : -1;
}

// The time from the request to stop until nothing of the load is left; 0 if it had ended before.
double StopMs(const std::string& path, double after_ms, const char** stage) {
  std::stop_source stop;
  Progress progress;
  std::atomic<bool> ended{false};
  Clock::time_point end;
  Scheduler* const scheduler = JobScope::Current().scheduler;
  std::thread load([&] {
    const JobScope job(scheduler);
    { const auto trace = LoadPath(path, {}, stop.get_token(), progress); }
    end = Clock::now();
    ended = true;
  });
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(after_ms));
  const bool late = ended;
  *stage = progress.stage();
  const auto asked = Clock::now();
  stop.request_stop();
  load.join();
  return late ? 0 : std::chrono::duration<double, std::milli>(end - asked).count();
}

void Measure(test::Shape shape, bool json, uint32_t count, const std::string& folder) {
  const std::string path =
      folder + "/cancel_shape_" + std::to_string(count) + (json ? ".json" : ".xplane.pb");
  {
    const std::string bytes =
        json ? test::ChromeShape(shape, count) : test::XSpaceShape(shape, count);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  const double whole = LoadMs(path);
  std::printf("%-10s %-6s load %7.0f ms, stopped after", std::string(NameOf(shape)).c_str(),
              json ? "chrome" : "xspace", whole);
  for (const int percent : {30, 60, 90}) {
    const char* stage = "";
    const double ms = StopMs(path, whole * percent / 100, &stage);
    std::printf("  %d %%: %5.0f ms (%s)", percent, ms, stage);
  }
  std::printf("\n");
  std::fflush(stdout);
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: cancel_shape COUNT [SHAPE]\n");
    return 2;
  }
  Scheduler scheduler;
  const JobScope job(&scheduler);
  const auto count = static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10));
  const std::string only = argc > 2 ? argv[2] : "",
                    folder = std::filesystem::temp_directory_path().string();
  for (const bool json : {true, false}) {
    for (const test::Shape shape : test::kAllShapes) {
      if (only.empty() || only == NameOf(shape)) Measure(shape, json, count, folder);
    }
  }
  return 0;
}
