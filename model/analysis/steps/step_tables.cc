#include "model/analysis/steps/step_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

struct BreakdownColumn {
  const char* id;
  const char* label;
  double StepBreakdown::*field;
  const char* how;
};
constexpr BreakdownColumn kBreakdown[] = {
    {"deviceComputeTimeMs", "Device compute", &StepBreakdown::compute, "kernels"},
    {"deviceToDeviceTimeMs", "Device to device", &StepBreakdown::device_to_device,
     "copies and fills on devices that no kernel hides"},
    {"deviceCollectivesTimeMs", "Device collectives", &StepBreakdown::collectives,
     "NCCL and RCCL kernels that nothing else hides, their waiting included"},
    {"hostComputeTimeMs", "Host compute", &StepBreakdown::host_compute,
     "host operations of the step (profiles without devices)"},
    {"kernelLaunchTimeMs", "Kernel launch", &StepBreakdown::launch,
     "device idle while the host is launching work of the step for it"},
    {"infeedTimeMs", "Input", &StepBreakdown::input,
     "device idle while the host waits for input, and copies to the device that nothing hides"},
    {"outfeedTimeMs", "Output", &StepBreakdown::output, "copies to the host that nothing hides"},
    {"compileTimeMs", "Compilation", &StepBreakdown::compile, ""},
    {"otherTimeMs", "Other", &StepBreakdown::other, "the rest of the step"},
    {"stepTimeMs", "Step time", &StepBreakdown::total, ""},
};

RowLink LinkToTime(TimeRange range, uint64_t events = 0) {
  RowLink link;
  link.range = range, link.total = events;
  return link;
}

// --- steps

struct StepFacts {
  std::vector<SharedText> hosts;  // names by HostId
  bool with_host = false;
};

Schema<Step, StepFacts> MakeStepSchema(bool bare) {
  using Field = Schema<Step, StepFacts>::Field;
  std::vector<Field> fields = {{"stepnum", "Step", Unit::kNone, &Step::label}};
  for (const BreakdownColumn& c : kBreakdown) {
    const bool key = c.field == &StepBreakdown::total || c.field == &StepBreakdown::compute;
    fields.push_back({c.id, c.label, Unit::kMs,
                      [field = c.field](const Step& s) { return InMs(s.times.*field); },
                      bare ? "" : c.how, ColumnRole(key)});
  }
  const auto link = [](const Step& s, const StepFacts&) { return LinkTo(s); };
  if (bare) return {"steps", "Steps", std::move(fields), link};
  fields.push_back(Field{
      "host", "Host", Unit::kNone, [](const Step& s, const StepFacts& f) {
        return f.hosts[s.host.value];
      }}.When([](const StepFacts& f) { return f.with_host; }));
  fields.push_back({"inferred", "Inferred", Unit::kNone, &Step::inferred,
                    "nothing in the profile marks the step"});
  fields.push_back({"partial", "Partial", Unit::kNone, &Step::partial,
                    "cut by the begin or end of the recording: left out of the averages",
                    kKeyColumn});
  fields.push_back({"warmup", "Warm-up", Unit::kNone, &Step::warmup,
                    "the first step, of over 1.5 times the others' median: left out too",
                    kKeyColumn});
  return {"steps", "Steps", std::move(fields), link};
}

// --- device_steps

struct DeviceStepFacts {
  const StepDatabase& db;
  std::vector<SharedText> hosts, devices;
  const Step& StepOf(const DeviceStep& d) const { return db.steps[d.step]; }
};

