#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/profile_input.h"
#include "app/report/report_text.h"
#include "app/system/output.h"
#include "model/analysis/findings/findings.h"
#include "model/analysis/tables/cells.h"
#include "model/base/terminal_text.h"
#include "model/compare/compare.h"

namespace stepscope {
namespace {

constexpr size_t kCulprits = 5;  // rows that a failed check lists

std::optional<double> FiniteNumber(const Value& value) {
  const double number = NumberOf(value);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}
Value ValueOf(const Property* property) { return property != nullptr ? property->value : Value(); }
Value ValueOf(std::optional<double> number) { return number ? Value(*number) : Value(); }

class Checks {
 public:
  Checks(const InputOptions& paths, const CheckOptions& options, const ComparedInput& input)
      : paths_(paths), options_(options), input_(input) {}

  // The exit code. If it is kExitUsage, the error is printed.
  int Run();
  const std::string& text() const { return text_; }

 private:
  bool Steps();
  bool Memory();
  bool Limit(const PropertyLimit& limit);
  void Forbidden(const AnalysisResult& found, const std::string& rule);
  // Compares a number of A with that of B. Returns false, and prints the error, if a profile has no
  // such number.
  bool Judge(const std::string& what, const Value& a, const Value& b, Unit unit,
             const Allowance& allowed, const std::string& why, bool may_be_chance = false);
  template <typename Row, typename Delta, typename Words>
  void Culprits(const std::vector<Row>& rows, Unit unit, Delta delta, Words words);

