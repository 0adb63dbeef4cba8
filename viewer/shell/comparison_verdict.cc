#include "viewer/shell/comparison_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/analysis/naming/short_label.h"
#include "model/base/count_text.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

constexpr double kSameProgram = 100.0 / 3;  // percent of work, as in the comparison's summary

std::string MsText(double ms) {
  const double most = 1e9;  // a day and more; a damaged profile may have any time
  return WithoutZeros(FormatDuration(
      static_cast<Ps>(std::clamp(ms, -most, most) * static_cast<double>(kPsPerMs)), 3));
}

// The largest part of the change: "Conv2D slower, +1.15 ms". Empty if there is none.
std::string CauseOf(const AnalysisResult& result, double change) {
  const ResultTable* table = result.Table("contributions");
  if (table == nullptr) return {};
  const int name = table->Column("name"), how = table->Column("change");
  const int delta = table->Column("delta_ms_per_step");
  for (size_t r = 0; r < table->size() && delta >= 0; ++r) {
    const double ms = NumberOf(table->At(r, static_cast<size_t>(delta)));
    if (!std::isfinite(ms) || ms == 0 || (change != 0 && (ms > 0) != (change > 0))) continue;
    const std::string what = InSentence(table->ShownText(r, name));
    return fmt::format("{} {}, {}{}", what, table->ShownText(r, how), ms > 0 ? "+" : "",
                       MsText(ms));
  }
  return {};
}

ComparisonVerdict OfMemory(const AnalysisResult& result) {
  const double delta = NumberIn(result, "delta_bytes");
  ComparisonVerdict out;
  if (delta == 0) {
    out.text = "B holds as much memory at the peak as A.";
    return out;
  }
  out.text =
      fmt::format("B holds {} {} at the peak than A.",
                  FormatValue(Value(std::abs(delta)), Unit::kBytes), delta > 0 ? "more" : "less");
  out.role = delta > 0 ? Role::kSlower : Role::kFaster;
  return out;
}

}  // namespace

ComparisonVerdict VerdictOf(const AnalysisResult& result) {
  if (!result.empty_reason.empty()) return {};
  if (result.Find("delta_bytes") != nullptr) return OfMemory(result);
  if (result.Find("delta_ms") == nullptr) return {};
  ComparisonVerdict out;
  out.ms_a = NumberIn(result, "step_ms_a");
  out.ms_b = NumberIn(result, "step_ms_b");
  const double delta = NumberIn(result, "delta_ms");
  const double shared = NumberIn(result, "shared_percent", 100);
  const std::string significance = TextOf(result, "significance");
  const bool chance = significance == "none";
  // A change of many times A has no percentage.
  const double percent = NumberIn(result, "delta_percent", std::nan(""));
  const std::string size =
      MsText(std::abs(delta)) +
      (std::isnan(percent) ? "" : fmt::format(" ({:.1f} %)", std::abs(percent)));
  const char* direction = delta > 0 ? "longer" : "less";
  if (shared < kSameProgram) {
    out.text = fmt::format(
        "A and B are hardly the same program: they share {:.0f} % of their work.", shared);
  } else if (delta == 0) {
    out.text = "A step takes as long in B as in A.";
  } else if (chance) {
    out.text = fmt::format("B takes {} {} a step than A, which may be chance.", size, direction);
  } else {
    const std::string cause = CauseOf(result, delta);
    out.text = fmt::format("B takes {} {} a step than A{}{}.", size, direction,
                           cause.empty() ? "" : ": ", cause);
    out.role = delta > 0 ? Role::kSlower : Role::kFaster;
  }
  return out;
}

}  // namespace stepscope
