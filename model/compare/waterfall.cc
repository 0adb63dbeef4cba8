#include "model/compare/waterfall.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "model/analysis/tables/cells.h"
#include "model/base/demangle.h"
#include "model/compare/compare_table.h"

namespace stepscope::compare {
namespace {

constexpr int64_t kSmallPart = 50;  // a row below 1/50 of the largest has no bar of its own

// The bars are made of these: two totals, and the table whose rows lead from one to the other.
struct Source {
  const char *table, *name, *change, *total_a, *total_b;
  const char *label_a, *label_b;
  Unit unit;
  double scale;  // units in one of the table's
};
constexpr std::array kSources = {
    Source{"contributions", "name", "delta_ms_per_step", "step_ms_a", "step_ms_b", "A's step",
           "B's step", Unit::kPs, static_cast<double>(kPsPerMs)},
    Source{"memory_at_peak", "frame", "delta_bytes", "memory_peak_bytes_a", "memory_peak_bytes_b",
           "A's peak", "B's peak", Unit::kBytes, 1},
};

// A row's name for people. Time in which a device does not work is named by its class too.
std::string LabelOf(const ResultTable& table, size_t row, const char* name_column) {
  const std::string name(table.ShownText(row, table.Column(name_column)));
  const std::string readable = Demangle(name);
  std::string label = readable.empty() ? name : std::string(WithoutParameters(readable));
  const std::string_view kind = table.ShownText(row, table.Column("kind"));
  const bool waits = kind == "wait" || kind == "input" || kind == "launch" || kind == "idle";
  if (waits) label = std::string(table.ShownText(row, table.Column("class"))) + ": " + label;
  return label.empty() ? "(no name)" : label;
}

class Maker {
 public:
  Maker(const AnalysisResult& result, const Source& source)
      : table_(*result.Table(source.table)),
        source_(source),
        change_(static_cast<size_t>(table_.Column(source.change))),
        a_(Rounded(NumberOf(ViewOf(result.Find(source.total_a)->value)) * source.scale)),
        b_(Rounded(NumberOf(ViewOf(result.Find(source.total_b)->value)) * source.scale)) {}

  Waterfall Make(size_t most) {
    out_.table = source_.table;
    out_.unit = source_.unit;
    Add({WaterfallBar::Kind::kA, source_.label_a, 0, a_});
    AddRows(most);
    AddRest();
    Add({WaterfallBar::Kind::kB, source_.label_b, 0, b_});
    ChooseAxis();
    return std::move(out_);
  }

 private:
  int64_t ChangeOf(size_t row) const {
    return Rounded(NumberOf(table_.At(row, change_)) * source_.scale);
  }
  void Add(WaterfallBar bar) {
    level_ = bar.to;
    out_.bars.push_back(std::move(bar));
  }
  void AddRows(size_t most);
  void AddRest();
  void ChooseAxis();

  const ResultTable& table_;
  const Source& source_;
  const size_t change_;
  const int64_t a_, b_;
  int64_t level_ = 0;  // where the last bar ends
  Waterfall out_;
};

void Maker::AddRows(size_t most) {
  const size_t rows = table_.size();
  const int64_t least = rows > 0 ? std::abs(ChangeOf(0)) / kSmallPart : 0;
  size_t own = 0;
  while (own < std::min(rows, most) && std::abs(ChangeOf(own)) > least) ++own;
  if (rows == own + 1 && ChangeOf(own) != 0) ++own;  // one row needs no bar to share
  for (size_t r = 0; r < own; ++r) {
    Add({WaterfallBar::Kind::kChange, LabelOf(table_, r, source_.name), level_,
         SaturatingAdd(level_, ChangeOf(r)), r, 1});
  }
  int64_t end = level_;
  size_t shared = 0;
  for (size_t r = own; r < rows && ChangeOf(r) != 0; ++r, ++shared)
    end = SaturatingAdd(end, ChangeOf(r));
  if (shared == 0) return;
  Add({WaterfallBar::Kind::kSmaller, std::to_string(shared) + " smaller changes", level_, end, own,
       shared});
}

// The remainder of rounding, at most one for each row, belongs to the last of them.
void Maker::AddRest() {
  const bool rounding = std::abs(SaturatingSub(b_, level_)) <= static_cast<int64_t>(table_.size());
  if (rounding && out_.bars.size() > 1) out_.bars.back().to = level_ = b_;
  if (level_ != b_) Add({WaterfallBar::Kind::kRest, "Rest", level_, b_});
}

// The axis begins at 0 unless the bars between A and B would be slivers then.
void Maker::ChooseAxis() {
  constexpr int64_t kSliver = 4;
  int64_t low = a_, high = a_;
  for (const WaterfallBar& bar : out_.bars) {
    low = std::min(low, bar.to);
    high = std::max(high, bar.to);
  }
  const int64_t spread = SaturatingSub(high, low);
  const bool from_zero = spread == 0 || spread >= high / kSliver || low <= spread / 2;
  out_.low = from_zero ? std::min<int64_t>(low, 0) : low - spread / 2;
  out_.high = std::max<int64_t>(high, out_.low + 1);
}

bool Has(const AnalysisResult& result, const Source& source) {
  const ResultTable* table = result.Table(source.table);
  return table != nullptr && table->Column(source.change) >= 0 &&
         result.Find(source.total_a) != nullptr && result.Find(source.total_b) != nullptr;
}

}  // namespace

Waterfall WaterfallOf(const AnalysisResult& comparison, size_t most) {
  for (const Source& source : kSources) {
    if (Has(comparison, source)) return Maker(comparison, source).Make(most);
  }
  return {};
}

std::string TotalText(int64_t value, Unit unit) { return FormatValue(Value(value), unit); }

std::string ChangeText(int64_t change, Unit unit) {
  return (change > 0 ? "+" : "") + TotalText(change, unit);
}

}  // namespace stepscope::compare
