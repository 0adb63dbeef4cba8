#include "viewer/widgets/row_events.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "viewer/core/search.h"

namespace stepscope {
namespace {

std::vector<const TrackSet*> SetsOf(const RunView& run) {
  std::vector<const TrackSet*> sets{&run.trace->set};
  for (const auto& set : run.derived) sets.push_back(set.get());
  return sets;
}

// Over all sets, as the search goes; no further than `most`.
uint64_t CountMatches(const RunView& run, const NameQuery& query, uint64_t most) {
  uint64_t n = 0;
  for (const TrackSet* set : SetsOf(run)) {
    const std::vector<uint8_t> wanted = query.MatchingMetas(*set->names);
    if (std::find(wanted.begin(), wanted.end(), 1) == wanted.end()) continue;
    for (const Lane& lane : set->lanes) {
      for (uint32_t i = 0; i < lane.size() && n < most; ++i) n += wanted[lane.meta[i]];
    }
  }
  return n;
}

// The name that all events of the link have, or none. Neighbours mostly share a lane, so that few
// lanes are looked up.
std::string_view CommonName(const TrackSet& set, const RowLink& link) {
  if (link.rows.front().value >= set.rows) return {};
  const std::string_view name = set.Name(link.rows.front());
  const std::vector<uint8_t> same = NameQuery(NameQuery::Whole(name)).MatchingMetas(*set.names);
  const Lane* lane = &set.lanes.front();
  for (const EventRow row : link.rows) {
    if (row.value >= set.rows) return {};
    if (row.value - lane->first_row >= lane->size()) lane = &set.lanes[set.LaneOf(row).value];
    if (same[lane->meta[row.value - lane->first_row]] == 0) return {};
  }
  return name;
}

// A row without links has nothing but its name to go by.
RowEvents ByName(const RunView& run, const std::string& name) {
  RowEvents found;
  const std::string whole = NameQuery::Whole(name);
  if (CountMatches(run, NameQuery(whole), 1) > 0) {
    found.query = whole;
    found.what = "Every event called " + name;
  } else if (CountMatches(run, NameQuery(name), 1) > 0) {
    found.query = name;
    found.what = "Every event with " + name + " in its name";
  }
  return found;
}

RowEvents ByLink(const RunView& run, const TrackSet& set, const RowLink& link) {
  RowEvents found;
  found.listed = true;
  const std::string called(CommonName(set, link));
  const NameQuery whole(NameQuery::Whole(called));
  const bool alone = !called.empty() && CountMatches(run, whole, link.total + 1) == link.total;
  if (alone) {
    found.query = NameQuery::Whole(called);
    found.what = "The events of this row, all called " + called;
  } else if (!called.empty() && link.rows.size() < link.total) {
    found.query = NameQuery::Whole(called);
    found.what = "Every event called " + called + ", more than this row's";
  } else {
    found.what = "The events of this row, which share their names with others";
  }
  return found;
}

}  // namespace

RowEvents FindRowEvents(const PanelContext& context, const ResultTable& table,
                        const std::string* name, size_t row) {
  if (context.run == nullptr || !context.run->trace) return {};
  const RunView& run = *context.run;
  const bool linked = row < table.links.size() && !table.links[row].rows.empty();
  if (!linked) return name != nullptr && !name->empty() ? ByName(run, *name) : RowEvents{};
  const std::vector<const TrackSet*> sets = SetsOf(run);
  const RowLink& link = table.links[row];
  return link.set < sets.size() ? ByLink(run, *sets[link.set], link) : RowEvents{};
}

}  // namespace stepscope
