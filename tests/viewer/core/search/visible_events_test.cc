#include "viewer/core/search/visible_events.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/tables/cells.h"
#include "tests/support/stopped_job.h"
#include "tests/support/table_rows.h"
#include "tests/support/xspace_builder.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using test::TraceMaker;
using test::XSpaceBuilder;

constexpr Ps kMs = kPsPerMs;

std::shared_ptr<const Trace> SmallTrace() {
  TraceMaker maker(2);
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(gpu, "Stream", TrackKind::kStream,
              {{"gemm", 0, 2 * kMs}, {"copy", 2 * kMs, kMs}, {"gemm", 4 * kMs, 4 * kMs}});
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads, 1);
  maker.Track(host, "main", TrackKind::kThread,
              {{"step", 0, 10 * kMs},
               {"op", kMs, 3 * kMs},
               {"inner", 2 * kMs, kMs},
               {"op", 5 * kMs, 2 * kMs},
               {"mark", 6 * kMs, -1}});
  return maker.Finish();
}

double NumberOfRow(const ResultTable& table, const std::string& row, const char* column) {
  for (const auto& values : test::RowsOf(table)) {
    if (std::get<SharedText>(values[0]).view() != row) continue;
    const Value& v = values[static_cast<size_t>(table.Column(column))];
    return NumberOf(v);
  }
  return -1;
}

