// The first picture of a large XSpace: a part of what the whole trace says, or nothing.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/riegeli_writer.h"
#include "tests/support/sanitized.h"
#include "tests/support/trace_difference.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

struct Shown {
  std::shared_ptr<const Trace> picture, whole;
  Status status;
};

Shown LoadWithPicture(std::string bytes, const char* name = "big.xplane.pb",
                      uint64_t from_bytes = 0) {
  Shown shown;
  LoadOptions options;
  options.preview_from_bytes = from_bytes;
  options.preview = [&shown](std::shared_ptr<const Trace> picture) {
    CHECK(shown.picture == nullptr);
    shown.picture = std::move(picture);
  };
  const auto whole = LoadBytes(name, std::move(bytes), options);
  shown.status = whole.status();
  if (whole.ok()) shown.whole = *whole;
  return shown;
}

std::string GpuProfile(int gpus, int steps) {
  test::GpuProfileOptions options;
  options.gpus = gpus;
  options.steps = steps;
  options.layers = steps == 1 ? 1 : options.layers;
  return test::MakeGpuProfile(options);
}

constexpr int kLargeSteps = kSanitized ? 60 : 200;

// 17 MB: a stream has about 1.5 MB, so that places of it are read.
const std::string& LargeProfile() {
  static const std::string bytes = GpuProfile(2, kLargeSteps);
  return bytes;
}

// The names of a track and of all that contains it.
std::string PathOf(const Trace& trace, const Track& track) {
  const Plane& plane = trace.planes[track.plane.value];
  return std::string(trace.names().strings.View(plane.name)) + "|" +
         std::string(trace.names().strings.View(track.name)) + "|" + std::to_string(track.id);
}

struct TrackFacts {
  std::set<Ps> begins;
  std::set<std::string> names;
  Ps busy = 0, first = kMaxPs, last = kMinPs;
};

std::map<std::string, TrackFacts> FactsOf(const Trace& trace) {
  std::map<std::string, TrackFacts> facts;
  for (const Track& track : trace.set.tracks) {
    TrackFacts& f = facts[PathOf(trace, track)];
    f.busy = track.busy;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        f.begins.insert(lane.start[i]);
        f.names.insert(std::string(trace.names().Name(MetaId(lane.meta[i]))));
        f.first = std::min(f.first, lane.start[i]);
        f.last =
            std::max(f.last, lane.start[i] + (lane.kind == LaneKind::kInstant ? 0 : lane.dur[i]));
      }
    }
  }
  return facts;
}

void CheckIsPart(const Trace& picture, const Trace& whole) {
  const auto part = FactsOf(picture), all = FactsOf(whole);
  CHECK(part.size() == all.size());
  for (const auto& [path, facts] : part) {
    CAPTURE(path);
    const auto it = all.find(path);
    REQUIRE(it != all.end());
    const TrackFacts& truth = it->second;
    CHECK(std::includes(truth.begins.begin(), truth.begins.end(), facts.begins.begin(),
                        facts.begins.end()));
    CHECK(std::includes(truth.names.begin(), truth.names.end(), facts.names.begin(),
                        facts.names.end()));
    CHECK(facts.begins.empty() == truth.begins.empty());
    CHECK(facts.last <= truth.last);
  }
}

TEST_CASE("first picture: all tracks, and slices of each that the whole trace has") {
  const Shown shown = LoadWithPicture(LargeProfile());
  REQUIRE(shown.whole != nullptr);
  REQUIRE(shown.picture != nullptr);
  const Trace &picture = *shown.picture, &whole = *shown.whole;
  CheckIsPart(picture, whole);
  CHECK(picture.counts.events() * 20 < whole.counts.events());
  CHECK(picture.path == whole.path);
  CHECK(picture.run == whole.run);
  CHECK(picture.format == whole.format);
  CHECK(picture.source == nullptr);
  CHECK(picture.diagnostics.problems() == 0);
  // Tracks of devices are in the same order, and all planes are.
  REQUIRE(picture.planes.size() == whole.planes.size());
  for (size_t p = 0; p < whole.planes.size(); ++p) {
    CHECK(picture.names().strings.View(picture.planes[p].name) ==
          whole.names().strings.View(whole.planes[p].name));
    CHECK(picture.planes[p].subtitle == whole.planes[p].subtitle);
    if (whole.planes[p].kind != PlaneKind::kGpu) continue;
    for (size_t t = 0; t < whole.planes[p].tracks.size(); ++t)
      CHECK(PathOf(picture, picture.set.tracks[picture.planes[p].tracks[t].value]) ==
            PathOf(whole, whole.set.tracks[whole.planes[p].tracks[t].value]));
  }
}

