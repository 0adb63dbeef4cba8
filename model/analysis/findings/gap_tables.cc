#include "model/analysis/findings/gap_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/step_tables.h"
#include "model/analysis/tables/in_unit.h"
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
  const SharedText& Cause(StepTimeClass loss, MetaId event, MetaId inside) {
    SharedText& name = causes_[{loss, event.value, inside.value}];
    if (!name.empty() || !event.valid()) return name;
    IdleCause cause;
    cause.loss = loss;
    cause.event = event;
    cause.inside = inside;
    return name = SharedText(cause_names_.Of(cause));
  }
  // The event and those around it, innermost first: "cudaLaunchKernel < aten::mm < forward".
  const SharedText& Frames(EventRow row);

 private:
  const FindingContext& input_;
  const std::vector<SharedText> hosts_, devices_;
  std::vector<SharedText> labels_, classes_;
  std::vector<SharedText> class_labels_;
  const SharedText cpu_{"CPU"};
  const CauseNames cause_names_;
  std::map<std::tuple<StepTimeClass, uint32_t, uint32_t>, SharedText> causes_;
  std::map<uint32_t, SharedText> frames_;
};

const SharedText& GapTexts::Frames(EventRow row) {
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

RowLink LinkOf(const IdleInterval& interval) {
  RowLink link;
  if (interval.row.valid()) link = LinkTo(EventRows({interval.row}));
  link.range = interval.range;
  return link;
}

std::vector<ColumnDesc> KeyColumns() {
  using V = ValueType;
  return {
      {"stepnum", "Step", Unit::kNone, V::kString, ""},
      {"host", "Host", Unit::kNone, V::kString, ""},
      {"device", "Device", Unit::kNone, V::kString, ""},
      {"class", "Class", Unit::kNone, V::kString, "of most of the interval: as in `losses`", true},
      {"cause", "Cause", Unit::kNone, V::kString, "what the host was in for most of the interval",
       true}};
}

}  // namespace

ResultTable GapTable(const FindingContext& input) {
  const std::span<const IdleInterval> gaps = Shown(input);
  ResultTable t{"gaps", "Idle intervals" + LeftOut(input, gaps.size()), KeyColumns()};
  using V = ValueType;
  t.AddColumn({"begin_ps", "Begin", Unit::kPs, V::kInt, "from the trace's origin"});
  t.AddColumn({"durationMs", "Duration", Unit::kMs, V::kReal, "", true});
  t.AddColumn({"host_frame", "Host frames", Unit::kNone, V::kString,
               "the event of the cause and what encloses it, innermost first"});
  GapTexts texts(input);
  t.readable_column = t.Column("class");
  t.readable.reserve(gaps.size());
  t.links.reserve(gaps.size());
  for (const IdleInterval& gap : gaps) {
    t.AddRow({texts.Label(gap.step), texts.Host(gap.step), texts.Device(gap.device),
              texts.Class(gap.loss), texts.Cause(gap.loss, gap.event, gap.inside), gap.range.begin,
              InMs(gap.range.length()), texts.Frames(gap.row)});
    t.readable.push_back(texts.ClassLabel(gap.loss));
    t.links.push_back(LinkOf(gap));
  }
  return t;
}

ResultTable GapCauseTable(const FindingContext& input) {
  struct Sum {
    Ps time = 0;
    int64_t count = 0;
    IdleInterval longest;
    std::vector<EventRow> rows;
  };
  using Key = std::tuple<uint32_t, uint32_t, StepTimeClass, uint32_t, uint32_t>;
  std::map<Key, Sum> sums;
  const std::span<const IdleInterval> gaps = Shown(input);
  for (const IdleInterval& gap : gaps) {
    Sum& sum = sums[{gap.step, gap.device.value, gap.loss, gap.event.value, gap.inside.value}];
    if (sum.count++ == 0) sum.longest = gap;
    sum.time += gap.range.length();
    if (gap.row.valid()) sum.rows.push_back(gap.row);
  }
  ResultTable t{"gap_causes", "Idle intervals by step and cause" + LeftOut(input, gaps.size()),
                KeyColumns()};
  using V = ValueType;
  t.AddColumn({"timeMs", "Time", Unit::kMs, V::kReal, "sum of the intervals", true});
  t.AddColumn({"percent", "Share", Unit::kPercent, V::kReal, "of the step"});
  t.AddColumn({"count", "Intervals", Unit::kCount, V::kInt, ""});
  t.AddColumn({"longestMs", "Longest", Unit::kMs, V::kReal, ""});
  t.readable_column = t.Column("class");
  std::vector<const Sum*> sorted;
  sorted.reserve(sums.size());
  for (const auto& [key, sum] : sums) sorted.push_back(&sum);
  GapTexts texts(input);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Sum* a, const Sum* b) {
    if (a->time != b->time) return a->time > b->time;
    return a->longest.range.begin < b->longest.range.begin;
  });
  for (const Sum* sum : sorted) {
    const IdleInterval& gap = sum->longest;
    const double step = InMs(Ps{1}) * input.db().steps[gap.step].times.total;
    t.AddRow({texts.Label(gap.step), texts.Host(gap.step), texts.Device(gap.device),
              texts.Class(gap.loss), texts.Cause(gap.loss, gap.event, gap.inside), InMs(sum->time),
              step > 0 ? Value(100 * InMs(sum->time) / step) : Value(), sum->count,
              InMs(gap.range.length())});
    t.readable.push_back(texts.ClassLabel(gap.loss));
    RowLink link = LinkTo(EventRows(sum->rows));
    link.range = gap.range;
    t.links.push_back(std::move(link));
  }
  return t;
}

}  // namespace stepscope
