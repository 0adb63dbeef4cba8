#include "viewer/timeline/layout/arrange.h"

#include <algorithm>
#include <map>

#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

// The rules of a profile, indexed by path.
class RuleBook {
 public:
  explicit RuleBook(const TrackRules& rules) : rules_(rules) {
    for (uint32_t i = 0; i < rules.order.size(); ++i) order_[rules.order[i]] = i;
    for (uint32_t i = 0; i < rules.pinned.size(); ++i) pinned_[rules.pinned[i]] = i;
    for (const std::string& path : rules.folded) named_.push_back(path);
    for (const std::string& path : rules.hidden) named_.push_back(path);
    for (const auto& [path, rank] : order_) named_.push_back(path);
    for (const auto& [path, rank] : pinned_) named_.push_back(path);
    for (const auto& [path, rows] : rules.rows) named_.push_back(path);
    for (const auto& [path, name] : rules.names) named_.push_back(path);
    for (const auto& [path, color] : rules.colors) named_.push_back(path);
    for (const std::string& path : rules.only) named_.push_back(path);
    std::sort(named_.begin(), named_.end());
    std::string_view rest = rules.filter;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) words_.push_back(Lower(rest.substr(0, end)));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }

  // Returns whether a rule names something below the plane.
  bool NamesTracksOf(const std::string& plane) const {
    const std::string prefix = plane + '|';
    const auto at = std::lower_bound(named_.begin(), named_.end(), std::string_view(prefix));
    return at != named_.end() && at->starts_with(prefix);
  }
  bool Folded(const std::string& path) const { return rules_.folded.contains(path); }
  bool Hidden(const std::string& path) const { return rules_.hidden.contains(path); }
  uint32_t Order(const std::string& path) const { return Rank(order_, path); }
  uint32_t Pinned(const std::string& path) const { return Rank(pinned_, path); }
  uint32_t MostRows(const std::string& path) const {
    const auto at = rules_.rows.find(path);
    return at == rules_.rows.end() ? kNone : at->second;
  }
  std::string_view NameOf(const std::string& path) const {
    const auto at = rules_.names.find(path);
    return at == rules_.names.end() ? std::string_view() : std::string_view(at->second);
  }
  uint32_t ColorOf(const std::string& path) const {
    const auto at = rules_.colors.find(path);
    return at == rules_.colors.end() ? 0 : at->second;
  }
  bool filters() const { return !words_.empty() || !rules_.only.empty(); }
  bool Isolates() const { return !rules_.only.empty(); }
  bool IsIsolated(const std::string& path) const { return rules_.only.contains(path); }
  bool Passes(std::string_view plane, std::string_view track) const {
    return std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
      return ContainsLower(plane, word) || ContainsLower(track, word);
    });
  }
  static constexpr uint32_t kNone = 0xffffffffu;

 private:
  using Ranks = std::map<std::string_view, uint32_t, std::less<>>;
  static uint32_t Rank(const Ranks& ranks, std::string_view path) {
    const auto at = ranks.find(path);
    return at == ranks.end() ? kNone : at->second;
  }

  const TrackRules& rules_;
  Ranks order_, pinned_;
  std::vector<std::string_view> named_;
  std::vector<std::string> words_;
};

// A track with its counters, as entries [first, last) of the list.
struct ArrangedUnit {
  size_t first = 0, last = 0;
  uint32_t order = RuleBook::kNone, rows = RuleBook::kNone, color = 0;
  bool folded = false, frames_in_one = false;
  std::string_view given{};
  const RankTracks* rank = nullptr;
};

struct Section {  // a plane
  size_t heading = 0;
  uint32_t host_group = 0, order = RuleBook::kNone, pinned = RuleBook::kNone;
  uint32_t color = 0;
  bool folded = false, derived_folded = false;
  std::string_view given{};
  std::vector<ArrangedUnit> units{};
};

// Arranges one profile: entries [first, last) of the list.
class ProfileArranger {
 public:
  ProfileArranger(const ArrangeInput& input, const TrackRules& rules, std::vector<LayoutItem>* out)
      : in_(input), book_(rules), out_(*out) {}

  void Arrange(size_t first, size_t last) {
    profile_ = in_.list[first].profile;
    FindRanks();
    Collect(first, last);
    if (in_.profiles.size() > 1) Push(in_.list[first]);
    PushRanks();
    std::stable_sort(pins_.begin(), pins_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [rank, unit] : pins_) PushUnit(unit, true, true);
    std::stable_sort(sections_.begin(), sections_.end(), [](const Section& a, const Section& b) {
      // Pinned planes come first, then all others host by host.
      if (a.pinned != b.pinned) return a.pinned < b.pinned;
      if (a.host_group != b.host_group) return a.host_group < b.host_group;
      return a.order < b.order;
    });
    const bool hosts = profile().trace->hosts.size() > 1;
    uint32_t group = 0;  // groups count from 1
    for (const Section& section : sections_) {
      const bool of_host = section.host_group != RuleBook::kNone;
      if (hosts && of_host && section.pinned == RuleBook::kNone && section.host_group != group) {
        group = section.host_group;
        Push({.kind = LayoutItemKind::kHostHeading,
              .profile = profile_,
              .host = in_.list[section.heading].host});
      }
      PushSection(section);
    }
  }