TEST_CASE("first picture: it spans the whole time, and is about as busy as the whole") {
  const Shown shown = LoadWithPicture(LargeProfile());
  REQUIRE(shown.picture != nullptr);
  const auto part = FactsOf(*shown.picture), all = FactsOf(*shown.whole);
  size_t compared = 0;
  for (const auto& [path, truth] : all) {
    if (truth.begins.size() < 50 * kLargeSteps) continue;  // it may have been read whole
    CAPTURE(path);
    const TrackFacts& facts = part.at(path);
    const auto length = static_cast<double>(truth.last - truth.first);
    CHECK(facts.first == truth.first);
    CHECK(static_cast<double>(truth.last - facts.last) < 0.02 * length);
    CHECK(static_cast<double>(facts.busy) / length ==
          doctest::Approx(static_cast<double>(truth.busy) / length).epsilon(0.25));
    // No part of the time is left out: 16 parts have slices.
    for (int i = 0; i < 16; ++i) {
      const Ps from = truth.first + static_cast<Ps>(length * i / 16);
      const Ps to = truth.first + static_cast<Ps>(length * (i + 1) / 16);
      const auto at = facts.begins.lower_bound(from);
      CHECK((at != facts.begins.end() && *at < to));
    }
    ++compared;
  }
  CHECK(compared >= 4);
}

TEST_CASE("first picture: the trace is the same with it and without") {
  const Shown shown = LoadWithPicture(LargeProfile());
  const auto plain = LoadBytes("big.xplane.pb", LargeProfile(), {});
  REQUIRE(plain.ok());
  REQUIRE(shown.picture != nullptr);
  CHECK(test::FirstDifference(*shown.whole, **plain) == "");
}

TEST_CASE("first picture: small files have none, nor do files of several XSpaces") {
  CHECK(
      LoadWithPicture(LargeProfile(), "big.xplane.pb", LoadOptions().preview_from_bytes).picture ==
      nullptr);
  CHECK(LoadWithPicture(LargeProfile(), "big.xplane.pb", LargeProfile().size()).picture == nullptr);
  const std::string small = GpuProfile(1, 2);
  const Shown shown =
      LoadWithPicture(test::RiegeliWriter().Records({small, small}).Bytes(), "big.xplane.riegeli");
  CHECK(shown.whole != nullptr);
  CHECK(shown.picture == nullptr);
}

TEST_CASE("first picture: short lines are whole, counters keep samples, late names are seen") {
  test::XSpaceBuilder space;
  auto& host = space.Plane("/host:CPU");
  auto& thread = host.Line(1, "main").TimestampNs(1000).DisplayName("shown last").DisplayId(77);
  for (int i = 0; i < 100; ++i) thread.Event("op", i * 1000, 700);
  auto& other = host.Line(2, "worker").TimestampNs(1000).DisplayName("also last").DisplayId(78);
  for (int i = 0; i < 60'000; ++i) other.Event("long", i * 1000, 700).Stat("n", uint64_t{1} << 40);
  const Shown shown = LoadWithPicture(space.Bytes());
  REQUIRE(shown.picture != nullptr);
  CheckIsPart(*shown.picture, *shown.whole);
  for (const Track& track : shown.picture->set.tracks) {
    const std::string_view name = shown.picture->names().strings.View(track.name);
    if (track.display_id == 77) {
      CHECK(name == "shown last");
      CHECK(track.events == 100);
    } else {
      CHECK(track.display_id == 78);
      CHECK(name == "also last");
      CHECK(track.events > 100);
      CHECK(track.events < 1000);
    }
  }
}

TEST_CASE("first picture: a load that is stopped has none, or stops after it") {
  std::stop_source stop;
  LoadOptions options;
  options.preview_from_bytes = 0;
  int pictures = 0;
  options.preview = [&](const std::shared_ptr<const Trace>&) {
    ++pictures;
    stop.request_stop();
  };
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("picture" + std::to_string(::getpid()) + ".xplane.pb");
  std::ofstream(file, std::ios::binary) << LargeProfile();
  Progress progress;
  CHECK(LoadPath(file.string(), options, stop.get_token(), progress).status().code() ==
        ErrorCode::kCancelled);
  CHECK(pictures == 1);
  CHECK(LoadPath(file.string(), options, stop.get_token(), progress).status().code() ==
        ErrorCode::kCancelled);
  CHECK(pictures == 1);
  std::filesystem::remove(file);
}

// The picture of a damaged file may be wrong, but it is a trace like any other, and the
// load says the same as without it.
void CheckDamaged(std::string bytes) {
  const Shown shown = LoadWithPicture(bytes);
  const auto plain = LoadBytes("big.xplane.pb", std::move(bytes), {});
  CHECK(plain.status().code() == shown.status.code());
  CHECK(plain.status().message() == shown.status.message());
  if (plain.ok()) CHECK(test::FirstDifference(*shown.whole, **plain) == "");
  if (shown.picture == nullptr) return;
  CHECK(shown.picture->set.tracks.size() <= shown.whole->set.tracks.size());
  for (const Track& track : shown.picture->set.tracks) {
    for (const Lane& lane : shown.picture->set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        CHECK(lane.dur[i] >= 0);
        CHECK(lane.meta[i] < shown.picture->set.names->metas.size());
      }
    }
  }
}

TEST_CASE("first picture: files that are cut or damaged") {
  const std::string& whole = LargeProfile();
  std::mt19937_64 random(33);
  for (int round = 0; round < (kSanitized ? 1 : 3); ++round) {
    CheckDamaged(whole.substr(0, random() % whole.size()));
    std::string damaged = whole;
    for (int i = 0; i < 2000; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    CheckDamaged(std::move(damaged));
  }
  const std::string small = GpuProfile(1, 1);
  for (size_t size = 0; size < small.size(); size += kSanitized ? 997 : 101)
    CheckDamaged(small.substr(0, size));
}

}  // namespace
}  // namespace stepscope
