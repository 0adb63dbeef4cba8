#include "model/analysis/findings/late_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/analysis/tables/cells.h"

namespace stepscope {
namespace {

// Shares of the time in collectives that is waiting for one rank.
constexpr double kLeads = 0.5, kIsNamed = 0.2;

std::string TextIn(const AnalysisResult& ranks, const char* property) {
  const Property* found = ranks.Find(property);
  return found != nullptr ? RawValue(found->value) : std::string();
}

// "52 %", as sentences have shares of losses.
std::string ShareText(double percent) {
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

// Names the rank as the verdict itself, with the cause that the page has.
void LeadWith(const AnalysisResult& ranks, const std::string& rank, double share,
              Verdict* verdict) {
  Finding& finding = verdict->finding;
  finding.text = fmt::format(
      "Waiting for rank {}: the other ranks wait {:.1f} % of each step for it in collectives; all "
      "ranks together spend {} of their steps in them",
      rank, share, ShareText(verdict->percent));
  const std::string cause = TextIn(ranks, "slowest_cause");
  if (!cause.empty()) finding.text += "; the cause is " + cause;
  finding.text += verdict->others;
  if (const std::string& remedy = ranks.findings.front().next_step; !remedy.empty())
    finding.next_step = remedy;
  finding.panel = "ranks";
  verdict->late_rank = rank;
}

}  // namespace

void NameLateRank(AnalysisContext& context, const AnalysisParams& params, Verdict* verdict) {
  if (verdict->id != "collectives" || context.trace().hosts.size() < 2) return;
  const std::shared_ptr<const AnalysisResult> ranks = context.Get("ranks", params);
  const std::string rank = TextIn(*ranks, "slowest_rank");
  const Property* wait = ranks->Find("slowest_wait_percent");
  if (rank.empty() || wait == nullptr || ranks->findings.empty()) return;
  const double share = NumberOf(ViewOf(wait->value)),
               n = NumberOf(ViewOf(ranks->Find("ranks")->value));
  // The rank itself does not wait.
  const double waited = share * (n - 1) / n / verdict->percent;
  if (waited >= kLeads) {
    LeadWith(*ranks, rank, share, verdict);
  } else if (waited >= kIsNamed) {
    std::string& text = verdict->finding.text;
    const std::string said =
        fmt::format("; {:.0f} % of that waiting for rank {}", waited * 100, rank);
    text.insert(text.size() - verdict->others.size(), said);
  }
}

}  // namespace stepscope
