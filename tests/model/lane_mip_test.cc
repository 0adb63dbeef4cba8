#include "model/lane_mip.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/model/lane_support.h"

namespace stepscope {
namespace {

using test::OwnedLane;
using test::Random;
using test::RandomLane;
using test::Uniform;
using Wide = __int128;

bool Touches(const OwnedLane& lane, size_t i, TimeRange r) {
  const Ps s = lane.start[i], e = lane.end(i);
  return s < r.end && (e > r.begin || s >= r.begin);
}

Ps Inside(const OwnedLane& lane, size_t i, TimeRange r) {
  return std::max<Ps>(0, std::min(lane.end(i), r.end) - std::max(lane.start[i], r.begin));
}

// The exact pixels that an event covers by the definition in the header.
std::pair<uint32_t, uint32_t> Pixels(const OwnedLane& lane, size_t i, TimeRange view,
                                     uint32_t width) {
  const Wide length = Wide{view.end} - view.begin;
  const Wide first = (Wide{std::max(lane.start[i], view.begin)} - view.begin) * width / length;
  Wide last = first;
  if (Wide{lane.dur[i]} * width >= length) {
    const Wide end = (Wide{std::min(lane.end(i), view.end)} - view.begin) * width;
    last = std::max(first, (end + length - 1) / length - 1);
  }
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(last)};
}

// Whether a short event begins in the first quarter of its pixel, so that a group may include it.
bool InFirstQuarter(const OwnedLane& lane, size_t i, TimeRange view, uint32_t width) {
  const Wide length = Wide{view.end} - view.begin;
  const auto [first, last] = Pixels(lane, i, view, width);
  const Wide into_pixel = (Wide{lane.start[i]} - view.begin) * width - Wide{first} * length;
  return first == last && into_pixel * 4 <= length + 4 * width;
}

// Checks all that the header promises about the bins of a view; "" if it holds. `grouped`: whether
// a pyramid made the bins.
std::string WhatIsWrong(const OwnedLane& lane, TimeRange view, uint32_t width,
                        const std::vector<Bin>& bins, bool grouped) {
  std::vector<size_t> touching;
  for (size_t i = 0; i < lane.size(); ++i) {
    if (!view.empty() && Touches(lane, i, view)) touching.push_back(i);
  }
  if (bins.size() > width) return "more bins than pixels";
  std::vector<char> covered(width, 0), expected(width, 0);
  size_t k = 0;  // bins hold consecutive events
  uint32_t next_px = 0;
  for (const Bin& bin : bins) {
    if (bin.px < next_px || bin.width == 0 || bin.px + bin.width > width)
      return "bins share pixels or leave the view";
    next_px = bin.px + bin.width;
    std::fill_n(covered.begin() + bin.px, bin.width, 1);
    if (bin.count == 0 || k + bin.count > touching.size()) return "counts exceed the events";
    if (bin.width > 1 && bin.count > 1) return "a wide bin folds several events";
    Ps busy = 0, longest = -1;
    bool event_there = false;
    for (uint32_t j = 0; j < bin.count; ++j, ++k) {
      const size_t i = touching[k];
      busy += Inside(lane, i, view);
      longest = std::max(longest, lane.dur[i]);
      event_there = event_there || i == bin.event;
    }
    const Ps rounding = longest / 1'000'000;  // nodes hold it as a float
    if (!event_there || lane.dur[bin.event] < longest - rounding) return "not the longest event";
    if (busy != bin.busy) return "busy time differs";
  }
  if (k != touching.size()) return "counts do not sum to the events touching";
  std::vector<char> may_miss(width, 1);
  for (const size_t i : touching) {
    const auto [first, last] = Pixels(lane, i, view, width);
    std::fill(expected.begin() + first, expected.begin() + last + 1, 1);
    if (!grouped || !InFirstQuarter(lane, i, view, width)) {
      std::fill(may_miss.begin() + first, may_miss.begin() + last + 1, 0);
    }
  }
  for (uint32_t px = 0; px < width; ++px) {
    if (covered[px] && !expected[px]) return "a pixel without an event is covered";
    if (expected[px] && !covered[px] && !may_miss[px])
      return "a pixel with an event is not covered";
  }
  return "";
}

TimeRange RandomView(Random& random, const OwnedLane& lane) {
  const Ps begin = lane.start.front(), end = lane.end(lane.size() - 1);
  const Ps span = std::max<Ps>(end - begin, 1);
  switch (random() % 5) {
    case 0:
      return {begin - span / 7, end + span / 5 + 1};
    case 1: {  // a few events
      const size_t i = random() % lane.size();
      return {lane.start[i] - Uniform(random, 0, 5), lane.start[i] + Uniform(random, 1, 400)};
    }
    case 2: {  // the borders of the view lie on those of events
      const size_t i = random() % lane.size(), j = random() % lane.size();
      const Ps a = lane.start[std::min(i, j)], b = lane.end(std::max(i, j));
      return {a, std::max(b, a + 1)};
    }
    default: {
      const Ps length = std::max<Ps>(1, span >> Uniform(random, 0, 20));
      const Ps a = Uniform(random, begin - length, end);
      return {a, a + length};
    }
  }
}

void CheckLane(Random& random, size_t n, int views) {
  const OwnedLane lane = RandomLane(random, n);
  LaneMip mip;
  mip.Build(lane.view());
  const LaneMip no_pyramid;
  for (int v = 0; v < views; ++v) {
    const TimeRange view = RandomView(random, lane);
    const uint32_t width = random() % 4 == 0 ? static_cast<uint32_t>(Uniform(random, 1, 5))
                                             : static_cast<uint32_t>(Uniform(random, 6, 2000));
    std::vector<Bin> bins, scanned;
    mip.AppendBins(lane.view(), view, width, &bins);
    no_pyramid.AppendBins(lane.view(), view, width, &scanned);
    CAPTURE(n);
    CAPTURE(view.begin);
    CAPTURE(view.end);
    CAPTURE(width);
    REQUIRE(WhatIsWrong(lane, view, width, bins, true) == "");
    REQUIRE(WhatIsWrong(lane, view, width, scanned, false) == "");
    Ps busy = 0;
    for (size_t i = 0; i < lane.size(); ++i) busy += Inside(lane, i, view);
    REQUIRE(mip.BusyIn(lane.view(), view) == busy);
  }
}

TEST_CASE("bins and busy time equal a naive reference on random lanes and views") {
  Random random(20261121);
  for (int round = 0; round < 300; ++round)
    CheckLane(random, static_cast<size_t>(Uniform(random, 1, 300)), 20);
  for (int round = 0; round < 30; ++round)
    CheckLane(random, static_cast<size_t>(Uniform(random, 1000, 9000)), 20);
  CheckLane(random, 100'000, 40);
  CheckLane(random, 16 * 8 * 8 * 8, 40);  // whole nodes on every level
}

TEST_CASE("a pyramid built in parts on any thread is the same") {
  Random random(7);
  const OwnedLane lane = RandomLane(random, 3 * LaneMip::kPartEvents + 1234);
  LaneMip whole, parts;
  whole.Build(lane.view());
  const uint32_t n = parts.Prepare(lane.view());
  CHECK(n == 4);
  ParallelFor(
      n, [&](size_t part) { parts.BuildPart(lane.view(), static_cast<uint32_t>(n - 1 - part)); },
      3);
  parts.Finish();
  for (const uint32_t width : {1u, 3u, 100u}) {
    std::vector<Bin> a, b;
    const TimeRange view{lane.start.front() + 1, lane.end(lane.size() - 1) - 1};
    whole.AppendBins(lane.view(), view, width, &a);
    parts.AppendBins(lane.view(), view, width, &b);
    CHECK(WhatIsWrong(lane, view, width, b, true) == "");
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) CHECK(a[i].busy == b[i].busy);
  }
}

TEST_CASE("neighbouring events share a pixel as the header says") {
  OwnedLane lane;
  lane.Add(10, 23);  // pixels 1-3
  lane.Add(34, 1);   // folded into pixel 3 with the next
  lane.Add(36, 1);
  lane.Add(38, 25);  // begins in pixel 3, which is taken: 4-6
  lane.Add(65, 12);  // pixels 6-7: takes 6
  lane.Add(90, 5);
  LaneMip mip;
  mip.Build(lane.view());
  std::vector<Bin> bins;
  mip.AppendBins(lane.view(), {0, 100}, 10, &bins);
  std::string text;
  for (const Bin& b : bins) {
    text +=
        std::to_string(b.px) + "+" + std::to_string(b.width) + ":" + std::to_string(b.count) + " ";
  }
  CHECK(text == "1+2:1 3+1:2 4+2:1 6+2:1 9+1:1 ");
}

TEST_CASE("views of fewer ps than pixels, outside the lane, empty ones, and at the ends of time") {
  OwnedLane lane;
  for (int i = 0; i < 100; ++i) lane.Add(i * 2, 1);
  LaneMip mip;
  mip.Build(lane.view());
  std::vector<Bin> bins;
  mip.AppendBins(lane.view(), {4, 7}, 300, &bins);  // [4,5) and [6,7), 100 pixels a ps
  REQUIRE(bins.size() == 2);
  CHECK(bins[0].px == 0);
  CHECK(bins[0].width == 100);
  CHECK(bins[1].px == 200);
  CHECK(bins[1].width == 100);
  for (const TimeRange view :
       {TimeRange{-50, 0}, TimeRange{200, 300}, TimeRange{5, 5}, TimeRange{9, 3}}) {
    bins.clear();
    mip.AppendBins(lane.view(), view, 100, &bins);
    CHECK(bins.empty());
    CHECK(mip.BusyIn(lane.view(), view) == 0);
  }
  mip.AppendBins(lane.view(), {0, 100}, 0, &bins);
  CHECK(bins.empty());

  OwnedLane all;
  all.Add(kMinPs, 1);
  all.Add(kMinPs + 1, kMaxPs);  // ends at 0
  all.Add(0, kMaxPs);
  LaneMip ends;
  ends.Build(all.view());
  ends.AppendBins(all.view(), {kMinPs, kMaxPs}, 1000, &bins);
  REQUIRE(bins.size() == 3);
  CHECK(bins[0].count == 1);
  CHECK(bins[1].px == 1);
  CHECK(bins[1].width == 499);
  CHECK(bins[2].px == 500);
  CHECK(bins[2].width == 500);
  CHECK(ends.BusyIn(all.view(), {kMinPs, kMaxPs}) == kMaxPs);  // saturates
  CHECK(ends.BusyIn(all.view(), {-10, 10}) == 20);
}

TEST_CASE("instants fold by pixel") {
  OwnedLane lane;
  for (int i = 0; i < 5000; ++i) lane.Add(i / 10, 0);
  LaneMip mip;
  mip.Build(lane.view());
  std::vector<Bin> bins;
  mip.AppendBins(lane.view(), {100, 200}, 10, &bins);
  REQUIRE(bins.size() == 10);
  uint32_t sum = 0;
  for (const Bin& b : bins) {
    CHECK(b.count >= 75);
    CHECK(b.count <= 125);
    sum += b.count;
  }
  CHECK(sum == 1000);
}

TEST_CASE("bins depend on pixels, never on the number of events") {
  Random random(3);
  const OwnedLane lane = RandomLane(random, 200'000);
  LaneMip mip;
  mip.Build(lane.view());
  std::vector<Bin> bins;
  mip.AppendBins(lane.view(), {lane.start.front(), lane.end(lane.size() - 1)}, 50, &bins);
  CHECK(bins.size() <= 50);
  CHECK(static_cast<double>(mip.bytes()) / static_cast<double>(lane.size()) < 1.4);
}

}  // namespace
}  // namespace stepscope
