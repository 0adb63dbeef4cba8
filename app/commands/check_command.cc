#include <fmt/format.h>

#include <charconv>
#include <cmath>
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
#include "model/compare/compare_table.h"
#include "model/compare/significance.h"

namespace stepscope {
namespace {

constexpr size_t kCulprits = 5;  // rows that a failed check lists

std::optional<double> NumberOfProperty(const Property* property) {
  const double number = property != nullptr ? NumberOf(property->value) : NAN;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

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
  void Forbidden(const std::string& rule);
  // Compares a number of A with that of B. Returns false, and prints the error, if a profile has no
  // such number.
  bool Judge(const std::string& what, const Property* a, const Property* b,
             const Allowance& allowed, const std::string& why, bool may_be_chance = false);
  bool MayBeChance() const;
  void Culprits(const char* table, const char* delta, std::initializer_list<const char*> names);

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

bool Checks::Judge(const std::string& what, const Property* a, const Property* b,
                   const Allowance& allowed, const std::string& why, bool may_be_chance) {
  const std::optional<double> x = NumberOfProperty(a), y = NumberOfProperty(b);
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
  text_ += fmt::format("{}: {}: {} -> {}{} (allowed: +{}{})\n", last_failed_ ? "FAILED" : "ok",
                       TerminalText(what), TerminalText(PropertyText(a->value, a->unit)),
                       TerminalText(PropertyText(b->value, b->unit)), percent,
                       AllowanceText(allowed, a->unit), why);
  return true;
}

// Lists the rows that grew most.
void Checks::Culprits(const char* table, const char* delta,
                      std::initializer_list<const char*> names) {
  const ResultTable* t = input_.result.Table(table);
  size_t listed = 0;
  for (size_t r = 0; t != nullptr && r < t->size() && listed < kCulprits; ++r) {
    const int c = t->Column(delta);
    if (c < 0) return;
    const Cell cell = t->At(r, static_cast<size_t>(c));
    const auto* value = std::get_if<double>(&cell);
    if (value == nullptr || *value <= 0) continue;
    std::string line = "  +" + PropertyText(*value, t->columns[static_cast<size_t>(c)].unit);
    for (const char* name : names) {
      const int n = t->Column(name);
      if (n < 0) continue;
      const std::string shown =
          FormatValue(t->Shown(r, static_cast<size_t>(n)), t->columns[static_cast<size_t>(n)].unit);
      if (!shown.empty()) line += "  " + TerminalText(shown);
      const bool says_who = t->columns[static_cast<size_t>(n)].unit == Unit::kNone;
      if (shown.empty() && says_who && name == *names.begin()) line += "  (no name)";
    }
    text_ += line + "\n";
    ++listed;
  }
}

// Whether the step times differ by no more than they scatter. False for too few steps, so that the
// limit alone decides.
bool Checks::MayBeChance() const {
  const auto steps = [&](const char* id) {
    return NumberOfProperty(input_.result.Find(id)).value_or(0);
  };
  const bool enough =
      std::min(steps("steps_a"), steps("steps_b")) >= static_cast<double>(compare::kFewSteps);
  return enough && RawValue(input_.result.Find("significance")->value) == "none";
}

// "; significant (p = 1.1e-05)"
std::string SignificanceInWords(const AnalysisResult& result) {
  const std::string id = RawValue(result.Find("significance")->value);
  const std::optional<double> p = NumberOfProperty(result.Find("p_value"));
  const char* words = id == "strong" ? "significant"
                      : id == "weak" ? "weakly significant"
                                     : "not significant";
  return fmt::format("; {}", words) + (p ? fmt::format(" (p = {:.2g})", *p) : "");
}

bool Checks::Steps() {
  if (!options_.max_step_regression) return true;
  if (!compare::HaveSteps(*input_.a, *input_.b, input_.params)) {
    LogError("--max-step-regression: no steps to check; steps were not found in both profiles");
    return false;
  }
  const AnalysisResult& result = input_.result;
  const bool chance = MayBeChance();
  const std::string why = SignificanceInWords(result) + (chance ? ", a change may be chance" : "");
  if (!Judge("step time", result.Find("step_ms_a"), result.Find("step_ms_b"),
             *options_.max_step_regression, why, chance))
    return false;
  if (last_failed_) {
    Culprits("contributions", "delta_ms_per_step",
             {"share_of_change", "kind", "name", "change", "matched_as"});
  }
  return true;
}

bool Checks::Memory() {
  if (!options_.max_memory_regression) return true;
  const AnalysisResult& result = input_.result;
  if (!Judge("memory peak", result.Find("memory_peak_bytes_a"), result.Find("memory_peak_bytes_b"),
             *options_.max_memory_regression, ""))
    return false;
  if (!last_failed_) return true;
  if (result.Table("memory_at_peak") != nullptr) {
    Culprits("memory_at_peak", "delta_bytes", {"frame", "change"});
  } else {
    Culprits("allocations", "delta_bytes", {"tf_op", "region_type", "tensor_shape", "change"});
  }
  return true;
}

bool Checks::Limit(const PropertyLimit& limit) {
  if (FindAnalysis(limit.panel) == nullptr) {
    LogError(fmt::format("--max {}.{}: there is no such panel", limit.panel, limit.property));
    return false;
  }
  const auto a = input_.a->Get(limit.panel, input_.params.a);
  const auto b = input_.b->Get(limit.panel, input_.params.b);
  return Judge(limit.panel + "." + limit.property, a->Find(limit.property), b->Find(limit.property),
               limit.allowed, "");
}

// Only B is checked; a finding that A also has still fails.
void Checks::Forbidden(const std::string& rule) {
  const auto found = input_.b->Get("findings", input_.params.b);
  const std::vector<std::string> titles = FindingsOfRule(*found, rule, FindingSeverity::kWarning);
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
  for (const std::string& rule : options_.forbidden) Forbidden(rule);
  const Property* summary = input_.result.Find("summary");
  if (failed_ && summary != nullptr) text_ += TerminalText(RawValue(summary->value)) + "\n";
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
