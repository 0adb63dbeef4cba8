#include "model/analysis/steps/loss_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
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
  t.columns = {
      {"class", "Class", Unit::kNone, ValueType::kString, ""},
      {"label", "Loss", Unit::kNone, ValueType::kString, ""},
      {"timeMs", "Time", Unit::kMs, ValueType::kReal, "of an average step, mean over devices"},
      {"percent", "Share", Unit::kPercent, ValueType::kReal, "of the step time"},
      {"causes", "Causes", Unit::kNone, ValueType::kString, "the largest, by share of the loss",
       true}};
  for (const Loss& loss : verdict.losses) {
    t.rows.push_back(
        {loss.id, loss.label, loss.ps / static_cast<double>(kPsPerMs), loss.percent, loss.causes});
    t.links.push_back(loss.link);
  }
  return t;
}

ResultTable StepLossTable(const StepDatabase& db) {
  ResultTable t;
  t.id = "step_losses";
  t.title = "What each step goes into";
  t.columns = {{"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
               {"stepTimeMs", "Step time", Unit::kMs, ValueType::kReal,
                "mean over devices; the sum of the columns behind it", true}};
  const std::vector<bool> occurs = Occurring(db.steps);
  const std::vector<StepTimeGroup> groups = StepTimeGroups();
  for (size_t i = 0; i < groups.size(); ++i) {
    if (occurs[i])
      t.columns.push_back({groups[i].id, groups[i].label, Unit::kMs, ValueType::kReal,
                           i == 0 ? "copies and fills on the device included" : ""});
  }
  for (const Step& step : db.steps) {
    std::vector<Value>& row = t.rows.emplace_back();
    row.reserve(t.columns.size());
    row.emplace_back(SharedText(step.label));
    row.emplace_back(step.times.total / static_cast<double>(kPsPerMs));
    const std::vector<double> times = GroupedStepTimes(step);
    for (size_t i = 0; i < times.size(); ++i) {
      if (occurs[i]) row.emplace_back(times[i] / static_cast<double>(kPsPerMs));
    }
    t.links.emplace_back().range = step.span;
  }
  return t;
}

ResultTable IdleCauseTable(const Trace& trace, const StepDatabase& db) {
  ResultTable t;
  t.id = "idle_causes";
  t.title = "Why devices are idle";
  t.columns = {
      {"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
      {"host", "Host", Unit::kNone, ValueType::kString, ""},
      {"device", "Device", Unit::kNone, ValueType::kString, ""},
      {"class", "Class", Unit::kNone, ValueType::kString, "", true},
      {"cause", "Cause", Unit::kNone, ValueType::kString,
       "the event that the host was in; of each class of a step the five largest, the rest is "
       "\"others\"; of unknown and queued what is open "
       "while work that was launched does not begin",
       true},
      {"timeMs", "Time", Unit::kMs, ValueType::kReal, "of the device's idle time", true},
      {"percent", "Share", Unit::kPercent, ValueType::kReal, "of the step's time on the device",
       true},
      {"count", "Intervals", Unit::kCount, ValueType::kInt, ""}};
  std::vector<SharedText> labels, classes, class_labels;
  for (const Step& step : db.steps) labels.emplace_back(step.label);
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    classes.emplace_back(IdOf(static_cast<StepTimeClass>(c)));
    class_labels.emplace_back(LabelOf(static_cast<StepTimeClass>(c)));
  }
  t.readable_column = t.Column("class");
  const std::vector<SharedText> hosts = HostNames(trace), devices = DeviceNames(trace);
  std::map<std::pair<uint32_t, uint32_t>, SharedText> names;  // by event and the op around it
  const SharedText cpu("CPU"), others("others"), nothing("nothing recorded"),
      queue("gaps between launched work");
  const Ps least = LeastTime(db.causes);
  CauseCounter counter;
  if (least > 0) t.title += fmt::format(", the {} longest", kMostCauses);
  for (const IdleCause& cause : db.causes) {
    const bool rest = counter.IsRest(cause);
    const bool works = db.kind == DeviceKind::kTpu && !IsIdle(cause.loss);  // in an op that waits
    if (cause.time < least || works) continue;
    const bool queued = cause.loss == StepTimeClass::kQueued && !rest;
    const bool none = cause.loss == StepTimeClass::kUnknown && !rest;
    const Step& step = db.steps[cause.step];
    SharedText& name = names[{cause.event.value, cause.inside.value}];
    if (name.empty() && cause.event.valid()) name = SharedText(CauseName(trace, cause));
    const double whole = WholeOf(db, cause);
    t.rows.push_back({labels[cause.step], hosts[step.host.value],
                      cause.device.valid() ? devices[cause.device.value] : cpu,
                      classes[static_cast<size_t>(cause.loss)],
                      cause.event.valid() ? name
                                          : (none     ? nothing
                                             : queued ? queue
                                                      : others),
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
