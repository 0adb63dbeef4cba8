#include "model/analysis/steps/loss_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/analysis/steps/step_table.h"

namespace stepscope {
namespace {

constexpr size_t kMostCauses = 20'000;

// The time of the shortest cause that is shown if there are more than a table should have; else 0.
Ps LeastTime(const std::vector<IdleCause>& causes) {
  if (causes.size() <= kMostCauses) return 0;
  std::vector<Ps> times;
  times.reserve(causes.size());
  for (const IdleCause& cause : causes) times.push_back(cause.time);
  const auto last = times.begin() + kMostCauses - 1;
  std::nth_element(times.begin(), last, times.end(), std::greater<>());
  return std::max<Ps>(*last, 1);
}

// The step's time on the cause's device, in ps; on a CPU the time of the step.
double WholeOf(const StepDatabase& db, const IdleCause& cause) {
  const auto key = std::tuple(cause.step, cause.device.value);
  const auto it = std::lower_bound(
      db.device_steps.begin(), db.device_steps.end(), key,
      [](const DeviceStep& d, const auto& k) { return std::tuple(d.step, d.device.value) < k; });
  const bool found = it != db.device_steps.end() && std::tuple(it->step, it->device.value) == key;
  return found ? it->times.total : db.steps[cause.step].times.total;
}

// Counts the causes of each class, which follow each other.
class CauseCounter {
 public:
  // Whether the cause is the rest of its class, behind its largest causes.
  bool IsRest(const IdleCause& cause) {
    const auto key = std::tuple(cause.step, cause.device.value, cause.loss);
    of_class_ = key == key_ ? of_class_ + 1 : 0;
    key_ = key;
    return of_class_ >= kCausesOfClass;
  }

 private:
  std::tuple<uint32_t, uint32_t, StepTimeClass> key_{};
  size_t of_class_ = 0;
};

// By StepTimeGroups(), whether any step has time in the group.
std::vector<bool> Occurring(const std::vector<Step>& steps) {
  std::vector<bool> occurs(StepTimeGroups().size());
  for (const Step& step : steps) {
    const std::vector<double> times = GroupedStepTimes(step);
    for (size_t i = 0; i < times.size(); ++i) occurs[i] = occurs[i] || times[i] > 0;
  }
  return occurs;
}

// Whether the device of a TPU's cause is in an op that waits, and not idle.
bool WorksMeanwhile(const StepDatabase& db, const IdleCause& cause) {
  return db.kind == DeviceKind::kTpu && !IsIdle(cause.loss);
}

// The name of a cause without an event. `rest`: it stands for the smaller causes of its class.
const char* NameWithoutEvent(StepTimeClass loss, bool rest) {
  if (rest) return "others";
  if (loss == StepTimeClass::kUnknown) return "nothing recorded";
  return loss == StepTimeClass::kQueued ? "gaps between launched work" : "others";
}

// One cause in all steps that count.
struct CauseSum {
  StepTimeClass loss = StepTimeClass::kUnknown;
  std::string name;
  double time = 0;  // ps: sum over steps of the mean over devices
  uint64_t count = 0;
  std::set<uint32_t> steps, devices;
  TimeRange longest;
  std::vector<EventRow> rows;

  void Add(const IdleCause& cause, double devices_of_step) {
    time += static_cast<double>(cause.time) / devices_of_step;
    count += cause.count;
    steps.insert(cause.step);
    devices.insert(cause.device.value);
    if (cause.longest.length() > longest.length()) longest = cause.longest;
    for (const EventRow row : cause.rows) {
      if (row.valid() && rows.size() < kMostRows) rows.push_back(row);
    }
  }

