#include "model/query/asked_events.h"

#include <utility>
#include <vector>

#include "model/query/find_events.h"

namespace stepscope {

Result<std::optional<RowBits>> FindAsked(AnalysisContext& context, const EventQuery& query) {
  if (query.terms().empty()) return std::optional<RowBits>();
  const bool asks =
      query.Has(QueryTerm::Kind::kArgument) || query.Has(QueryTerm::Kind::kArgumentContains);
  std::vector<const StatTable*> typed;
  if (asks && context.stats_error().empty()) typed = context.all_stats();
  Result<RowBits> rows = FindEvents(query, context.trace(), context.trace().set, typed);
  if (!rows.ok()) return rows.status();
  return std::optional<RowBits>(std::move(rows).value());
}

}  // namespace stepscope
