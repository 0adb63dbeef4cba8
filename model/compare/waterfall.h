// Waterfall: the way from A's median step to B's, bar by bar: A, what each contribution adds or
// takes away, B (docs/compare.md#waterfall). With two memory snapshots it leads from peak to peak.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope::compare {

struct WaterfallBar {
  // kSmaller: several rows, each too small for a bar of its own. kRest: what no row explains.
  enum class Kind : uint8_t { kA, kChange, kSmaller, kRest, kB };
  Kind kind = Kind::kChange;
  std::string label;
  // A change begins where the bar before it ends. A and B begin at 0.
  int64_t from = 0, to = 0;
  size_t first_row = 0, rows = 0;  // the rows of the table that it stands for
  std::string shown = {};          // a short name for a chart; empty: the label
  int64_t change() const { return SaturatingSub(to, from); }
  bool total() const { return kind == Kind::kA || kind == Kind::kB; }
};

struct Contribution;  // model/compare/contributions.h

// "Launch: ", the class of time in which a device does not work; "" of work.
std::string WaitOf(const Contribution& contribution);

struct Waterfall {
  std::string table;               // id of the table that the rows are of
  Unit unit = Unit::kPs;           // of all numbers: kPs or kBytes
  int64_t low = 0, high = 0;       // the axis; low is above 0 if the changes are small
  std::vector<WaterfallBar> bars;  // A first, B last; empty: there is nothing to compare
};

inline constexpr size_t kMostWaterfallRows = 12;  // rows that have bars of their own

// The bars of a result of CompareProfiles. The numbers are integers, so that the changes sum to
// B - A exactly. The rows are those of the table, the largest change first. A row beyond `most`, or
// below a fiftieth of the largest, shares a bar with all that follow. O(rows).
Waterfall WaterfallOf(const AnalysisResult& comparison, size_t most = kMostWaterfallRows);

// "24.60 ms", or for a change "+3.20 ms". `unit`: as in Waterfall.
std::string TotalText(int64_t value, Unit unit);
std::string ChangeText(int64_t change, Unit unit);

// Colours as SVG writes them.
struct WaterfallColors {
  std::string text, soft, total, slower, faster, rest;
  std::string background;  // empty: the picture is a part of an HTML page
};
// The picture, a row for each bar. It is a file of its own if there is a background. O(bars).
std::string ToSvg(const Waterfall& waterfall, const WaterfallColors& colors);
// Columns: what, from, to, change; in ms or bytes. O(bars).
std::string ToCsv(const Waterfall& waterfall);

}  // namespace stepscope::compare
