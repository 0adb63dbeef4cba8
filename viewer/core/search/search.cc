#include "viewer/core/search/search.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/jobs/job.h"
#include "model/query/event_query.h"
#include "model/query/find_events.h"
#include "viewer/core/search/highlight.h"

namespace stepscope {
namespace {

// Typed stats save decoding the arguments of each event; most panels have built them already.
std::vector<const StatTable*> StatsFor(const EventQuery& query, const Profile& profile) {
  const bool asks =
      query.Has(QueryTerm::Kind::kArgument) || query.Has(QueryTerm::Kind::kArgumentContains);
  if (!asks || !profile.analysis) return {};
  return profile.analysis->all_stats();
}

Status FindIn(const Profile& profile, uint32_t set, const EventQuery& query, SearchHits* hits) {
  const Result<RowBits> found =
      FindEvents(query, *profile.trace, profile.Set(set), StatsFor(query, profile));
  if (!found.ok()) return found.status();
  std::vector<uint32_t> rows = found->Rows();
  if (rows.empty()) return {};
  hits->rows.push_back(RowsOf(profile.id, set, std::move(rows)));
  return {};
}

SearchHits Find(const std::string& text, std::span<const Profile> profiles) {
  SearchHits hits;
  hits.query = text;
  const Result<EventQuery> query = EventQuery::Parse(text);
  if (!query.ok()) {
    hits.error = query.status().message();
    return hits;
  }
  for (const Profile& profile : profiles) {
    for (uint32_t set = 0; set < profile.sets(); ++set) {
      const Status status = FindIn(profile, set, *query, &hits);
      if (!status.ok()) hits.error = status.message();
    }
  }
  hits.counted = CountedRows(hits.rows);
  for (const Highlight::Rows& part : hits.counted) hits.count += part.rows->size();
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

void Search::Set(std::string query, std::span<const Profile> profiles) {
  query_ = std::move(query);
  job_.Stop();
  hits_ = {};
  index_ = 0;
  if (query_.find_first_not_of(' ') == query_.npos || profiles.empty()) return;
  std::vector<Profile> copy(profiles.begin(),
                            profiles.end());  // shared pointers: keeps the traces alive
  job_.Start(queue_,
             [query = query_, copy = std::move(copy)](Progress&) { return Find(query, copy); });
}

bool Search::Poll() {
  std::optional<SearchHits> hits = job_.Take();
  if (!hits) return false;
  hits_ = std::move(*hits);
  hits_.version = ++versions_;
  return true;
}

EventRef Search::Step(const EventRef& from, int direction, std::span<const Profile> profiles) {
  const HitsInTime hits(hits_.counted, profiles);
  const EventRef next = hits.Next(from, direction);
  index_ = hits.Before(next);
  return next;
}

EventRow FirstNamed(const Trace& trace, std::string_view text) {
  const NameQuery query{std::string(text)};
  const std::vector<uint8_t> wanted = query.MatchingMetas(*trace.set.names);
  EventRow first;
  Ps begin = 0;
  for (const Lane& lane : trace.set.lanes) {
    CheckStop();
    for (uint32_t i = 0; i < lane.size() && (!first.valid() || lane.start[i] < begin); ++i) {
      if (lane.meta[i] >= wanted.size() || wanted[lane.meta[i]] == 0) continue;
      first = EventRow(lane.first_row + i);
      begin = lane.start[i];
    }
  }
  return first;
}

EventRef FirstNamed(std::span<const Profile> profiles, std::string_view text) {
  EventRef first;
  Ps begin = 0;
  for (const Profile& profile : profiles) {
    const EventRef found{profile.id, 0, FirstNamed(*profile.trace, text)};
    if (!found.valid()) continue;
    const Ps start = profile.trace->set.Start(found.row);
    if (first.valid() && start >= begin) continue;
    first = found;
    begin = start;
  }
  return first;
}

}  // namespace stepscope
