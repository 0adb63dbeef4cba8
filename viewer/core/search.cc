#include "viewer/core/search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/query/event_query.h"
#include "model/query/find_events.h"

namespace stepscope {
namespace {

// Typed stats save reading arguments; most panels have asked for them already.
const StatTable* StatsFor(const EventQuery& query, const Run& run, const std::stop_token& stop) {
  const bool asks =
      query.Has(QueryTerm::Kind::kArgument) || query.Has(QueryTerm::Kind::kArgumentContains);
  return asks && run.analysis ? &run.analysis->stats(stop) : nullptr;
}

struct Timed {
  Ps start;
  EventRef ref;
};

// Of one set; `timed` grows to kMaxOrdered.
Status FindIn(const Run& run, uint32_t set, const EventQuery& query, const std::stop_token& stop,
              SearchHits* hits, std::vector<Timed>* timed) {
  const TrackSet& s = run.Set(set);
  const Result<RowBits> found = FindEvents(query, *run.trace, s, StatsFor(query, run, stop), stop);
  if (!found.ok()) return found.status();
  Highlight::Rows rows{run.id, set, {}};
  found->ForEach([&](uint32_t row) { rows.rows.push_back(row); });
  if (rows.rows.empty()) return {};
  hits->count += rows.rows.size();
  for (const uint32_t row : rows.rows) {
    if (timed->size() >= Search::kMaxOrdered) break;
    timed->push_back({s.Start(EventRow(row)), {run.id, set, EventRow(row)}});
  }
  hits->rows.push_back(std::move(rows));
  return {};
}

SearchHits Find(const std::string& text, std::span<const Run> runs, const std::stop_token& stop) {
  SearchHits hits;
  hits.query = text;
  const Result<EventQuery> query = EventQuery::Parse(text);
  if (!query.ok()) {
    hits.error = query.status().message();
    return hits;
  }
  std::vector<Timed> timed;
  for (const Run& run : runs) {
    for (uint32_t set = 0; set < run.sets() && !stop.stop_requested(); ++set) {
      const Status status = FindIn(run, set, *query, stop, &hits, &timed);
      if (!status.ok() && status.code() != ErrorCode::kCancelled) hits.error = status.message();
    }
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const Timed& a, const Timed& b) { return a.start < b.start; });
  hits.ordered.reserve(timed.size());
  for (const Timed& t : timed) hits.ordered.push_back(t.ref);
  return hits;
}

}  // namespace

NameQuery::NameQuery(std::string_view text) : text_(text) {
  whole_ = text_.size() > 1 && text_[0] == '=';
  if (whole_) {
    text_.erase(0, 1);
  } else {
    text_ = Lower(text_);
  }
}

bool NameQuery::Matches(std::string_view name) const {
  return whole_ ? name == text_ : ContainsLower(name, text_);
}

std::vector<uint8_t> NameQuery::MatchingMetas(const NameTable& names) const {
  std::vector<uint8_t> matching(names.metas.size() + 1, 0);
  for (size_t i = 0; i < names.metas.size(); ++i)
    matching[i] = Matches(names.DisplayName(MetaId(static_cast<uint32_t>(i)))) ? 1 : 0;
  return matching;
}

void Search::Set(std::string query, std::span<const Run> runs) {
  query_ = std::move(query);
  job_.Stop();
  hits_ = {};
  index_ = 0;
  if (query_.find_first_not_of(' ') == query_.npos || runs.empty()) return;
  std::vector<Run> copy(runs.begin(), runs.end());  // shared pointers: keeps the traces alive
  job_.Start(threads_,
             [query = query_, copy = std::move(copy)](const std::stop_token& stop, Progress&) {
               return Find(query, copy, stop);
             });
}

bool Search::Poll() {
  std::optional<SearchHits> hits = job_.Take();
  if (!hits) return false;
  hits_ = std::move(*hits);
  hits_.version = ++versions_;
  return true;
}

EventRef Search::Step(const EventRef& from, int direction, std::span<const Run> runs) {
  const auto& all = hits_.ordered;
  if (all.empty()) return {};
  const auto at = std::find(all.begin(), all.end(), from);
  if (at != all.end()) {
    const auto n = static_cast<int64_t>(all.size());
    const int64_t next = ((at - all.begin()) + direction + n) % n;
    index_ = static_cast<size_t>(next);
  } else {
    Ps start = kMinPs;
    for (const Run& run : runs) {
      if (run.id == from.trace && from.valid() && from.set < run.sets())
        start = run.Set(from.set).Start(from.row);
    }
    const auto start_of = [&](const EventRef& ref) {
      for (const Run& run : runs) {
        if (run.id == ref.trace && ref.set < run.sets()) return run.Set(ref.set).Start(ref.row);
      }
      return kMinPs;
    };
    const auto after = std::partition_point(all.begin(), all.end(),
                                            [&](const EventRef& r) { return start_of(r) < start; });
    index_ = after == all.end() ? 0 : static_cast<size_t>(after - all.begin());
  }
  return all[index_];
}

}  // namespace stepscope
