// The analysis `input_pipeline` (docs/rules.md#input-pipeline).
#include "model/analysis/pages/input_pipeline.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "model/analysis/definitions.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/pages/torch_input.h"
#include "model/analysis/steps/loss_tables.h"
#include "model/analysis/steps/step_table.h"
#include "model/analysis/steps/verdict.h"

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

struct InputTimes {
  double enqueue = 0, demanded = 0, advanced = 0, preprocessing = 0;  // us
};

ResultTable HostOpTable(const OpSide& side, InputTimes* times) {
  ResultTable t;
  t.id = "host_ops";
  t.title = "Input operations on the host";
  t.SetColumns({
      {"opName", "Operation", Unit::kNone, ValueType::kString, ""},
      {"count", "Count", Unit::kCount, ValueType::kInt, ""},
      {"timeInMs", "Total time", Unit::kMs, ValueType::kReal, "sum of durations over all threads"},
      {"timeInPercent", "Total", Unit::kFraction, ValueType::kReal,
       "total time / self time of all input operations: may exceed 1"},
      {"selfTimeInMs", "Self time", Unit::kMs, ValueType::kReal,
       "time in which no operation inside it on the same thread runs"},
      {"selfTimeInPercent", "Self", Unit::kFraction, ValueType::kReal,
       "self time / self time of all input operations"},
      {"category", "Category", Unit::kNone, ValueType::kString,
       "from the iterator's name: file readers, what they prefetch, and the rest"},
  });
  Ps whole = 0;
  for (const OpRow& op : side.ops) {
    if (CategoryOfInput(op.name, op.type) != InputCategory::kNotInput) whole += op.self;
  }
  double all = whole > 0 ? static_cast<double>(whole) : 1;
  for (const OpRow& op : side.ops) {  // sorted by self time, then name
    InputCategory c = CategoryOfInput(op.name, op.type);
    if (c == InputCategory::kNotInput) continue;
    double time = static_cast<double>(op.time), self = static_cast<double>(op.self);
    double us = self / static_cast<double>(kPsPerUs), ms = static_cast<double>(kPsPerMs);
    if (c == InputCategory::kEnqueue) times->enqueue += us;
    if (c == InputCategory::kDemandedRead) times->demanded += us;
    if (c == InputCategory::kAdvancedRead) times->advanced += us;
    if (c == InputCategory::kPreprocessing) times->preprocessing += us;
    t.AddRow({op.name, static_cast<int64_t>(op.occurrences), time / ms, time / all, self / ms,
              self / all, std::string(InputCategoryName(c))});
    t.links.push_back(LinkTo(op));
  }
  return t;
}

// The part of enqueueing that hands over data, 0 to 1: from the enqueue calls, else from the
// copies in the steps (docs/rules.md#input-pipeline).
double EnqueueShare(const EnqueueRatio& calls, const std::vector<Step>& steps) {
  if (calls.period > 0 && calls.busy > 0) return std::min(1.0, calls.busy / calls.period);
  double copies = Summarize(steps, &StepBreakdown::host_to_device).mean;
  double total = Summarize(steps, &StepBreakdown::total).mean;
  return total > 0 ? std::min(1.0, copies / total) : 0;
}

// The overview's finding about input, so that the two pages never disagree.
Finding InputFinding(const Verdict& verdict) {
  if (verdict.leads == "input") return verdict.finding;
  double percent = 0;
  for (const Loss& loss : verdict.losses) {
    if (loss.id == "input") percent = loss.percent;
  }
  std::array<char, 96> text{};
  const bool some = percent >= 5;
  std::snprintf(text.data(), text.size(),
                "%s: %.1f %% of the step time is spent waiting for input.",
                some ? "Partly input-bound" : "Not input-bound", percent);
  return {some ? Finding::Grade::kWarning : Finding::Grade::kGood, text.data(),
          some ? "The input operations say where the time goes." : "", ""};
}

// Without input operations a wait of nothing is no praise: it may be among the host's work.
void SayNothingRecorded(Finding* finding) {
  finding->grade = Finding::Grade::kInfo;
  finding->text.replace(0, finding->text.find(':'), "No input operation was recorded");
  finding->next_step =
      "If threads that were not recorded read the input, waits for it count as host work.";
}

}  // namespace

AnalysisResult RunInputPipeline(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "input_pipeline";
  const auto selected = SelectSteps(context, ScopeOf(context, params));
  const StepDatabase& db = *selected;
  const std::vector<Step>& steps = db.steps;
  const XprofDefinitions& xprof = context.xprof();
  if (!xprof.step_columns_of_xprof && !steps.empty()) {
    const auto kinds = [&] { return context.Get<ExposedKinds>(params); };
    result.findings.push_back(InputFinding(Judge(context.trace(), db, false, kinds)));
  }
  result.tables.push_back(StepTable(context.trace(), steps, xprof.step_columns_of_xprof));
  if (!xprof.step_columns_of_xprof) result.tables.push_back(StepLossTable(db));
  const std::shared_ptr<const HostOps> shared_ops =
      OpsOf(context.Get<OpDatabase>(params), context.trace(), params);
  const HostOps& ops = *shared_ops;
  InputTimes t;
  result.tables.push_back(HostOpTable(ops.host_side, &t));
  double ratio = EnqueueShare(ops.enqueue, steps);
  double sum = t.demanded + t.advanced + t.preprocessing;
  // If the host enqueued nothing, XProf scales by the copies of the steps, and all times become
  // 0.
  const bool scaled = ratio != 0 && (xprof.input_scaled_by_copies || t.enqueue > 0);
  double outside = scaled ? t.enqueue * (1 - ratio) / ratio : sum;
  double scale = sum > 0 ? outside / sum : 0;
  const char* how =
      "self time of its operations; where the steps show enqueueing, scaled to the time that is "
      "not "
      "enqueueing";
  auto add = [&](const char* id, const char* label, double us, const char* text) {
    result.properties.push_back({id, label, us, Unit::kUs, text});
  };
  add("demanded_file_read_us", "Reading files on demand", t.demanded * scale, how);
  add("advanced_file_read_us", "Reading files in advance", t.advanced * scale, how);
  add("preprocessing_us", "Preprocessing", t.preprocessing * scale, how);
  add("enqueue_us", "Enqueueing", t.enqueue,
      "self time of operations that hand data to the device");
  add("unclassified_nonequeue_us", "Other", std::max(0.0, outside - sum * scale),
      "what the operations above do not explain");
  const size_t tables = result.tables.size();
  AddTorchInput(context, params, &result);
  if (ops.host_side.ops.empty()) {
    const bool any = result.tables.size() > tables;
    if (!any && !result.findings.empty() && result.findings.front().grade == Finding::Grade::kGood)
      SayNothingRecorded(&result.findings.front());
    result.empty_reason = "No tf.data events: the profile has no host operations.";
  }
  return result;
}

}  // namespace stepscope
