#include "model/query/call_tree_table.h"

#include <algorithm>
#include <string>

#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

constexpr uint32_t kDeepestIndent = 40;

std::vector<ColumnDesc> Columns(bool turned) {
  using V = ValueType;
  return {
      {"name", "Name", Unit::kNone, V::kString, ""},
      {"total_us", "Total", Unit::kUs, V::kReal,
       turned ? "durations of the function at the top, when it was called from here; inside "
                "itself it counts once"
              : "sum of durations, with all that is inside",
       true},
      {"self_us", "Self", Unit::kUs, V::kReal,
       turned ? "self time of the function at the top, when it was called from here"
              : "without the events inside",
       true},
      {"share", "Share", Unit::kPercent, V::kReal,
       turned ? "self time / all time of the selection" : "total / all time of the selection"},
      {"count", "Count", Unit::kCount, V::kInt, turned ? "calls of the function at the top" : ""},
      {"depth", "Depth", Unit::kNone, V::kInt, turned ? "callers down from it" : "callers above"},
      {"parent", turned ? "Calls" : "Called by", Unit::kNone, V::kString, ""}};
}

SharedText Indented(std::string_view name, uint32_t depth) {
  std::string text;
  for (uint32_t d = 1; d < std::min(depth, kDeepestIndent); ++d) text += "\u2003";  // an em
  text += name;
  return SharedText(text);
}

std::vector<uint32_t> ListedFrames(const CallTree& tree, bool turned) {
  std::vector<uint32_t> listed;
  for (uint32_t f = 1; f < tree.frames.size(); ++f) listed.push_back(f);
  if (listed.size() <= kMostListedFrames) return listed;
  // No frame has more time than the one above it, so the largest are a tree.
  const auto more = [&](uint32_t a, uint32_t b) {
    const CallFrame &x = tree.frames[a], &y = tree.frames[b];
    const Ps of_a = turned ? x.self : x.total, of_b = turned ? y.self : y.total;
    return of_a != of_b ? of_a > of_b : a < b;
  };
  std::nth_element(listed.begin(), listed.begin() + kMostListedFrames, listed.end(), more);
  listed.resize(kMostListedFrames);
  std::sort(listed.begin(), listed.end());
  return listed;
}

}  // namespace

ResultTable CallTreeTable(const Trace& trace, const CallTree& tree, bool turned) {
  ResultTable t{turned ? "bottom_up" : "top_down", turned ? "Bottom-up" : "Top-down",
                Columns(turned)};
  t.readable_column = 0;
  const auto whole = static_cast<double>(tree.frames.front().total);
  for (const uint32_t f : ListedFrames(tree, turned)) {
    const CallFrame& frame = tree.frames[f];
    const std::string_view name = NameOf(frame, trace.names());
    const auto of_share = static_cast<double>(turned ? frame.self : frame.total);
    t.AddRow({SharedText(name), InUs(frame.total), InUs(frame.self),
              whole > 0 ? Value(100 * of_share / whole) : Value(),
              static_cast<int64_t>(frame.count), static_cast<int64_t>(frame.depth),
              SharedText(NameOf(tree.frames[frame.parent], trace.names()))});
    t.readable.emplace_back(Indented(name, frame.depth));
    const auto rows = tree.RowsOf(f);
    t.links.push_back(LinkTo(EventRows({rows.begin(), rows.end()})));
    t.links.back().total = frame.count;
  }
  return t;
}

}  // namespace stepscope
