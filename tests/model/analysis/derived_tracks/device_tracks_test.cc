// Derived tracks of GPUs (docs/rules.md#lanes): they add up to what the tables say.
#include "model/analysis/derived_tracks/device_tracks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "loaders/loader.h"
#include "model/analysis/intervals/held_value_series.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/kineto_text.h"
#include "tests/support/stopped_job.h"
#include "tests/support/table_cells.h"
#include "tests/support/tpu_profile.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::GpuScenario;
using test::XSpaceBuilder;
constexpr int64_t kMicrosecond = kPsPerUs;

struct DeviceTracks {
  explicit DeviceTracks(const std::string& bytes, const char* file = "h.xplane.pb",
                        Definitions definitions = Definitions::kStepscope) {
    auto loaded = LoadBytes(file, bytes, {});
    REQUIRE(loaded.ok());
    trace = *loaded;
    context = std::make_unique<AnalysisContext>(trace, definitions);
    sets = context->Get<DerivedTracks>().sets;
  }
  // The track of the n-th GPU; null if it has none.
  std::pair<const TrackSet*, const Track*> Find(DerivedTrackKind kind, uint32_t gpu = 0) const {
    uint32_t plane = 0;
    for (uint32_t at = 0; plane < trace->planes.size(); ++plane) {
      if (trace->planes[plane].kind == PlaneKind::kGpu && at++ == gpu) break;
    }
    for (const auto& set : sets) {
      for (const Track& track : set->tracks) {
        if (track.plane.value == plane && DerivedTrackKindOf(track) == kind)
          return {set.get(), &track};
      }
    }
    return {nullptr, nullptr};
  }
  const CounterSeries& Counter(DerivedTrackKind kind, uint32_t gpu = 0) const {
    const Track* track = Find(kind, gpu).second;
    REQUIRE(track != nullptr);
    // The utilisation has its parts behind the whole.
    REQUIRE((track->counters.size() == 1 || kind == DerivedTrackKind::kUtilisation));
    return track->counters.front();
  }
  std::shared_ptr<const Trace> trace;
  std::unique_ptr<AnalysisContext> context;
  std::vector<std::shared_ptr<const TrackSet>> sets;
};

std::string Profile(GpuScenario scenario) {
  test::GpuProfileOptions options;
  options.scenario = scenario;
  options.steps = 6;
  options.layers = 8;
  options.gpus = scenario == GpuScenario::kStaggered ? 3 : 2;
  options.between_us = 300;
  return test::MakeGpuProfile(options);
}

constexpr GpuScenario kScenarios[] = {GpuScenario::kHealthy, GpuScenario::kInputBound,
                                      GpuScenario::kLaunchBound, GpuScenario::kCopies,
                                      GpuScenario::kStaggered};

// The sum of value * duration of a counter that ends at 0.
double Integral(const CounterSeries& series) {
  double sum = 0;
  for (size_t i = 0; i + 1 < series.time.size(); ++i)
    sum += series.value[i] * static_cast<double>(series.time[i + 1] - series.time[i]);
  return sum;
}

// A stream of kernels of 3 us with pauses of 2 us.
std::string ManyKernels(int64_t count) {
  XSpaceBuilder b;
  auto& stream = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  for (int64_t i = 0; i < count; ++i) stream.Event("k", i * 5 * kMicrosecond, 3 * kMicrosecond);
  return b.Bytes();
}

}  // namespace

