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
#include "model/analysis/findings/gap_tables.h"
#include "model/analysis/findings/what_if.h"
#include "model/analysis/naming/vendor_words.h"
#include "model/analysis/tables/unit_names.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// Percent of the step, as for the verdict (docs/rules.md#verdict).
constexpr double kProblem = 30, kWarning = 10;
constexpr double kWorthSaying = 0.05;  // percent of the step: less is not offered as a saving

struct Row {
  const FindingRule* rule;
  RuleFinding found;
  FindingSeverity severity;
};

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
void Sort(std::string_view first, std::vector<Row>* rows) {
  std::stable_sort(rows->begin(), rows->end(), [&](const Row& a, const Row& b) {
    const bool a_first = a.rule->id == first, b_first = b.rule->id == first;
    if (a_first != b_first) return a_first;
    return a.found.saving_ms > b.found.saving_ms;
  });
}

// Rules do not need each other, so several are applied at once.
std::vector<Row> ApplyRules(const FindingContext& input) {
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
  std::vector<Row> rows;
  for (size_t r = 0; r < rules.size(); ++r) {
    for (RuleFinding& f : found[r]) {
      f.saving_ms = std::min(f.saving_ms, input.step_ms());
      const FindingSeverity severity = SeverityOf(input, f);
      rows.push_back({&rules[r], std::move(f), severity});
    }
  }
  Sort(RuleOfVerdict(input.verdict().leads), &rows);
  return rows;
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

std::string RemedyOf(const FindingContext& input, const Row& row) {
  return row.found.remedy.empty() ? input.Remedy(row.rule->id) : row.found.remedy;
}

std::vector<ColumnDesc> Columns() {
  using V = ValueType;
  return {
      {"rule", "Rule", Unit::kNone, V::kString, "the table `rules` has its formula", true},
      {"severity", "Severity", Unit::kNone, V::kString,
       "problem: 30 % of the step and more can be saved, warning: 10 %, else a note; where no "
       "time is saved the rule says it"},
      {"title", "Finding", Unit::kNone, V::kString, "", true},
      {"measured", "Measured", Unit::kNone, V::kReal, "in the unit of the row"},
      {"threshold", "Threshold", Unit::kNone, V::kReal, "from where on it is reported"},
      {"unit", "Unit", Unit::kNone, V::kString, "of measured and threshold"},
      {"saving_ms_per_step", "Saving per step", Unit::kMs, V::kReal,
       "how much shorter an average step would be without it; see the assumption", true},
      {"assumption", "Assumption", Unit::kNone, V::kString, "of the saving, and how sure it is"},
      {"host", "Host", Unit::kNone, V::kString, ""},
      {"device", "Device", Unit::kNone, V::kString, "where it is"},
      {"steps", "Steps", Unit::kNone, V::kString, "by their numbers"},
      {std::string(kFindingEvents), "Events", Unit::kCount, V::kInt,
       "how many there are; a row leads to at most 1000 of them"},
      {"guide", "Guide", Unit::kNone, V::kString,
       "section of TensorFlow's guide to GPU performance"},
      {"remedy", "What to do", Unit::kNone, V::kString, ""}};
}

ResultTable FindingTable(const FindingContext& input, std::vector<Row>* rows) {
  ResultTable t{"findings", "Findings", Columns()};
  const bool amd = OnlyAmdGpus(input.trace());
  const auto words = [&](std::string text) {
    return SharedText(amd ? InAmdWords(std::move(text)) : text);
  };
  for (Row& row : *rows) {
    RuleFinding& f = row.found;
    const bool own = !std::isnan(f.threshold);
    const uint64_t events = std::max<uint64_t>(f.link.total, f.link.rows.size());
    t.AddRow({SharedText(row.rule->id), SharedText(IdOf(row.severity)), words(f.title), f.measured,
              own ? f.threshold : input.thresholds().Of(*row.rule),
              SharedText(UnitName(own ? f.unit : row.rule->unit)), f.saving_ms, words(f.assumption),
              SharedText(HostsText(input, f)), SharedText(DevicesText(input, f)),
              SharedText(input.whole() ? "" : StepsText(input.db(), f.steps)),
              static_cast<int64_t>(events), SharedText(row.rule->guide),
              words(RemedyOf(input, row))});
    t.links.push_back(std::move(f.link));
  }
  return t;
}

ResultTable RuleTable(const FindingThresholds& thresholds, const std::vector<Row>& rows) {
  using V = ValueType;
  ResultTable t{"rules",
                "Rules",
                {{"rule", "Rule", Unit::kNone, V::kString, ""},
                 {"what", "What it looks for", Unit::kNone, V::kString, ""},
                 {"threshold", "Threshold", Unit::kNone, V::kReal,
                  "report --threshold RULE=VALUE changes it"},
                 {"unit", "Unit", Unit::kNone, V::kString, ""},
                 {"found", "Findings", Unit::kCount, V::kInt, ""},
                 {"formula", "How computed", Unit::kNone, V::kString, ""}}};
  for (const FindingRule& rule : FindingRules()) {
    const auto found =
        std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.rule == &rule; });
    t.AddRow({SharedText(rule.id), SharedText(rule.what), thresholds.Of(rule),
              SharedText(UnitName(rule.unit)), static_cast<int64_t>(found),
              SharedText(rule.formula)});
  }
  for (const FindingParameter& p : FindingParameters()) {
    t.AddRow({SharedText(p.id), SharedText(p.what), thresholds.Of(p.id),
              SharedText(UnitName(p.unit)), Value(), SharedText("")});
  }
  return t;
}

