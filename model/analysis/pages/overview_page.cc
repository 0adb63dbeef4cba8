// The page `overview`, made from Overview: its properties, tables and findings.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/pages/overview.h"
#include "model/analysis/steps/step_tables.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/analysis/tpu/async_waits.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

using O = Overview;
using PropertySchema = Schema<Overview, Overview>;  // the value decides on its fields
using PropertyField = PropertySchema::Field;

bool OfXprof(const O& o) { return o.as_xprof; }
bool OfOurs(const O& o) { return !o.as_xprof; }
bool JudgesTpu(const O& o) { return OfOurs(o) && o.judged().kind == DeviceKind::kTpu; }
bool JudgesNoTpu(const O& o) { return OfOurs(o) && o.judged().kind != DeviceKind::kTpu; }

template <double StepSummary::*kField>
std::optional<double> TimeOf(const O& o) {
  return o.has_times() ? std::optional(o.step_times.*kField) : std::nullopt;
}

constexpr const char* kTimesOfOurs =
    "over the steps shown; partial ones and a slow first one are left out";
constexpr const char* kTimesOfXprof = "over the steps shown";
constexpr const char* kBusyHow =
    "of the steps that the verdict speaks of: time in which a device works and does not wait in a "
    "collective, mean over devices; on a CPU the time in ops; on a TPU the time in which a core "
    "waits for copies is in it";

// The same field by our definitions and by XProf's.
template <typename Get>
void AddOfBoth(const char* id, const char* ours, const char* of_xprof, Unit unit, Get get,
               std::vector<PropertyField>* fields) {
  fields->push_back(PropertyField(id, ours, unit, get, kTimesOfOurs).When(OfOurs));
  fields->push_back(PropertyField(id, of_xprof, unit, get, kTimesOfXprof).When(OfXprof));
}

PropertySchema MakeTimeSchema() {
  std::vector<PropertyField> fields = {
      PropertyField("step_ms_median", "Median step time", Unit::kMs, TimeOf<&StepSummary::median>,
                    kTimesOfOurs)
          .When(OfOurs),
      PropertyField("device_busy_percent", "Busy or copying", Unit::kPercent, &O::busy_percent,
                    kBusyHow)
          .When(JudgesTpu),
      PropertyField("device_busy_percent", "Device busy", Unit::kPercent, &O::busy_percent,
                    kBusyHow)
          .When(JudgesNoTpu),
      PropertyField("device_compute_percent", "Computing", Unit::kPercent, &O::compute_percent,
                    "of the same steps: time in ops that do not wait for asynchronous work")
          .When(JudgesTpu)};
  AddOfBoth("steptime_ms_average", "Mean step time", "Step time", Unit::kMs,
            TimeOf<&StepSummary::mean>, &fields);
  // A single step has no deviation; XProf says 0.
  fields.push_back({"steptime_ms_standard_deviation", "Standard deviation", Unit::kMs,
                    [](const O& o) {
                      return o.as_xprof || o.step_times.count > 1
                                 ? TimeOf<&StepSummary::deviation>(o)
                                 : std::nullopt;
                    },
                    "of the sample: n - 1"});
  AddOfBoth("steptime_ms_minimum", "Shortest step", "Shortest step", Unit::kMs,
            TimeOf<&StepSummary::min>, &fields);
  AddOfBoth("steptime_ms_maximum", "Longest step", "Longest step", Unit::kMs,
            TimeOf<&StepSummary::max>, &fields);
  const auto inferred = [](const O& o) { return o.db().inferred; };
  fields.insert(
      fields.end(),
      {PropertyField(
           "step_count", "Steps", Unit::kCount, [](const O& o) { return o.db().steps.size(); },
           "the rows of the table: each host has its own"),
       PropertyField(
           "steps_counted", "Steps counted", Unit::kCount,
           [](const O& o) { return o.step_times.count; },
           "those that averages, losses and the verdict are of")
           .When(OfOurs),
       PropertyField("steps_inferred", "Steps inferred", Unit::kNone, inferred,
                     "nothing in the profile marks them"),
       PropertyField(
           "steps_confidence", "Confidence", Unit::kPercent,
           [](const O& o) { return 100 * o.db().confidence; }, "share of the sequence that repeats")
           .When(inferred),
       PropertyField("steps_how", "How steps were found", Unit::kNone, [](const O& o) {
         return o.db().how;
       }).When([](const O& o) { return !o.db().how.empty(); })});
  return {"step_times", "Step times", std::move(fields)};
}