const VisibleKind* KindOf(const VisibleEvents& events, std::string_view name) {
  for (const VisibleKind& kind : events.kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

// -1: no track of the kind is in view.
double BusyUs(const VisibleEvents& events, std::string_view kind, size_t side = 0) {
  const VisibleKind* found = KindOf(events, kind);
  return found != nullptr ? static_cast<double>(found->busy[side]) / kPsPerUs : -1;
}
uint64_t CountOf(const VisibleEvents& events, std::string_view kind, size_t side = 0) {
  const VisibleKind* found = KindOf(events, kind);
  return found != nullptr ? found->count[side] : 0;
}

TEST_CASE("visible events: the whole trace is added up by name, with self times") {
  const auto trace = SmallTrace();
  const VisibleEvents all = AddUpVisible(*trace, {0, 20 * kMs}, "");
  CHECK(all.events == 8);
  CHECK(all.tracks == 2);
  CHECK(NumberOfRow(all.table, "gemm", "count") == 2);
  CHECK(NumberOfRow(all.table, "gemm", "total_us") == 6000);
  CHECK(NumberOfRow(all.table, "gemm", "self_us") == 6000);
  CHECK(NumberOfRow(all.table, "gemm", "mean_us") == 3000);
  CHECK(NumberOfRow(all.table, "step", "total_us") == 10000);
  CHECK(NumberOfRow(all.table, "step", "self_us") == 5000);
  CHECK(NumberOfRow(all.table, "op", "self_us") == 4000);
  CHECK(NumberOfRow(all.table, "inner", "self_us") == 1000);
  CHECK(NumberOfRow(all.table, "mark", "count") == 1);
  for (const char* time : {"self_us", "share", "total_us", "mean_us"})
    CHECK(std::isnan(NumberOfRow(all.table, "mark", time)));  // an instant takes none
  double share = 0;
  for (const auto& row : test::RowsOf(all.table))
    share += std::isnan(NumberOf(row[2])) ? 0 : NumberOf(row[2]);
  CHECK(share == doctest::Approx(100));
  CHECK(std::get<std::string_view>(all.table.At(0, 0)) == "gemm");  // most self time first
}

TEST_CASE("visible events: times count as far as they lie in the range") {
  const auto trace = SmallTrace();
  const VisibleEvents some = AddUpVisible(*trace, {kMs, 5 * kMs}, "");
  CHECK(NumberOfRow(some.table, "gemm", "count") == 2);
  CHECK(NumberOfRow(some.table, "gemm", "total_us") == 2000);
  CHECK(NumberOfRow(some.table, "gemm", "mean_us") == 3000);  // the mean of whole durations
  CHECK(NumberOfRow(some.table, "step", "total_us") == 4000);
  CHECK(NumberOfRow(some.table, "step", "self_us") == 1000);
  CHECK(NumberOfRow(some.table, "mark", "count") == -1);
}

TEST_CASE("visible events: annotations add nothing to what they name, and count alone") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(gpu, "Stream", TrackKind::kStream, {{"gemm", 0, 2 * kMs}});
  maker.Track(gpu, "Stream annotations", TrackKind::kNvtx, {{"step", 0, 6 * kMs}});
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  maker.Track(host, "main", TrackKind::kThread, {{"step", 0, 7 * kMs}, {"op", kMs, 3 * kMs}});
  const auto trace = maker.Finish();
  const VisibleEvents all = AddUpVisible(*trace, {0, 8 * kMs}, "");
  CHECK(NumberOfRow(all.table, "step", "count") == 1);
  CHECK(NumberOfRow(all.table, "step", "self_us") == 4000);
  CHECK(BusyUs(all, "Annotations") == -1);  // beside work
  const VisibleEvents late = AddUpVisible(*trace, {5 * kMs, 6 * kMs}, "");
  CHECK(NumberOfRow(late.table, "step", "self_us") == 1000);
  TraceMaker only;
  const PlaneId process = only.Plane("Process", PlaneKind::kHostThreads);
  only.Track(process, "NVTX", TrackKind::kNvtx, {{"phase", 0, 6 * kMs}});
  CHECK(NumberOfRow(AddUpVisible(*only.Finish(), {0, 8 * kMs}, "").table, "phase", "self_us") ==
        6000);
}

TEST_CASE("visible events: marks of steps and what spans the recording hide no work") {
  const auto event = [](const char* cat, const char* name, const char* pid, int ts, int dur) {
    return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":1,"ts":{},"dur":{}}},)",
                       cat, name, pid, ts, dur);
  };
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  text += event("user_annotation", "ProfilerStep#1", "7", 0, 400);
  text += event("cpu_op", "aten::mm", "7", 10, 100);
  text += event("cpu_op", "aten::add", "7", 350, 100);  // begins in the step and ends behind it
  text += event("user_annotation", "Optimizer", "7", 300, 100);
  for (int i = 0; i < 400; ++i) text += event("cpu_op", "aten::sum", "7", 500 + i, 1);
  text += event("Trace", "PyTorch Profiler (0)", "\"Spans\"", 0, 1000);
  text.back() = ']';
  const auto trace = LoadBytes("t.json", text + "}", {});
  REQUIRE(trace.ok());
  const VisibleEvents all = AddUpVisible(**trace, (*trace)->span, "");
  CHECK(NumberOfRow(all.table, "aten::mm", "self_us") == 100);
  CHECK(NumberOfRow(all.table, "aten::sum", "self_us") == 400);
  CHECK(NumberOfRow(all.table, "ProfilerStep#1", "count") == -1);
  CHECK(NumberOfRow(all.table, "PyTorch Profiler (0)", "count") == -1);
  double self = 0;
  for (const auto& row : test::RowsOf(all.table))
    self += NumberOf(row[static_cast<size_t>(all.table.Column("self_us"))]);
  CHECK(self <= 1000);  // one thread in a millisecond
  CHECK(all.events == 405);
  // No time of the thread counts twice, however its events overlap.
  // The mark of the step is not busy where it is open alone.
  CHECK(BusyUs(all, "Threads") == 100 + 150 + 400);
  CHECK(BusyUs(all, "Others") == -1);  // spans the recording
}