Schema<DeviceStep, DeviceStepFacts> MakeDeviceStepSchema() {
  using D = DeviceStep;
  using F = DeviceStepFacts;
  std::vector<Schema<D, F>::Field> fields = {
      {"stepnum", "Step", Unit::kNone, [](const D& d, const F& f) { return f.StepOf(d).label; }},
      {"host", "Host", Unit::kNone,
       [](const D& d, const F& f) { return f.hosts[f.StepOf(d).host.value]; }},
      {"device", "Device", Unit::kNone,
       [](const D& d, const F& f) { return f.devices[d.device.value]; }}};
  for (const BreakdownColumn& c : kBreakdown) {
    if (c.field == &StepBreakdown::total) continue;
    fields.push_back({c.id, c.label, Unit::kMs,
                      [field = c.field](const D& d) { return InMs(d.times.*field); }, c.how,
                      ColumnRole(c.field == &StepBreakdown::compute)});
  }
  fields.insert(
      fields.end(),
      {{"inputWaitTimeMs", "Input wait", Unit::kMs, &D::input_wait,
        "device idle while the step waits for input on the host"},
       {"h2dTimeMs", "Copies to device", Unit::kMs, &D::h2d,
        "whole duration of the copies that the step issued"},
       {"d2hTimeMs", "Copies to host", Unit::kMs, &D::d2h,
        "whole duration of the copies that the step issued"},
       {"collectiveWaitTimeMs", "Collective wait", Unit::kMs, &D::collective_wait,
        "time in collectives before the last participant starts"},
       {"idleTimeMs", "Idle", Unit::kMs, &D::idle, "no kernel or copy on the device"},
       {"stepTimeMs", "Step time", Unit::kMs, [](const D& d) { return InMs(d.times.total); },
        "from the end of the last device event of the step before to that of the step", kKeyColumn},
       {"hostInputWaitTimeMs", "Input wait on the host", Unit::kMs, &D::host_input_wait,
        "whether the device is idle or not"},
       {"h2dHiddenTimeMs", "Copies to device, hidden", Unit::kMs, &D::h2d_hidden,
        "the part behind kernels"},
       {"d2hHiddenTimeMs", "Copies to host, hidden", Unit::kMs, &D::d2h_hidden,
        "the part behind kernels"},
       {"partial", "Partial", Unit::kNone,
        [](const D& d, const F& f) { return f.StepOf(d).partial; }, "", kKeyColumn}});
  return {"device_steps", "Steps of each device", std::move(fields),
          [](const D& d, const F&) { return LinkToTime(d.span, d.events); }};
}

// --- step_losses

struct DividedStep {
  const Step* step;
  StepPartTimes times;
};
using Occurring = std::array<bool, kStepParts>;  // whether any step has time in the part

Schema<DividedStep, Occurring> MakeStepLossSchema() {
  using D = DividedStep;
  using Field = Schema<D, Occurring>::Field;
  std::vector<Field> fields = {
      {"stepnum", "Step", Unit::kNone, [](const D& d) { return d.step->label; }},
      {"stepTimeMs", "Step time", Unit::kMs, [](const D& d) { return InMs(d.step->times.total); },
       "mean over devices; the sum of the columns behind it", kKeyColumn}};
  for (size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    const char* how =
        part == StepPart::kOnDevice ? "its copies and fills that no kernel hides" : "";
    fields.push_back(
        Field(
            IdOf(part), LabelOf(part), Unit::kMs, [i](const D& d) { return InMs(d.times[i]); }, how)
            .When([i](const Occurring& occurs) { return occurs[i]; }));
  }
  return {"step_losses", "Time of each step by class", std::move(fields),
          [](const D& d, const Occurring&) { return LinkToTime(d.step->span); }};
}

// --- Causes of idle time

constexpr size_t kMostCauses = 20'000;

// The shortest time of a cause that is shown: 0 unless there are more than kMostCauses causes.
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