 private:
  const Profile& profile() const { return in_.profiles[profile_]; }
  RankLayout RanksLie() const {
    return profile_ < in_.ranks.size() ? in_.ranks[profile_] : RankLayout::kApart;
  }

  // The place of each track that is drawn among the ranks.
  void FindRanks() {
    if (RanksLie() == RankLayout::kApart || profile().ranks == nullptr) return;
    uint32_t place = 0;
    for (const RankTracks& rank : *profile().ranks) {
      for (const TrackId track : rank.tracks) ranked_[track.value] = {place++, &rank};
    }
  }

  // A rank whose track is hidden or filtered out has a row less.
  void PushRanks() {
    std::sort(rank_units_.begin(), rank_units_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [place, unit] : rank_units_) {
      const size_t before = out_.size();
      PushUnit(unit, true, true);
      for (size_t i = before; i < out_.size(); ++i) {
        out_[i].rank = unit.rank;
        out_[i].thin = RanksLie() == RankLayout::kLane;
        out_[i].collapsible = out_[i].collapsed = false;
        out_[i].depth = out_[i].rows = std::min(1u, out_[i].rows);
      }
    }
  }

  void Collect(size_t first, size_t last) {
    uint32_t group = 0;
    for (size_t i = first; i < last;) {
      const TrackEntry& entry = in_.list[i];
      if (entry.kind == LayoutItemKind::kHostHeading) ++group;
      if (entry.kind != LayoutItemKind::kPlaneHeading) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      while (end < last && (in_.list[end].kind == LayoutItemKind::kTrack ||
                            in_.list[end].kind == LayoutItemKind::kCounter))
        ++end;
      CollectPlane(i, end, entry.plane.valid() ? group : 0);
      i = end;
    }
  }

  void CollectPlane(size_t heading, size_t end, uint32_t group) {
    const TrackEntry& plane = in_.list[heading];
    const std::string_view only =
        profile_ < in_.hosts.size() ? std::string_view(in_.hosts[profile_]) : std::string_view();
    if (plane.plane.valid() && !only.empty() && profile().trace->HostName(plane.host) != only)
      return;
    const std::string path = PathOf(profile(), plane);
    if (book_.Hidden(path)) return;
    Section section{.heading = heading, .host_group = group};
    section.order = book_.Order(path);
    section.pinned = book_.Pinned(path);
    section.folded = book_.Folded(path);
    section.given = book_.NameOf(path);
    section.color = book_.ColorOf(path);
    section.derived_folded = plane.plane.valid() && !book_.filters() &&
                             book_.Folded(DerivedTracksPath(*profile().trace, plane.plane));
    // Derived tracks that belong to no plane come last.
    if (!plane.plane.valid()) section.host_group = RuleBook::kNone;
    const bool named = book_.NamesTracksOf(path);
    bool all = true;
    for (size_t i = heading + 1; i < end;) {
      ArrangedUnit unit{.first = i, .last = i + 1};
      while (unit.last < end && SameTrack(in_.list[unit.last], in_.list[i])) ++unit.last;
      i = unit.last;
      if (!KeepUnit(plane, named, &unit)) {
        all = false;
      } else {
        section.units.push_back(unit);
      }
    }
    SortUnits(&section.units);
    // A plane whose tracks are all drawn elsewhere has no heading. A plane that never had tracks
    // keeps it.
    const bool bare = all && !book_.filters();
    if (bare || !section.units.empty()) sections_.push_back(std::move(section));
  }

  void SortUnits(std::vector<ArrangedUnit>* units) const {
    std::stable_sort(
        units->begin(), units->end(), [this](const ArrangedUnit& a, const ArrangedUnit& b) {
          if (a.order != b.order) return a.order < b.order;
          return a.order == RuleBook::kNone && Before(in_.list[a.first], in_.list[b.first]);
        });
  }

  // The order of tracks that no rule gives a place.
  bool Before(const TrackEntry& a, const TrackEntry& b) const {
    if (a.derived || b.derived) return !a.derived && b.derived;
    switch (in_.sort) {
      case TrackSort::kName:
        return NaturalLess(a.name, b.name);
      case TrackSort::kBusy:
        return a.busy > b.busy;
      case TrackSort::kEvents:
        return a.events > b.events;
      default:
        return false;
    }
  }