Finding::Grade GradeOf(FindingSeverity severity) {
  if (severity == FindingSeverity::kProblem) return Finding::Grade::kBad;
  return severity == FindingSeverity::kWarning ? Finding::Grade::kWarning : Finding::Grade::kInfo;
}

// Adds the findings as sentences, for which a row of a table has no room.
void AddSentences(const FindingContext& input, const std::vector<Row>& rows,
                  AnalysisResult* result) {
  const bool amd = OnlyAmdGpus(input.trace());
  const auto words = [amd](std::string text) { return amd ? InAmdWords(std::move(text)) : text; };
  for (const Row& row : rows) {
    Finding finding;
    finding.grade = GradeOf(row.severity);
    finding.text = words(row.found.title);
    if (input.PercentOfStep(row.found.saving_ms) >= kWorthSaying) {
      finding.text += fmt::format(
          " Without it {} is {} shorter ({}).", input.whole() ? "the recording" : "a step",
          MsText(row.found.saving_ms), PercentText(input.PercentOfStep(row.found.saving_ms)));
    }
    finding.next_step = words(RemedyOf(input, row));
    finding.panel = "findings";
    result->findings.push_back(std::move(finding));
  }
}

// Whether hardly any work of a device was recorded. Then no step has a time.
bool NothingRan(const FindingContext& input) { return !input.verdict().leads; }

void AddProperties(const FindingContext& input, const std::vector<Row>& rows,
                   AnalysisResult* result) {
  std::array<int64_t, 3> counts{};
  for (const Row& row : rows) ++counts[static_cast<size_t>(row.severity)];
  const auto count = [&](FindingSeverity s) { return counts[static_cast<size_t>(s)]; };
  const bool nothing = NothingRan(input);
  result->properties = {
      {"verdict", "Verdict", SharedText(input.verdict().id()), Unit::kNone,
       "as the overview has it"},
      {"step_ms", "Step time", nothing ? Value() : Value(input.step_ms()), Unit::kMs,
       "mean over the steps that count, which savings are of"},
      {"problems", "Problems", count(FindingSeverity::kProblem), Unit::kCount,
       "findings that 30 % of the step and more can be saved by"},
      {"warnings", "Warnings", count(FindingSeverity::kWarning), Unit::kCount, "10 % and more"},
      {"notes", "Notes", count(FindingSeverity::kNote), Unit::kCount, "the others"}};
}

// --- memory snapshots, which have no events of a device ---

std::vector<Finding> PeakOf(AnalysisContext& context, const AnalysisParams& params,
                            const FindingContext&) {
  return context.Get("memory_snapshot", params)->findings;
}

int64_t BytesOf(const AnalysisResult& snapshot, std::string_view property) {
  const Property* found = snapshot.Find(property);
  const int64_t* bytes = found != nullptr ? std::get_if<int64_t>(&found->value) : nullptr;
  return bytes != nullptr ? *bytes : 0;
}