 private:
  static constexpr size_t kMostRows = 1000;
};

// By falling time.
std::vector<CauseSum> SumsOfCauses(const Trace& trace, const StepDatabase& db) {
  std::vector<double> devices(db.steps.size());
  for (const DeviceStep& d : db.device_steps) ++devices[d.step];
  const bool all =
      std::none_of(db.steps.begin(), db.steps.end(), [](const Step& s) { return s.counts(); });
  const CauseNames names(trace, db);
  std::map<std::pair<StepTimeClass, std::string>, CauseSum> by_name;
  // By class, event, the op around it, and whether it is the rest: a name is made once.
  std::map<std::tuple<StepTimeClass, uint32_t, uint32_t, bool>, CauseSum*> known;
  CauseCounter counter;
  for (const IdleCause& cause : db.causes) {
    const bool rest = counter.IsRest(cause);
    if ((!all && !db.steps[cause.step].counts()) || WorksMeanwhile(db, cause)) continue;
    CauseSum*& sum = known[{cause.loss, cause.event.value, cause.inside.value, rest}];
    if (sum == nullptr) {
      std::string name = cause.event.valid() ? names.Of(cause) : NameWithoutEvent(cause.loss, rest);
      sum = &by_name[{cause.loss, std::move(name)}];
    }
    sum->Add(cause, std::max(1.0, devices[cause.step]));
  }
  std::vector<CauseSum> sums;
  for (auto& [key, sum] : by_name) {
    std::tie(sum.loss, sum.name) = key;
    sums.push_back(std::move(sum));
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const CauseSum& a, const CauseSum& b) { return a.time > b.time; });
  return sums;
}

}  // namespace

const char* LabelOf(StepTimeClass c) {
  static constexpr std::array<const char*, kStepTimeClasses> kLabels = {"Compute",
                                                                        "Copies to the device",
                                                                        "Copies to the host",
                                                                        "Copies on the device",
                                                                        "Waiting for participants",
                                                                        "Collectives",
                                                                        "Waiting for input",
                                                                        "Synchronisation",
                                                                        "Compilation",
                                                                        "Kernel launch",
                                                                        "Queued work",
                                                                        "Host work",
                                                                        "Between steps",
                                                                        "Not explained"};
  return c < StepTimeClass::kCount ? kLabels[static_cast<size_t>(c)] : "";
}

ResultTable LossTable(const Verdict& verdict, bool whole) {
  ResultTable t;
  t.id = "losses";
  t.title = whole ? "What the recording loses: it has no steps" : "What a step loses";
  t.SetColumns(
      {{"class", "Class", Unit::kNone, ValueType::kString, ""},
       {"label", "Loss", Unit::kNone, ValueType::kString, ""},
       {"timeMs", "Time", Unit::kMs, ValueType::kReal, "of an average step, mean over devices"},
       {"percent", "Share", Unit::kPercent, ValueType::kReal, "of the step time"},
       {"causes", "Causes", Unit::kNone, ValueType::kString, "the largest, by share of the loss",
        true}});
  for (const Loss& loss : verdict.losses) {
    t.AddRow(
        {loss.id, loss.label, loss.ps / static_cast<double>(kPsPerMs), loss.percent, loss.causes});
    t.links.push_back(loss.link);
  }
  return t;
}

