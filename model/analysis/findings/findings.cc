#include "model/analysis/findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "model/allocator_history.h"
#include "model/analysis/findings/finding_context.h"
#include "model/analysis/memory/memory_snapshot.h"
#include "model/analysis/naming/vendor_words.h"
#include "model/analysis/steps/losses.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/digits.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// Percent of the step, as for the verdict (docs/rules.md#verdict).
constexpr double kProblem = 30, kWarning = 10;
constexpr double kWorthSaying = 0.05;  // percent of the step: less is not offered as a saving

// The rule about the verdict's loss; "" for verdicts without a rule.
std::string_view RuleOfVerdict(std::optional<StepPart> leads) {
  static constexpr std::array<std::pair<StepPart, std::string_view>, 9> kOf = {
      {{StepPart::kInput, "input-bound"},
       {StepPart::kHost, "host-op"},
       {StepPart::kLaunch, "launch-bound"},
       {StepPart::kSync, "sync"},
       {StepPart::kCompile, "compile"},
       {StepPart::kCopies, "copies"},
       {StepPart::kCollectives, "allreduce"},
       {StepPart::kCollectiveWait, "imbalance"},
       {StepPart::kBetweenSteps, "between-steps"}}};
  for (const auto& [part, rule] : kOf) {
    if (part == leads) return rule;
  }
  return {};
}

FindingSeverity SeverityOf(const FindingContext& input, const RuleFinding& found) {
  const double percent = input.PercentOfStep(found.saving_ms);
  const FindingSeverity by_saving = percent >= kProblem   ? FindingSeverity::kProblem
                                    : percent >= kWarning ? FindingSeverity::kWarning
                                                          : FindingSeverity::kNote;
  return std::min(std::max(by_saving, found.least), found.most);
}

// Sorts by falling saving; findings of the rule `first`, the verdict's, come first.
void Sort(std::string_view first, std::vector<RankedFinding>* ranked) {
  std::stable_sort(ranked->begin(), ranked->end(), [&](const auto& a, const auto& b) {
    const bool a_first = a.rule->id == first, b_first = b.rule->id == first;
    if (a_first != b_first) return a_first;
    return a.saving_ms > b.saving_ms;
  });
}

// Rules do not need each other, so several are applied at once.
std::vector<RankedFinding> ApplyRules(const FindingContext& input) {
  const std::span<const FindingRule> rules = FindingRules();
  std::vector<std::vector<RuleFinding>> found(rules.size());
  // Where too little was recorded for a verdict, no time can be saved either.
  const bool judged = input.verdict().leads.has_value() || HistoryOf(input.trace()) != nullptr;
  ParallelFor(rules.size(), [&](size_t r) {
    CheckStop();
    if (!judged && rules[r].id != std::string_view("memory")) return;
    rules[r].find(input, input.thresholds().Of(rules[r]), &found[r]);
    // Whoever follows advice must not get slower by it.
    std::erase_if(found[r], [](const RuleFinding& f) { return !(f.saving_ms >= 0); });
  });
  std::vector<RankedFinding> ranked;
  for (size_t r = 0; r < rules.size(); ++r) {
    for (RuleFinding& f : found[r]) {
      f.saving_ms = std::min(f.saving_ms, input.step_ms());
      const FindingSeverity severity = SeverityOf(input, f);
      ranked.push_back({std::move(f), &rules[r], severity, {}, {}, {}});
    }
  }
  Sort(RuleOfVerdict(input.verdict().leads), &ranked);
  return ranked;
}

// The numbers of the steps, as --steps takes them: "0..4, 7".
std::string StepsText(const StepDatabase& db, const std::vector<uint32_t>& steps) {
  constexpr size_t kMostRuns = 20;
  std::set<int64_t> numbers;
  for (const uint32_t s : steps) numbers.insert(db.steps[s].number);
  std::string text;
  size_t runs = 0;
  for (auto it = numbers.begin(); it != numbers.end(); ++runs) {
    const int64_t first = *it;
    int64_t last = first;
    for (++it; it != numbers.end() && *it == last + 1; ++it) last = *it;
    if (runs == kMostRuns) return text + ", ...";
    text += text.empty() ? "" : ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
  }
  return text;
}