TEST_CASE("visible events: halves add up to the whole") {
  const auto trace = test::TrainingTrace();
  const Ps middle = 4'321 * kPsPerUs;
  const VisibleEvents all = AddUpVisible(*trace, trace->span, "");
  const VisibleEvents left = AddUpVisible(*trace, {trace->span.begin, middle}, "");
  const VisibleEvents right = AddUpVisible(*trace, {middle, trace->span.end}, "");
  for (const auto& row : test::RowsOf(all.table)) {
    const std::string name = std::get<SharedText>(row[0]).str();
    for (const char* column : {"self_us", "total_us"}) {
      CAPTURE(name);
      if (std::isnan(NumberOfRow(all.table, name, column))) continue;  // an instant
      const double sum = std::max(0.0, NumberOfRow(left.table, name, column)) +
                         std::max(0.0, NumberOfRow(right.table, name, column));
      CHECK(sum == doctest::Approx(NumberOfRow(all.table, name, column)));
    }
  }
}

TEST_CASE("visible events: kinds of tracks, one host, and a stop") {
  const auto trace = SmallTrace();
  const VisibleEvents all = AddUpVisible(*trace, {0, 20 * kMs}, "");
  CHECK(CountOf(all, "Threads") == 5);
  CHECK(BusyUs(all, "Threads") == 10000);
  CHECK(BusyUs(all, "Streams") == 7000);
  const VisibleEvents host = AddUpVisible(*trace, {0, 20 * kMs}, "host-0");
  CHECK(host.events == 3);
  CHECK(host.kinds.size() == 1);
  CHECK_THROWS_AS(test::RunStopped([&] { AddUpVisible(*trace, {0, 20 * kMs}, ""); }), Stopped);
}

TEST_CASE("visible events: modules and marks of steps are no work, nor is their time busy") {
  XSpaceBuilder b;
  auto& core = b.Plane("/device:TPU:0");
  core.Line(1, "XLA Modules").Event("jit_f(7)", 0, 8 * kMs);
  core.Line(2, "XLA Ops").Event("fusion", kMs, 2 * kMs);
  auto& host = b.Plane("/host:CPU");
  host.Line(1, "python")
      .Event("train", 0, 9 * kMs)
      .Stat("step_num", int64_t{3})
      .Event("op", kMs, 2 * kMs);
  const auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {}).value();
  AnalysisContext context(trace, Definitions::kStepscope);
  const VisibleEvents all = AddUpVisible(*trace, {0, 10 * kMs}, "", &context.stats());
  CHECK(NumberOfRow(all.table, "jit_f(7)", "self_us") == -1);
  CHECK(NumberOfRow(all.table, "train", "self_us") == -1);
  CHECK(NumberOfRow(all.table, "op", "share") == doctest::Approx(50));
  CHECK(BusyUs(all, "XLA modules") == -1);
  CHECK(CountOf(all, "Threads") == 1);
  CHECK(BusyUs(all, "Threads") == 2000);
}

TEST_CASE("visible events: two profiles stand beside each other, the largest change first") {
  const auto a = SmallTrace();
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(gpu, "Stream", TrackKind::kStream, {{"gemm", 0, kMs}, {"new", 2 * kMs, 2 * kMs}});
  const auto b = maker.Finish();
  const VisibleEvents both =
      CompareVisible(AddUpVisible(*a, {0, 20 * kMs}, ""), AddUpVisible(*b, {0, 20 * kMs}, ""));
  CHECK(both.events == 10);
  CHECK(NumberOfRow(both.table, "gemm", "a_us") == 6000);
  CHECK(NumberOfRow(both.table, "gemm", "b_us") == 1000);
  CHECK(NumberOfRow(both.table, "gemm", "delta_us") == -5000);
  CHECK(NumberOfRow(both.table, "new", "a_us") == 0);
  CHECK(BusyUs(both, "Streams") == 7000);
  CHECK(BusyUs(both, "Streams", 1) == 3000);
  CHECK(CountOf(both, "Streams", 1) == 2);
}

}  // namespace
}  // namespace stepscope
