#include "model/first_view.h"

#include <doctest/doctest.h>

#include "model/trace_builder.h"
#include "tests/model/lane_support.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Build(std::vector<TrackData> tracks) {
  TraceBuilder builder;
  for (TrackData& t : tracks) builder.AddTrack(std::move(t));
  auto result = builder.Finish();
  REQUIRE(result.ok());
  return *result;
}

// `tracks` tracks, each with n events of 10 ps that begin 20 ps apart, from 0 on.
std::vector<TrackData> Dense(uint32_t tracks, uint32_t n) {
  std::vector<TrackData> out(tracks);
  for (TrackData& t : out) {
    for (uint32_t i = 0; i < n; ++i) t.slices.Add(Ps{i} * 20 * kPsPerUs, 10 * kPsPerUs, 0, 0);
  }
  return out;
}

uint64_t Stray(const Trace& trace) {
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    if (d.id == "view.stray_events") return d.count;
  }
  return 0;
}

TEST_CASE("a trace without strays is shown whole") {
  const auto trace = Build(Dense(3, 1000));
  CHECK(trace->first_view == trace->span);
  CHECK(Stray(*trace) == 0);
}

TEST_CASE("one stray event on either side does not squeeze the rest") {
  for (const Ps where : {-100 * kPsPerS, 100 * kPsPerS}) {
    auto tracks = Dense(2, 1000);
    TrackData stray;
    stray.slices.Add(where, 5, 0, 0);
    tracks.push_back(std::move(stray));
    const auto trace = Build(std::move(tracks));
    CHECK(trace->first_view.begin >= 0);
    CHECK(trace->first_view.end <= 20'000 * kPsPerUs);
    CHECK(trace->first_view.length() >= 19'900 * kPsPerUs);
    CHECK(trace->span.length() > 99 * kPsPerS);
    CHECK(Stray(*trace) >= 1);
    CHECK(Stray(*trace) <= 3);
  }
}

TEST_CASE("strays on both sides at once, and an event whose end was clipped") {
  auto tracks = Dense(1, 4000);
  tracks[0].slices.Add(-kPsPerS * 1000, 1, 0, 0);
  tracks[0].slices.Add(kPsPerS * 1000, 1, 0, 0);
  tracks[0].slices.Add(5 * kPsPerUs + 1, kMaxPs, 0, 0);
  const auto trace = Build(std::move(tracks));
  CHECK(trace->first_view.begin >= 0);
  CHECK(trace->first_view.end <= 80'000 * kPsPerUs);
  CHECK(trace->first_view.length() >= 79'000 * kPsPerUs);
}

TEST_CASE("if more than one event in a thousand lies far away, none is a stray") {
  auto tracks = Dense(1, 1000);
  for (int i = 0; i < 10; ++i) tracks[0].slices.Add(kPsPerS * 1000 + i, 1, 0, 0);
  const auto trace = Build(std::move(tracks));
  CHECK(trace->first_view == trace->span);
}

TEST_CASE("a trace of up to twenty times its dense part is shown whole") {
  auto tracks = Dense(1, 1000);  // 20 ms
  tracks[0].slices.Add(380 * kPsPerMs, 1, 0, 0);
  const auto trace = Build(std::move(tracks));
  CHECK(trace->first_view == trace->span);
}

// A host's thread, and a device that runs n kernels of 10 us from `begin` on. Meta 1 marks
// steps, unless it has another category.
std::shared_ptr<const Trace> WithDevice(TrackData thread, Ps begin, int n, TrackKind kind,
                                        EventCategory category = EventCategory::kStep) {
  TraceBuilder builder;
  EventMeta mark;
  mark.name = builder.strings().Intern("ProfilerStep#1");
  mark.category = category;
  builder.names().metas = {EventMeta(), mark};
  stepscope::Plane plane;
  plane.kind = PlaneKind::kHostThreads;
  thread.track.plane = builder.AddPlane(plane);
  plane.kind = PlaneKind::kGpu;
  TrackData stream;
  stream.track.plane = builder.AddPlane(plane);
  stream.track.kind = kind;
  for (int i = 0; i < n; ++i) stream.slices.Add(begin + i * 20 * kPsPerUs, 10 * kPsPerUs, 0, 0);
  builder.AddTrack(std::move(thread));
  builder.AddTrack(std::move(stream));
  return builder.Finish().value();
}

// The host records for a minute.
std::shared_ptr<const Trace> WithDevice(Ps begin, int n, TrackKind kind = TrackKind::kStream) {
  TrackData thread;
  for (int i = 0; i < 60'000; ++i) thread.slices.Add(i * kPsPerMs, kPsPerUs, 0, 0);
  return WithDevice(std::move(thread), begin, n, kind);
}

TEST_CASE("a device that works in a small part of the trace is what is shown first") {
  const Ps begin = 59'900 * kPsPerMs, end = begin + 2000 * 20 * kPsPerUs - 10 * kPsPerUs;
  for (const TrackKind kind : {TrackKind::kStream, TrackKind::kOther}) {
    const auto trace = WithDevice(begin, 2000, kind);
    const TimeRange& view = trace->first_view;
    CHECK(view.begin <= begin + 2 * 20 * kPsPerUs);  // two kernels of 2000 may count as strays
    CHECK(view.end >= end - 2 * 20 * kPsPerUs);
    CHECK(view.length() < 50 * kPsPerMs);  // 40 ms of kernels and a margin
    CHECK(Stray(*trace) == 0);             // nothing is far from the rest
    CHECK(trace->dense_view.length() >= 59 * kPsPerS);
  }
}

// The host records from 0 to 60 s, the device from `begin` on for 20 s.
TimeRange ViewOfTwentySeconds(Ps begin) { return WithDevice(begin, 1'000'000)->first_view; }

TEST_CASE("what follows the last kernel is out of sight, and most of what precedes the first") {
  const Ps margin = 20 * kPsPerS / 50 + kPsPerMs;  // and the kernels that count as strays
  const TimeRange late = ViewOfTwentySeconds(10 * kPsPerS);
  CHECK(late.begin >= 10 * kPsPerS - margin);
  CHECK(late.begin < 10 * kPsPerS + kPsPerS / 10);
  CHECK(late.end <= 30 * kPsPerS + margin);
  CHECK(late.end > 30 * kPsPerS - kPsPerS / 10);
  // A quarter of the device's part before it may be the begin of the first step.
  CHECK(ViewOfTwentySeconds(4 * kPsPerS).begin == 0);
  // The view reaches to the end if the device works until then.
  CHECK(ViewOfTwentySeconds(39'500 * kPsPerMs).end >= 59'999 * kPsPerMs);
}

// A step from 10 ms on whose kernels begin at `begin` and take 20 ms; the host goes on until 60 s.
TimeRange ViewOfStep(Ps begin, EventCategory category) {
  TrackData thread;
  thread.slices.Add(10 * kPsPerMs, begin + 20 * kPsPerMs, 1, 0);
  for (int i = 1; i < 60; ++i) thread.slices.Add(i * kPsPerS, kPsPerUs, 0, 0);
  return WithDevice(std::move(thread), begin, 1000, TrackKind::kStream, category)->first_view;
}

TEST_CASE("a step that waits for most of its time before its first kernel is shown whole") {
  CHECK(ViewOfStep(80 * kPsPerMs, EventCategory::kStep).begin <= 10 * kPsPerMs);
  CHECK(ViewOfStep(80 * kPsPerMs, EventCategory::kHostEvent).begin > 70 * kPsPerMs);
  CHECK(ViewOfStep(200 * kPsPerMs, EventCategory::kStep).begin > 190 * kPsPerMs);  // too long ago
}

TEST_CASE("a device that has steps only leaves the view as it is") {
  const auto steps = WithDevice(10 * kPsPerS, 5, TrackKind::kSteps);
  CHECK(steps->first_view == steps->span);
}

TEST_CASE("first view of few events, of one event, of instants only") {
  TrackData two;
  two.slices.Add(0, 1, 0, 0);
  two.slices.Add(kPsPerS, 1, 0, 0);
  std::vector<TrackData> tracks;
  tracks.push_back(std::move(two));
  CHECK(Build(std::move(tracks))->first_view == TimeRange{0, kPsPerS + 1});

  TrackData one;
  one.instants.Add(42, 0, 0, 0);
  tracks.clear();
  tracks.push_back(std::move(one));
  const auto single = Build(std::move(tracks));
  CHECK(single->span == TimeRange{42, 42});
  CHECK(single->first_view.Contains(42));

  TrackData instants;
  for (int i = 0; i < 5000; ++i) instants.instants.Add(i == 4999 ? kMaxPs : 7, 0, 0, 0);
  tracks.clear();
  tracks.push_back(std::move(instants));
  const auto same = Build(std::move(tracks));
  CHECK(same->first_view.Contains(7));
  CHECK(same->first_view.length() == kPsPerUs);
  CHECK(Stray(*same) == 1);
}

TEST_CASE("an instant on the end is in the first view") {
  TrackData track;
  track.slices.Add(0, 5000, 0, 0);
  track.slices.Add(4'000'000, 1'000'000, 0, 0);
  track.instants.Add(5'000'000, 0, 0, 0);
  std::vector<TrackData> tracks;
  tracks.push_back(std::move(track));
  const auto trace = Build(std::move(tracks));
  CHECK(trace->span == TimeRange{0, 5'000'000});
  CHECK(trace->first_view == TimeRange{0, 5'000'001});
}

TEST_CASE("the span of a trace with counters only is that of their times") {
  TrackData counter;
  counter.track.counters.push_back({StringId(0), {5, 9}, {1, 2}, 1, 2});
  std::vector<TrackData> tracks;
  tracks.push_back(std::move(counter));
  const auto trace = Build(std::move(tracks));
  CHECK(trace->span == TimeRange{5, 9});
  CHECK(trace->first_view == trace->span);
}

}  // namespace
}  // namespace stepscope
