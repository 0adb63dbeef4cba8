// A load that is told to stop goes on for a bounded amount of work, counted in events. How long
// that takes is measured with tests/tools/cancel_shape.cc.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "loaders/loader.h"
#include "tests/support/shape_profiles.h"

namespace stepscope {
namespace {

constexpr uint32_t kEvents = 300'000;

struct File {
  std::string path;
  File(bool json, const std::string& bytes)
      : path((std::filesystem::temp_directory_path() /
              ("stepscope_cancel_" + std::to_string(getpid()) + (json ? ".json" : ".xplane.pb")))
                 .string()) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~File() { std::filesystem::remove(path); }
};

// The number of events that were parsed after the request.
uint64_t ParsedAfterStop(const std::string& path, uint64_t after, bool* cancelled) {
  std::stop_source stop;
  Progress progress;
  std::atomic<bool> ended{false};
  std::thread load([&] {
    const auto trace = LoadPath(path, {}, stop.get_token(), progress);
    *cancelled = !trace.ok() && trace.status().code() == ErrorCode::kCancelled;
    ended = true;
  });
  while (progress.events < after && !ended) std::this_thread::yield();
  stop.request_stop();
  const uint64_t at = progress.events;
  load.join();
  return progress.events - at;
}

TEST_CASE("A load that is told to stop parses what it has in hand and no more") {
  for (const bool json : {true, false}) {
    const std::string bytes = json ? test::ChromeShape(test::Shape::kOverlaps, kEvents)
                                   : test::XSpaceShape(test::Shape::kOverlaps, kEvents);
    const File file(json, bytes);
    // Each worker finishes its block or batch, and batches that wait are still added.
    const double a_byte = static_cast<double>(kEvents) / static_cast<double>(bytes.size());
    const auto most = static_cast<uint64_t>(a_byte * (512 << 10) * (WorkerCount() + 2));
    for (const uint64_t percent : {0, 30, 60}) {
      bool cancelled = false;
      const uint64_t parsed = ParsedAfterStop(file.path, kEvents * percent / 100, &cancelled);
      CAPTURE(json);
      CAPTURE(percent);
      CHECK(parsed <= most);
      CHECK((cancelled || percent > 0));
    }
  }
}

TEST_CASE("A stop that was asked for before ends each part of a load without its result") {
  std::stop_source stop;
  stop.request_stop();
  for (const bool json : {true, false}) {
    for (const test::Shape shape : test::kAllShapes) {
      const File file(json,
                      json ? test::ChromeShape(shape, 2'000) : test::XSpaceShape(shape, 2'000));
      Progress progress;
      const auto trace = LoadPath(file.path, {}, stop.get_token(), progress);
      CAPTURE(json);
      CAPTURE(test::NameOf(shape));
      REQUIRE_FALSE(trace.ok());
      CHECK(trace.status().code() == ErrorCode::kCancelled);
      CHECK(progress.events <= 2'001);
    }
  }
}

}  // namespace
}  // namespace stepscope
