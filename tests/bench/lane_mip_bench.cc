// Times the store: building a trace and its pyramids, and what a frame asks of them. The trace is
// shaped like a GPU profile: 8 streams of sorted kernels and 8 host threads, 3 deep, sorted.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>

#include "model/trace_builder.h"

namespace stepscope {
namespace {

constexpr uint32_t kStreams = 8, kThreads = 8;

TrackData Stream(std::mt19937_64& random, uint32_t n) {
  TrackData data;
  Ps t = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const Ps dur = 2 * kPsPerUs + static_cast<Ps>(random() % (30 * kPsPerUs));
    data.slices.Add(t, dur, static_cast<uint32_t>(random() % 200), i * 65);
    t += dur + (random() % 4 == 0 ? static_cast<Ps>(random() % (40 * kPsPerUs)) : 0);
  }
  return data;
}

// Calls with calls inside, in file order. `by_end`: sorted by end, as recorders write them,
// instead of by start.
TrackData Thread(std::mt19937_64& random, uint32_t n, bool by_end) {
  TrackData data;
  Ps t = 0;
  for (uint32_t i = 0; i + 3 <= n; i += 3) {
    const Ps dur = 10 * kPsPerUs + static_cast<Ps>(random() % (30 * kPsPerUs));
    const Ps starts[3] = {t, t + dur / 8, t + dur / 4}, durs[3] = {dur, dur / 2, dur / 8};
    for (int k = 0; k < 3; ++k) {
      const int which = by_end ? 2 - k : k;
      data.slices.Add(starts[which], durs[which], static_cast<uint32_t>(which),
                      (i + static_cast<uint32_t>(k)) * 80);
    }
    t += dur + 1000;
  }
  return data;
}

// Half of the events are on GPU streams, the others on host threads.
std::unique_ptr<TraceBuilder> MakeBuilder(uint32_t events, bool by_end) {
  std::mt19937_64 random(1);
  auto builder = std::make_unique<TraceBuilder>();
  const uint32_t on_streams = events / 2;
  for (uint32_t s = 0; s < kStreams; ++s) builder->AddTrack(Stream(random, on_streams / kStreams));
  for (uint32_t s = 0; s < kThreads; ++s) {
    builder->AddTrack(Thread(random, (events - on_streams) / kThreads, by_end));
  }
  return builder;
}

void Report(benchmark::State& state, const Trace& trace) {
  const auto events = static_cast<double>(trace.counts.events());
  state.counters["events"] = events;
  state.counters["B/event"] = static_cast<double>(trace.store_bytes()) / events;
}

// Sorting, nesting, spans and pyramids of a whole trace.
void BM_Finish(benchmark::State& state) {
  std::shared_ptr<const Trace> trace;
  for (auto _ : state) {
    state.PauseTiming();
    trace.reset();
    auto builder = MakeBuilder(static_cast<uint32_t>(state.range(0)), state.range(1) != 0);
    state.ResumeTiming();
    trace = *builder->Finish();
    state.PauseTiming();
    builder.reset();
    state.ResumeTiming();
  }
  Report(state, *trace);
}
BENCHMARK(BM_Finish)
    ->ArgNames({"events", "by_end"})
    ->Args({5'000'000, 0})
    ->Args({5'000'000, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Everything is on one thread's track, so that no work can be shared out by track.
void BM_FinishOneTrack(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::shared_ptr<const Trace> trace;
  for (auto _ : state) {
    state.PauseTiming();
    trace.reset();
    TraceBuilder builder;
    builder.AddTrack(Thread(random, 3'000'000, state.range(0) != 0));
    state.ResumeTiming();
    trace = *builder.Finish();
  }
  Report(state, *trace);
}
BENCHMARK(BM_FinishOneTrack)
    ->ArgName("by_end")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_BuildPyramid(benchmark::State& state) {
  auto builder = std::make_unique<TraceBuilder>();
  std::mt19937_64 random(1);
  builder->AddTrack(Stream(random, static_cast<uint32_t>(state.range(0))));
  const std::shared_ptr<const Trace> trace = *builder->Finish();
  const Lane& lane = trace->set.lanes[0];
  LaneMip mip;
  for (auto _ : state) mip.Build(lane.view());
  state.counters["B/event"] = static_cast<double>(mip.bytes()) / static_cast<double>(lane.size());
  state.SetItemsProcessed(static_cast<int64_t>(lane.size()) *
                          static_cast<int64_t>(state.iterations()));
}
BENCHMARK(BM_BuildPyramid)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// The bins of one frame: 60 rows of 1920 pixels over `percent` / 1000 of the lane's span.
void BM_AppendBins(benchmark::State& state) {
  std::mt19937_64 random(1);
  TraceBuilder builder;
  const auto events = static_cast<uint32_t>(state.range(0));
  constexpr uint32_t kRows = 60;
  for (uint32_t r = 0; r < kRows; ++r) builder.AddTrack(Stream(random, events / kRows));
  const std::shared_ptr<const Trace> trace = *builder.Finish();
  const double share = static_cast<double>(state.range(1)) / 1000;
  const auto length = static_cast<Ps>(static_cast<double>(trace->span.length()) * share);
  std::vector<Bin> bins;
  for (auto _ : state) {
    const auto slack = static_cast<uint64_t>(trace->span.length() - length) + 1;
    const Ps begin = trace->span.begin + static_cast<Ps>(random() % slack);
    bins.clear();
    for (const Lane& lane : trace->set.lanes)
      lane.mip.AppendBins(lane.view(), {begin, begin + length}, 1920, &bins);
    benchmark::DoNotOptimize(bins.data());
  }
  state.counters["bins"] = static_cast<double>(bins.size());
}
BENCHMARK(BM_AppendBins)
    ->ArgNames({"events", "permille"})
    ->ArgsProduct({{10'000'000, 50'000'000}, {1000, 100, 10, 1}})
    ->Unit(benchmark::kMillisecond);

void BM_BusyIn(benchmark::State& state) {
  std::mt19937_64 random(1);
  TraceBuilder builder;
  builder.AddTrack(Stream(random, 1'000'000));
  const std::shared_ptr<const Trace> trace = *builder.Finish();
  const Lane& lane = trace->set.lanes[0];
  const auto span = static_cast<uint64_t>(trace->span.length());
  for (auto _ : state) {
    const Ps a = static_cast<Ps>(random() % span), b = static_cast<Ps>(random() % span);
    benchmark::DoNotOptimize(lane.mip.BusyIn(lane.view(), {std::min(a, b), std::max(a, b)}));
  }
}
BENCHMARK(BM_BusyIn);

}  // namespace
}  // namespace stepscope
