#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/compare_input.h"
#include "app/exit_code.h"
#include "app/output.h"
#include "app/report/text_layout.h"
#include "model/analysis/findings/findings.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

constexpr size_t kCulprits = 5;

std::optional<double> NumberOf(const Property* property) {
  if (property == nullptr) return std::nullopt;
  if (const auto* real = std::get_if<double>(&property->value))
    return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
  if (const auto* whole = std::get_if<int64_t>(&property->value))
    return static_cast<double>(*whole);
  return std::nullopt;
}

class Check {
 public:
  Check(const Options& options, const ComparedInput& input) : options_(options), input_(input) {}

  // 0, 1, or 2 with the error printed.
  int Run();
  const std::string& text() const { return text_; }

 private:
  bool Steps();
  bool Memory();
  bool Limit(const PropertyLimit& limit);
  void Forbidden(const std::string& rule);
  // A number of the comparison or of panels in both runs; false: one of them has none.
  bool Judge(const std::string& what, const Property* a, const Property* b,
             const Allowance& allowed, const std::string& why);
  void Culprits(const char* table, const char* delta, std::initializer_list<const char*> names);

  const Options& options_;
  const ComparedInput& input_;
  std::string text_;
  bool failed_ = false;
  bool last_failed_ = false;
};

std::string AllowanceText(const Allowance& allowed, Unit unit) {
  if (allowed.percent) return fmt::format("{:g} %", allowed.amount);
  Property p;
  p.value = allowed.amount;
  p.unit = unit;
  return PropertyText(p);
}

bool Check::Judge(const std::string& what, const Property* a, const Property* b,
                  const Allowance& allowed, const std::string& why) {
  const std::optional<double> x = NumberOf(a), y = NumberOf(b);
  if (!x || !y) {
    LogError(fmt::format("{}: {} such a number", what,
                         !x && !y ? "neither profile has" : (!x ? "A has no" : "B has no")));
    return false;
  }
  const double most = *x + (allowed.percent ? std::abs(*x) * allowed.amount / 100 : allowed.amount);
  last_failed_ = *y > most;
  failed_ = failed_ || last_failed_;
  std::string percent;
  if (*x != 0) percent = fmt::format(", {:+.2f} %", 100 * (*y - *x) / std::abs(*x));
  text_ +=
      fmt::format("{}: {}: {} -> {}{} (allowed: +{}{})\n", last_failed_ ? "FAILED" : "ok",
                  TerminalText(what), TerminalText(PropertyText(*a)),
                  TerminalText(PropertyText(*b)), percent, AllowanceText(allowed, a->unit), why);
  return true;
}

// The rows that grew most.
void Check::Culprits(const char* table, const char* delta,
                     std::initializer_list<const char*> names) {
  const ResultTable* t = input_.compared.result.Table(table);
  size_t listed = 0;
  for (size_t r = 0; t != nullptr && r < t->rows.size() && listed < kCulprits; ++r) {
    const int c = t->Column(delta);
    if (c < 0) return;
    const Value& cell = t->rows[r][static_cast<size_t>(c)];
    const auto* value = std::get_if<double>(&cell);
    if (value == nullptr || *value <= 0) continue;
    Property p;
    p.value = *value;
    p.unit = t->columns[static_cast<size_t>(c)].unit;
    std::string line = "  +" + PropertyText(p);
    for (const char* name : names) {
      const int n = t->Column(name);
      if (n < 0) continue;
      const std::string shown =
          FormatValue(t->Shown(r, static_cast<size_t>(n)), t->columns[static_cast<size_t>(n)].unit);
      if (!shown.empty()) line += "  " + TerminalText(shown);
      if (shown.empty() && name == *names.begin()) line += "  (no name)";
    }
    text_ += line + "\n";
    ++listed;
  }
}

bool Check::Steps() {
  if (!options_.max_step_regression) return true;
  if (!input_.compared.has_steps) {
    LogError("--max-step-regression: no steps to check; steps were not found in both profiles");
    return false;
  }
  const AnalysisResult& result = input_.compared.result;
  const Property* significance = result.Find("significance");
  const std::string why = "; significance: " + RawValue(significance->value);
  if (!Judge("step time", result.Find("step_ms_a"), result.Find("step_ms_b"),
             *options_.max_step_regression, why))
    return false;
  if (last_failed_) {
    Culprits("contributions", "delta_ms_per_step",
             {"share_of_change", "kind", "name", "change", "matched_as"});
  }
  return true;
}

bool Check::Memory() {
  if (!options_.max_memory_regression) return true;
  const AnalysisResult& result = input_.compared.result;
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

bool Check::Limit(const PropertyLimit& limit) {
  if (FindAnalysis(limit.panel) == nullptr) {
    LogError(fmt::format("--max {}.{}: there is no such panel", limit.panel, limit.property));
    return false;
  }
  const auto a = input_.a->Get(limit.panel, input_.params.a);
  const auto b = input_.b->Get(limit.panel, input_.params.b);
  return Judge(limit.panel + "." + limit.property, a->Find(limit.property), b->Find(limit.property),
               limit.allowed, "");
}

// Of B alone: what A has is no excuse.
void Check::Forbidden(const std::string& rule) {
  const auto found = input_.b->Get("findings", input_.params.b);
  const std::vector<std::string> titles = FindingsOfRule(*found, rule, FindingSeverity::kWarning);
  failed_ = failed_ || !titles.empty();
  text_ += fmt::format("{}: {}: {}\n", titles.empty() ? "ok" : "FAILED", rule,
                       titles.empty() ? "no finding in B" : "found in B");
  for (const std::string& title : titles) text_ += "  " + TerminalText(title) + "\n";
}

int Check::Run() {
  text_ = fmt::format("A: {}\nB: {}\n", TerminalText(options_.paths[0]),
                      TerminalText(options_.paths[1]));
  if (!Steps() || !Memory()) return kExitUsage;
  for (const PropertyLimit& limit : options_.limits) {
    if (!Limit(limit)) return kExitUsage;
  }
  for (const std::string& rule : options_.forbidden) Forbidden(rule);
  const Property* summary = input_.compared.result.Find("summary");
  if (failed_ && summary != nullptr) text_ += TerminalText(RawValue(summary->value)) + "\n";
  return failed_ ? kExitCheckFailed : kExitOk;
}

}  // namespace

int RunCheck(const Options& options, const Log& log) {
  const ComparedInput input = LoadAndCompare(options, log);
  if (input.exit_code != kExitOk) return input.exit_code;
  Check check(options, input);
  const int status = check.Run();
  if (status == kExitUsage) return status;
  return WriteOutput({}, check.text()) ? status : kExitNoResource;
}

}  // namespace stepscope