ResultTable StepLossTable(const StepDatabase& db) {
  ResultTable t;
  t.id = "step_losses";
  t.title = "What each step goes into";
  t.SetColumns({{"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
                {"stepTimeMs", "Step time", Unit::kMs, ValueType::kReal,
                 "mean over devices; the sum of the columns behind it", true}});
  const std::vector<bool> occurs = Occurring(db.steps);
  const std::vector<StepTimeGroup> groups = StepTimeGroups();
  for (size_t i = 0; i < groups.size(); ++i) {
    if (occurs[i])
      t.AddColumn({groups[i].id, groups[i].label, Unit::kMs, ValueType::kReal,
                   i == 1 ? "its copies and fills that no kernel hides" : ""});
  }
  for (const Step& step : db.steps) {
    std::vector<Value> row;
    row.reserve(t.columns.size());
    row.emplace_back(SharedText(step.label));
    row.emplace_back(step.times.total / static_cast<double>(kPsPerMs));
    const std::vector<double> times = GroupedStepTimes(step);
    for (size_t i = 0; i < times.size(); ++i) {
      if (occurs[i]) row.emplace_back(times[i] / static_cast<double>(kPsPerMs));
    }
    t.AddRow(std::move(row));
    t.links.emplace_back().range = step.span;
  }
  return t;
}

ResultTable IdleByCauseTable(const Trace& trace, const StepDatabase& db) {
  ResultTable t;
  t.id = "idle_by_cause";
  t.title = "Why devices are idle";
  t.SetColumns(
      {{"class", "Class", Unit::kNone, ValueType::kString, ""},
       {"cause", "Cause", Unit::kNone, ValueType::kString,
        "the event that the host was in; what is not among the five causes that a step names "
        "of a class is \"others\"",
        true},
       {"timeMs", "Time", Unit::kMs, ValueType::kReal, "of an average step, mean over devices"},
       {"percent", "Share", Unit::kPercent, ValueType::kReal, "of the step time"},
       {"steps", "Steps", Unit::kCount, ValueType::kInt, "of those that count, how many have it"},
       {"devices", "Devices", Unit::kCount, ValueType::kInt, "that have it", true},
       {"count", "Intervals", Unit::kCount, ValueType::kInt, "in the steps that count"}});
  t.readable_column = t.Column("class");
  const std::vector<const Step*> counted = CountedSteps(db.steps);
  double whole = 0;
  for (const Step* step : counted) whole += step->times.total;
  for (const CauseSum& sum : SumsOfCauses(trace, db)) {
    t.AddRow({SharedText(IdOf(sum.loss)), SharedText(sum.name),
              sum.time / static_cast<double>(kPsPerMs * std::max<size_t>(1, counted.size())),
              whole > 0 ? 100 * sum.time / whole : 0.0, static_cast<int64_t>(sum.steps.size()),
              static_cast<int64_t>(sum.devices.size()), static_cast<int64_t>(sum.count)});
    t.readable.emplace_back(SharedText(LabelOf(sum.loss)));
    RowLink link = LinkTo(EventRows(sum.rows));
    link.range = sum.longest;
    t.links.push_back(std::move(link));
  }
  return t;
}

ResultTable IdleCauseTable(const Trace& trace, const StepDatabase& db) {
  ResultTable t;
  t.id = "idle_causes";
  t.title = "Why devices are idle, step by step";
  t.SetColumns(
      {{"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
       {"host", "Host", Unit::kNone, ValueType::kString, ""},
       {"device", "Device", Unit::kNone, ValueType::kString, ""},
       {"class", "Class", Unit::kNone, ValueType::kString, "", true},
       {"cause", "Cause", Unit::kNone, ValueType::kString,
        "the event that the host was in; of each class those with a fifth of it and then those "
        "with most time in all steps, five together, the rest is \"others\"; of unknown and queued "
        "what is open "
        "while work that was launched does not begin",
        true},
       {"timeMs", "Time", Unit::kMs, ValueType::kReal, "of the device's idle time", true},
       {"percent", "Share", Unit::kPercent, ValueType::kReal, "of the step's time on the device",
        true},
       {"count", "Intervals", Unit::kCount, ValueType::kInt, ""}});
  std::vector<SharedText> labels, classes, class_labels;
  for (const Step& step : db.steps) labels.emplace_back(step.label);
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    classes.emplace_back(IdOf(static_cast<StepTimeClass>(c)));
    class_labels.emplace_back(LabelOf(static_cast<StepTimeClass>(c)));
  }
  t.readable_column = t.Column("class");
  const std::vector<SharedText> hosts = HostNames(trace), devices = DeviceNames(trace);
  const CauseNames cause_names(trace, db);
  // By class, event and the op around it.
  std::map<std::tuple<StepTimeClass, uint32_t, uint32_t>, SharedText> names;
  const SharedText cpu("CPU");
  const Ps least = LeastTime(db.causes);
  CauseCounter counter;
  if (least > 0) t.title += fmt::format(", the {} longest", kMostCauses);
  for (const IdleCause& cause : db.causes) {
    const bool rest = counter.IsRest(cause);
    if (cause.time < least || WorksMeanwhile(db, cause)) continue;
    const Step& step = db.steps[cause.step];
    SharedText& name = names[{cause.loss, cause.event.value, cause.inside.value}];
    if (name.empty() && cause.event.valid()) name = SharedText(cause_names.Of(cause));
    const double whole = WholeOf(db, cause);
    t.AddRow({labels[cause.step], hosts[step.host.value],
              cause.device.valid() ? devices[cause.device.value] : cpu,
              classes[static_cast<size_t>(cause.loss)],
              cause.event.valid() ? name : SharedText(NameWithoutEvent(cause.loss, rest)),
              static_cast<double>(cause.time) / static_cast<double>(kPsPerMs),
              whole > 0 ? 100 * static_cast<double>(cause.time) / whole : 0.0,
              static_cast<int64_t>(cause.count)});
    t.readable.emplace_back(class_labels[static_cast<size_t>(cause.loss)]);
    std::vector<EventRow> rows;
    for (const EventRow row : cause.rows) {
      if (row.valid()) rows.push_back(row);
    }
    RowLink link = LinkTo(EventRows(std::move(rows)));
    link.range = cause.longest;
    t.links.push_back(std::move(link));
  }
  return t;
}

}  // namespace stepscope