TEST_CASE("device tracks: idle slices sum to the losses of the device's steps, class by class") {
  for (const GpuScenario scenario : kScenarios) {
    CAPTURE(test::GpuScenarioName(scenario));
    const DeviceTracks tracks(Profile(scenario));
    for (uint32_t gpu = 0; gpu < 2; ++gpu) {
      const auto [set, track] = tracks.Find(DerivedTrackKind::kIdle, gpu);
      REQUIRE(track != nullptr);
      std::map<std::string, Ps> in_track, in_steps;
      REQUIRE(set->LanesOf(*track).size() == 1);  // no slices overlap
      const Lane& lane = set->LanesOf(*track).front();
      for (uint32_t i = 0; i < lane.size(); ++i) {
        in_track[std::string(set->names->Name(MetaId(lane.meta[i])))] += lane.dur[i];
        CHECK(set->names->metas[lane.meta[i]].category == EventCategory::kOverhead);
      }
      for (const DeviceStep& step : tracks.context->Get<StepDatabase>().device_steps) {
        if (step.device != track->plane) continue;
        for (size_t c = static_cast<size_t>(StepTimeClass::kInput); c < kStepTimeClasses; ++c) {
          if (step.class_times[c] > 0)
            in_steps[IdOf(static_cast<StepTimeClass>(c))] += step.class_times[c];
        }
      }
      CHECK_FALSE(in_steps.empty());
      CHECK(in_track == in_steps);
    }
  }
}

TEST_CASE(
    "device tracks: an idle slice is named by class and cause, and comes from the host's event") {
  const DeviceTracks tracks(Profile(GpuScenario::kInputBound));
  const auto [set, track] = tracks.Find(DerivedTrackKind::kIdle);
  REQUIRE(track != nullptr);
  const Lane& lane = set->LanesOf(*track).front();
  uint32_t longest = 0;
  for (uint32_t i = 0; i < lane.size(); ++i) {
    if (lane.dur[i] > lane.dur[longest]) longest = i;
    const std::string_view name = set->names->DisplayName(MetaId(lane.meta[i]));
    const EventRow source = set->source[lane.first_row + i];
    CHECK(source.valid() == (name.find(" \u00b7 ") != std::string_view::npos));
    if (!source.valid()) continue;
    REQUIRE(source.value < tracks.trace->set.rows);
    const TrackId from = tracks.trace->set.TrackOf(source);
    const PlaneId plane = tracks.trace->set.tracks[from.value].plane;
    CHECK(tracks.trace->planes[plane.value].kind == PlaneKind::kHostThreads);
  }
  const std::string name(set->names->DisplayName(MetaId(lane.meta[longest])));
  CHECK(name.starts_with("input \u00b7 "));
}

TEST_CASE("device tracks: if there are too many parts the longest stay, in order of time") {
  DeviceIdle idle;
  idle.most = 10;
  for (Ps i = 0; i < 100; ++i) {
    IdleInterval part;
    part.range = {1000 * i, 1000 * i + 1 + (i * 37) % 100};
    idle.Add(part);
  }
  idle.Finish();
  REQUIRE(idle.parts.size() == 10);
  for (size_t i = 0; i < 10; ++i) {
    CHECK(idle.parts[i].range.length() > 90);
    if (i > 0) CHECK(idle.parts[i].range.begin > idle.parts[i - 1].range.begin);
  }
}

TEST_CASE("device tracks: parts of equal length are left out evenly over the recording") {
  DeviceIdle idle;
  idle.most = 1000;
  constexpr Ps kParts = 10'000;
  for (Ps i = 0; i < kParts; ++i) {
    IdleInterval part;
    part.range = {1000 * i, 1000 * i + 10};
    idle.Add(part);
  }
  idle.Finish();
  REQUIRE(idle.parts.size() == 1000);
  size_t of_quarter[4] = {};
  for (const IdleInterval& part : idle.parts)
    ++of_quarter[static_cast<size_t>(4 * part.range.begin / (1000 * kParts))];
  for (const size_t count : of_quarter) {
    CHECK(count > 100);  // all 250 have one length
    CHECK(count < 400);
  }
}