  static bool SameTrack(const TrackEntry& a, const TrackEntry& b) {
    return a.track == b.track && a.set == b.set;
  }

  // Returns false if the track is hidden, not chosen, or pinned and therefore drawn elsewhere.
  bool KeepUnit(const TrackEntry& plane, bool named, ArrangedUnit* unit) {
    const TrackEntry& entry = in_.list[unit->first];
    if (!in_.lanes.Shows(entry.lane)) return false;
    const auto ranked = entry.set == 0 ? ranked_.find(entry.track.value) : ranked_.end();
    if (!named && ranked == ranked_.end()) {
      if (book_.filters() && !book_.Passes(plane.name, entry.name)) return false;
      return !book_.Isolates();
    }
    const std::string path = PathOf(profile(), entry);
    unit->given = book_.NameOf(path);
    if (book_.filters() && !book_.Passes(plane.name, entry.name) &&
        (unit->given.empty() || !book_.Passes(plane.name, unit->given)))
      return false;
    if (book_.Isolates() && !book_.IsIsolated(path)) return false;
    if (book_.Hidden(path)) return false;
    unit->order = book_.Order(path);
    unit->rows = book_.MostRows(path);
    unit->folded = book_.Folded(path);
    unit->frames_in_one = FramesInOne(entry);
    unit->color = book_.ColorOf(path);
    if (ranked != ranked_.end()) {
      unit->rank = ranked->second.second;
      rank_units_.push_back({ranked->second.first, *unit});
      return false;
    }
    const uint32_t pin = book_.Pinned(path);
    if (pin == RuleBook::kNone) return true;
    pins_.push_back({pin, *unit});
    return false;
  }

  bool FramesInOne(const TrackEntry& entry) const {
    return entry.set == 0 && entry.kind == LayoutItemKind::kTrack &&
           book_.Folded(OuterFramesPath(*profile().trace, profile().Set(0), entry.track));
  }

  void Push(const TrackEntry& entry) {
    out_.push_back({.kind = entry.kind,
                    .profile = entry.profile,
                    .set = entry.set,
                    .host = entry.host,
                    .plane = entry.plane,
                    .track = entry.track,
                    .lane = entry.lane,
                    .lanes = entry.lanes});
  }

  void PushSection(const Section& section) {
    Push(in_.list[section.heading]);
    LayoutItem& heading = out_.back();
    heading.collapsible = true;
    heading.collapsed = section.folded;
    heading.given = section.given;
    heading.color = section.color;
    const bool heading_pinned = section.pinned != RuleBook::kNone;
    heading.pinned = heading_pinned;
    if (section.folded) return;
    const auto derived =
        std::find_if(section.units.begin(), section.units.end(),
                     [this](const ArrangedUnit& unit) { return IsOfDerived(unit); });
    for (auto unit = section.units.begin(); unit != derived; ++unit)
      PushUnit(*unit, heading_pinned, false);
    PushDerived({derived, section.units.end()}, section.derived_folded, heading_pinned);
  }

  // Whether the track is folded together with the derived tracks of its plane. One that was moved
  // stands where it was put.
  bool IsOfDerived(const ArrangedUnit& unit) const {
    const TrackEntry& entry = in_.list[unit.first];
    return entry.derived && entry.plane.valid() && unit.order == RuleBook::kNone;
  }

  void PushDerived(std::span<const ArrangedUnit> units, bool folded, bool pinned) {
    const size_t lead = out_.size();
    for (const ArrangedUnit& unit : units) {
      if (folded && out_.size() > lead) break;
      PushUnit(unit, pinned, false);
    }
    if (units.size() < 2 || out_.size() == lead) return;
    LayoutItem& item = out_[lead];
    item.leads = static_cast<uint32_t>(units.size()) - 1;
    item.collapsible = true;
    item.collapsed = folded;
    if (folded) item.depth = item.rows = std::min(1u, item.rows);
  }

  void PushUnit(const ArrangedUnit& unit, bool pinned, bool apart) {
    for (size_t i = unit.first; i < unit.last; ++i) {
      const TrackEntry& entry = in_.list[i];
      Push(entry);
      LayoutItem& item = out_.back();
      item.pinned = pinned;
      item.apart = apart;
      item.given = unit.given;
      item.color = unit.color;
      if (entry.kind == LayoutItemKind::kTrack && !SetDepth(unit, &item)) out_.pop_back();
    }
  }