PropertySchema MakeVerdictSchema() {
  return {"verdict",
          "Verdict",
          {PropertyField(
               "step_parts", "Parts of the step", Unit::kNone,
               [](const O& o) {
                 return fmt::format("{} equal parts of {}", o.parts.count,
                                    FormatDuration(o.parts.each, 3));
               },
               "the period of the kernel sequence on the busiest stream: layers, mostly")
               .When([](const O& o) { return o.parts.count != 0; }),
           PropertyField(
               "verdict", "Verdict", Unit::kNone, [](const O& o) { return o.verdict.id(); },
               "the largest loss of 10 % of the step and more, else device")
               .When(OfOurs),
           PropertyField(
               "verdict_percent", "Share of the step", Unit::kPercent,
               [](const O& o) { return o.verdict.percent; },
               "of the steps that count, mean over devices")
               .When(OfOurs),
           PropertyField("verdict_causes", "Causes", Unit::kNone, [](const O& o) {
             const Loss* first = o.verdict.First();
             return first != nullptr ? first->CausesText() : std::string();
           }).When(OfOurs)}};
}

PropertySchema MakePlacementSchema() {
  constexpr const char* kByClass =
      "of the kernels' time, by name and shape, copies and collectives left out";
  constexpr const char* kByTypes =
      "16 bits and fewer, of the kernels' time in steps (without steps of all), by the types of "
      "the op's inputs where recorded, else by the kernel's name; copies and collectives left out";
  // XProf's definitions of classes and those of its columns go together.
  const auto precision = [&](const char* id, const char* label, std::optional<double> O::*get,
                             bool xprof) {
    return PropertyField(id, label, Unit::kPercent, get, xprof ? kByClass : kByTypes)
        .When([xprof](const O& o) { return o.on_gpu() && o.as_xprof == xprof; });
  };
  return {"placement",
          "Precision and placement",
          {precision("device_compute_16bit_percent", "16-bit compute", &O::bits16_percent, true),
           precision("device_compute_16bit_percent", "16-bit compute", &O::bits16_percent, false),
           precision("device_compute_32bit_percent", "32-bit compute", &O::bits32_percent, true),
           precision("device_compute_32bit_percent", "32-bit compute", &O::bits32_percent, false),
           {"host_tf_op_percent", "Ops on the host", Unit::kPercent, &O::host_op_percent,
            "by number of runs"},
           {"device_tf_op_percent", "Ops on devices", Unit::kPercent, &O::device_op_percent,
            "by number of runs"},
           {"host_op_time_eager_percent", "Eager on the host", Unit::kPercent,
            &O::host_eager_percent, "self time of ops that ran eagerly / of all"},
           {"device_op_time_eager_percent", "Eager on devices", Unit::kPercent,
            &O::device_eager_percent, "self time of ops that ran eagerly / of all"}}};
}

PropertySchema MakeHostSchema() {
  return {"hosts",
          "Hosts",
          {{"device_type", "Device", Unit::kNone, &O::device_type},
           {"device_core_count", "Devices", Unit::kCount, &O::devices,
            "planes of devices, those without events too"},
           {"host_count", "Hosts", Unit::kCount, [](const O& o) { return o.hosts.size(); }}}};
}

PropertySchema MakeTrainingSchema() {
  return {"training",
          "Training",
          {PropertyField("is_training", "Training", Unit::kNone, &O::is_training,
                         "a name shows an optimizer or a backward pass")
               .When(OfOurs),
           PropertyField("is_training", "Training", Unit::kNone, &O::is_training,
                         "the name of an HLO instruction shows a gradient")
               .When(OfXprof)}};
}

