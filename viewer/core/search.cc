#include "viewer/core/search.h"

#include <algorithm>
#include <optional>

#include "model/base/lower.h"

namespace stepscope {
namespace {

// Rows of a set whose meta is wanted. O(rows).
std::vector<uint32_t> MatchingRows(const TrackSet& set, const std::vector<uint8_t>& wanted,
                                   const std::stop_token& stop) {
  std::vector<uint32_t> rows;
  for (const Lane& lane : set.lanes) {
    if (stop.stop_requested()) break;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (wanted[lane.meta[i]] != 0) rows.push_back(lane.first_row + i);
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

SearchHits Find(const NameQuery& query, std::span<const Run> runs, const std::stop_token& stop) {
  SearchHits hits;
  struct Timed {
    Ps start;
    EventRef ref;
  };
  std::vector<Timed> timed;
  for (const Run& run : runs) {
    for (uint32_t set = 0; set < run.sets(); ++set) {
      const TrackSet& s = run.Set(set);
      const std::vector<uint8_t> wanted = query.MatchingMetas(*s.names);
      const bool any = std::find(wanted.begin(), wanted.end(), 1) != wanted.end();
      if (!any || stop.stop_requested()) continue;
      Highlight::Rows rows{run.id, set, MatchingRows(s, wanted, stop)};
      hits.count += rows.rows.size();
      for (uint32_t row : rows.rows) {
        if (timed.size() >= Search::kMaxOrdered) break;
        timed.push_back({s.Start(EventRow(row)), {run.id, set, EventRow(row)}});
      }
      hits.rows.push_back(std::move(rows));
    }
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const Timed& a, const Timed& b) { return a.start < b.start; });
  hits.ordered.reserve(timed.size());
  for (const Timed& t : timed) hits.ordered.push_back(t.ref);
  return hits;
}

}  // namespace

bool ContainsLower(std::string_view text, std::string_view lower_needle) {
  const auto found = std::search(text.begin(), text.end(), lower_needle.begin(), lower_needle.end(),
                                 [](char a, char b) { return Lower(a) == b; });
  return found != text.end() || lower_needle.empty();
}

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
  if (query_.empty() || runs.empty()) return;
  std::vector<Run> copy(runs.begin(), runs.end());  // shared pointers: keeps the traces alive
  job_.Start(threads_,
             [query = query_, copy = std::move(copy)](const std::stop_token& stop, Progress&) {
               SearchHits hits = Find(NameQuery(query), copy, stop);
               hits.query = query;
               return hits;
             });
}

bool Search::Poll() {
  std::optional<SearchHits> hits = job_.Take();
  if (!hits) return false;
  hits_ = std::move(*hits);
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