std::string DevicesText(const FindingContext& input, const RuleFinding& found) {
  if (HistoryOf(input.trace()) != nullptr) return {};
  if (found.devices.empty())
    return input.db().kind == DeviceKind::kCpuOnly ? std::string("CPU") : std::string();
  std::string text;
  std::set<std::string> names;
  for (const PlaneId device : found.devices) names.insert(input.NameOf(device));
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string HostsText(const FindingContext& input, const RuleFinding& found) {
  std::set<std::string> hosts;
  const Trace& trace = input.trace();
  for (const PlaneId device : found.devices)
    hosts.emplace(trace.HostName(trace.planes[device.value].host));
  if (hosts.empty()) {
    for (const uint32_t s : found.steps) hosts.emplace(trace.HostName(input.db().steps[s].host));
  }
  std::string text;
  for (const std::string& host : hosts) text += (text.empty() ? "" : ", ") + host;
  return text;
}

// Sets what follows from the rule, and the words that people see.
void Complete(const FindingContext& input, RankedFinding* found) {
  RankedFinding& f = *found;
  if (std::isnan(f.threshold)) {
    f.threshold = input.thresholds().Of(*f.rule);
    f.unit = f.rule->unit;
  }
  if (f.remedy.empty()) f.remedy = f.rule->remedy;
  if (f.remedy.empty()) f.remedy = input.Remedy(f.rule->id);
  if (OnlyAmdGpus(input.trace())) {
    for (std::string* text : {&f.title, &f.assumption, &f.remedy})
      *text = InAmdWords(std::move(*text));
  }
  f.host_names = HostsText(input, f);
  f.device_names = DevicesText(input, f);
  if (!input.whole()) f.step_numbers = StepsText(input.db(), f.steps);
}

const Schema<RankedFinding>& FindingSchema() {
  using R = RankedFinding;
  static const Schema<R> schema(
      kFindingTable, "Findings",
      {{"rule", "Rule", Unit::kNone, [](const R& r) { return r.rule->id; },
        "the table `rules` has its formula", kKeyColumn},
       {"severity", "Severity", Unit::kNone, [](const R& r) { return IdOf(r.severity); },
        "problem: 30 % of the step and more can be saved, warning: 10 %, else a note; where no "
        "time is saved the rule says it"},
       {"title", "Finding", Unit::kNone, &R::title, "", kKeyColumn},
       {"measured", "Measured", Unit::kNone, &R::measured, "in the unit of the row"},
       {"threshold", "Threshold", Unit::kNone, &R::threshold, "from where on it is reported"},
       {"unit", "Unit", Unit::kNone, [](const R& r) { return UnitName(r.unit); },
        "of measured and threshold"},
       {"saving_ms_per_step", "Saving per step", Unit::kMs, &R::saving_ms,
        "how much shorter an average step would be without it; see the assumption", kKeyColumn},
       {"assumption", "Assumption", Unit::kNone, &R::assumption,
        "of the saving, and how sure it is"},
       {"host", "Host", Unit::kNone, &R::host_names},
       {"device", "Device", Unit::kNone, &R::device_names, "where it is"},
       {"steps", "Steps", Unit::kNone, &R::step_numbers, "by their numbers"},
       {kFindingEvents, "Events", Unit::kCount,
        [](const R& r) { return std::max<uint64_t>(r.link.total, r.link.rows.size()); },
        "how many there are; a row leads to at most 1000 of them"},
       {"guide", "Guide", Unit::kNone, [](const R& r) { return r.rule->guide; },
        "section of TensorFlow's guide to GPU performance"},
       {"remedy", "Remedy", Unit::kNone, &R::remedy}},
      [](const R& r, const NoFacts&) { return r.link; });
  return schema;
}

// A rule, or a parameter, which has neither findings nor a formula.
struct RuleRow {
  const char *id, *what;
  double threshold;
  Unit unit;
  std::optional<int64_t> found;
  const char* formula;
};

ResultTable RuleTable(const FindingThresholds& thresholds, const Findings& findings) {
  using R = RuleRow;
  static const Schema<R> schema(
      "rules", "Rules",
      {{"rule", "Rule", Unit::kNone, &R::id},
       {"what", "Looks for", Unit::kNone, &R::what},
       {"threshold", "Threshold", Unit::kNone, &R::threshold,
        "report --threshold RULE=VALUE changes it"},
       {"unit", "Unit", Unit::kNone, [](const R& r) { return UnitName(r.unit); }},
       {"found", "Findings", Unit::kCount, &R::found},
       {"formula", "How computed", Unit::kNone, &R::formula}});
  std::vector<RuleRow> rows;
  for (const FindingRule& rule : FindingRules()) {
    const auto found = std::count_if(findings.ranked.begin(), findings.ranked.end(),
                                     [&](const RankedFinding& f) { return f.rule == &rule; });
    rows.push_back({rule.id, rule.what, thresholds.Of(rule), rule.unit, found, rule.formula});
  }
  for (const FindingParameter& p : FindingParameters())
    rows.push_back({p.id, p.what, thresholds.Of(p.id), p.unit, std::nullopt, ""});
  return schema.Make(rows);
}

// --- what if a class of loss were gone (docs/findings.md#what-if) ---

struct Change {
  StepTimeClass loss;
  const char* label;
  const char* assumption;
};

constexpr Change kChanges[] = {
    {StepTimeClass::kInput, "No waits for input", "input is ready whenever a step begins"},
    {StepTimeClass::kSync, "No blocking calls",
     "the host has launched the next kernels when the device is done"},
    {StepTimeClass::kCompile, "No compilation", "the program has warmed up"},
    {StepTimeClass::kLaunch, "No waits for launches", "launches are always ahead of the device"},
    {StepTimeClass::kQueued, "No gaps before work in the queue",
     "the device starts launched work at once"},
    {StepTimeClass::kHost, "No host work inside the step",
     "it is compiled, or hidden behind the device"},
    {StepTimeClass::kBetweenSteps, "No work between steps", "it is done on another thread"},
    {StepTimeClass::kUnknown, "No idle time without a recorded cause",
     "whatever it is, it is gone"},
    {StepTimeClass::kHostToDevice, "Copies to the device hidden", "kernels run meanwhile"},
    {StepTimeClass::kDeviceToHost, "Copies to the host hidden", "kernels run meanwhile"},
    {StepTimeClass::kDeviceToDevice, "Copies on devices hidden", "kernels run meanwhile"},
    {StepTimeClass::kCollective, "Collectives hidden",
     "kernels that do not need the result run meanwhile"},
    {StepTimeClass::kCollectiveWait, "No waiting for participants",
     "all devices reach their collectives together; of the device that waits longest in each step"},
};

struct GoneLoss {
  const Change* change;
  double saving_ms, step_ms, percent;
};

ResultTable WhatIfTable(const FindingContext& input) {
  using G = GoneLoss;
  static const auto schema =
      Schema<G>("what_if", "What if a loss were gone",
                {{"class", "Class", Unit::kNone, [](const G& g) { return IdOf(g.change->loss); },
                  "as in the overview's `idle_causes`"},
                 {"change", "What if", Unit::kNone, [](const G& g) { return g.change->label; }, "",
                  kKeyColumn},
                 {"saving_ms_per_step", "Saving per step", Unit::kMs, &G::saving_ms,
                  "the class's time in an average step; classes exclude each other, so that "
                  "savings add up, but for waiting for participants"},
                 {"step_ms", "Step then", Unit::kMs, &G::step_ms, "step time - saving", kKeyColumn},
                 {"percent", "Saved", Unit::kPercent, &G::percent, "of the step"},
                 {"assumption", "Assumption", Unit::kNone,
                  [](const G& g) { return g.change->assumption; }}})
          .WithReadable("class", [](const G& g, const NoFacts&) {
            return SharedText(LabelOf(g.change->loss));
          });
  std::vector<G> rows;
  for (const Change& change : kChanges) {
    const bool wait = change.loss == StepTimeClass::kCollectiveWait;
    const double all = wait ? input.LongestWaitMs() : input.LossMs(change.loss);
    if (all <= 0) continue;
    const double ms = std::min(all, input.step_ms());
    rows.push_back({&change, ms, input.step_ms() - ms, input.PercentOfStep(ms)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const G& a, const G& b) { return a.saving_ms > b.saving_ms; });
  return schema.Make(rows);
}

// Adds the findings as sentences, for which a row of a table has no room.
void AddSentences(const FindingContext& input, const Findings& findings, AnalysisResult* result) {
  for (const RankedFinding& found : findings.ranked) {
    Finding finding{GradeOf(found.severity), found.title, found.remedy, "findings"};
    if (input.PercentOfStep(found.saving_ms) >= kWorthSaying) {
      finding.text += fmt::format(
          " Without it {} is {} shorter ({}).", input.whole() ? "the recording" : "a step",
          MsText(found.saving_ms), PercentText(input.PercentOfStep(found.saving_ms)));
    }
    result->findings.push_back(std::move(finding));
  }
}

std::vector<Property> PropertiesOf(const Findings& findings) {
  using F = Findings;
  static const Schema<F> schema(
      "findings", "Findings",
      {{"verdict", "Verdict", Unit::kNone, &F::verdict, "as the overview has it"},
       {"step_ms", "Step time", Unit::kMs, &F::step_ms,
        "mean over the steps that count, which savings are of"},
       {"problems", "Problems", Unit::kCount,
        [](const F& f) { return f.CountOf(FindingSeverity::kProblem); },
        "findings that 30 % of the step and more can be saved by"},
       {"warnings", "Warnings", Unit::kCount,
        [](const F& f) { return f.CountOf(FindingSeverity::kWarning); }, "10 % and more"},
       {"notes", "Notes", Unit::kCount,
        [](const F& f) { return f.CountOf(FindingSeverity::kNote); }, "the others"}});
  return schema.Properties(findings);
}

// --- memory snapshots, which have no events of a device ---

// The findings of the snapshot's own page, as findings of the rule `memory`.
std::vector<RankedFinding> FindingsOfSnapshot(const SnapshotReport& snapshot,
                                              const FindingContext& input) {
  std::vector<RankedFinding> ranked;
  for (const Finding& finding : snapshot.Findings()) {
    const bool failed = finding.grade == Finding::Grade::kBad;
    if (!failed && finding.grade != Finding::Grade::kWarning) continue;
    RankedFinding& found = ranked.emplace_back();
    found.rule = FindRule("memory");
    found.severity = failed ? FindingSeverity::kProblem : FindingSeverity::kWarning;
    found.title = finding.text;
    found.measured =
        static_cast<double>(failed ? snapshot.failure->requested : snapshot.LeakedBytes());
    found.threshold = 0;
    found.unit = Unit::kBytes;
    found.assumption = "No time is recorded in a memory snapshot.";
    found.remedy = failed ? input.Remedy("memory.failed") : finding.next_step;
  }
  return ranked;
}

void AddTables(const FindingContext& input, const Findings& findings, AnalysisResult* result) {
  result->tables.push_back(FindingSchema().Make(findings.ranked));
  if (findings.step_ms) {
    constexpr std::array kMake = {WhatIfTable, GapCauseTable, GapTable};
    std::array<ResultTable, kMake.size()> tables;
    ParallelFor(tables.size(), [&](size_t i) { tables[i] = kMake[i](input); });
    std::move(tables.begin(), tables.end(), std::back_inserter(result->tables));
  }
  result->tables.push_back(RuleTable(input.thresholds(), findings));
}

}  // namespace

Finding::Grade GradeOf(FindingSeverity severity) {
  if (severity == FindingSeverity::kProblem) return Finding::Grade::kBad;
  return severity == FindingSeverity::kWarning ? Finding::Grade::kWarning : Finding::Grade::kInfo;
}

int64_t Findings::CountOf(FindingSeverity severity) const {
  return std::count_if(ranked.begin(), ranked.end(),
                       [&](const RankedFinding& f) { return f.severity == severity; });
}

AnalysisResult FindAll(AnalysisContext& context, const AnalysisParams& params,
                       const FindingThresholds& thresholds) {
  AnalysisResult result;
  result.panel = "findings";
  if (context.definitions() == Definitions::kXprof) {
    result.empty_reason = "There are no findings by XProf's definitions; Stepscope's have them.";
    return result;
  }
  const FindingContext input(context, params, thresholds);
  const bool is_snapshot = HistoryOf(context.trace()) != nullptr;
  if (!is_snapshot && (input.db().steps.empty() || input.step_ms() <= 0)) {
    result.empty_reason =
        "This profile has no steps, and findings are about steps. " + input.Remedy("mark-steps");
    return result;
  }
  const auto findings = std::make_shared<Findings>();
  findings->verdict = input.verdict().id();
  if (input.verdict().leads) findings->step_ms = input.step_ms();
  if (is_snapshot) {
    const auto snapshot = context.Get<SnapshotReport>(params);
    findings->ranked = FindingsOfSnapshot(*snapshot, input);
    if (findings->ranked.empty()) result.findings = snapshot->Findings();
  } else {
    findings->ranked = ApplyRules(input);
    result.findings.push_back(input.verdict().InWords());
  }
  for (RankedFinding& found : findings->ranked) Complete(input, &found);
  AddSentences(input, *findings, &result);
  result.properties = PropertiesOf(*findings);
  AddTables(input, *findings, &result);
  result.SetSource(std::shared_ptr<const Findings>(findings));
  return result;
}

std::vector<std::string> FindingsOfRule(const AnalysisResult& result, std::string_view rule,
                                        FindingSeverity least) {
  std::vector<std::string> titles;
  const Findings* findings = result.As<Findings>();
  if (findings == nullptr) return titles;
  for (const RankedFinding& found : findings->ranked) {
    if (found.severity >= least && found.rule->id == rule) titles.push_back(found.title);
  }
  return titles;
}

// The function in the registry's row (registry.cc).
AnalysisResult RunFindings(AnalysisContext& context, const AnalysisParams& params) {
  return FindAll(context, params, {});
}

}  // namespace stepscope