TEST_CASE("device tracks: utilisation adds up to the busy time of the table") {
  for (const GpuScenario scenario : kScenarios) {
    CAPTURE(test::GpuScenarioName(scenario));
    const std::string bytes = Profile(scenario);
    const DeviceTracks tracks(bytes);
    const AnalysisResult r = test::Analyse("h.xplane.pb", bytes, "kernel_stats");
    for (uint32_t gpu = 0; gpu < 2; ++gpu) {
      const CounterSeries& series = tracks.Counter(DerivedTrackKind::kUtilisation, gpu);
      const double busy_ms = test::Real(r, "devices", gpu, "busyMs");
      CHECK(Integral(series) / 100 / static_cast<double>(kPsPerMs) ==
            doctest::Approx(busy_ms).epsilon(1e-9));
      CHECK(series.min >= 0);
      CHECK(series.max <= 100);
      CHECK(series.value.back() == 0);
    }
  }
}

TEST_CASE("device tracks: utilisation is exact for few intervals; for many its sum is the same") {
  const DeviceTracks few(ManyKernels(100));
  CHECK(few.Counter(DerivedTrackKind::kUtilisation).time.size() == 200);
  CHECK(few.Counter(DerivedTrackKind::kUtilisation).min == 0);
  constexpr int64_t kMany = 40'000;
  const DeviceTracks many(ManyKernels(kMany));
  const CounterSeries& series = many.Counter(DerivedTrackKind::kUtilisation);
  CHECK(series.time.size() <= kMostUtilisationPoints);
  CHECK(series.time.size() > kMostUtilisationPoints / 2);
  const CounterSeries& compute = many.Find(DerivedTrackKind::kUtilisation).second->counters.back();
  CHECK(compute.time == series.time);
  CHECK(compute.value == series.value);
  CHECK(Integral(series) / 100 == doctest::Approx(static_cast<double>(kMany * 3 * kMicrosecond)));
  CHECK(std::is_sorted(series.time.begin(), series.time.end()));
  for (size_t i = 0; i + 2 < series.value.size(); ++i) CHECK(series.value[i] > 30);
}

TEST_CASE("device tracks: the parts of the utilisation sum to the whole") {
  for (const GpuScenario scenario : kScenarios) {
    CAPTURE(test::GpuScenarioName(scenario));
    const DeviceTracks tracks(Profile(scenario));
    for (uint32_t gpu = 0; gpu < 2; ++gpu) {
      const auto [set, track] = tracks.Find(DerivedTrackKind::kUtilisation, gpu);
      REQUIRE(track != nullptr);
      REQUIRE(track->counters.size() > 1);
      double sum = 0;
      for (size_t i = 1; i < track->counters.size(); ++i) sum += Integral(track->counters[i]);
      CHECK(sum == doctest::Approx(Integral(track->counters.front())).epsilon(1e-9));
      const WorkPart first = WorkPartOf(set->names->strings.View(track->counters[1].name));
      CHECK(first == WorkPart::kCompute);
    }
  }
}

TEST_CASE("device tracks: time in which kinds of work overlap is that of the first of them") {
  XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0");
  gpu.Line(14, "Stream #14").Event("gemm", 0, 100 * kMicrosecond);
  gpu.Line(15, "Stream #15")
      .Event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 50 * kMicrosecond, 100 * kMicrosecond);
  gpu.Line(16, "Stream #16").Event("MemcpyH2D", 20 * kMicrosecond, 200 * kMicrosecond);
  const DeviceTracks tracks(b.Bytes());
  const auto [set, track] = tracks.Find(DerivedTrackKind::kUtilisation);
  REQUIRE(track != nullptr);
  std::map<std::string, double> us;
  for (const CounterSeries& series : track->counters)
    us[std::string(set->names->strings.View(series.name))] =
        Integral(series) / 100 / static_cast<double>(kMicrosecond);
  CHECK(us == std::map<std::string, double>{
                  {"percent", 220}, {"compute", 100}, {"collectives", 50}, {"copies", 70}});
}

TEST_CASE("device tracks: a part's name is its id") {
  for (uint8_t p = 0; p < static_cast<uint8_t>(WorkPart::kCount); ++p)
    CHECK(WorkPartOf(IdOf(static_cast<WorkPart>(p))) == static_cast<WorkPart>(p));
  CHECK(WorkPartOf("percent") == WorkPart::kCount);
}