const PropertySchema& TimeSchema() {
  static const PropertySchema schema = MakeTimeSchema();
  return schema;
}
const PropertySchema& PlacementSchema() {
  static const PropertySchema schema = MakePlacementSchema();
  return schema;
}

const Schema<TopOpType>& TopOpTypeSchema() {
  using T = TopOpType;
  static const Schema<T> schema(
      "top_op_types", "Types of operations that take most device time",
      {{"type", "Type", Unit::kNone, &T::type},
       {"selfTimePercent", "Self time", Unit::kFraction, &T::share, "of all device op time"},
       {"cumulativeTimePercent", "Cumulative", Unit::kFraction, &T::cumulative},
       {"ops", "Ops", Unit::kCount, &T::ops, "operations of the type, by name"},
       {"largest", "Largest op", Unit::kNone, &T::largest, "the op with most self time"},
       {"largestPercent", "Its share", Unit::kFraction, &T::largest_share,
        "of all device op time"}},
      [](const T& t, const NoFacts&) { return t.link; });
  return schema;
}

// The facts: whether the ops are those of TPUs.
const Schema<TopOp, bool>& TopOpSchema() {
  using T = TopOp;
  using Field = Schema<T, bool>::Field;
  const auto tpu = [](bool is_tpu) { return is_tpu; };
  const auto others = [](bool is_tpu) { return !is_tpu; };
  static const Schema<T, bool> schema(
      "top_ops", "Operations that take most device time",
      {{"selfTimePercent", "Self time", Unit::kFraction, &T::share, "of all device op time"},
       {"cumulativeTimePercent", "Cumulative", Unit::kFraction, &T::cumulative},
       {"category", "Category", Unit::kNone, &T::type},
       {"operation", "Operation", Unit::kNone, &T::name},
       Field("flopRate", "GFLOP/s", Unit::kGflops, &T::gflops_per_s, "of one core").When(tpu),
       Field("flopRate", "GFLOP/s", Unit::kGflops, &T::gflops_per_s,
             "needs XLA's cost model: 0 here")
           .When(others),
       Field("tcEligibility", "TC eligible", Unit::kNone, &T::eligible,
             "the op could use Tensor Cores")
           .When(others),
       Field("tcUtilization", "TC used", Unit::kNone, &T::uses,
             "a kernel of it does use Tensor Cores")
           .When(others)},
      [](const T& t, bool) { return t.link; });
  return schema;
}

ResultTable EnvironmentTable(const O& o) {
  using Row = std::pair<std::string, std::string>;
  static const Schema<Row> schema(
      "environment", "Environment",
      {{"what", "What", Unit::kNone, &Row::first}, {"value", "Value", Unit::kNone, &Row::second}});
  return schema.Make(o.environment);
}

void Append(const PropertySchema& schema, const O& o, AnalysisResult* result) {
  for (Property& property : schema.Properties(o, o))
    result->properties.push_back(std::move(property));
}

// --- The limit of a step by XProf's rule, which reads shares of the step time and no idle
// intervals (docs/rules.md#overview). It stands beside the verdict, or with XProf's definitions in
// its place.

constexpr double kHighlyInputBound = 20, kInputBound = 5, kUnexplained = 3;  // percent of the step
constexpr double kHigh = 15, kModerate = 3;

// Percent of the step time, mean over the steps that count.
struct StepShares {
  // XProf's input has the copies to the device in it; ours has waits alone.
  StepShares(const std::vector<Step>& steps, bool as_xprof) {
    const double whole = Summarize(steps, &StepBreakdown::total).mean;
    if (whole <= 0) return;
    const auto percent = [&](double StepBreakdown::*field) {
      return 100 * Summarize(steps, field).mean / whole;
    };
    copies = percent(&StepBreakdown::host_to_device);
    input = percent(&StepBreakdown::input) - (as_xprof ? 0 : copies);
    launch = percent(&StepBreakdown::launch);
    collectives = percent(&StepBreakdown::collectives);
    output = percent(&StepBreakdown::output), other = percent(&StepBreakdown::other);
    copies += output;
  }
  const char* Bottleneck() const {
    if (!any_step) return "unknown";
    if (input >= kHighlyInputBound) return "host";
    return input >= kInputBound || other >= kUnexplained ? "both" : "device";
  }
  bool any_step = true;  // also steps that the shares are not of
  double input = 0, launch = 0, collectives = 0, output = 0, other = 0;
  double copies = 0;  // from and to the host
};