// Counts the causes of each class of a device's step. The causes of a class follow each other.
class CauseCounter {
 public:
  // Whether the cause stands for the smaller causes of its class. It comes after the largest ones.
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

struct CauseFacts {
  double steps = 1;  // number of steps that count
  double whole = 0;  // their time
};

Schema<CauseSum, CauseFacts> MakeCauseSchema() {
  using S = CauseSum;
  using F = CauseFacts;
  return Schema<S, F>(
             "idle_by_cause", "Why devices are idle",
             {{"class", "Class", Unit::kNone, [](const S& s) { return IdOf(s.loss); }},
              {"cause", "Cause", Unit::kNone, &S::name,
               "the event that the host was in; what is not among the five causes that a step "
               "names of a class is \"others\"",
               kKeyColumn},
              {"timeMs", "Time", Unit::kMs,
               [](const S& s, const F& f) {
                 return s.time / (static_cast<double>(kPsPerMs) * f.steps);
               },
               "of an average step, mean over devices"},
              {"percent", "Share", Unit::kPercent,
               [](const S& s, const F& f) { return f.whole > 0 ? 100 * s.time / f.whole : 0.0; },
               "of the step time"},
              {"steps", "Steps", Unit::kCount, [](const S& s) { return s.steps.size(); },
               "of those that count, how many have it"},
              {"devices", "Devices", Unit::kCount, [](const S& s) { return s.devices.size(); },
               "that have it", kKeyColumn},
              {"count", "Intervals", Unit::kCount, &S::count, "in the steps that count"}},
             [](const S& s, const F&) {
               RowLink link = LinkTo(EventRows(s.rows));
               link.range = s.longest;
               return link;
             })
      .WithReadable("class", [](const S& s, const F&) { return SharedText(LabelOf(s.loss)); });
}

struct IdleRow {
  const IdleCause* cause;
  SharedText name;
};

// Texts that many rows share.
struct IdleFacts {
  IdleFacts(const Trace& trace, const StepDatabase& of)
      : db(of), hosts(HostNames(trace)), devices(DeviceNames(trace)) {
    for (const Step& step : db.steps) labels.emplace_back(step.label);
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      classes.emplace_back(IdOf(static_cast<StepTimeClass>(c)));
      class_labels.emplace_back(LabelOf(static_cast<StepTimeClass>(c)));
    }
  }
  const StepDatabase& db;
  std::vector<SharedText> hosts, devices, labels, classes, class_labels;
  SharedText cpu{"CPU"};
};

Schema<IdleRow, IdleFacts> MakeIdleSchema() {
  using R = IdleRow;
  using F = IdleFacts;
  return Schema<R, F>(
             "idle_causes", "Why devices are idle, step by step",
             {{"stepnum", "Step", Unit::kNone,
               [](const R& r, const F& f) { return f.labels[r.cause->step]; }},
              {"host", "Host", Unit::kNone,
               [](const R& r, const F& f) {
                 return f.hosts[f.db.steps[r.cause->step].host.value];
               }},
              {"device", "Device", Unit::kNone,
               [](const R& r, const F& f) {
                 return r.cause->device.valid() ? f.devices[r.cause->device.value] : f.cpu;
               }},
              {"class", "Class", Unit::kNone,
               [](const R& r, const F& f) { return f.classes[static_cast<size_t>(r.cause->loss)]; },
               "", kKeyColumn},
              {"cause", "Cause", Unit::kNone, &R::name,
               "the event that the host was in; of each class those with a fifth of it and then "
               "those with most time in all steps, five together, the rest is \"others\"; of "
               "unknown and queued what is open while work that was launched does not begin",
               kKeyColumn},
              {"timeMs", "Time", Unit::kMs, [](const R& r) { return InMs(r.cause->time); },
               "of the device's idle time", kKeyColumn},
              {"percent", "Share", Unit::kPercent,
               [](const R& r, const F& f) {
                 const double whole = WholeOf(f.db, *r.cause);
                 return whole > 0 ? 100 * static_cast<double>(r.cause->time) / whole : 0.0;
               },
               "of the step's time on the device", kKeyColumn},
              {"count", "Intervals", Unit::kCount, [](const R& r) { return r.cause->count; }}},
             [](const R& r, const F&) {
               std::vector<EventRow> rows;
               for (const EventRow row : r.cause->rows) {
                 if (row.valid()) rows.push_back(row);
               }
               RowLink link = LinkTo(EventRows(std::move(rows)));
               link.range = r.cause->longest;
               return link;
             })
      .WithReadable("class", [](const R& r, const F& f) {
        return f.class_labels[static_cast<size_t>(r.cause->loss)];
      });
}

}  // namespace

ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool bare) {
  static const auto ours = MakeStepSchema(false), of_xprof = MakeStepSchema(true);
  return (bare ? of_xprof : ours).Make(steps, {HostNames(trace), trace.hosts.size() > 1});
}

ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db) {
  static const auto schema = MakeDeviceStepSchema();
  return schema.Make(db.device_steps, {db, HostNames(trace), DeviceNames(trace)});
}

