#include "viewer/core/search/selection_stats.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/schema.h"
#include "model/jobs/job.h"
#include "model/lookup.h"
#include "model/query/call_tree.h"
#include "model/query/event_groups.h"
#include "model/query/find_events.h"
#include "model/query/merge_stacks.h"

namespace stepscope {
namespace {

// The events that are asked about, and what they are found with.
struct Asked {
  std::vector<RowBits> bits;  // by part; ranges have one, with the events that begin inside
  StatsQuestion question;
  std::vector<EventPart> parts() const { return question.parts; }
};

RowBits BitsOfRows(const std::vector<uint32_t>& rows, const TrackSet& set) {
  RowBits bits(set.rows);
  for (const uint32_t row : rows) bits.Set(row);
  return bits;
}

// The slices and instants that begin in a range.
RowBits BitsInScope(const Trace& trace, const Scope& scope) {
  const TrackSet& set = trace.set;
  RowBits bits(set.rows);
  for (const Lane& lane : set.lanes) {
    CheckStop();
    const Track& track = set.tracks[lane.track.value];
    const HostId host = track.plane.valid() ? trace.planes[track.plane.value].host : HostId();
    if (!scope.HasHost(host)) continue;
    const TimeScope& time = scope.OfHost(host);
    const auto first = std::lower_bound(lane.start.begin(), lane.start.end(), time.first);
    const auto last = std::upper_bound(first, lane.start.end(), time.last);
    for (auto at = first; at != last; ++at)
      bits.Set(lane.first_row + static_cast<uint32_t>(at - lane.start.begin()));
  }
  return bits;
}

double Share(const EventStatsRow& row, TimeRange range, const StepDatabase* steps) {
  Ps whole = range.length();
  if (steps != nullptr && row.step < steps->steps.size())
    whole = steps->steps[row.step].span.length();
  return whole > 0 ? 100 * static_cast<double>(row.total) / static_cast<double>(whole) : 0;
}

// The name of a group. A track has the name that the user gave it.
std::string NameOf(const Profile& profile, const SelectionRequest& request,
                   const EventStatsRow& row) {
  if (request.by != GroupBy::kTrack) return std::string(row.name);
  return TrackName(request.names, *profile.trace, profile.Set(row.set), row.track);
}

ResultTable GroupTable(const Profile& profile, const SelectionRequest& request, const Asked& asked,
                       const SelectionStats& stats) {
  using R = EventStatsRow;
  const char* label = request.by == GroupBy::kTrack  ? "Track"
                      : request.by == GroupBy::kStep ? "Step"
                                                     : "Name";
  const Schema<R> schema(
      "groups", "Selected events",
      {{"name", label, Unit::kNone, [&](const R& row) { return NameOf(profile, request, row); }},
       {"count", "Count", Unit::kCount, &R::count},
       {"total_us", "Total", Unit::kUs, &R::total, "sum of durations", kKeyColumn},
       {"self_us", "Self", Unit::kUs, &R::self, "without the events inside", kKeyColumn},
       {"mean_us", "Mean", Unit::kUs, [](const R& row) { return InUs(row.mean); }},
       {"median_us", "Median", Unit::kUs, &R::median, "by nearest rank"},
       {"p95_us", "95 %", Unit::kUs, &R::p95, "95 % of the durations are at most this"},
       {"p99_us", "99 %", Unit::kUs, &R::p99, "99 % of the durations are at most this"},
       {"min_us", "Min", Unit::kUs, &R::min},
       {"max_us", "Max", Unit::kUs, &R::max},
       {"stddev_us", "\u03c3", Unit::kUs, [](const R& row) { return InUs(row.stddev); },
        "standard deviation of all durations"},
       {"share", "Share", Unit::kPercent,
        [&](const R& row) { return Share(row, stats.range, asked.question.steps); },
        "share of the time that is looked at; for a step, of its length"}});
  return schema.Make(stats.stats.groups);
}

// For each group of EventGroups, the row of the table that it has.
std::vector<uint32_t> PlacesOf(const EventGroups& groups, const SelectionStats& out) {
  constexpr uint32_t kNowhere = ~uint32_t{0};
  std::vector<uint32_t> places(groups.size(), kNowhere);
  // A group is found by the name in its row.
  const auto key = [](const EventStatsRow& row) {
    return std::tuple(row.name, row.set, row.track.value, row.step);
  };
  std::map<decltype(key(EventStatsRow())), uint32_t> rows;
  for (uint32_t i = 0; i < out.stats.groups.size(); ++i) rows[key(out.stats.groups[i])] = i;
  for (size_t g = 0; g < groups.size(); ++g) {
    EventStatsRow described;
    groups.Describe(g, &described);
    const auto found = rows.find(key(described));
    if (found != rows.end()) places[g] = found->second;
  }
  return places;
}

// Links the rows of `groups` to their events, where all events are of one set.
void AddLinks(const Asked& asked, SelectionStats* out) {
  const StatsQuestion& question = asked.question;
  if (question.parts.size() != 1 || out->stats.total.count > kMostLinked) return;
  const EventPart& part = question.parts.front();
  const EventGroups groups(question);
  const std::vector<uint32_t> places = PlacesOf(groups, *out);
  std::vector<std::vector<EventRow>> rows(out->groups.size());
  for (const Lane& lane : part.events->lanes) {
    CheckStop();
    if (lane.kind == LaneKind::kInstant) continue;
    part.rows->ForEach(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row) {
      const uint32_t i = row - lane.first_row;
      groups.ForEach(0, lane, i, i + 1, [&](uint32_t, uint32_t group) {
        if (places[group] < rows.size()) rows[places[group]].emplace_back(row);
      });
    });
  }
  for (std::vector<EventRow>& list : rows) {
    out->groups.links.push_back(LinkTo(EventRows(std::move(list))));
    out->groups.links.back().set = part.set;
  }
}

struct Listed {
  Ps start = 0;
  uint32_t part = 0, row = 0;
  auto operator<=>(const Listed&) const = default;
};

std::string TrackAndPlane(const TrackRules::Names& names, const Trace& trace, const TrackSet& set,
                          EventRow row) {
  const TrackId track = set.TrackOf(row);
  const PlaneId plane = set.tracks[track.value].plane;
  std::string name = TrackName(names, trace, set, track);
  if (plane.valid()) name += " \u00b7 " + PlaneName(names, trace, plane);
  return name;
}

// The first events by begin, found without a list of all.
std::vector<Listed> FirstOf(const Asked& asked, SelectionStats* out) {
  std::priority_queue<Listed> first;  // the latest one on top
  const std::vector<EventPart>& parts = asked.question.parts;
  for (uint32_t p = 0; p < parts.size(); ++p) {
    for (const Lane& lane : parts[p].events->lanes) {
      parts[p].rows->ForEach(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row) {
        ++out->listed_of;
        const Listed event{lane.start[row - lane.first_row], p, row};
        if (first.size() >= kMostListed && !(event < first.top())) return;
        first.push(event);
        if (first.size() > kMostListed) first.pop();
      });
    }
  }
  std::vector<Listed> list;
  for (; !first.empty(); first.pop()) list.push_back(first.top());
  std::reverse(list.begin(), list.end());
  return list;
}

