#include "model/analysis/pages/input_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/findings/step_verdict.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/step_tables.h"
#include "model/analysis/steps/verdict.h"
#include "model/analysis/tables/schema.h"
#include "model/base/digits.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && StartsWithIgnoreCase(a, b);
}

bool IsFileReader(std::string_view name) {
  for (std::string_view end : {"::TFRecord", "::TextLine", "::FixedLengthRecord", "::SSTable",
                               "::RecordIO", "::ArrayRecord"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

bool ReadsAhead(std::string_view name) {
  for (std::string_view part :
       {"::MemoryReader", "::MemoryWriter", "::Interleave", "::Prefetch", "::ParallelMap"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

InputCategory CategoryOfInput(std::string_view name, std::string_view type) {
  if (type.starts_with("InfeedEnqueue") || type == "MemcpyHToD" ||
      EqualsIgnoreCase(type, "enqueue")) {
    return InputCategory::kEnqueue;
  }
  if (EqualsIgnoreCase(type, "read")) return InputCategory::kDemandedRead;
  if (EqualsIgnoreCase(type, "preprocessing")) return InputCategory::kPreprocessing;
  if (EqualsIgnoreCase(type, "unknown")) return InputCategory::kUnknown;
  if (type != "Dataset") return InputCategory::kNotInput;
  if (!IsFileReader(name)) return InputCategory::kPreprocessing;
  return ReadsAhead(name) ? InputCategory::kAdvancedRead : InputCategory::kDemandedRead;
}

const char* InputCategoryName(InputCategory c) {
  switch (c) {
    case InputCategory::kEnqueue:
      return "Enqueue";
    case InputCategory::kDemandedRead:
      return "Demanded file read";
    case InputCategory::kAdvancedRead:
      return "Advanced file read";
    case InputCategory::kPreprocessing:
      return "Preprocessing";
    case InputCategory::kUnknown:
      return "Unknown";
    case InputCategory::kNotInput:
      break;
  }
  return "";
}

namespace {

// --- Computing

// The part of enqueueing that hands over data, 0 to 1: from the enqueue calls, else from the
// copies in the steps (docs/rules.md#input-pipeline).
double EnqueueShare(const EnqueueRatio& calls, const std::vector<Step>& steps) {
  if (calls.period > 0 && calls.busy > 0) return std::min(1.0, calls.busy / calls.period);
  double copies = Summarize(steps, &StepBreakdown::host_to_device).mean;
  double total = Summarize(steps, &StepBreakdown::total).mean;
  return total > 0 ? std::min(1.0, copies / total) : 0;
}

// The overview's finding about input, so that the two pages never disagree. `nothing`: no input
// operation was recorded; then a wait of nothing is no praise: it may be among the host's work.
Finding InputFinding(const Verdict& verdict, bool nothing) {
  if (verdict.leads == StepPart::kInput) return verdict.InWords();
  double percent = 0;
  for (const Loss& loss : verdict.losses) {
    if (loss.part == StepPart::kInput) percent = loss.percent;
  }
  const bool some = percent >= 5;
  const auto text = [&](const char* begin) {
    return fmt::format("{}: {} of the step time is spent waiting for input.", begin,
                       PercentText(percent, 1));
  };
  if (some) {
    return {Finding::Grade::kWarning, text("Partly input-bound"),
            "The input operations say where the time goes.", ""};
  }
  if (!nothing) return {Finding::Grade::kGood, text("Not input-bound"), "", ""};
  return {Finding::Grade::kInfo, text("No input operation was recorded"),
          "If threads that were not recorded read the input, waits for it count as host work.", ""};
}

// Fills the ops and the times of their categories.
void SetOps(const HostOps& ops, const XprofDefinitions& xprof, InputPipeline* to) {
  for (const OpRow& op : ops.host_side.ops) {
    const InputCategory c = CategoryOfInput(op.name, op.type);
    if (c == InputCategory::kNotInput) continue;
    to->all_self += op.self;
    to->ops.push_back({op.name, c, op.occurrences, op.time, op.self, LinkTo(op)});
    const double us = InUs(op.self);
    if (c == InputCategory::kEnqueue) to->enqueue_us += us;
    if (c == InputCategory::kDemandedRead) to->demanded_us += us;
    if (c == InputCategory::kAdvancedRead) to->advanced_us += us;
    if (c == InputCategory::kPreprocessing) to->preprocessing_us += us;
  }
  to->has_host_ops = !ops.host_side.ops.empty();
  const double ratio = EnqueueShare(ops.enqueue, to->steps->steps);
  const double sum = to->demanded_us + to->advanced_us + to->preprocessing_us;
  // If the host enqueued nothing, XProf scales by the copies of the steps, and all times become 0.
  const bool scaled = ratio != 0 && (xprof.input_scaled_by_copies || to->enqueue_us > 0);
  const double outside = scaled ? to->enqueue_us * (1 - ratio) / ratio : sum;
  const double scale = sum > 0 ? outside / sum : 0;
  to->demanded_us *= scale, to->advanced_us *= scale, to->preprocessing_us *= scale;
  to->other_us = std::max(0.0, outside - sum * scale);
}

std::vector<LoaderWaits> CollectWaits(const Trace& trace, const Scope& scope) {
  constexpr std::string_view kWait = "enumerate(DataLoader)#";
  const NameTable& names = trace.names();
  std::vector<bool> wait(names.metas.size());
  for (uint32_t m = 0; m < wait.size(); ++m) wait[m] = names.Name(MetaId(m)).starts_with(kWait);
  if (std::find(wait.begin(), wait.end(), true) == wait.end()) return {};
  std::map<std::string_view, LoaderWaits> by_loader;
  for (const Lane& lane : trace.set.lanes) {
    const Plane& plane = trace.planes[trace.set.tracks[lane.track.value].plane.value];
    if (!scope.HasHost(plane.host) || plane.kind == PlaneKind::kGpu) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (!wait[lane.meta[i]] || !scope.OfHost(plane.host).Contains(lane.start[i])) continue;
      LoaderWaits& w = by_loader[names.Name(MetaId(lane.meta[i])).substr(kWait.size())];
      w.total += lane.dur[i], w.max = std::max(w.max, lane.dur[i]);
      w.rows.emplace_back(lane.first_row + i);
    }
  }
  std::vector<LoaderWaits> waits;
  for (auto& [loader, w] : by_loader) {
    w.loader = SharedText(loader);
    waits.push_back(std::move(w));
  }
  return waits;
}

// --- The page

const Schema<InputPipeline>& InputTimeSchema() {
  using P = InputPipeline;
  constexpr const char* kHow =
      "self time of its operations; where the steps show enqueueing, scaled to the time that is "
      "not enqueueing";
  static const Schema<P> schema(
      "input_times", "Input",
      {{"demanded_file_read_us", "Reading files on demand", Unit::kUs, &P::demanded_us, kHow},
       {"advanced_file_read_us", "Reading files in advance", Unit::kUs, &P::advanced_us, kHow},
       {"preprocessing_us", "Preprocessing", Unit::kUs, &P::preprocessing_us, kHow},
       {"enqueue_us", "Enqueueing", Unit::kUs, &P::enqueue_us,
        "self time of operations that hand data to the device"},
       {"unclassified_nonequeue_us", "Other", Unit::kUs, &P::other_us,
        "what the operations above do not explain"}});
  return schema;
}

// The facts: the self time of all input operations.
ResultTable HostOpTable(const InputPipeline& input) {
  using R = InputOp;
  static const Schema<R, double> schema(
      "host_ops", "Input operations on the host",
      {{"opName", "Operation", Unit::kNone, &R::name},
       {"count", "Count", Unit::kCount, &R::count},
       {"timeInMs", "Total time", Unit::kMs, &R::time, "sum of durations over all threads"},
       {"timeInPercent", "Total", Unit::kFraction,
        [](const R& r, double all) { return static_cast<double>(r.time) / all; },
        "total time / self time of all input operations: may exceed 1"},
       {"selfTimeInMs", "Self time", Unit::kMs, &R::self,
        "time in which no operation inside it on the same thread runs"},
       {"selfTimeInPercent", "Self", Unit::kFraction,
        [](const R& r, double all) { return static_cast<double>(r.self) / all; },
        "self time / self time of all input operations"},
       {"category", "Category", Unit::kNone,
        [](const R& r) { return InputCategoryName(r.category); },
        "from the iterator's name: file readers, what they prefetch, and the rest"}},
      [](const R& r, double) { return r.link; });
  return schema.Make(input.ops, input.all_self > 0 ? static_cast<double>(input.all_self) : 1);
}

ResultTable WaitTable(const std::vector<LoaderWaits>& waits) {
  using W = LoaderWaits;
  static const Schema<W> schema(
      "loader_waits", "Waits for data loaders",
      {{"loader", "Loader", Unit::kNone, &W::loader, "its iterator"},
       {"workers", "Workers", Unit::kCount, &W::workers,
        "processes; empty where they are not recorded"},
       {"count", "Waits", Unit::kCount, [](const W& w) { return w.rows.size(); },
        "batches that were asked for"},
       {"timeMs", "Time", Unit::kMs, &W::total, "sum of the waits"},
       {"meanMs", "Average", Unit::kMs,
        [](const W& w) { return InMs(w.total) / static_cast<double>(w.rows.size()); }},
       {"maxMs", "Longest", Unit::kMs, &W::max}},
      [](const W& w, const NoFacts&) { return LinkTo(EventRows(w.rows)); });
  return schema.Make(waits);
}

// The waits for all loaders.
std::vector<Property> WaitProperties(const std::vector<LoaderWaits>& waits) {
  struct Sum {
    size_t count = 0;
    Ps total = 0;
    std::optional<int64_t> workers;
  };
  using Field = Schema<Sum, bool>::Field;
  static const Schema<Sum, bool> schema(
      "loader_waits", "Waits for data loaders",
      {Field("loader_wait_count", "Waits for data loaders", Unit::kCount, &Sum::count,
             "calls of DataLoader iterators"),
       Field("loader_wait_ms", "Time in them", Unit::kMs, &Sum::total, "sum of their durations"),
       Field("loader_workers", "Loader workers", Unit::kCount, &Sum::workers,
             "empty where they are not recorded")
           .When([](bool one_loader) { return one_loader; })});
  Sum sum;
  for (const LoaderWaits& w : waits) sum.count += w.rows.size(), sum.total += w.total;
  if (waits.size() == 1) sum.workers = waits.front().workers();
  return schema.Properties(sum, waits.size() == 1);
}

// The sums of the copies to devices.
std::vector<Property> CopyProperties(const std::vector<DeviceCopies>& copies, bool xprof) {
  struct Sum {
    uint64_t count = 0, pinned_count = 0;
    int64_t bytes = 0, pinned = 0;
    double ms = 0;
  };
  using Field = Schema<Sum, bool>::Field;
  const auto rate = [](const Sum& s) {
    return s.ms > 0 ? std::optional(static_cast<double>(s.bytes) / 1e6 / s.ms) : std::nullopt;
  };
  constexpr const char* kRateHow = "bytes / time of these copies; 10^9 bytes";
  static const Schema<Sum, bool> schema(
      "h2d", "Copies to devices",
      {Field("h2d_copies", "Copies to devices", Unit::kCount, &Sum::count),
       Field("h2d_bytes", "Copied to devices", Unit::kBytes, &Sum::bytes,
             "of the copies whose size is recorded"),
       Field("h2d_gb_per_s", "GB/s", Unit::kNone, rate, kRateHow).When([](bool x) { return x; }),
       Field("h2d_gb_per_s", "Copies to devices, GB/s", Unit::kNone, rate, kRateHow)
           .When([](bool x) { return !x; }),
       Field("h2d_pinned_copies", "Pinned copies", Unit::kCount, &Sum::pinned_count,
             "from pinned memory: they need not be staged"),
       Field(
           "h2d_pinned_percent", "Pinned bytes", Unit::kPercent,
           [](const Sum& s) {
             return s.bytes > 0 ? std::optional(100 * static_cast<double>(s.pinned) /
                                                static_cast<double>(s.bytes))
                                : std::nullopt;
           },
           "of the bytes copied to devices")});
  Sum sum;
  for (const DeviceCopies& c : copies) {
    if (c.direction != CopyDirection::kHostToDevice) continue;
    const int64_t bytes = c.bytes.value_or(0);
    sum.count += c.rows.size(), sum.bytes += bytes, sum.ms += InMs(c.time);
    if (c.memory == HostMemory::kPinned) sum.pinned_count += c.rows.size(), sum.pinned += bytes;
  }
  return schema.Properties(sum, xprof);
}

// Adds PyTorch's part: waits for data loaders and, with GPUs, copies, with their sums.
void AddTorchInput(AnalysisContext& context, const AnalysisParams& params,
                   const std::vector<LoaderWaits>& waits, AnalysisResult* result) {
  for (Property& property : WaitProperties(waits))
    result->properties.push_back(std::move(property));
  result->tables.push_back(WaitTable(waits));
  const DeviceEvents events(context, params);
  if (events.devices().empty()) return;
  const std::vector<DeviceCopies> copies = CopiesOf(context, events);
  for (Property& property : CopyProperties(copies, context.xprof().kernel_columns_of_xprof))
    result->properties.push_back(std::move(property));
  result->tables.push_back(MakeCopyTable(copies));
}

}  // namespace

InputPipeline InputPipeline::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const Trace& trace = context.trace();
  const Scope scope = ScopeOf(context, params);
  InputPipeline input;
  input.as_xprof = context.xprof().step_columns_of_xprof;
  input.steps = SelectSteps(context, scope);
  SetOps(*OpsOf(context.Get<OpDatabase>(params), trace, params), context.xprof(), &input);
  if (CapabilitiesOf(trace).pytorch_events) input.waits = CollectWaits(trace, scope);
  if (!input.as_xprof && !input.steps->steps.empty()) {
    const Verdict& verdict = context.Get<StepVerdict>(params)->verdict;
    if (verdict.judges_steps())
      input.finding = InputFinding(verdict, !input.has_host_ops && !input.waits);
  }
  return input;
}

AnalysisResult RunInputPipeline(AnalysisContext& context, const AnalysisParams& params) {
  const auto input = context.Make<InputPipeline>(params);
  AnalysisResult result;
  result.panel = "input_pipeline";
  if (input->finding) result.findings.push_back(*input->finding);
  result.tables.push_back(StepTable(context.trace(), input->steps->steps, input->as_xprof));
  if (!input->as_xprof) result.tables.push_back(StepLossTable(*input->steps));
  result.tables.push_back(HostOpTable(*input));
  result.properties = InputTimeSchema().Properties(*input);
  if (input->waits) AddTorchInput(context, params, *input->waits, &result);
  if (!input->has_host_ops)
    result.empty_reason = "No tf.data events: the profile has no host operations.";
  result.SetSource(input);
  return result;
}

}  // namespace stepscope