ResultTable StepLossTable(const StepDatabase& db) {
  static const auto schema = MakeStepLossSchema();
  std::vector<DividedStep> steps;
  steps.reserve(db.steps.size());
  Occurring occurs{};
  for (const Step& step : db.steps) {
    const StepPartTimes& times = steps.emplace_back(&step, PartTimesOf(step)).times;
    for (size_t i = 0; i < kStepParts; ++i) occurs[i] = occurs[i] || times[i] > 0;
  }
  return schema.Make(steps, occurs);
}

ResultTable LossTable(const Verdict& verdict, bool whole) {
  static const Schema<Loss> schema(
      "losses", "Losses of a step",
      {{"class", "Class", Unit::kNone, [](const Loss& l) { return IdOf(l.part); }},
       {"label", "Loss", Unit::kNone, [](const Loss& l) { return LabelOf(l.part); }},
       {"timeMs", "Time", Unit::kMs, [](const Loss& l) { return InMs(l.ps); },
        "of an average step, mean over devices"},
       {"percent", "Share", Unit::kPercent, &Loss::percent, "of the step time"},
       {"causes", "Causes", Unit::kNone, &Loss::CausesText, "the largest, by share of the loss",
        kKeyColumn}},
      [](const Loss& l, const NoFacts&) { return l.link; });
  ResultTable t = schema.Make(verdict.losses);
  if (whole) t.title = "Losses of the recording, which has no steps";
  return t;
}

ResultTable IdleByCauseTable(const Trace& trace, const StepDatabase& db) {
  static const auto schema = MakeCauseSchema();
  const std::vector<const Step*> counted = CountedSteps(db.steps);
  CauseFacts facts{static_cast<double>(std::max<size_t>(1, counted.size()))};
  for (const Step* step : counted) facts.whole += step->times.total;
  return schema.Make(SumsOfCauses(trace, db), facts);
}

ResultTable IdleCauseTable(const Trace& trace, const StepDatabase& db) {
  static const auto schema = MakeIdleSchema();
  const CauseNames cause_names(trace, db);
  // By class, event and the op around it.
  std::map<std::tuple<StepTimeClass, uint32_t, uint32_t>, SharedText> names;
  const Ps least = LeastTime(db.causes);
  CauseCounter counter;
  std::vector<IdleRow> rows;
  for (const IdleCause& cause : db.causes) {
    const bool rest = counter.IsRest(cause);
    if (cause.time < least || WorksMeanwhile(db, cause)) continue;
    SharedText& name = names[{cause.loss, cause.event.value, cause.inside.value}];
    if (name.empty() && cause.event.valid()) name = SharedText(cause_names.Of(cause));
    rows.push_back(
        {&cause, cause.event.valid() ? name : SharedText(NameWithoutEvent(cause.loss, rest))});
  }
  ResultTable t = schema.Make(rows, IdleFacts(trace, db));
  if (least > 0) t.title += fmt::format(", the {} longest", kMostCauses);
  return t;
}

}  // namespace stepscope