const char* GradeOfShare(double percent) {
  return percent >= kHigh ? "high" : percent >= kModerate ? "moderate" : "no";
}

constexpr const char* kGradeHow = "high from 15 %, moderate from 3 %";
constexpr const char* kOfStep = "of the step time";

// The facts: whether it is by XProf's definitions.
Schema<StepShares, bool> MakeShareSchema() {
  using S = StepShares;
  using Field = Schema<S, bool>::Field;
  constexpr const char* kInputHow =
      "input / step time, over all steps; from 20 %: host, from 5 %: both";
  std::vector<Field> fields;
  const auto add = [&](const char* id, const char* ours, const char* of_xprof, Unit unit, auto get,
                       const char* how, const char* xprof_how) {
    const auto is = [](bool xprof) { return [xprof](bool as_xprof) { return as_xprof == xprof; }; };
    if (ours != nullptr) fields.push_back(Field(id, ours, unit, get, how).When(is(false)));
    if (of_xprof != nullptr)
      fields.push_back(Field(id, of_xprof, unit, get, xprof_how).When(is(true)));
  };
  const auto share = [&](const char* id, const char* ours, const char* of_xprof, double S::*get,
                         const char* how = kOfStep, const char* xprof_how = kOfStep) {
    add(id, ours, of_xprof, Unit::kPercent, get, how, xprof_how);
  };
  share("input_percent", "Waiting for input", "Input", &S::input, kInputHow, kInputHow);
  share("kernel_launch_percent", "Kernel launch", "Kernel launch", &S::launch);
  share("collectives_percent", "Collectives", "Collectives", &S::collectives,
        "of the step time, waiting for participants included");
  share("copies_percent", "Copies", nullptr, &S::copies, "of the step time, from and to the host");
  share("output_percent", "Copies to the host", "Output", &S::output);
  share("other_percent", "Other", "Other", &S::other);
  const auto text = [&](const char* id, const char* ours, const char* of_xprof, auto get,
                        const char* how = kGradeHow) {
    add(id, ours, of_xprof, Unit::kNone, get, how, how);
  };
  text("bottleneck", "Bottleneck by XProf's rule", "Bottleneck", &S::Bottleneck, kInputHow);
  text("kernel_launch_bottleneck", "Kernel launch, grade", "Kernel launch",
       [](const S& s) { return GradeOfShare(s.launch); });
  text("device_collectives_bottleneck", "Collectives, grade", "Collectives",
       [](const S& s) { return GradeOfShare(s.collectives); });
  text("all_other_bottleneck", "Other, grade", "Other", [](const S& s, bool as_xprof) {
    // XProf does not report unexplained time again where the bottleneck is named after it.
    const bool both = s.Bottleneck() == std::string_view("both");
    return as_xprof && both && s.input < kInputBound ? "no" : GradeOfShare(s.other);
  });
  return {"shares", "Shares of the step time", std::move(fields)};
}

Finding NoSteps(const Program& program) {
  return {Finding::Grade::kInfo, "No step time could be measured.",
          RemedyFor("mark-steps", program), "overview"};
}

