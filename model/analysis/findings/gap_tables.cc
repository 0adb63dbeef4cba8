#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/tables/schema.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kMostFrames = 4;

// Holds the texts that many rows share.
class GapTexts {
 public:
  explicit GapTexts(const FindingContext& input)
      : input_(input),
        hosts_(HostNames(input.trace())),
        devices_(DeviceNames(input.trace())),
        cause_names_(input.trace(), input.db()) {
    for (const Step& step : input.db().steps) labels_.emplace_back(step.label);
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      classes_.emplace_back(IdOf(static_cast<StepTimeClass>(c)));
      class_labels_.emplace_back(LabelOf(static_cast<StepTimeClass>(c)));
    }
  }
  const SharedText& Label(uint32_t step) const { return labels_[step]; }
  const SharedText& Host(uint32_t step) const { return hosts_[input_.db().steps[step].host.value]; }
  const SharedText& Device(PlaneId device) const {
    return device.valid() ? devices_[device.value] : cpu_;
  }
  const SharedText& Class(StepTimeClass loss) const { return classes_[static_cast<size_t>(loss)]; }
  const SharedText& ClassLabel(StepTimeClass loss) const {
    return class_labels_[static_cast<size_t>(loss)];
  }
  const SharedText& Cause(const IdleInterval& gap) const {
    SharedText& name = causes_[{gap.loss, gap.event.value, gap.inside.value}];
    if (!name.empty() || !gap.event.valid()) return name;
    IdleCause cause;
    cause.loss = gap.loss;
    cause.event = gap.event;
    cause.inside = gap.inside;
    return name = SharedText(cause_names_.Of(cause));
  }
  double StepTime(uint32_t step) const { return input_.db().steps[step].times.total; }  // ps
  // The event and those around it, innermost first: "cudaLaunchKernel < aten::mm < forward".
  const SharedText& Frames(EventRow row) const;

 private:
  const FindingContext& input_;
  const std::vector<SharedText> hosts_, devices_;
  std::vector<SharedText> labels_, classes_;
  std::vector<SharedText> class_labels_;
  const SharedText cpu_{"CPU"};
  const CauseNames cause_names_;
  mutable std::map<std::tuple<StepTimeClass, uint32_t, uint32_t>, SharedText> causes_;
  mutable std::map<uint32_t, SharedText> frames_;
};

const SharedText& GapTexts::Frames(EventRow row) const {
  SharedText& frames = frames_[row.value];
  if (!frames.empty() || !row.valid()) return frames;
  const TrackSet& set = input_.trace().set;
  std::string text;
  EventRow at = row;
  for (size_t depth = 0; at.valid() && depth < kMostFrames; ++depth, at = Parent(set, at))
    text += (text.empty() ? "" : " < ") + CauseName(set.Name(at));
  return frames = SharedText(text);
}

// The intervals of at least the length asked for; the longest come first.
std::span<const IdleInterval> Shown(const FindingContext& input) {
  const std::vector<IdleInterval>& all = input.db().idle.longest;
  const auto least = static_cast<Ps>(input.thresholds().Of("gaps") * static_cast<double>(kPsPerUs));
  const auto end = std::partition_point(
      all.begin(), all.end(), [&](const IdleInterval& i) { return i.range.length() >= least; });
  return {all.data(), static_cast<size_t>(end - all.begin())};
}

// A text like ", the 20000 longest of 123456 of 1 us and more", if there are more than are kept.
std::string LeftOut(const FindingContext& input, size_t shown) {
  const IdleIntervals& idle = input.db().idle;
  if (shown < idle.longest.size() || idle.count <= idle.longest.size()) return {};
  return fmt::format(", the {} longest of {} of 1 \u00b5s and more", shown, idle.count);
}

// Intervals of one step, device, class and cause.
struct GapSum {
  Ps time = 0;
  int64_t count = 0;
  IdleInterval longest;
  std::vector<EventRow> rows;
};

const IdleInterval& GapOf(const IdleInterval& gap) { return gap; }
const IdleInterval& GapOf(const GapSum& sum) { return sum.longest; }