void ListEvents(const Asked& asked, const TrackRules::Names& names, SelectionStats* out) {
  using L = Listed;
  const auto part = [&](const L& event) -> const EventPart& {
    return asked.question.parts[event.part];
  };
  const auto duration = [&](const L& e) { return part(e).events->Duration(EventRow(e.row)); };
  const Schema<L> schema(
      "events", "Events",
      {{"name", "Name", Unit::kNone,
        [&](const L& e) { return part(e).events->Name(EventRow(e.row)); }},
       {"start_us", "Begin", Unit::kUs, &L::start, "from the origin of the profile", kKeyColumn},
       {"dur_us", "Duration", Unit::kUs, duration, "", kKeyColumn},
       {"self_us", "Self", Unit::kUs,
        [&](const L& e) { return SelfTime(*part(e).events, EventRow(e.row)); },
        "without the events inside"},
       {"track", "Track", Unit::kNone,
        [&](const L& e) {
          return TrackAndPlane(names, *asked.question.trace, *part(e).events, EventRow(e.row));
        }}},
      [&](const L& e, const NoFacts&) {
        RowLink link = LinkTo(EventRows({EventRow(e.row)}));
        link.set = part(e).set;
        link.range = {e.start, SaturatingAdd(e.start, std::max<Ps>(1, duration(e)))};
        return link;
      });
  out->events = schema.Make(FirstOf(asked, out));
}

