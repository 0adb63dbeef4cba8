#include "viewer/timeline/slices/draw_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"
#include "tests/support/samples.h"
#include "tests/support/xspace_builder.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/timeline/slices/minimap.h"
#include "viewer/timeline/slices/plan_area.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

// A plan over one trace, with a text measure of 7 pixels a byte.
struct PlanTester {
  explicit PlanTester(std::shared_ptr<const Trace> trace)
      : PlanTester(Profile{ProfileId(0), "run", std::move(trace), {}}) {}
  explicit PlanTester(Profile profile) {
    profiles.push_back(std::move(profile));
    layout = LayoutOf(profiles);
    names.SetTheme(MakeTheme(ThemeKind::kDark));
    names.SetMeasure([](std::string_view text, float max_width, size_t* fit) {
      const auto letters =
          std::min(text.size(), static_cast<size_t>(std::max(0.0f, max_width) / 7.0f));
      if (fit != nullptr) *fit = letters;
      return 7.0f * static_cast<float>(letters);
    });
    for (uint32_t set = 0; set < profiles[0].sets(); ++set)
      names.Prepare(*profiles[0].Set(set).names);
  }
  void Build(TimeRange view, uint32_t width = 1000, uint32_t height = 600, double scroll = 0) {
    axes = {TimeAxis(view, width)};
    PlanInput input;
    input.profiles = profiles;
    input.axes = axes;
    input.layout = &layout;
    input.scroll = scroll;
    if (stick) input.sticky = layout.Sticky(scroll);
    input.width = width;
    input.height = height;
    input.names = &names;
    input.highlight = &highlight;
    plan.Build(input);
  }
  // Texels of the row drawn for a track's depth.
  std::span<const uint32_t> Row(TrackId track, uint32_t depth) const {
    for (size_t r = 0; r < plan.rows().size(); ++r) {
      const LayoutItem& item = layout.items()[plan.rows()[r].item];
      if (item.kind == LayoutItemKind::kTrack && item.track == track &&
          plan.rows()[r].depth == depth) {
        return plan.texels().subspan(r * plan.width(), plan.width());
      }
    }
    return {};
  }
  std::vector<Profile> profiles;
  Layout layout;
  NameCache names;
  Highlight highlight;
  std::vector<TimeAxis> axes;
  bool stick = false;  // headings stay at the top
  DrawPlan plan;
};

bool Filled(uint32_t t) { return (texel::Alpha(t) & texel::kOpaque) != 0; }

// The columns of slices that are not dimmed.
size_t BrightTexels(const DrawPlan& plan) {
  size_t bright = 0;
  for (size_t r = 0; r < plan.rows().size(); ++r) {
    if (plan.rows()[r].kind != TexelLine::kSlices) continue;
    for (const uint32_t t : plan.texels().subspan(r * plan.width(), plan.width()))
      bright += Filled(t) && (texel::Alpha(t) & texel::kDim) == 0 ? 1 : 0;
  }
  return bright;
}

std::shared_ptr<const Trace> OneTrack(const std::vector<SimpleEvent>& events) {
  TraceMaker maker;
  maker.Track(maker.Plane("GPU", PlaneKind::kGpu), "Stream", TrackKind::kStream, events);
  return maker.Finish();
}

// The share of a row that is drawn, by the coverage of its columns.
double DrawnShare(std::span<const uint32_t> row) {
  double sum = 0;
  for (const uint32_t t : row) sum += texel::Alpha(t) & texel::kOpaque;
  return sum / texel::kOpaque / static_cast<double>(row.size());
}

struct LaneShares {
  double drawn = 0, busy = 0;
};

