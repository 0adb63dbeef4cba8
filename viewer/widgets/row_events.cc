#include "viewer/widgets/row_events.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "model/jobs/job.h"
#include "model/query/event_query.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {
namespace {

// Counts over all sets, as the search does, up to `most`.
uint64_t CountMatches(const Profile& profile, const NameQuery& query, uint64_t most) {
  uint64_t n = 0;
  for (uint32_t set = 0; set < profile.sets(); ++set) {
    const std::vector<uint8_t> wanted = query.MatchingMetas(*profile.Set(set).names);
    if (std::find(wanted.begin(), wanted.end(), 1) == wanted.end()) continue;
    for (const Lane& lane : profile.Set(set).lanes) {
      CheckStop();
      for (uint32_t i = 0; i < lane.size() && n < most; ++i) n += wanted[lane.meta[i]];
    }
  }
  return n;
}

// The name that all events of the link share, or empty. Neighbours mostly share a lane, so few
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

// A row without links is found by its name only.
RowEvents ByName(const Profile& profile, const std::string& name) {
  RowEvents found;
  const std::string whole = NameQuery::Whole(name);
  if (CountMatches(profile, NameQuery(whole), 1) > 0) {
    found.query = QueryForWhole(name);
    found.what = "Every event called " + name;
  } else if (CountMatches(profile, NameQuery(name), 1) > 0) {
    found.query = QueryForPart(name);
    found.what = "Every event with " + name + " in its name";
  }
  return found;
}

RowEvents ByLink(const Profile& profile, const TrackSet& set, const RowLink& link) {
  RowEvents found;
  found.listed = true;
  const std::string called(CommonName(set, link));
  const NameQuery whole(NameQuery::Whole(called));
  const bool alone = !called.empty() && CountMatches(profile, whole, link.total + 1) == link.total;
  if (alone) {
    found.query = QueryForWhole(called);
    found.what = "The events of this row, all called " + called;
  } else if (!called.empty() && link.rows.size() < link.total) {
    found.query = QueryForWhole(called);
    found.what = "Every event called " + called + ", more than this row's";
  } else {
    found.what = "The events of this row, which share their names with others";
  }
  return found;
}

}  // namespace

RowEvents FindRowEvents(const Profile& profile, const RowLink& link, const std::string& name) {
  if (!profile.trace) return {};
  if (link.rows.empty()) return name.empty() ? RowEvents{} : ByName(profile, name);
  return link.set < profile.sets() ? ByLink(profile, profile.Set(link.set), link) : RowEvents{};
}

void AddEvents(ProfileId profile, const RowLink& link, CommandArgs* args) {
  args->total += static_cast<int64_t>(link.total);
  const size_t room = kMaxHighlightedEvents - args->events.size();
  args->events.reserve(args->events.size() + std::min(room, link.rows.size()));
  for (const EventRow event : link.rows) {
    if (args->events.size() == kMaxHighlightedEvents) break;
    args->events.push_back({profile, link.set, event});
  }
}

void ShowEvents(CommandQueue& commands, CommandArgs args) {
  if (!args.events.empty()) {
    commands.Push("select.show_events", std::move(args));
  } else if (!args.range.empty()) {
    commands.Push("view.set_range", std::move(args));
  }
}

}  // namespace stepscope
