#include "model/analysis/findings/late_rank.h"

#include "model/analysis/tables/cells.h"

namespace stepscope {
namespace {

// Shares of the time in collectives that is waiting for one rank.
constexpr double kLeads = 0.5, kIsNamed = 0.2;

std::string TextIn(const AnalysisResult& ranks, const char* property) {
  const Property* found = ranks.Find(property);
  return found != nullptr ? RawValue(found->value) : std::string();
}

}  // namespace

void NameLateRank(AnalysisContext& context, const AnalysisParams& params, Verdict* verdict) {
  const bool collectives =
      verdict->leads == StepPart::kCollectives && verdict->recorded == Verdict::Recorded::kAll;
  if (!collectives || context.trace().hosts.size() < 2) return;
  const std::shared_ptr<const AnalysisResult> ranks = context.Get("ranks", params);
  const std::string rank = TextIn(*ranks, "slowest_rank");
  const Property* wait = ranks->Find("slowest_wait_percent");
  if (rank.empty() || wait == nullptr || ranks->findings.empty()) return;
  const double share = NumberOf(ViewOf(wait->value)),
               n = NumberOf(ViewOf(ranks->Find("ranks")->value));
  // The rank itself does not wait.
  const double waited = share * (n - 1) / n / verdict->percent;
  if (waited < kIsNamed) return;
  verdict->late_rank = LateRank{rank,
                                share,
                                waited,
                                TextIn(*ranks, "slowest_cause"),
                                ranks->findings.front().next_step,
                                waited >= kLeads};
}

}  // namespace stepscope
