#include "model/analysis/findings/late_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/analysis/tables/cells.h"

namespace stepscope {
namespace {

std::string TextIn(const AnalysisResult& ranks, const char* property) {
  const Property* found = ranks.Find(property);
  return found != nullptr ? RawValue(found->value) : std::string();
}

// "52 %", as sentences have shares of losses.
std::string ShareText(double percent) {
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

}  // namespace

void NameLateRank(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop,
                  Verdict* verdict) {
  if (verdict->id != "collectives" || context.trace().hosts.size() < 2) return;
  const std::shared_ptr<const AnalysisResult> ranks = context.Get("ranks", params, stop);
  const std::string rank = TextIn(*ranks, "slowest_rank");
  const Property* wait = ranks->Find("slowest_wait_percent");
  if (rank.empty() || wait == nullptr || ranks->findings.empty()) return;
  const double share = NumberOf(wait->value), n = NumberOf(ranks->Find("ranks")->value);
  // The rank itself does not wait.
  if (!(share * (n - 1) / n >= verdict->percent / 2)) return;
  Finding& finding = verdict->finding;
  finding.text = fmt::format(
      "Waiting for rank {}: the other ranks wait {:.1f} % of each step for it in collectives; all "
      "ranks together spend {} of their steps in them",
      rank, share, ShareText(verdict->percent));
  const std::string cause = TextIn(*ranks, "slowest_cause");
  if (!cause.empty()) finding.text += "; the cause is " + cause;
  finding.text += verdict->others;
  if (const std::string& remedy = ranks->findings.front().next_step; !remedy.empty())
    finding.next_step = remedy;
  finding.panel = "ranks";
  verdict->late_rank = rank;
}

}  // namespace stepscope