TEST_CASE("device tracks: the queue is never below 0, ends at 0, and equals the table's") {
  for (const GpuScenario scenario : kScenarios) {
    const DeviceTracks tracks(Profile(scenario));
    for (uint32_t gpu = 0; gpu < 2; ++gpu) {
      const CounterSeries& series = tracks.Counter(DerivedTrackKind::kQueue, gpu);
      CHECK(series.min == 0);
      CHECK(series.max > 0);
      CHECK(series.value.back() == 0);
    }
  }
  test::KinetoText t;
  t.Launch(1, 0, 5).Kernel("a", 1, 10, 5).Launch(2, 5, 4).Kernel("b", 2, 20, 5);
  t.Launch(3, 30, 4).Kernel("c", 3, 32, 5);
  const DeviceTracks tracks(t.Text(), "t.json");
  const CounterSeries& series = tracks.Counter(DerivedTrackKind::kQueue);
  const AnalysisResult r = test::Analyse("t.json", t.Text(), "kernel_stats");
  CHECK(series.max == static_cast<double>(test::Int(r, "launch_delay", 0, "queue_max")));
  CHECK(Integral(series) / static_cast<double>(series.time.back() - series.time.front()) ==
        doctest::Approx(test::Real(r, "launch_delay", 0, "queue_mean")));
  CHECK(series.value == std::vector<double>{1, 2, 1, 0, 1, 0});
}

TEST_CASE("device tracks: launch delays are those of the table") {
  for (const GpuScenario scenario : kScenarios) {
    const std::string bytes = Profile(scenario);
    const DeviceTracks tracks(bytes);
    const AnalysisResult r = test::Analyse("h.xplane.pb", bytes, "kernel_stats");
    const size_t rows = test::TableOf(r, "launch_delay").size();
    for (uint32_t gpu = 0; gpu < 2; ++gpu) {
      const CounterSeries& series = tracks.Counter(DerivedTrackKind::kLaunchDelay, gpu);
      double sum = 0, max = 0;
      int64_t launches = 0;
      for (size_t row = 0; row < rows; ++row) {  // a row for each stream
        if (test::Text(r, "launch_delay", row, "device") != "GPU " + std::to_string(gpu)) continue;
        const int64_t n = test::Int(r, "launch_delay", row, "launches");
        launches += n;
        sum += static_cast<double>(n) * test::Real(r, "launch_delay", row, "mean_us");
        max = std::max(max, test::Real(r, "launch_delay", row, "max_us"));
      }
      CHECK(static_cast<int64_t>(series.value.size()) == launches + 1);  // the last value is 0
      CHECK(series.max == doctest::Approx(max));
      double in_track = 0;
      for (const double value : series.value) in_track += value;
      CHECK(in_track == doctest::Approx(sum));
    }
  }
}

TEST_CASE("device tracks: memory in use is that of the GPU's allocator") {
  const DeviceTracks tracks(Profile(GpuScenario::kHealthy));
  const MemoryProfile profile = MemoryProfile::Compute(*tracks.context, {});
  size_t found = 0;
  for (const AllocatorProfile& allocator : profile.allocators) {
    if (!allocator.id.starts_with("GPU_")) continue;
    const auto gpu = static_cast<uint32_t>(allocator.id[4] - '0');
    const CounterSeries& series = tracks.Counter(DerivedTrackKind::kMemory, gpu);
    CHECK(series.max == static_cast<double>(allocator.snapshots[allocator.peak].in_use));
    CHECK(series.value.back() == static_cast<double>(allocator.snapshots.back().in_use));
    ++found;
  }
  CHECK(found == 2);
}

