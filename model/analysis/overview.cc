#include "model/analysis/overview.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "model/analysis/op_name.h"
#include "model/analysis/op_stats.h"
#include "model/base/task.h"

namespace stepscope {
namespace {

double Ms(double ps) { return ps / static_cast<double>(kPsPerMs); }
double Ms(Ps ps) { return Ms(static_cast<double>(ps)); }

struct ClassColumn {
  const char* id;
  const char* label;
  double StepBreakdown::*field;
  const char* how;
};
constexpr ClassColumn kClasses[] = {
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

void AddClassColumns(ResultTable* table, bool xprof, bool with_total) {
  for (const ClassColumn& c : kClasses) {
    if (c.field == &StepBreakdown::total && !with_total) continue;
    table->columns.push_back({c.id, c.label, Unit::kMs, ValueType::kReal, xprof ? "" : c.how});
  }
}

ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db,
                            const AnalysisParams& params) {
  ResultTable t;
  t.id = "device_steps";
  t.title = "Steps of each device";
  t.columns = {{"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
               {"host", "Host", Unit::kNone, ValueType::kString, ""},
               {"device", "Device", Unit::kNone, ValueType::kString, ""}};
  AddClassColumns(&t, false, false);
  auto column = [&](const char* id, const char* label, const char* how) {
    t.columns.push_back({id, label, Unit::kMs, ValueType::kReal, how});
  };
  column("inputWaitTimeMs", "Input wait", "device idle while the step waits for input on the host");
  column("h2dTimeMs", "Copies to device", "whole duration of the copies that the step issued");
  column("d2hTimeMs", "Copies to host", "whole duration of the copies that the step issued");
  column("collectiveWaitTimeMs", "Collective wait",
         "time in collectives before the last participant starts");
  column("idleTimeMs", "Idle", "no kernel or copy on the device");
  column("stepTimeMs", "Step time",
         "from the later of the step's begin on the host and the end of the step before on this "
         "device, "
         "to the end of the step's last device event");
  column("hostInputWaitTimeMs", "Input wait on the host", "whether the device is idle or not");
  column("h2dHiddenTimeMs", "Copies to device, hidden", "the part behind kernels");
  column("d2hHiddenTimeMs", "Copies to host, hidden", "the part behind kernels");
  t.columns.push_back({"partial", "Partial", Unit::kNone, ValueType::kBool, ""});
  for (const DeviceStep& d : db.device_steps) {
    const Step& step = db.steps[d.step];
    std::string name(trace.HostName(step.host));
    if (!params.WantsHost(name)) continue;
    const Plane& plane = trace.planes[d.device.value];
    std::vector<Value> row = {step.label, name,
                              plane.display_name.empty()
                                  ? std::string(trace.names().strings.View(plane.name))
                                  : plane.display_name};
    for (const ClassColumn& c : kClasses) {
      if (c.field != &StepBreakdown::total) row.emplace_back(Ms(d.times.*c.field));
    }
    for (Ps v : {d.input_wait, d.h2d, d.d2h, d.collective_wait, d.idle}) row.emplace_back(Ms(v));
    row.emplace_back(Ms(d.times.total));
    for (Ps v : {d.host_input_wait, d.h2d_hidden, d.d2h_hidden}) row.emplace_back(Ms(v));
    row.emplace_back(step.partial);
    t.rows.push_back(std::move(row));
    RowLink link;
    link.range = d.span;
    link.total = d.events;
    t.links.push_back(std::move(link));
  }
  return t;
}

// --- what the devices are ---

double Number(const Plane& plane, std::string_view stat) {
  for (const PlaneStat& s : plane.stats) {
    if (s.name != stat) continue;
    if (const auto* i = std::get_if<int64_t>(&s.value)) return static_cast<double>(*i);
    if (const auto* u = std::get_if<uint64_t>(&s.value)) return static_cast<double>(*u);
    if (const auto* d = std::get_if<double>(&s.value)) return *d;
  }
  return 0;
}

std::string Text(const Plane& plane, std::string_view stat) {
  for (const PlaneStat& s : plane.stats) {
    const auto* text = std::get_if<std::string>(&s.value);
    if (s.name == stat && text) return *text;
  }
  return {};
}

std::string NvidiaName(int major, int minor) {
  const char* name = nullptr;
  switch (major) {
    case 2:
      name = "Fermi";
      break;
    case 3:
      name = "Kepler";
      break;
    case 5:
      name = "Maxwell";
      break;
    case 6:
      name = "Pascal";
      break;
    case 7:
      name = minor < 5 ? "Volta" : "Turing";
      break;
    case 8:
      name = minor < 9 ? "Ampere" : "Ada Lovelace";
      break;
    case 9:
      name = "Hopper";
      break;
    case 10:
      name = "Blackwell";
      break;
    default:
      return "Nvidia GPU";
  }
  return std::string("Nvidia GPU (") + name + ")";
}

std::string AmdName(const std::string& gpu, int major, int minor) {
  size_t hex = 3;
  while (hex < gpu.size() &&
         std::string_view("0123456789abcdef").find(gpu[hex]) != std::string_view::npos)
    ++hex;
  if (gpu.starts_with("gfx") && hex >= 6) return "AMD GPU - " + gpu.substr(0, hex);
  if (major == 9 && minor == 4) return "AMD GPU - gfx942";
  if (major == 9 && minor == 5) return "AMD GPU - gfx950";
  if (major == 9) return "AMD GPU - gfx-9XX series";
  if (major == 10) return "AMD GPU - gfx-10XX series";
  if (major == 11) return "AMD GPU - gfx-11XX series";
  return "AMD GPU";
}

bool HasGradients(const Trace& trace) {
  for (const auto& [id, program] : trace.hlo.programs) {
    for (const auto& [name, op] : program.instructions) {
      if (op.op_name.starts_with("gradients") ||
          op.op_name.find("/gradients") != std::string::npos ||
          op.op_name.find("gradient_tape") != std::string::npos ||
          op.op_name.find("transpose(") != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

// --- the page ---

class Page {
 public:
  Page(AnalysisContext& context, const AnalysisParams& params, const std::stop_token& stop)
      : context_(context),
        params_(params),
        stop_(stop),
        trace_(context.trace()),
        db_(context.steps(stop)) {}

  AnalysisResult Build();

 private:
  void Add(const char* id, const char* label, Value value, Unit unit = Unit::kNone,
           const char* how = "") {
    result_.properties.push_back({id, label, std::move(value), unit, how});
  }
  void AddStepTimes();
  void AddVerdict();
  void AddPercents(const HostOps& ops);
  void AddTopOps(const OpSide& side);
  void AddEnvironment();
  double Percent(double StepBreakdown::*field) const;

  AnalysisContext& context_;
  const AnalysisParams& params_;
  std::stop_token stop_;
  const Trace& trace_;
  const StepDatabase& db_;
  std::vector<Step> steps_;
  AnalysisResult result_;
};

// Of the time of the steps that count.
double Page::Percent(double StepBreakdown::*field) const {
  double whole = Summarize(steps_, &StepBreakdown::total).mean;
  return whole > 0 ? 100 * Summarize(steps_, field).mean / whole : 0;
}

void Page::AddStepTimes() {
  StepSummary s = SummarizeStepTimes(steps_);
  const char* how = (context_.definitions() == Definitions::kXprof)
                        ? "over the steps shown"
                        : "over the steps shown, partial ones left out";
  Add("steptime_ms_average", "Step time", s.mean, Unit::kMs, how);
  Add("steptime_ms_standard_deviation", "Standard deviation", s.deviation, Unit::kMs,
      "of the sample: n - 1");
  Add("steptime_ms_minimum", "Shortest step", s.min, Unit::kMs, how);
  Add("steptime_ms_maximum", "Longest step", s.max, Unit::kMs, how);
  Add("step_count", "Steps", static_cast<int64_t>(steps_.size()), Unit::kCount, "");
  Add("steps_inferred", "Steps inferred", db_.inferred, Unit::kNone,
      "nothing in the profile marks them");
  if (db_.inferred) {
    Add("steps_confidence", "Confidence", 100 * db_.confidence, Unit::kPercent,
        "share of the sequence that repeats");
  }
  if (!db_.how.empty()) Add("steps_how", "How steps were found", db_.how);
}

void Page::AddVerdict() {
  double input = Percent(&StepBreakdown::input), other = Percent(&StepBreakdown::other);
  double launch = Percent(&StepBreakdown::launch);
  double collectives = Percent(&StepBreakdown::collectives);
  const char* how = "input / step time, over all steps; from 20 %: host, from 5 %: both";
  Add("input_percent", "Input", input, Unit::kPercent, how);
  Add("kernel_launch_percent", "Kernel launch", launch, Unit::kPercent, "of the step time");
  Add("collectives_percent", "Collectives", collectives, Unit::kPercent, "of the step time");
  Add("output_percent", "Output", Percent(&StepBreakdown::output), Unit::kPercent,
      "of the step time");
  Add("other_percent", "Other", other, Unit::kPercent, "of the step time");
  auto grade = [](double p) { return std::string(p >= 15 ? "high" : p >= 3 ? "moderate" : "no"); };
  std::string bottleneck = "unknown";
  Finding f;
  f.panel = "overview";
  char text[160];
  if (steps_.empty()) {
    f.text = "No step time could be measured.";
    f.next_step =
        "Mark steps with tf.profiler.experimental.Trace, jax.profiler.StepTraceAnnotation or "
        "torch.profiler's schedule.";
  } else if (input >= 5) {
    bottleneck = input >= 20 ? "host" : "both";
    f.grade = input >= 20 ? Finding::Grade::kBad : Finding::Grade::kWarning;
    std::snprintf(text, sizeof text, "%s input-bound: %.1f %% of the step time waits for input.",
                  input >= 20 ? "Highly" : "Moderately", input);
    f.text = text;
    f.next_step = "See which stage of the input pipeline takes the time.";
    f.panel = "input_pipeline";
  } else if (other >= 3) {
    bottleneck = "both";
    f.grade = Finding::Grade::kWarning;
    std::snprintf(
        text, sizeof text,
        "Possibly input-bound: %.1f %% of the step time is neither on the device nor explained.",
        other);
    f.text = text;
    f.next_step = "Look in the timeline at what the host does in the gaps.";
    f.panel = "timeline";
  } else {
    bottleneck = "device";
    f.grade = Finding::Grade::kGood;
    std::snprintf(text, sizeof text, "Not input-bound: %.1f %% of the step time waits for input.",
                  input);
    f.text = text;
    f.next_step = "Make the device's work faster: see the kernels.";
    f.panel = "kernel_stats";
  }
  result_.findings.push_back(f);
  Add("bottleneck", "Bottleneck", bottleneck, Unit::kNone, how);
  Add("kernel_launch_bottleneck", "Kernel launch", grade(launch), Unit::kNone,
      "high from 15 %, moderate from 3 %");
  Add("device_collectives_bottleneck", "Collectives", grade(collectives), Unit::kNone,
      "high from 15 %, moderate from 3 %");
  bool explained = bottleneck == "both" && input < 5;  // XProf says nothing twice
  Add("all_other_bottleneck", "Other", explained ? std::string("no") : grade(other), Unit::kNone,
      "high from 15 %, moderate from 3 %");
  if (launch >= 3) {
    std::snprintf(text, sizeof text,
                  "%.1f %% of the step time the device waits for kernels to be launched.", launch);
    result_.findings.push_back(
        {launch >= 15 ? Finding::Grade::kBad : Finding::Grade::kWarning, text,
         "Fuse small operations (XLA, CUDA graphs) or give each more work.", "kernel_stats"});
  }
  if (collectives >= 3) {
    std::snprintf(text, sizeof text,
                  "%.1f %% of the step time is collectives that no kernel hides.", collectives);
    result_.findings.push_back(
        {collectives >= 15 ? Finding::Grade::kBad : Finding::Grade::kWarning, text,
         "Overlap them with the backward pass, or look for a late participant.", "timeline"});
  }
}

void Page::AddPercents(const HostOps& ops) {
  double both = db_.compute16 + db_.compute32;
  if (db_.kind == DeviceKind::kGpu) {
    double share = both > 0 ? 100 * db_.compute16 / both : 0;
    const char* how = "of the kernels' time, by name and shape, copies and collectives left out";
    Add("device_compute_16bit_percent", "16-bit compute", share, Unit::kPercent, how);
    Add("device_compute_32bit_percent", "32-bit compute", both > 0 ? 100 - share : 0.0,
        Unit::kPercent, how);
    if (both > 0 && share < 10) {
      result_.findings.push_back({Finding::Grade::kInfo,
                                  "Less than 10 % of the compute time is in 16 bits.",
                                  "Try mixed precision.", "kernel_stats"});
    }
  }
  double host = static_cast<double>(ops.host_side.occurrences),
         device = static_cast<double>(ops.device_side.occurrences);
  double n = host + device;
  Add("host_tf_op_percent", "Ops on the host", n > 0 ? 100 * host / n : 0.0, Unit::kPercent,
      "by number of runs");
  Add("device_tf_op_percent", "Ops on devices", n > 0 ? 100 * device / n : 0.0, Unit::kPercent,
      "by number of runs");
  auto eager = [](const OpSide& s) {
    return s.busy > 0 ? 100 * static_cast<double>(s.eager) / static_cast<double>(s.busy) : 0.0;
  };
  Add("host_op_time_eager_percent", "Eager on the host", eager(ops.host_side), Unit::kPercent,
      "self time of ops that ran eagerly / of all");
  Add("device_op_time_eager_percent", "Eager on devices", eager(ops.device_side), Unit::kPercent,
      "self time of ops that ran eagerly / of all");
}

void Page::AddTopOps(const OpSide& side) {
  ResultTable t;
  t.id = "top_ops";
  t.title = "Operations that take most device time";
  t.columns = {
      {"selfTimePercent", "Self time", Unit::kFraction, ValueType::kReal, "of all device op time"},
      {"cumulativeTimePercent", "Cumulative", Unit::kFraction, ValueType::kReal, ""},
      {"category", "Category", Unit::kNone, ValueType::kString, ""},
      {"operation", "Operation", Unit::kNone, ValueType::kString, ""},
      {"flopRate", "GFLOP/s", Unit::kGflops, ValueType::kReal, "needs XLA's cost model: 0 here"},
      {"tcEligibility", "TC eligible", Unit::kNone, ValueType::kBool,
       "the op could use Tensor Cores"},
      {"tcUtilization", "TC used", Unit::kNone, ValueType::kBool,
       "a kernel of it does use Tensor Cores"},
  };
  std::unordered_map<std::string, std::pair<bool, bool>> kernels;  // eligible, using; by op
  if (!side.ops.empty() && FindAnalysis("kernel_stats")) {
    const auto kernel_stats = context_.Get("kernel_stats", params_, stop_);
    const ResultTable* k = kernel_stats->Table("kernels");
    int op = k ? k->Column("op_name") : -1,
        eligible = k ? k->Column("is_op_tensor_core_eligible") : -1,
        uses = k ? k->Column("is_kernel_using_tensor_core") : -1;
    for (size_t i = 0; op >= 0 && eligible >= 0 && uses >= 0 && i < k->rows.size(); ++i) {
      auto cell = [&](int c) -> const Value& { return k->rows[i][static_cast<size_t>(c)]; };
      const auto* name = std::get_if<std::string>(&cell(op));
      const auto *e = std::get_if<bool>(&cell(eligible)), *u = std::get_if<bool>(&cell(uses));
      if (!name) continue;
      auto& entry = kernels[*name];
      entry.first = entry.first || (e && *e);
      entry.second = entry.second || (u && *u);
    }
  }
  double cumulative = 0;
  for (size_t i = 0; i < side.ops.size() && i < 10; ++i) {
    const OpRow& op = side.ops[i];
    double share =
        side.busy > 0 ? static_cast<double>(op.self) / static_cast<double>(side.busy) : 0;
    cumulative += share;
    auto [eligible, uses] = kernels[op.name];
    t.rows.push_back({share, cumulative, op.type, op.name, 0.0, eligible, uses});
    t.links.push_back(LinkTo(op));
  }
  result_.tables.push_back(std::move(t));
}

void Page::AddEnvironment() {
  int64_t cores = 0;
  std::set<std::string> hosts;
  for (const Plane& p : trace_.planes) {
    std::string host(trace_.HostName(p.host));
    if (!params_.WantsHost(host)) continue;
    hosts.insert(host);
    if (db_.kind == DeviceKind::kTpu ? p.kind == PlaneKind::kTpu : p.kind == PlaneKind::kGpu)
      ++cores;
  }
  Add("device_type", "Device", DeviceTypeOf(trace_));
  Add("device_core_count", "Devices", cores, Unit::kCount,
      "planes of devices, those without events too");
  Add("host_count", "Hosts", static_cast<int64_t>(hosts.size()), Unit::kCount, "");
  Add("is_training", "Training", HasGradients(trace_), Unit::kNone,
      "the name of an HLO instruction shows a gradient");
  ResultTable t;
  t.id = "environment";
  t.title = "Environment";
  t.columns = {{"what", "What", Unit::kNone, ValueType::kString, ""},
               {"value", "Value", Unit::kNone, ValueType::kString, ""}};
  t.rows.push_back({std::string("Device"), DeviceTypeOf(trace_)});
  t.rows.push_back({std::string("Devices"), std::to_string(cores)});
  for (const std::string& host : hosts) t.rows.push_back({std::string("Host"), host});
  result_.tables.push_back(std::move(t));
}

AnalysisResult Page::Build() {
  result_.panel = "overview";
  steps_ = StepsOf(trace_, db_, params_, (context_.definitions() == Definitions::kXprof));
  AddStepTimes();
  AddVerdict();
  result_.tables.push_back(
      StepTable(trace_, steps_, (context_.definitions() == Definitions::kXprof)));
  if (!(context_.definitions() == Definitions::kXprof) && !db_.device_steps.empty()) {
    result_.tables.push_back(DeviceStepTable(trace_, db_, params_));
  }
  HostOps ops = context_.ops(params_, stop_)->Of(trace_, params_);
  AddPercents(ops);
  AddTopOps(ops.device_side);
  AddEnvironment();
  return std::move(result_);
}

}  // namespace

std::string DeviceTypeOf(const Trace& trace) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind == PlaneKind::kTpu) {
      std::string type = Text(plane, "device_type_string");
      return type.empty() ? "TPU" : type;
    }
  }
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu) continue;
    std::string vendor = Text(plane, "device_vendor"), name = Text(plane, "gpu_device_name");
    int major = static_cast<int>(Number(plane, "compute_cap_major"));
    int minor = static_cast<int>(Number(plane, "compute_cap_minor"));
    if (vendor == "Nvidia") return NvidiaName(major, minor);
    if (vendor == "AMD") return AmdName(name, major, minor);
    if (trace.format == TraceFormat::kChromeJson && !name.empty()) return name;
    return "GPU";
  }
  return "CPU";
}

ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool xprof) {
  ResultTable t;
  t.id = "steps";
  t.title = "Steps";
  t.columns = {{"stepnum", "Step", Unit::kNone, ValueType::kString, ""}};
  AddClassColumns(&t, xprof, true);
  bool several = !xprof && trace.hosts.size() > 1;
  if (several) t.columns.push_back({"host", "Host", Unit::kNone, ValueType::kString, ""});
  if (!xprof) {
    t.columns.push_back({"inferred", "Inferred", Unit::kNone, ValueType::kBool,
                         "nothing in the profile marks the step"});
    t.columns.push_back({"partial", "Partial", Unit::kNone, ValueType::kBool,
                         "cut by the begin or end of the recording: left out of the averages"});
  }
  for (const Step& step : steps) {
    std::vector<Value> row = {step.label};
    for (const ClassColumn& c : kClasses) row.emplace_back(Ms(step.times.*c.field));
    if (several) row.emplace_back(std::string(trace.HostName(step.host)));
    if (!xprof) {
      row.emplace_back(step.inferred);
      row.emplace_back(step.partial);
    }
    t.rows.push_back(std::move(row));
    RowLink link = LinkTo(EventRows(step.rows));
    link.range = step.span;
    t.links.push_back(std::move(link));
  }
  return t;
}

AnalysisResult RunOverview(AnalysisContext& context, const AnalysisParams& params,
                           std::stop_token stop) {
  // What the page is made of, side by side: kernels need no steps.
  context.stats(stop);
  ParallelFor(2, [&](size_t i) {
    if (i == 0) {
      context.steps(stop);
      context.ops(params, stop);
    } else {
      context.Get("kernel_stats", params, stop);
    }
  });
  return Page(context, params, stop).Build();
}

}  // namespace stepscope