  const InputOptions& paths_;
  const CheckOptions& options_;
  const ComparedInput& input_;
  std::string text_;
  bool failed_ = false;
  bool last_failed_ = false;
};

std::string AllowanceText(const Allowance& allowed, Unit unit) {
  if (allowed.percent) return fmt::format("{:g} %", allowed.amount);
  return PropertyText(allowed.amount, unit);
}

bool Checks::Judge(const std::string& what, const Value& a, const Value& b, Unit unit,
                   const Allowance& allowed, const std::string& why, bool may_be_chance) {
  const std::optional<double> x = FiniteNumber(a), y = FiniteNumber(b);
  if (!x || !y) {
    LogError(fmt::format("{}: {} such a number", what,
                         !x && !y ? "neither profile has" : (!x ? "A has no" : "B has no")));
    return false;
  }
  const double most = *x + (allowed.percent ? std::abs(*x) * allowed.amount / 100 : allowed.amount);
  last_failed_ = *y > most && !may_be_chance;
  failed_ = failed_ || last_failed_;
  std::string percent;
  if (const std::optional<double> of_a = compare::ChangePercent(*x, *y))
    percent = fmt::format(", {:+.2f} %", *of_a);
  text_ +=
      fmt::format("{}: {}: {} -> {}{} (allowed: +{}{})\n", last_failed_ ? "FAILED" : "ok",
                  TerminalText(what), TerminalText(PropertyText(a, unit)),
                  TerminalText(PropertyText(b, unit)), percent, AllowanceText(allowed, unit), why);
  return true;
}

// Lists the rows that grew most. `words` says in a list of texts what a row is.
template <typename Row, typename Delta, typename Words>
void Checks::Culprits(const std::vector<Row>& rows, Unit unit, Delta delta, Words words) {
  size_t listed = 0;
  for (const Row& row : rows) {
    const double value = std::invoke(delta, row);
    if (!(value > 0)) continue;
    if (listed++ == kCulprits) return;
    text_ += "  +" + PropertyText(value, unit);
    for (const std::string_view word : words(row)) {
      if (!word.empty()) text_ += "  " + TerminalText(std::string(word));
    }
    text_ += "\n";
  }
}

// Whether the step times differ by no more than they scatter. False for too few steps, so that the
// limit alone decides.
bool MayBeChance(const compare::StepComparison& found) {
  return std::min(found.a.counted.size(), found.b.counted.size()) >= compare::kFewSteps &&
         found.change.test.significance == compare::Significance::kNone;
}

// "; significant (p = 1.1e-05)"
std::string SignificanceInWords(const compare::RankTest& test) {
  using enum compare::Significance;
  const char* words = test.significance == kStrong ? "significant"
                      : test.significance == kWeak ? "weakly significant"
                                                   : "not significant";
  return fmt::format("; {} (p = {:.2g})", words, test.larger_p());
}

bool Checks::Steps() {
  if (!options_.max_step_regression) return true;
  const auto* found = input_.result.As<compare::StepComparison>();
  if (found == nullptr || !compare::HaveSteps(*input_.a, *input_.b, input_.params)) {
    LogError("--max-step-regression: no steps to check; steps were not found in both profiles");
    return false;
  }
  const compare::StepChange& change = found->change;
  const bool chance = MayBeChance(*found);
  const std::string why =
      SignificanceInWords(change.test) + (chance ? ", a change may be chance" : "");
  if (!Judge("step time", change.a.median, change.b.median, Unit::kMs,
             *options_.max_step_regression, why, chance))
    return false;
  if (!last_failed_) return true;
  using compare::Contribution;
  Culprits(found->found.rows, Unit::kMs, &Contribution::delta_ms, [&](const Contribution& c) {
    const Value share = ValueOf(c.share_of(change.divisor()));
    return std::vector<std::string>{FormatValue(share, Unit::kPercent), IdOf(c.kind), c.name,
                                    IdOf(c.change), c.matched_as};
  });
  return true;
}

bool Checks::Memory() {
  if (!options_.max_memory_regression) return true;
  const auto* steps = input_.result.As<compare::StepComparison>();
  const auto* snapshots = input_.result.As<compare::SnapshotComparison>();
  Value a, b;
  if (steps != nullptr) a = ValueOf(steps->memory_peak_a), b = ValueOf(steps->memory_peak_b);
  if (snapshots != nullptr)
    a = static_cast<double>(snapshots->peak_a), b = static_cast<double>(snapshots->peak_b);
  if (!Judge("memory peak", a, b, Unit::kBytes, *options_.max_memory_regression, "")) return false;
  if (!last_failed_) return true;
  using compare::AmountChange;
  Culprits(snapshots != nullptr ? snapshots->at_peak : steps->allocations, Unit::kBytes,
           &AmountChange::delta, [&](const AmountChange& row) {
             const std::string_view name = row.key[0].empty() ? "(no name)" : row.key[0].view();
             if (snapshots != nullptr) return std::vector<std::string_view>{name, row.change};
             return std::vector<std::string_view>{name, row.key[1], row.key[3], row.change};
           });
  return true;
}

bool Checks::Limit(const PropertyLimit& limit) {
  if (FindAnalysis(limit.panel) == nullptr) {
    LogError(fmt::format("--max {}.{}: there is no such panel", limit.panel, limit.property));
    return false;
  }
  const auto a = input_.a->Get(limit.panel, input_.params.a);
  const auto b = input_.b->Get(limit.panel, input_.params.b);
  const Property *of_a = a->Find(limit.property), *of_b = b->Find(limit.property);
  return Judge(limit.panel + "." + limit.property, ValueOf(of_a), ValueOf(of_b),
               of_a != nullptr ? of_a->unit : Unit::kNone, limit.allowed, "");
}

// Only B is checked; a finding that A also has still fails.
void Checks::Forbidden(const AnalysisResult& found, const std::string& rule) {
  const std::vector<std::string> titles = FindingsOfRule(found, rule, FindingSeverity::kWarning);
  failed_ = failed_ || !titles.empty();
  text_ += fmt::format("{}: {}: {}\n", titles.empty() ? "ok" : "FAILED", rule,
                       titles.empty() ? "no finding in B" : "found in B");
  for (const std::string& title : titles) text_ += "  " + TerminalText(title) + "\n";
}

int Checks::Run() {
  text_ =
      fmt::format("A: {}\nB: {}\n", TerminalText(paths_.paths[0]), TerminalText(paths_.paths[1]));
  if (!Steps() || !Memory()) return kExitUsage;
  for (const PropertyLimit& limit : options_.limits) {
    if (!Limit(limit)) return kExitUsage;
  }
  if (!options_.forbidden.empty()) {
    const AnalysisResult found = FindAll(*input_.b, input_.params.b, {});
    for (const std::string& rule : options_.forbidden) Forbidden(found, rule);
  }
  const std::string summary = compare::SummaryOf(input_.result);
  if (failed_ && !summary.empty()) text_ += TerminalText(summary) + "\n";
  return failed_ ? kExitCheckFailed : kExitOk;
}

void AddAllowance(CLI::App& app, const char* name, std::optional<Allowance>* allowance,
                  const char* what) {
  AddValue(app, name, "P%", what, [allowance](const std::string& text) {
    *allowance = ParseAllowance(text);
    return *allowance ? "" : "is no limit; write it as 3%";
  });
}

void AddCheckOptions(CLI::App& app, InputOptions* input, CheckOptions* options) {
  AddPaths(app, input, true);
  AddPart(app, input, options);
  AddAllowance(app, "--max-step-regression", &options->max_step_regression,
               "the median step may take so much longer, as in 3%; without %: ms");
  AddAllowance(app, "--max-memory-regression", &options->max_memory_regression,
               "the memory peak may be so much higher, as in 5%; without %: bytes");
  AddRepeated(app, "--max", "PANEL.PROPERTY+P%",
              "a number that `report --format json` has may be so much larger; may be repeated",
              [options](const std::string& text) -> std::string {
                const std::optional<PropertyLimit> limit = ParseLimit(text);
                if (!limit) return "is no limit; write it as PANEL.PROPERTY+5%";
                options->limits.push_back(*limit);
                return {};
              });
  AddRepeated(app, "--forbid", "RULE",
              "B must have no finding of this rule that is a warning or worse; may be repeated",
              [options](const std::string& rule) -> std::string {
                if (FindRule(rule) == nullptr) return std::string("is no rule; ") + kListsRules;
                options->forbidden.push_back(rule);
                return {};
              });
}

std::string CheckCheck(const InputOptions& paths, const CheckOptions& options) {
  std::string wrong = NeedTwoPaths(paths);
  const bool limits = options.max_step_regression || options.max_memory_regression ||
                      !options.limits.empty() || !options.forbidden.empty();
  if (!wrong.empty() || limits) return wrong;
  return "check needs a limit, as in --max-step-regression 3%";
}

int RunCheck(const InputOptions& paths, const CheckOptions& options, const Log& log) {
  const ComparedInput input = LoadAndCompare(paths, options, log);
  if (input.exit_code != kExitOk) return input.exit_code;
  Checks check(paths, options, input);
  const int status = check.Run();
  if (status == kExitUsage) return status;
  return WriteOutput({}, check.text()) ? status : kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kCheckCommand = {
    "check",
    "Exits with 1 if profile B is worse than profile A by more than allowed, and names the causes",
    NewCommand<CheckOptions, AddCheckOptions, CheckCheck, RunCheck>};

std::optional<Allowance> ParseAllowance(const std::string& text) {
  Allowance allowance;
  std::string_view number = text;
  allowance.percent = number.ends_with('%');
  if (allowance.percent) number.remove_suffix(1);
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, allowance.amount);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (!std::isfinite(allowance.amount) || allowance.amount < 0) return std::nullopt;
  return allowance;
}

std::optional<PropertyLimit> ParseLimit(const std::string& text) {
  const size_t dot = text.find('.'), plus = text.rfind('+');
  if (dot == std::string::npos || plus == std::string::npos || dot == 0 || plus < dot + 2)
    return std::nullopt;
  const std::optional<Allowance> allowed = ParseAllowance(text.substr(plus + 1));
  if (!allowed) return std::nullopt;
  return PropertyLimit{text.substr(0, dot), text.substr(dot + 1, plus - dot - 1), *allowed};
}

}  // namespace stepscope