Finding XprofInputFinding(const StepShares& shares, const Program& program) {
  if (shares.input >= kInputBound) {
    const bool highly = shares.input >= kHighlyInputBound;
    return {highly ? Finding::Grade::kBad : Finding::Grade::kWarning,
            fmt::format("{} input-bound: {:.1f} % of the step time is spent waiting for input.",
                        highly ? "Highly" : "Moderately", shares.input),
            "See which stage of the input pipeline takes the time.", "input_pipeline"};
  }
  if (shares.other >= kUnexplained) {
    return {Finding::Grade::kWarning,
            fmt::format("Possibly input-bound: {:.1f} % of the step time is neither on the device "
                        "nor explained.",
                        shares.other),
            "Look in the timeline at what the host does in the gaps.", "timeline"};
  }
  return {Finding::Grade::kGood,
          fmt::format("Not input-bound: {:.1f} % of the step time is spent waiting for input.",
                      shares.input),
          RemedyFor("device", program), "kernel_stats"};
}

Finding::Grade SeverityOf(double percent) {
  return percent >= kHigh ? Finding::Grade::kBad : Finding::Grade::kWarning;
}

void AddXprofFindings(const StepShares& shares, const Program& program,
                      std::vector<Finding>* findings) {
  findings->push_back(!shares.any_step ? NoSteps(program) : XprofInputFinding(shares, program));
  if (shares.launch >= kModerate) {
    findings->push_back(
        {SeverityOf(shares.launch),
         fmt::format("{:.1f} % of the step time the device waits for kernels to be launched.",
                     shares.launch),
         RemedyFor("launch-bound", program), "kernel_stats"});
  }
  if (shares.collectives >= kModerate) {
    findings->push_back(
        {SeverityOf(shares.collectives),
         fmt::format("{:.1f} % of the step time is collectives that no kernel hides.",
                     shares.collectives),
         "Overlap them with the backward pass, or look for a late participant.", "timeline"});
  }
}

void AddXprofBottlenecks(const Overview& o, const Program& program, AnalysisResult* result) {
  static const auto schema = MakeShareSchema();
  StepShares shares(o.as_xprof ? o.db().steps : o.judged().steps, o.as_xprof);
  shares.any_step = !o.db().steps.empty();
  for (Property& property : schema.Properties(shares, o.as_xprof))
    result->properties.push_back(std::move(property));
  if (o.as_xprof) AddXprofFindings(shares, program, &result->findings);
}

// The time of the steps that count on all cores, in ps.
double CoreTime(const StepDatabase& db) {
  const bool all = std::none_of(db.steps.begin(), db.steps.end(),
                                [](const Step& step) { return step.counts(); });
  double time = 0;
  for (const DeviceStep& d : db.device_steps) {
    if (all || db.steps[d.step].counts()) time += d.times.total;
  }
  return time;
}

// The collectives of the steps. A step that begins in the part asked for counts whole, also beyond
// the part's end.
ResultTable OverlapOfSteps(AnalysisContext& context, AnalysisParams params) {
  const std::shared_ptr<const JudgedSteps> steps = context.Get<JudgedSteps>(params);
  if (!steps->without_steps) params.range = {}, params.steps.reset();
  return OverlapTable(DeviceEvents(context, params), StepSpans(*steps->selected));
}

// What the recording lost: sentences hold for the rest.
void AddLosses(const Recording& recording, AnalysisResult* result) {
  for (const LossFact& loss : recording.losses) {
    if (loss.id == IdOf(RecordingLoss::kUnreadMember)) continue;
    std::string text = "Incomplete: " + loss.text;
    if (!loss.place.empty()) text += " (" + loss.place + ")";
    result->findings.push_back({Finding::Grade::kWarning, text + ".",
                                "The numbers describe what was read; Diagnostics has the details.",
                                "diagnostics"});
  }
}

// Adds the first sentence and the tables that explain it.
void AddVerdict(const Trace& trace, const Overview& o, std::array<ResultTable, 3> tables,
                AnalysisResult* result) {
  auto& [by_cause, by_step, overlap] = tables;
  const auto add = [&](ResultTable table) { result->tables.push_back(std::move(table)); };
  result->findings.push_back(o.first);
  if (o.recording != nullptr) AddLosses(*o.recording, result);
  if (!o.db().device_steps.empty()) add(DeviceStepTable(trace, o.db()));
  add(LossTable(o.verdict, o.steps->without_steps));
  add(StepLossTable(o.db()));
  add(std::move(by_cause));
  add(std::move(by_step));
  if (!o.waits.empty()) add(AsyncWaitTable(o.waits, CoreTime(o.judged())));
  if (!overlap.empty()) add(std::move(overlap));
}

}  // namespace