// The range from the first begin to the last end.
TimeRange HullOf(const std::vector<EventPart>& parts) {
  TimeRange hull{kMaxPs, kMinPs};
  for (const EventPart& part : parts) {
    for (const Lane& lane : part.events->lanes) {
      part.rows->ForEach(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row) {
        const uint32_t i = row - lane.first_row;
        hull = {std::min(hull.begin, lane.start[i]), std::max(hull.end, lane.end(i))};
      });
    }
  }
  return hull.empty() ? TimeRange{} : hull;
}

// `scope`: a range that was asked about, which cuts events; null: the events are whole.
std::shared_ptr<const SelectionStacks> StacksOf(const Asked& asked, const Scope* scope) {
  auto stacks = std::make_shared<SelectionStacks>();
  const Trace& trace = *asked.question.trace;
  for (const EventPart& part : asked.parts()) {
    if (part.set != 0) continue;
    const RowBits* rows = scope != nullptr ? nullptr : part.rows;
    stacks->tree = BuildCallTree({&trace, rows, scope});
  }
  stacks->top_down = CallTreeTable(trace, stacks->tree, false);
  stacks->bottom_up = CallTreeTable(trace, TurnOver(stacks->tree), true);
  return stacks;
}

}  // namespace

SelectionStats AddUpSelection(const Profile& profile, const SelectionRequest& request,
                              const std::vector<Highlight::Rows>& rows) {
  Asked asked;
  asked.question.trace = profile.trace.get();
  asked.question.by = request.by;
  std::optional<Scope> scope;
  if (request.kind == SelectionKind::kMeasured || request.kind == SelectionKind::kVisible) {
    AnalysisParams params = ForHost(request.host);
    params.range = request.range;
    const StepDatabase none;
    scope.emplace(*profile.trace, params, none);
    asked.bits.push_back(BitsInScope(*profile.trace, *scope));
    asked.question.parts.push_back({0, &profile.trace->set, nullptr});
  } else {
    for (const Highlight::Rows& part : CountedRows(rows)) {
      if (part.profile != request.profile || part.set >= profile.sets()) continue;
      asked.bits.push_back(BitsOfRows(*part.rows, profile.Set(part.set)));
      asked.question.parts.push_back({part.set, &profile.Set(part.set), nullptr});
    }
  }
  for (size_t i = 0; i < asked.bits.size(); ++i) asked.question.parts[i].rows = &asked.bits[i];
  if (request.by == GroupBy::kStep && profile.analysis) {
    asked.question.steps = &profile.analysis->Get<StepDatabase>();
    asked.question.grouping = &profile.analysis->Get<Grouping>();
  }
  SelectionStats out;
  out.derived = !asked.question.parts.empty() && asked.question.parts.front().set != 0;
  out.stats = AddUp(asked.question);
  out.range = request.range.empty() ? HullOf(asked.question.parts) : request.range;
  out.groups = GroupTable(profile, request, asked, out);
  AddLinks(asked, &out);
  ListEvents(asked, request.names, &out);
  if (request.stacks) out.stacks = StacksOf(asked, scope ? &*scope : nullptr);
  return out;
}

}  // namespace stepscope