// The columns of both tables, then `more`.
template <typename Row>
Schema<Row, GapTexts> GapSchema(const char* id, const char* title,
                                std::vector<typename Schema<Row, GapTexts>::Field> more,
                                typename Schema<Row, GapTexts>::Link link) {
  using T = GapTexts;
  std::vector<typename Schema<Row, T>::Field> fields = {
      {"stepnum", "Step", Unit::kNone,
       [](const Row& r, const T& t) { return t.Label(GapOf(r).step); }},
      {"host", "Host", Unit::kNone, [](const Row& r, const T& t) { return t.Host(GapOf(r).step); }},
      {"device", "Device", Unit::kNone,
       [](const Row& r, const T& t) { return t.Device(GapOf(r).device); }},
      {"class", "Class", Unit::kNone,
       [](const Row& r, const T& t) { return t.Class(GapOf(r).loss); },
       "of most of the interval: as in `losses`", kKeyColumn},
      {"cause", "Cause", Unit::kNone, [](const Row& r, const T& t) { return t.Cause(GapOf(r)); },
       "what the host was in for most of the interval", kKeyColumn}};
  fields.insert(fields.end(), more.begin(), more.end());
  return Schema<Row, T>(id, title, std::move(fields), std::move(link))
      .WithReadable("class", [](const Row& r, const T& t) { return t.ClassLabel(GapOf(r).loss); });
}

RowLink LinkOf(EventRows rows, TimeRange range) {
  RowLink link = LinkTo(std::move(rows));
  link.range = range;
  return link;
}

const Schema<IdleInterval, GapTexts>& IntervalSchema() {
  using G = IdleInterval;
  using T = GapTexts;
  static const auto schema =
      GapSchema<G>("gaps", "Idle intervals",
                   {{"begin_ps", "Begin", Unit::kPs, [](const G& g) { return g.range.begin; },
                     "from the trace's origin"},
                    {"durationMs", "Duration", Unit::kMs,
                     [](const G& g) { return g.range.length(); }, "", kKeyColumn},
                    {"host_frame", "Host frames", Unit::kNone,
                     [](const G& g, const T& t) { return t.Frames(g.row); },
                     "the event of the cause and what encloses it, innermost first"}},
                   [](const G& g, const T&) {
                     return LinkOf(g.row.valid() ? EventRows({g.row}) : EventRows(), g.range);
                   });
  return schema;
}

const Schema<GapSum, GapTexts>& CauseSchema() {
  using S = GapSum;
  using T = GapTexts;
  static const auto schema = GapSchema<S>(
      "gap_causes", "Idle intervals by step and cause",
      {{"timeMs", "Time", Unit::kMs, &S::time, "sum of the intervals", kKeyColumn},
       {"percent", "Share", Unit::kPercent,
        [](const S& s, const T& t) {
          const double step = InMs(Ps{1}) * t.StepTime(s.longest.step);
          return step > 0 ? std::optional(100 * InMs(s.time) / step) : std::nullopt;
        },
        "of the step"},
       {"count", "Intervals", Unit::kCount, &S::count},
       {"longestMs", "Longest", Unit::kMs, [](const S& s) { return s.longest.range.length(); }}},
      [](const S& s, const T&) { return LinkOf(EventRows(s.rows), s.longest.range); });
  return schema;
}

// The most time first.
std::vector<GapSum> SumsOf(std::span<const IdleInterval> gaps) {
  using Key = std::tuple<uint32_t, uint32_t, StepTimeClass, uint32_t, uint32_t>;
  std::map<Key, GapSum> sums;
  for (const IdleInterval& gap : gaps) {
    GapSum& sum = sums[{gap.step, gap.device.value, gap.loss, gap.event.value, gap.inside.value}];
    if (sum.count++ == 0) sum.longest = gap;
    sum.time += gap.range.length();
    if (gap.row.valid()) sum.rows.push_back(gap.row);
  }
  std::vector<GapSum> sorted;
  sorted.reserve(sums.size());
  for (auto& [key, sum] : sums) sorted.push_back(std::move(sum));
  std::stable_sort(sorted.begin(), sorted.end(), [](const GapSum& a, const GapSum& b) {
    if (a.time != b.time) return a.time > b.time;
    return a.longest.range.begin < b.longest.range.begin;
  });
  return sorted;
}

}  // namespace

ResultTable GapTable(const FindingContext& input) {
  const std::span<const IdleInterval> gaps = Shown(input);
  ResultTable table = IntervalSchema().Make(gaps, GapTexts(input));
  table.title += LeftOut(input, gaps.size());
  return table;
}

ResultTable GapCauseTable(const FindingContext& input) {
  const std::span<const IdleInterval> gaps = Shown(input);
  ResultTable table = CauseSchema().Make(SumsOf(gaps), GapTexts(input));
  table.title += LeftOut(input, gaps.size());
  return table;
}

}  // namespace stepscope