// The bytes of all sites that are never freed: of each step if steps are known, else of the
// recording.
int64_t LeakedBytes(const AnalysisResult& snapshot) {
  const ResultTable* leaks = snapshot.Table("leaks");
  int64_t sum = 0;
  for (size_t r = 0; leaks != nullptr && r < leaks->size(); ++r) {
    const Cell growth = leaks->At(r, 3), bytes = leaks->At(r, 1);
    const auto* of_step = std::get_if<int64_t>(&growth);
    const auto* all = std::get_if<int64_t>(&bytes);
    sum = SaturatingAdd(sum, of_step != nullptr ? *of_step : all != nullptr ? *all : 0);
  }
  return sum;
}

// The findings of the snapshot's own page, as findings of the rule `memory`.
std::vector<Row> SnapshotRows(AnalysisContext& context, const AnalysisParams& params,
                              const FindingContext& input) {
  std::vector<Row> rows;
  const auto snapshot = context.Get("memory_snapshot", params);
  for (const Finding& finding : snapshot->findings) {
    const bool failed = finding.grade == Finding::Grade::kBad;
    if (!failed && finding.grade != Finding::Grade::kWarning) continue;
    RuleFinding found;
    found.title = finding.text;
    const int64_t bytes =
        failed ? BytesOf(*snapshot, "oom_requested_bytes") : LeakedBytes(*snapshot);
    found.measured = static_cast<double>(bytes);
    found.threshold = 0;
    found.unit = Unit::kBytes;
    found.assumption = "No time is recorded in a memory snapshot.";
    found.remedy = failed ? input.Remedy("memory.failed") : finding.next_step;
    rows.push_back({FindRule("memory"), std::move(found),
                    failed ? FindingSeverity::kProblem : FindingSeverity::kWarning});
  }
  return rows;
}

}  // namespace

AnalysisResult FindAll(AnalysisContext& context, const AnalysisParams& params,
                       const FindingThresholds& thresholds) {
  AnalysisResult result;
  result.panel = "findings";
  if (context.definitions() == Definitions::kXprof) {
    result.empty_reason = "There are no findings by XProf's definitions; Stepscope's have them.";
    return result;
  }
  const FindingContext input(context, params, thresholds);
  const bool snapshot = HistoryOf(context.trace()) != nullptr;
  if (!snapshot && (input.db().steps.empty() || input.step_ms() <= 0)) {
    result.empty_reason =
        "This profile has no steps, and findings are about steps. " + input.Remedy("mark-steps");
    return result;
  }
  std::vector<Row> rows = snapshot ? SnapshotRows(context, params, input) : ApplyRules(input);
  if (!snapshot) result.findings.push_back(input.verdict().InWords());
  AddSentences(input, rows, &result);
  if (snapshot && rows.empty()) result.findings = PeakOf(context, params, input);
  AddProperties(input, rows, &result);
  ResultTable rules = RuleTable(thresholds, rows);
  result.tables.push_back(FindingTable(input, &rows));
  if (!NothingRan(input)) {
    constexpr std::array kMake = {WhatIfTable, GapCauseTable, GapTable};
    std::array<ResultTable, kMake.size()> tables;
    ParallelFor(tables.size(), [&](size_t i) { tables[i] = kMake[i](input); });
    std::move(tables.begin(), tables.end(), std::back_inserter(result.tables));
  }
  result.tables.push_back(std::move(rules));
  return result;
}

std::vector<std::string> FindingsOfRule(const AnalysisResult& result, std::string_view rule,
                                        FindingSeverity least) {
  std::vector<std::string> titles;
  const ResultTable* table = result.Table("findings");
  for (size_t r = 0; table != nullptr && r < table->size(); ++r) {
    const std::string_view severity = table->ShownText(r, table->Column("severity"));
    const bool severe =
        severity == IdOf(FindingSeverity::kProblem) ||
        (severity == IdOf(FindingSeverity::kWarning) && least != FindingSeverity::kProblem) ||
        least == FindingSeverity::kNote;
    if (severe && table->ShownText(r, table->Column("rule")) == rule)
      titles.emplace_back(table->ShownText(r, table->Column("title")));
  }
  return titles;
}

// The function in the registry's row (registry.cc).
AnalysisResult RunFindings(AnalysisContext& context, const AnalysisParams& params) {
  return FindAll(context, params, {});
}

}  // namespace stepscope