// How much of the lane Idle of each GPU is drawn, and how much of the time it covers.
std::vector<LaneShares> IdleLanes(const std::shared_ptr<const Trace>& trace, TimeRange view) {
  PlanTester t(ProfileOf(ProfileId(0), trace));
  t.Build(view, 1000, 20'000);
  std::vector<LaneShares> out;
  for (size_t r = 0; r < t.plan.rows().size(); ++r) {
    const PlanRow& row = t.plan.rows()[r];
    if (t.layout.items()[row.item].lane != DerivedTrackKind::kIdle || row.lane == nullptr) continue;
    const Ps busy = row.lane->mip.BusyIn(row.lane->view(), view);
    out.push_back({DrawnShare(t.plan.texels().subspan(r * t.plan.width(), t.plan.width())),
                   static_cast<double>(busy) / static_cast<double>(view.length())});
  }
  return out;
}

// A gap may be drawn a quarter of a column late and is never fainter than one of 63 steps.
void CheckIdleLanes(const std::shared_ptr<const Trace>& trace) {
  const TimeRange all = trace->span;
  const Ps part = all.length() / 5;
  for (const TimeRange view : {all, TimeRange{all.begin + 2 * part, all.begin + 3 * part}}) {
    for (const LaneShares& lane : IdleLanes(trace, view)) {
      CHECK(lane.drawn < lane.busy + 0.02);
      CHECK(lane.drawn > lane.busy - 0.03);
    }
  }
}

}  // namespace

TEST_CASE("as much of the lane Idle is drawn as there is idle time") {
  test::GpuProfileOptions options;
  options.steps = 40;
  options.layers = 40;
  for (const auto scenario : {test::GpuScenario::kHealthy, test::GpuScenario::kInputBound}) {
    options.scenario = scenario;
    auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    REQUIRE_FALSE(IdleLanes(*trace, (*trace)->span).empty());
    CheckIdleLanes(*trace);
  }
}

TEST_CASE("as much of the lane Idle is drawn as there is idle time, in recordings") {
  for (const std::string& path : test::SharedRecordings()) {
    CAPTURE(path);
    Progress progress;
    auto loaded = LoadPath(path, {}, {}, progress);
    REQUIRE(loaded.ok());
    CheckIdleLanes(*loaded);
  }
}

