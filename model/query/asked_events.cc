#include "model/query/asked_events.h"

#include <utility>

#include "model/query/find_events.h"

namespace stepscope {

Result<std::optional<RowBits>> FindAsked(AnalysisContext& context, const EventQuery& query) {
  if (query.terms().empty()) return std::optional<RowBits>();
  const bool asks =
      query.Has(QueryTerm::Kind::kArgument) || query.Has(QueryTerm::Kind::kArgumentContains);
  const StatTable* typed = asks && context.stats_error().empty() ? &context.stats() : nullptr;
  Result<RowBits> rows = FindEvents(query, context.trace(), context.trace().set, typed);
  if (!rows.ok()) return rows.status();
  return std::optional<RowBits>(std::move(rows).value());
}

}  // namespace stepscope