TEST_CASE("device tracks: a track for which the recording has nothing is left out") {
  test::KinetoText t;
  t.Launch(1, 0, 5).Kernel("a", 1, 10, 5).Kernel("b", 9, 20, 5);
  const DeviceTracks torch(t.Text(), "t.json");
  CHECK(torch.Find(DerivedTrackKind::kUtilisation).second != nullptr);
  CHECK(torch.Find(DerivedTrackKind::kMemory).second == nullptr);  // it is a counter of the file
  const DeviceTracks bare(ManyKernels(3));
  CHECK(bare.Find(DerivedTrackKind::kQueue).second == nullptr);
  CHECK(bare.Find(DerivedTrackKind::kLaunchDelay).second == nullptr);
  const DeviceTracks xprof(Profile(GpuScenario::kHealthy), "h.xplane.pb", Definitions::kXprof);
  CHECK(xprof.Find(DerivedTrackKind::kIdle).second == nullptr);  // XProf has no losses
  CHECK(xprof.Find(DerivedTrackKind::kUtilisation).second != nullptr);
  XSpaceBuilder host;
  host.Plane("/host:CPU").Line(1, "python").Event("op", 0, 10 * kMicrosecond);
  CHECK(DeviceTracks(host.Bytes()).sets.empty());
}

TEST_CASE("device tracks: a build that is stopped keeps nothing") {
  auto trace = LoadBytes("h.xplane.pb", Profile(GpuScenario::kHealthy), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  CHECK_THROWS_AS(test::RunStopped([&] { BuildDeviceTracks(context); }), Stopped);
  CHECK(BuildDeviceTracks(context).size() == 2);
}

TEST_CASE(
    "device tracks: a series with too many points keeps its peaks and what holds after them") {
  HeldValueSeries series;
  for (Ps i = 0; i < 10'000; ++i) series.Put(i * 10, i == 7'777 ? 900 : static_cast<double>(i % 7));
  series.Put(200'000, 0);
  const CounterSeries counter = series.Take(StringId(0), 100);
  CHECK(counter.time.size() <= 102);
  CHECK(counter.max == 900);
  CHECK(counter.min == 0);
  CHECK(counter.value.back() == 0);
  CHECK(counter.time.back() == 200'000);
  CHECK(std::is_sorted(counter.time.begin(), counter.time.end()));
  // A level that does not change is one point.
  HeldValueSeries level;
  for (Ps i = 0; i < 10; ++i) level.Add(i, 5);
  CHECK(level.Take(StringId(0), 100).time == std::vector<Ps>{0});
}

TEST_CASE("device tracks: a TPU core that waits for copies has their time apart from computing") {
  test::TpuProfileOptions options;
  options.runs = 4;
  auto loaded = LoadBytes("h.xplane.pb", test::MakeTpuProfile(options), {});
  REQUIRE(loaded.ok());
  AnalysisContext context(*loaded, Definitions::kStepscope);
  size_t cores = 0;
  for (const auto& set : context.Get<DerivedTracks>().sets) {
    for (const Track& track : set->tracks) {
      if (DerivedTrackKindOf(track) != DerivedTrackKind::kUtilisation) continue;
      ++cores;
      std::map<std::string_view, double> ms;
      for (const CounterSeries& series : track.counters) {
        double sum = 0;
        for (size_t i = 0; i + 1 < series.time.size(); ++i)
          sum += series.value[i] / 100 * static_cast<double>(series.time[i + 1] - series.time[i]);
        ms[set->names->strings.View(series.name)] = sum / static_cast<double>(kPsPerMs);
      }
      // A run waits 4 + 1 + 2 ms for copies and computes 2 ms; an all-reduce takes 2 ms before.
      CHECK(ms["copies"] == doctest::Approx(4 * 7.0).epsilon(0.01));
      CHECK(ms["compute"] == doctest::Approx(4 * 2.0).epsilon(0.01));
      CHECK(ms["collectives"] == doctest::Approx(2.0).epsilon(0.01));
      CHECK(ms["percent"] == doctest::Approx(4 * 9.0 + 2).epsilon(0.01));
    }
  }
  CHECK(cores == 2);
}

}  // namespace stepscope