TEST_CASE("idle time is quieter than work: a part of its colour is the ground") {
  test::GpuProfileOptions options;
  options.scenario = test::GpuScenario::kInputBound;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  PlanTester t(ProfileOf(ProfileId(0), *trace));
  t.Build((*trace)->span, 1000, 20'000);
  size_t seen = 0;
  for (size_t r = 0; r < t.plan.rows().size(); ++r) {
    const PlanRow& row = t.plan.rows()[r];
    const LayoutItem& item = t.layout.items()[row.item];
    if (item.lane != DerivedTrackKind::kIdle || row.lane == nullptr) continue;
    const NameColors colors = t.names.Colors(*t.profiles[0].Set(item.set).names);
    std::set<Rgba> quiet;
    for (const uint32_t meta : row.lane->meta)
      quiet.insert(Mix(t.names.theme()[Role::kPanel], colors(meta), 0.6f) & 0xffffffu);
    for (const uint32_t texel : t.plan.texels().subspan(r * t.plan.width(), t.plan.width())) {
      if (!Filled(texel)) continue;
      CHECK(quiet.contains(texel & 0xffffffu));
      ++seen;
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("slices of a derived lane cover columns as far as they last, others whole ones") {
  TraceMaker own, more;
  own.Track(own.Plane("GPU", PlaneKind::kGpu), "Stream", TrackKind::kStream, {{"a", 105, 1}});
  more.Track(more.Plane("GPU", PlaneKind::kGpu), "Ops", TrackKind::kXlaOps,
             {{"a", 105, 1}, {"b", 205, 30}});
  Profile profile{ProfileId(0), "run", own.Finish(), {}};
  const auto derived = more.Finish();
  profile.derived.emplace_back(derived, &derived->set);
  PlanTester t(std::move(profile));
  t.Build({0, 1000}, 100);
  std::vector<std::span<const uint32_t>> rows;
  for (size_t r = 0; r < t.plan.rows().size(); ++r) {
    if (t.plan.rows()[r].lane != nullptr)
      rows.push_back(t.plan.texels().subspan(r * t.plan.width(), t.plan.width()));
  }
  REQUIRE(rows.size() == 2);
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return texel::Alpha(a[10]) > texel::Alpha(b[10]); });
  CHECK(texel::Alpha(rows[0][10]) == texel::kOpaque);
  CHECK(texel::Alpha(rows[1][10]) == texel::kOpaque / 10);
  CHECK(texel::Alpha(rows[1][20]) == (texel::kOpaque + 1) / 2);
  CHECK(texel::Alpha(rows[1][21]) == texel::kOpaque);
}

TEST_CASE("slices fill their columns, the last of a wide one is the gap") {
  PlanTester t(OneTrack({{"a", 100, 100}, {"b", 300, 2}, {"c", 900, 1000}}));
  t.Build({0, 1000});
  const auto row = t.Row(TrackId(0), 0);
  REQUIRE(row.size() == 1000);
  CHECK_FALSE(Filled(row[99]));
  CHECK(Filled(row[100]));
  CHECK((texel::Alpha(row[199]) & texel::kEdge) != 0);
  CHECK_FALSE(Filled(row[200]));
  CHECK(Filled(row[300]));
  CHECK((texel::Alpha(row[301]) & texel::kEdge) == 0);  // narrow: no room for a gap
  CHECK(Filled(row[999]));
  CHECK((texel::Alpha(row[999]) & texel::kEdge) == 0);  // goes on beyond the view
  CHECK((row[150] & 0xffffffu) == (t.names.theme().NameColor("a") & 0xffffffu));
}

TEST_CASE("what is there all the time is grey where something lies inside") {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  const TrackId main = maker.Track(host, "main", TrackKind::kThread,
                                   {{"main", 0, 1000}, {"work", 100, 800}, {"op", 200, 100}});
  // The trace goes on when the thread has ended.
  const TrackId brief =
      maker.Track(host, "brief", TrackKind::kThread, {{"brief", 0, 400}, {"inside", 100, 50}});
  const TrackId flat = maker.Track(host, "flat", TrackKind::kThread, {{"waits", 0, 1200}});
  PlanTester t(maker.Finish());
  t.Build({0, 1000});
  const NameTable& names = *t.profiles[0].trace->set.names;
  const auto color = [&](TrackId track, uint32_t depth) {
    return (t.Row(track, depth)[250] & 0xffffffu) | 0xff000000u;
  };
  const auto own = [&](uint32_t meta) { return t.names.Colors(names)(meta) | 0xff000000u; };
  CHECK(color(main, 0) != own(0));
  CHECK(color(main, 1) == own(1));
  CHECK(color(brief, 0) == own(3));
  CHECK(color(flat, 0) == own(5));
}

TEST_CASE("whatever the events, covered columns are those that events touch") {
  std::mt19937 random(7);
  std::vector<SimpleEvent> events;
  Ps at = 0;
  for (int i = 0; i < 5000; ++i) {
    at += random() % 400;
    const Ps dur = 1 + random() % 300;
    events.push_back({"k" + std::string(1, static_cast<char>('a' + i % 7)), at, dur});
    at += dur;
  }
  PlanTester t(OneTrack(events));
  for (const TimeRange view :
       {TimeRange{0, at}, TimeRange{at / 3, at / 2}, TimeRange{at / 2, at / 2 + 3000}}) {
    t.Build(view, 777);
    const auto row = t.Row(TrackId(0), 0);
    // As LaneMip::AppendBins promises: an event of a pixel or more fills every column it touches, a
    // shorter one that in which it begins and perhaps the next; nothing else is filled.
    const Ps pixel = (view.length() + 776) / 777;
    std::vector<int> may(777, 0), must(777, 0);
    for (const SimpleEvent& e : events) {
      if (e.start + e.dur <= view.begin || e.start >= view.end) continue;
      const Ps begin = (std::max(e.start, view.begin) - view.begin) * 777;
      const Ps end = (std::min(e.start + e.dur, view.end) - view.begin) * 777;
      const auto from = static_cast<size_t>(begin / view.length());
      const auto to = static_cast<size_t>((end - 1) / view.length());
      for (size_t x = from; x <= to; ++x) may[x] = 1;
      for (size_t x = from; x <= (e.dur >= pixel ? to : from); ++x) must[x] = 1;
    }
    size_t missing = 0, invented = 0;
    for (size_t x = 0; x < 777; ++x) {
      missing += must[x] != 0 && !Filled(row[x]) ? 1 : 0;
      invented += may[x] == 0 && Filled(row[x]) ? 1 : 0;
    }
    CHECK(missing == 0);
    CHECK(invented == 0);
  }
}

TEST_CASE("labels are bounded, inside their visible slice, and never overlap") {
  std::vector<SimpleEvent> events;
  events.reserve(4000);
  for (int i = 0; i < 4000; ++i)
    events.push_back(
        {"some_kernel_name_" + std::string(1, static_cast<char>('a' + i % 26)), i * 100, 95});
  PlanTester t(OneTrack(events));
  for (Ps length : {Ps{400'000}, Ps{20'000}, Ps{2'000}, Ps{90}, Ps{40}}) {
    t.Build({1050, 1050 + length}, 1500);
    CHECK(t.plan.labels().size() <= DrawPlan::kMaxLabels);
    std::vector<std::pair<float, float>> spans;
    for (const PlanLabel& label : t.plan.labels()) {
      CHECK(label.x >= 0);
      CHECK(label.x + label.width <= 1500.0f);
      CHECK(label.text.size() >= 3);
      spans.push_back({label.x, label.x + label.width});
    }
    std::sort(spans.begin(), spans.end());
    for (size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].first >= spans[i - 1].second);
    if (length == 90) CHECK(spans.size() == 2);  // slices 1000-1095 and 1100-1195
  }
  // The last view, 1050-1090, lies within one slice: its label is clamped into it.
  CHECK(t.plan.labels().size() == 1);
}

TEST_CASE("a frame with the same view redoes nothing, panning redoes the visible rows only") {
  PlanTester t(TrainingTrace());
  const auto dirty = [&] { return t.plan.dirty_end() - t.plan.dirty_begin(); };
  t.Build({0, 10 * kPsPerMs});
  CHECK(dirty() == t.plan.rows().size());
  t.Build({0, 10 * kPsPerMs});
  CHECK(dirty() == 0);
  t.Build({1, 10 * kPsPerMs});
  CHECK(dirty() == t.plan.rows().size());
}

TEST_CASE("scrolling re-uses rows") {
  for (const bool stick : {false, true}) {
    PlanTester t(TrainingTrace());
    t.stick = stick;
    t.highlight.version = 1;  // of no events: all slices are dimmed
    t.Build({0, 10 * kPsPerMs}, 1000, 600, 40);
    // A row that is made anew shows events that are bright under the same version.
    std::vector<uint32_t> all(t.profiles[0].trace->set.rows);
    std::iota(all.begin(), all.end(), 0);
    t.highlight.rows = {RowsOf(ProfileId(0), 0, all)};
    t.Build({0, 10 * kPsPerMs}, 1000, 600, 41);
    CHECK(BrightTexels(t.plan) == 0);
    t.Build({1, 10 * kPsPerMs}, 1000, 600, 41);
    CHECK(BrightTexels(t.plan) > 0);
  }
}

TEST_CASE("a thousand nested lanes cost what is in sight") {
  std::vector<SimpleEvent> events;
  events.reserve(1000);
  for (int depth = 0; depth < 1000; ++depth) events.push_back({"f", depth, 4000 - 2 * depth});
  PlanTester t(OneTrack(events));
  t.Build({0, 4000}, 800, 400, 5000);
  CHECK(t.plan.rows().size() < 30);
  CHECK(t.plan.rows().front().depth > 200);
}

TEST_CASE("marks of instants go on to the end of each row, however many rows have some") {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  std::vector<SimpleEvent> events{{"work", 0, 1000 * kPsPerUs}};
  for (Ps t = 0; t < 1000; ++t) events.push_back({"mark", t * kPsPerUs, -1});
  for (int i = 0; i < 12; ++i)
    maker.Track(host, "thread " + std::to_string(i), TrackKind::kThread, events);
  PlanTester t(maker.Finish());
  t.Build({0, 1000 * kPsPerUs});
  std::map<float, float> last;  // by row
  for (const PlanMark& mark : t.plan.marks()) last[mark.y] = std::max(last[mark.y], mark.x);
  CHECK(last.size() == 12);
  for (const auto& [y, x] : last) CHECK(x >= 980);
}

TEST_CASE("instants fill empty columns and lie as marks over slices") {
  PlanTester t(OneTrack({{"slice", 0, 500}, {"on", 100, -1}, {"off", 800, -1}}));
  t.Build({0, 1000});
  const auto row = t.Row(TrackId(0), 0);
  CHECK(Filled(row[800]));
  REQUIRE(t.plan.marks().size() == 1);
  CHECK(t.plan.marks()[0].x == 100.0f);
}

TEST_CASE("with a highlight, what is not part of it is dimmed") {
  PlanTester t(OneTrack({{"a", 100, 100}, {"b", 300, 100}, {"c", 500, 100}}));
  t.highlight.version = 1;
  t.highlight.rows.push_back(RowsOf(ProfileId(0), 0, {1}));
  t.Build({0, 1000});
  const auto row = t.Row(TrackId(0), 0);
  CHECK((texel::Alpha(row[150]) & texel::kDim) != 0);
  CHECK((texel::Alpha(row[350]) & texel::kDim) == 0);
  CHECK((texel::Alpha(row[550]) & texel::kDim) != 0);
}

TEST_CASE("a million hits cost columns, not hits, and light exactly theirs") {
  std::vector<SimpleEvent> events;
  events.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) events.push_back({i % 2 == 0 ? "a" : "b", i * 10, 10});
  PlanTester t(OneTrack(events));
  t.highlight.version = 1;
  std::vector<uint32_t> every_second;
  for (uint32_t i = 0; i < 20'000; i += 2) every_second.push_back(i);
  t.highlight.rows.push_back(RowsOf(ProfileId(0), 0, std::move(every_second)));
  t.Build({0, 200'000});
  for (uint32_t texel : t.Row(TrackId(0), 0)) CHECK((texel::Alpha(texel) & texel::kDim) == 0);
  t.Build({0, 400}, 400);
  const auto row = t.Row(TrackId(0), 0);
  CHECK((texel::Alpha(row[5]) & texel::kDim) == 0);
  CHECK((texel::Alpha(row[15]) & texel::kDim) != 0);
}

TEST_CASE("activity of a device is that of its busiest stream, of a host the mean of its threads") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(gpu, "Stream 1", TrackKind::kStream, {{"k", 0, 500}});
  maker.Track(gpu, "Stream 2", TrackKind::kStream, {{"k", 0, 1000}});
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  maker.Track(host, "t1", TrackKind::kThread, {{"k", 0, 1000}});
  maker.Track(host, "t2", TrackKind::kThread, {{"k", 0, 500}});
  const Profile profile{ProfileId(0), "run", maker.Finish(), {}};
  std::vector<Bin> scratch;
  const TimeAxis axis({0, 1000}, 600);
  CHECK(PlaneActivityInView(profile, gpu, axis, 600, &scratch).mean ==
        doctest::Approx(1.0).epsilon(0.01));
  CHECK(PlaneActivityInView(profile, host, axis, 600, &scratch).mean ==
        doctest::Approx(0.75).epsilon(0.01));
  CHECK(PlaneActivityInView(profile, PlaneId(), axis, 600, &scratch).mean < 0);
}

TEST_CASE("activity is of the recorded part of the view") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(gpu, "Stream 1", TrackKind::kStream, {{"k", 0, 500}, {"k", 900, 100}});
  const Profile profile{ProfileId(0), "run", maker.Finish(), {}};
  std::vector<Bin> scratch;
  const auto mean = [&](TimeRange view) {
    return PlaneActivityInView(profile, gpu, TimeAxis(view, 6000), 6000, &scratch).mean;
  };
  CHECK(mean({0, 1000}) == doctest::Approx(0.6).epsilon(0.01));
  CHECK(mean({-2000, 2000}) == doctest::Approx(0.6).epsilon(0.01));  // as beside a longer run
  CHECK(mean({2000, 3000}) < 0);
}

TEST_CASE("a plane of instants only is neither busy nor idle") {
  TraceMaker maker;
  const PlaneId marks = maker.Plane("Traces", PlaneKind::kHostThreads);
  maker.Track(marks, "t", TrackKind::kThread, {{"begin", 0, -1}, {"end", 900, -1}});
  const Profile profile{ProfileId(0), "run", maker.Finish(), {}};
  std::vector<Bin> scratch;
  CHECK(PlaneActivityInView(profile, marks, TimeAxis({0, 1000}, 600), 600, &scratch).mean < 0);
}

// The mean activity of one stream whose kernels lie across the borders of columns.
double MeanAcross(uint32_t width) {
  std::vector<SimpleEvent> events;
  for (int64_t i = 0; i < 3000; ++i) events.push_back({"k", i * 100, 90});
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  maker.Track(gpu, "Stream 1", TrackKind::kStream, events);
  const Profile profile{ProfileId(0), "run", maker.Finish(), {}};
  std::vector<Bin> scratch;
  return PlaneActivityInView(profile, gpu, TimeAxis({0, 300'000}, width), width, &scratch).mean;
}

TEST_CASE("activity does not depend on the width of the window") {
  for (uint32_t width : {300, 641, 1280, 1917, 2560, 7000})
    CHECK(MeanAcross(width) == doctest::Approx(0.9).epsilon(0.002));
}

TEST_CASE("a counter holds its value and shows its peaks") {
  CounterSeries series;
  series.time = {0, 100, 200};
  series.value = {10, 40, 20};
  series.max = 40;
  std::vector<float> out(300);
  CounterInView(series, TimeAxis({0, 300}, 300), out);
  CHECK(out[50] == doctest::Approx(0.25));
  CHECK(out[150] == doctest::Approx(1.0));
  CHECK(out[250] == doctest::Approx(0.5));
  std::vector<float> two(2);
  CounterInView(series, TimeAxis({0, 300}, 2), two);
  CHECK(two[0] == doctest::Approx(1.0));
}

// A GPU that computes, then copies; half of the copy is hidden by a kernel.
std::shared_ptr<const Trace> ComputeAndCopies() {
  constexpr Ps kMs = kPsPerMs;
  test::XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0");
  gpu.Line(14, "Stream #14").Event("gemm", 0, 4 * kMs).Event("gemm", 6 * kMs, 2 * kMs);
  gpu.Line(15, "Stream #15").Event("MemcpyH2D", 5 * kMs, 5 * kMs);
  return test::Loaded("h.xplane.pb", b.Bytes());
}

using Heights = std::array<uint32_t, texel::kStackCurves>;
Heights HeightsIn(uint32_t t) {
  Heights out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = texel::HeightIn(t, i);
  return out;
}

TEST_CASE("the parts of a device's busy time lie on each other") {
  PlanTester t(ProfileOf(ProfileId(0), ComputeAndCopies()));
  t.Build({0, 10 * kPsPerMs}, 1000, 600);
  size_t stacked = 0;
  for (size_t r = 0; r < t.plan.rows().size(); ++r) {
    const PlanRow& row = t.plan.rows()[r];
    if (row.kind != TexelLine::kStack) continue;
    ++stacked;
    const auto at = [&](uint32_t x) { return HeightsIn(t.plan.texels()[r * t.plan.width() + x]); };
    // From the lowest curve up: compute, collectives, copies.
    CHECK(at(200) == Heights{255, 255, 255});  // compute alone
    CHECK(at(450) == Heights{0, 0, 0});
    CHECK(at(550) == Heights{0, 0, 255});      // a copy alone
    CHECK(at(700) == Heights{255, 255, 255});  // a copy under a kernel
    const bool heading = t.layout.items()[row.item].kind == LayoutItemKind::kPlaneHeading;
    if (heading) CHECK(t.plan.Utilisation(row.item) == doctest::Approx(0.9));
  }
  CHECK(stacked == 2);  // the heading and the lane
  const auto colors = StackColors(MakeTheme(ThemeKind::kDark));
  CHECK(colors[0] != colors[1]);
  CHECK(colors[2] == MakeTheme(ThemeKind::kDark)[Kind::kOutput]);
}

TEST_CASE("stripes have the colours of what they do, also where the row was drawn before") {
  Profile profile = ProfileOf(ProfileId(0), ComputeAndCopies());
  const std::vector<TrackId>& tracks = profile.trace->planes[0].tracks;
  profile.ranks = std::make_shared<const std::vector<RankTracks>>(
      std::vector<RankTracks>{{0, 0, {tracks[0]}}, {1, 0, {tracks[1]}}});
  PlanTester t(std::move(profile));
  const TimeRange view{0, 10 * kPsPerMs};
  t.Build(view);
  const std::vector<TrackEntry> list = ListTracks(t.profiles);
  const std::vector<RankLayout> lane{RankLayout::kLane};
  t.layout.SetItems(Arrange({t.profiles, list, {}, {}, {}, {}, TrackSort::kRecorded, lane}),
                    LayoutSizes());
  t.Build(view);
  const Theme theme = MakeTheme(ThemeKind::kDark);
  CHECK((t.Row(tracks[0], 0)[200] & 0xffffffu) == (theme[Kind::kDeviceCompute] & 0xffffffu));
  CHECK((t.Row(tracks[1], 0)[550] & 0xffffffu) == (theme[Kind::kOutput] & 0xffffffu));
}

TEST_CASE("the strip above the ruler stacks what devices do") {
  const Profile profile = ProfileOf(ProfileId(0), ComputeAndCopies());
  RecordingSink sink;
  Minimap minimap;
  const TimeRange whole = Minimap::Whole(*profile.trace);
  minimap.Update(std::array{MinimapPart{&profile, whole}}, whole, 1, 1000, 20,
                 MakeTheme(ThemeKind::kDark));
  minimap.Draw(sink, nullptr, 0, 0, 0);
  const TexelFrame& frame = sink.frames[1];
  REQUIRE(frame.width == 1000);
  CHECK(frame.lines.front().kind == TexelLine::kStack);
  CHECK(HeightsIn(frame.texels[200]) == Heights{255, 255, 255});
  CHECK(HeightsIn(frame.texels[450]) == Heights{0, 0, 0});
  CHECK(HeightsIn(frame.texels[550]) == Heights{0, 0, 255});
}

TEST_CASE("every pixel line points at a row that is there") {
  PlanTester t(TrainingTrace());
  for (double scroll : {0.0, 13.0, 57.0, 200.0}) {
    t.Build({0, 10 * kPsPerMs}, 640, 150, scroll);
    REQUIRE(t.plan.lines().size() == 150);
    for (const TexelLine& line : t.plan.lines()) {
      if (line.kind == TexelLine::kNone) continue;
      CHECK(line.row < t.plan.rows().size());
      CHECK(line.y < line.height);
    }
  }
}

TEST_CASE("a heading that stays at the top lies over the rows that scroll by under it") {
  PlanTester t(TrainingTrace());
  t.stick = true;
  t.Build({0, 10 * kPsPerMs}, 640, 150, 40);
  const StickyItems sticky = t.layout.Sticky(40);
  REQUIRE(sticky.size() == 1);
  const PlanRow& over = t.plan.rows().back();
  CHECK(over.item == sticky[0].item);
  CHECK(over.kind == TexelLine::kArea);
  CHECK(t.plan.RowAt(over.item, 10) == &over);
  CHECK(t.plan.Utilisation(over.item) > 0.5);
  for (size_t y = 0; y < 150; ++y) {
    const TexelLine& line = t.plan.lines()[y];
    if (y < 22 && line.kind != TexelLine::kNone) CHECK(line.row + 1 == t.plan.rows().size());
    if (y >= 23 && line.kind != TexelLine::kNone) CHECK(line.row + 1 < t.plan.rows().size());
  }
}