  // Returns false if nothing of the track is left, because it has only Python frames.
  bool SetDepth(const ArrangedUnit& unit, LayoutItem* item) const {
    const TrackSet& set = profile().Set(item->set);
    item->rest = RestOf(item->set, item->track);
    const Track& track = set.tracks[item->track.value];
    if (item->set == 0 && item->rest == nullptr)
      item->frames = OuterFrames(*profile().trace, track);
    item->frames_in_one = item->frames > 0 && unit.frames_in_one;
    const auto lanes = static_cast<uint32_t>(DrawnLanes(set, *item).size());
    if (lanes == 0 && item->lanes == track.lane_count && track.counters.empty()) return false;
    item->depth = std::max<uint32_t>(1, lanes);  // instants lie on the first
    item->collapsible = item->depth > 1;
    item->collapsed = item->collapsible && unit.folded;
    item->depth = item->collapsed ? 1 : std::min(item->depth, unit.rows);
    item->rows = item->depth;
    return true;
  }

  const WithoutPython* RestOf(uint32_t set, TrackId track) const {
    if (set != 0 || profile_ >= in_.without_python.size()) return nullptr;
    const WithoutPython* rest = in_.without_python[profile_].get();
    return rest != nullptr && rest->track[track.value].valid() ? rest : nullptr;
  }

  const ArrangeInput& in_;
  const RuleBook book_;
  std::vector<LayoutItem>& out_;
  uint32_t profile_ = 0;
  std::vector<Section> sections_;
  std::vector<std::pair<uint32_t, ArrangedUnit>> pins_;                // place and track
  std::map<uint32_t, std::pair<uint32_t, const RankTracks*>> ranked_;  // by track: its place, rank
  std::vector<std::pair<uint32_t, ArrangedUnit>> rank_units_;          // by place
};

}  // namespace

bool LaneChoice::Shows(DerivedTrackKind lane) const {
  switch (lane) {
    case DerivedTrackKind::kNone:
      return true;
    case DerivedTrackKind::kIdle:
    case DerivedTrackKind::kUtilisation:
      return use;
    default:
      return waiting;
  }
}

std::vector<LayoutItem> Arrange(const ArrangeInput& input) {
  std::vector<LayoutItem> out;
  out.reserve(input.list.size());
  const TrackRules none;
  for (size_t first = 0; first < input.list.size();) {
    const uint32_t profile = input.list[first].profile;
    size_t last = first;
    while (last < input.list.size() && input.list[last].profile == profile) ++last;
    const TrackRules& rules = profile < input.rules.size() ? input.rules[profile] : none;
    ProfileArranger(input, rules, &out).Arrange(first, last);
    first = last;
  }
  return out;
}

std::string FoldPathOf(const Profile& profile, const LayoutItem& item) {
  if (item.leads > 0) return DerivedTracksPath(*profile.trace, item.plane);
  return PathOf(profile,
                {.kind = item.kind, .set = item.set, .plane = item.plane, .track = item.track});
}

std::string FramesPathOf(const Profile& profile, const LayoutItem& item) {
  return OuterFramesPath(*profile.trace, profile.Set(item.set), item.track);
}

std::span<const Lane> DrawnLanes(const TrackSet& set, const LayoutItem& item) {
  if (item.rest == nullptr) {
    const auto lanes = set.LanesOf(set.tracks[item.track.value]).first(item.lanes);
    return lanes.subspan(FirstDepth(item));
  }
  return item.rest->set.LanesOf(item.rest->set.tracks[item.rest->track[item.track.value].value]);
}

const Lane* LaneAt(const TrackSet& set, const LayoutItem& item, uint32_t depth) {
  const std::span<const Lane> lanes = DrawnLanes(set, item);
  const uint32_t wanted = depth + FirstDepth(item);
  if (depth < lanes.size() && lanes[depth].depth == wanted) return &lanes[depth];
  const auto found = std::find_if(lanes.begin(), lanes.end(),
                                  [wanted](const Lane& l) { return l.depth == wanted; });
  return found == lanes.end() ? nullptr : &*found;
}

EventRow RowAt(const LayoutItem& item, const Lane& lane, uint32_t i) {
  const uint32_t row = lane.first_row + i;
  const bool own = item.rest == nullptr || lane.kind == LaneKind::kInstant;
  return own ? EventRow(row) : item.rest->set.source[row];
}

std::optional<uint32_t> DepthOf(const TrackSet& set, const LayoutItem& item, EventRow row) {
  const Lane* lane = &set.lanes[set.LaneOf(row).value];
  if (lane->kind == LaneKind::kInstant) return 0;
  if (item.rest != nullptr) {
    const EventRow drawn = item.rest->row[row.value];
    if (!drawn.valid()) return std::nullopt;
    lane = &item.rest->set.lanes[item.rest->set.LaneOf(drawn).value];
  }
  const uint32_t row_of = lane->depth - std::min<uint32_t>(lane->depth, FirstDepth(item));
  if (row_of >= std::max(1u, item.rows)) return std::nullopt;
  return row_of;
}

std::span<const Lane> InstantLanes(const TrackSet& set, const LayoutItem& item) {
  return set.LanesOf(set.tracks[item.track.value]).subspan(item.lanes);
}

}  // namespace stepscope