Property StepTimeProperty(const Overview& overview) {
  return TimeSchema().Properties(overview, overview).front();
}

std::vector<Property> PlacementProperties(const Overview& overview) {
  return PlacementSchema().Properties(overview, overview);
}

AnalysisResult RunVerdict(AnalysisContext& context, const AnalysisParams& params) {
  static const PropertySchema hosts = MakeHostSchema();
  const auto o = std::make_shared<const Overview>(ComputeFirstSentence(context, params));
  AnalysisResult result;
  result.panel = "overview";
  result.SetSource(o);
  if (o->as_xprof) return result;
  Append(TimeSchema(), *o, &result);
  Append(hosts, *o, &result);
  result.findings.push_back(o->first);
  result.tables = {StepTable(context.trace(), o->db().steps, false),
                   LossTable(o->verdict, o->steps->without_steps), StepLossTable(o->db())};
  return result;
}

AnalysisResult RunOverview(AnalysisContext& context, const AnalysisParams& params) {
  static const PropertySchema verdict = MakeVerdictSchema(), hosts = MakeHostSchema(),
                              training = MakeTrainingSchema();
  const Trace& trace = context.trace();
  ReadForOverview(context, params);
  // Each needs a pass over all events, or over all idle intervals.
  std::shared_ptr<const Overview> shared;
  std::array<ResultTable, 3> of_losses;
  ParallelFor(context.xprof().step_columns_of_xprof ? 1 : 4, [&](size_t i) {
    if (i == 0) shared = context.Make<Overview>(params);
    const std::shared_ptr<const JudgedSteps> steps = context.Get<JudgedSteps>(params);
    if (i == 1) of_losses[0] = IdleByCauseTable(trace, *steps->judged);
    if (i == 2) of_losses[1] = IdleCauseTable(trace, *steps->judged);
    if (i == 3) of_losses[2] = OverlapOfSteps(context, params);
  });
  const Overview& o = *shared;
  AnalysisResult result;
  result.panel = "overview";
  Append(TimeSchema(), o, &result);
  Append(verdict, o, &result);
  result.tables.push_back(StepTable(trace, o.db().steps, o.as_xprof));
  if (!o.as_xprof) AddVerdict(trace, o, std::move(of_losses), &result);
  if (!o.as_xprof) AddModelFlops(context, params, o.judged(), &result);
  if (o.as_xprof || o.verdict.judges_steps()) AddXprofBottlenecks(o, ProgramOf(trace), &result);
  Append(PlacementSchema(), o, &result);
  if (o.advises_16_bits) {
    result.findings.push_back({Finding::Grade::kInfo,
                               fmt::format("Less than 10 % of the compute time is in 16 bits{}.",
                                           o.as_xprof ? "" : " or fewer"),
                               "Try mixed precision.", "kernel_stats"});
  }
  if (!o.as_xprof && o.whole_graphs_percent > 0) {
    result.findings.push_back(
        {Finding::Grade::kInfo,
         fmt::format(
             "{:.0f} % of the compute time is in whole CUDA graphs: the kernels inside were "
             "not recorded, so the share of 16 bits is unknown.",
             o.whole_graphs_percent),
         "Record with nsys profile --cuda-graph-trace=node.", "kernel_stats"});
  }
  if (!o.as_xprof) result.tables.push_back(TopOpTypeSchema().Make(o.top_op_types));
  result.tables.push_back(TopOpSchema().Make(o.top_ops, o.on_tpu()));
  Append(hosts, o, &result);
  Append(training, o, &result);
  result.tables.push_back(EnvironmentTable(o));
  result.SetSource(shared);
  return result;
}

}  // namespace stepscope
