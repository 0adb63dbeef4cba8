#include "model/query/call_tree.h"

#include <algorithm>
#include <string>

#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

constexpr uint32_t kDeepestIndent = 40;

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
  using F = uint32_t;  // index of a frame
  const auto whole = static_cast<double>(tree.frames.front().total);
  const auto frame = [&](F f) -> const CallFrame& { return tree.frames[f]; };
  const auto name = [&](F f) { return NameOf(frame(f), trace.names()); };
  const auto share = [&](F f) {
    const auto part = static_cast<double>(turned ? frame(f).self : frame(f).total);
    return whole > 0 ? std::optional(100 * part / whole) : std::nullopt;
  };
  const auto link = [&](F f, const NoFacts&) {
    const auto rows = tree.RowsOf(f);
    RowLink to = LinkTo(EventRows({rows.begin(), rows.end()}));
    to.total = frame(f).count;
    return to;
  };
  return Schema<F>(turned ? "bottom_up" : "top_down", turned ? "Bottom-up" : "Top-down",
                   {{"name", "Name", Unit::kNone, name},
                    {"total_us", "Total", Unit::kUs, [&](F f) { return frame(f).total; },
                     turned ? "durations of the function at the top, when it was called from here; "
                              "inside itself it counts once"
                            : "sum of durations, with all that is inside",
                     kKeyColumn},
                    {"self_us", "Self", Unit::kUs, [&](F f) { return frame(f).self; },
                     turned ? "self time of the function at the top, when it was called from here"
                            : "without the events inside",
                     kKeyColumn},
                    {"share", "Share", Unit::kPercent, share,
                     turned ? "self time / all time of the selection"
                            : "total / all time of the selection"},
                    {"count", "Count", Unit::kCount, [&](F f) { return frame(f).count; },
                     turned ? "calls of the function at the top" : ""},
                    {"depth", "Depth", Unit::kNone, [&](F f) { return frame(f).depth; },
                     turned ? "callers down from it" : "callers above"},
                    {"parent", turned ? "Calls" : "Called by", Unit::kNone,
                     [&](F f) { return name(frame(f).parent); }}},
                   link)
      .WithReadable("name", [&](F f, const NoFacts&) { return Indented(name(f), frame(f).depth); })
      .Make(ListedFrames(tree, turned));
}

}  // namespace stepscope
