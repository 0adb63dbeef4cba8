#include "model/analysis/grouping/grouping.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/analysis/analysis.h"
#include "model/analysis/definitions.h"
#include "model/analysis/grouping/eager_torch.h"
#include "model/analysis/grouping/group_spreader.h"
#include "model/analysis/grouping/grouping_chrome.h"
#include "model/analysis/grouping/grouping_tpu.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr uint32_t kNoPos = EventForest::kNone;

// Finds the roots of each host, and groups what they lead to (docs/rules.md#grouping).
class Grouper {
 public:
  Grouper(const Trace& trace, const StatTable& stats, const EventOrder& order, EventForest* forest,
          Grouping* out)
      : trace_(trace), stats_(stats), order_(order), forest_(*forest), out_(*out) {}

  void Run();

 private:
  struct Root {
    int64_t level;
    Ps begin;
    uint32_t pos;
  };
  // The roots of a host, in the order in which they begin groups: its loops, or else those with a
  // level.
  struct HostRoots {
    std::vector<uint32_t> loops;  // positions
    std::vector<Root> by_level;
  };
  std::optional<int64_t> Int(IntStat stat, uint32_t pos) const {
    return stats_.Int(stat).Find(EventRow(order_.row[pos]));
  }
  HostEventType TypeAt(uint32_t pos) const { return forest_.types()[forest_.MetaAt(pos)]; }
  std::set<int64_t> TfDataIds(uint32_t host) const;
  std::vector<uint32_t> TfLoopRoots(uint32_t host, const std::set<int64_t>& tf_data);
  std::vector<Root> LevelRoots(uint32_t host, const std::set<int64_t>& tf_data) const;
  bool IsNested(const Root& root) const;
  void ReadLevels(uint32_t host);
  HostRoots RootsOf(uint32_t host);
  void GroupHost(uint32_t host, const HostRoots& roots, GroupSpreader* spreader);
  int32_t AddGroup(uint32_t host, uint32_t root, int64_t id);
  std::string NameOf(uint32_t root, int64_t id) const;
  // The value of the event or of its nearest ancestor that has one.
  template <typename Column>
  auto Nearest(const Column& column, uint32_t pos) const;

  const Trace& trace_;
  const StatTable& stats_;
  const EventOrder& order_;
  EventForest& forest_;
  Grouping& out_;
  std::map<uint32_t, int64_t> levels_;  // root level by row, for all events that have one
};

// Visits the event and its ancestors, nearest first, until visit returns true.
template <typename Visit>
void ForAncestors(const EventForest& forest, uint32_t pos, Visit visit) {
  std::vector<uint32_t> queue{pos};
  std::set<uint32_t> seen{pos};
  std::vector<uint32_t> parents;
  for (size_t i = 0; i < queue.size(); ++i) {
    if (visit(queue[i])) return;
    parents.clear();
    forest.AppendParents(queue[i], &parents);
    for (uint32_t p : parents) {
      if (seen.insert(p).second) queue.push_back(p);
    }
  }
}

template <typename Column>
auto Grouper::Nearest(const Column& column, uint32_t pos) const {
  decltype(column.Find(EventRow(0))) found;
  if (column.empty()) return found;
  ForAncestors(forest_, pos, [&](uint32_t p) {
    found = column.Find(EventRow(order_.row[p]));
    return found.has_value();
  });
  return found;
}

std::set<int64_t> Grouper::TfDataIds(uint32_t host) const {
  std::set<int64_t> ids;
  for (uint32_t pos : forest_.Special(host)) {
    if (TypeAt(pos) != HostEventType::kCapturedFunction) continue;
    if (auto id = Int(IntStat::kId, pos)) ids.insert(*id);
  }
  return ids;
}

std::vector<uint32_t> Grouper::TfLoopRoots(uint32_t host, const std::set<int64_t>& tf_data) {
  std::map<int64_t, std::map<int64_t, std::vector<uint32_t>>> loops;
  for (uint32_t pos : forest_.Special(host)) {
    if (TypeAt(pos) != HostEventType::kExecutorProcess) continue;
    auto id = Int(IntStat::kId, pos), iter = Int(IntStat::kIterNum, pos);
    if (id && iter && !tf_data.contains(*id)) loops[*id][*iter].push_back(pos);
  }
  auto start = [&](uint32_t pos) { return trace_.set.Start(EventRow(order_.row[pos])); };
  std::vector<uint32_t> roots;
  for (const auto& [id, loop] : loops) {
    if (loop.size() == 1 && loop.begin()->first == 0) continue;
    for (const auto& [iter, events] : loop) {
      uint32_t first = *std::min_element(events.begin(), events.end(), [&](uint32_t a, uint32_t b) {
        return start(a) < start(b);
      });
      roots.push_back(first);
      for (uint32_t pos : events) {
        if (pos != first) forest_.AddLink(first, pos);
      }
    }
  }
  std::stable_sort(roots.begin(), roots.end(),
                   [&](uint32_t a, uint32_t b) { return start(a) < start(b); });
  return roots;
}

std::vector<Grouper::Root> Grouper::LevelRoots(uint32_t host,
                                               const std::set<int64_t>& tf_data) const {
  std::vector<Root> roots;
  for (uint32_t t : forest_.HostTracks(host)) {
    RowRange range = RowsOf(trace_.set, trace_.set.tracks[t]);
    size_t first = roots.size();
    for (auto it = levels_.lower_bound(range.first); it != levels_.end() && it->first < range.end();
         ++it) {
      uint32_t pos = forest_.PositionOf(it->first);
      auto id = Int(IntStat::kId, pos);
      if (id && tf_data.contains(*id)) continue;
      roots.push_back({it->second, trace_.set.Start(EventRow(it->first)), pos});
    }
    std::sort(roots.begin() + static_cast<ptrdiff_t>(first), roots.end(),
              [](const Root& a, const Root& b) { return a.pos < b.pos; });
  }
  std::stable_sort(roots.begin(), roots.end(), [](const Root& a, const Root& b) {
    return std::make_tuple(-a.level, a.begin) < std::make_tuple(-b.level, b.begin);
  });
  return roots;
}

// Whether an ancestor of the root has the same root level.
bool Grouper::IsNested(const Root& root) const {
  bool nested = false;
  ForAncestors(forest_, root.pos, [&](uint32_t p) {
    if (p == root.pos) return false;
    auto it = levels_.find(order_.row[p]);
    nested = it != levels_.end() && it->second == root.level;
    return nested;
  });
  return nested;
}

// Adds the group that the root begins. Returns its number.
int32_t Grouper::AddGroup(uint32_t host, uint32_t root, int64_t id) {
  EventGroup g;
  g.host = HostId(host);
  g.id = id;
  g.name = NameOf(root, id);
  g.root = EventRow(order_.row[root]);
  g.implicit = IsImplicitRoot(TypeAt(root));
  out_.groups.push_back(std::move(g));
  return static_cast<int32_t>(out_.groups.size() - 1);
}

std::string Grouper::NameOf(uint32_t root, int64_t id) const {
  std::string name;
  if (auto graph = Nearest(stats_.Text(StringStat::kGraphType), root)) {
    name = std::string(stats_.strings->View(*graph)) + " ";
  } else if (!IsImplicitRoot(TypeAt(root))) {
    const EventMeta& meta = trace_.names().metas[forest_.MetaAt(root)];
    name = std::string(trace_.names().strings.View(meta.name)) + " ";
  }
  auto number = Nearest(stats_.Int(IntStat::kIterNum), root);
  if (!number) number = Nearest(stats_.Int(IntStat::kStepNum), root);
  return name + std::to_string(number.value_or(id));
}

void Grouper::ReadLevels(uint32_t host) {
  for (uint32_t t : forest_.HostTracks(host)) {
    ForColumn(stats_.Int(IntStat::kRootLevel), RowsOf(trace_.set, trace_.set.tracks[t]),
              [&](uint32_t row, int64_t level) { levels_[row] = level; });
  }
  for (uint32_t pos : forest_.Special(host)) {
    if (TypeAt(pos) == HostEventType::kTraceContext) levels_.try_emplace(order_.row[pos], 1);
    if (TypeAt(pos) == HostEventType::kBatch) levels_[order_.row[pos]] = 2;
    if (TypeAt(pos) == HostEventType::kBatchingSession) levels_[order_.row[pos]] = 1;
  }
}

Grouper::HostRoots Grouper::RootsOf(uint32_t host) {
  HostRoots roots;
  if (forest_.HasLoopMarkers(host)) return roots;
  ReadLevels(host);
  const std::set<int64_t> tf_data = TfDataIds(host);
  roots.loops = TfLoopRoots(host, tf_data);
  if (roots.loops.empty()) roots.by_level = LevelRoots(host, tf_data);
  return roots;
}

void Grouper::GroupHost(uint32_t host, const HostRoots& roots, GroupSpreader* spreader) {
  int64_t id = 0;
  for (const uint32_t root : roots.loops) spreader->Spread(root, AddGroup(host, root, id++));
  for (const Root& root : roots.by_level) {
    if (!spreader->HasGroup(root.pos) && !IsNested(root))
      spreader->Spread(root.pos, AddGroup(host, root.pos, id++));
  }
}

void Grouper::Run() {
  std::vector<HostRoots> hosts;
  std::vector<uint32_t> all;
  for (uint32_t host = 0; host < trace_.hosts.size(); ++host) {
    CheckStop();
    const HostRoots& roots = hosts.emplace_back(RootsOf(host));
    all.insert(all.end(), roots.loops.begin(), roots.loops.end());
    for (const Root& root : roots.by_level) all.push_back(root.pos);
  }
  forest_.SortLinks();  // roots of loops have made more
  GroupSpreader spreader(forest_, order_, std::move(all));
  for (uint32_t host = 0; host < hosts.size(); ++host) GroupHost(host, hosts[host], &spreader);
  spreader.Finish(trace_.set, &out_.group);
}

// Work joins the group of its call where no link leads to it.
void GroupLaunched(const LaunchLinks& launches, Grouping* out) {
  ForParts(launches.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      int32_t& group = out->group[launches[i].device_row];
      if (group < 0) group = out->group[launches[i].launch_row];
    }
  });
}

// Marks an event if the nearest EagerExecute, the event itself or an ancestor, is not a function's.
void MarkEager(const Trace& trace, const StatTable& stats, const EventOrder& order,
               const EventForest& forest, Grouping* out) {
  bool any = false;
  std::span<const HostEventType> types = forest.types();
  for (HostEventType t : types) any = any || t == HostEventType::kEagerExecute;
  if (!any) return;
  out->eager.assign(trace.set.rows, false);
  std::vector<uint8_t> eager(trace.set.rows);
  const auto& is_func = stats.Int(IntStat::kIsFunc);
  // Whether enclosing events make an event eager; kAsk where a link joins the chain.
  enum State : uint8_t { kNo, kYes, kAsk };
  ParallelFor(order.tracks.size(), [&](size_t i) {
    RowRange range = RowsOf(trace.set, trace.set.tracks[order.tracks[i]]);
    std::vector<State> state(range.count, kNo);
    RowReader reader(trace.set);
    for (uint32_t pos = range.first; pos < range.end(); ++pos) {
      uint32_t row = order.row[pos], meta = reader.Meta(row);
      HostEventType type = meta < types.size() ? types[meta] : HostEventType::kNone;
      State& mine = state[pos - range.first];
      uint32_t parent = forest.Encloser(pos);
      if (type == HostEventType::kEagerExecute) {
        auto func = is_func.Find(EventRow(row));
        mine = func && *func == 0 ? kYes : kNo;
      } else if (forest.HasLinkedParents(pos)) {
        mine = kAsk;
      } else if (parent != kNoPos) {
        mine = state[parent - range.first];
      }
      bool device = forest.HasLinkedParents(pos) && type == HostEventType::kNone;
      if (type != HostEventType::kTfOpRun && type != HostEventType::kKernelExecute && !device)
        continue;
      if (mine != kAsk) {
        eager[row] = mine == kYes;
        continue;
      }
      ForAncestors(forest, pos, [&](uint32_t p) {
        if (types[forest.MetaAt(p)] != HostEventType::kEagerExecute) return false;
        auto func = is_func.Find(EventRow(order.row[p]));
        eager[row] = func && *func == 0;
        return true;
      });
    }
  });
  for (uint32_t row = 0; row < trace.set.rows; ++row) out->eager[row] = eager[row] != 0;
}

// Calls fn(lane) for the lanes of a plane's tracks.
template <typename Fn>
void ForLanes(const Trace& trace, const Plane& plane, Fn fn) {
  for (const TrackId t : plane.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.derived_in_file) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) fn(lane);
  }
}

bool AllGrouped(const Trace& trace, const Plane& plane, const Grouping& grouping) {
  bool all = true;
  ForLanes(trace, plane, [&](const Lane& lane) {
    const int32_t* const groups = grouping.group.data() + lane.first_row;
    all =
        all && std::none_of(groups, groups + lane.size(), [](int32_t group) { return group < 0; });
  });
  return all;
}

void FillPlane(const Trace& trace, const Plane& plane, bool all_join, Grouping* out) {
  if (plane.kind != PlaneKind::kGpu || AllGrouped(trace, plane, *out)) return;
  std::vector<std::tuple<Ps, Ps, uint32_t>> events;
  ForLanes(trace, plane, [&](const Lane& lane) {
    for (uint32_t i = 0; i < lane.size(); ++i)
      events.push_back({lane.start[i], lane.dur[i], lane.first_row + i});
  });
  std::sort(events.begin(), events.end());
  int32_t last = Grouping::kNone;
  for (const auto& [start, dur, row] : events) {
    int32_t& group = out->group[row];
    if (group >= 0) {
      last = group;
    } else if (all_join || !out->LaunchOf(row).valid()) {
      group = last;
    }
  }
}

// Events of GPU planes without a group join the group of the latest event before them that has one.
// By our definitions only events of unknown launch do: the others were launched outside every step.
// Parallel over planes, of which two at a time are put in order: that takes 24 bytes an event.
void FillUngrouped(const Trace& trace, bool all_join, Grouping* out) {
  const auto fill = [&](size_t i) { FillPlane(trace, trace.planes[i], all_join, out); };
  ParallelFor(trace.planes.size(), fill, 2);
}

// Takes the groups from group_id stats, which XProf saves after grouping.
void TakeGroupsFromFile(const Trace& trace, std::span<const StatTable* const> tables,
                        Grouping* out) {
  std::map<std::pair<uint32_t, int64_t>, int32_t> seen;
  RowReader reader(trace.set);
  auto host_of = [&](uint32_t row) {
    uint32_t plane = trace.set.tracks[reader.TrackOf(row)].plane.value;
    return plane < trace.planes.size() ? trace.planes[plane].host.value : 0u;
  };
  for (const StatTable* stats : tables) {
    stats->Int(IntStat::kGroupId).ForAll([&](uint32_t row, int64_t id) {
      seen[{host_of(row), id}] = 0;
    });
  }
  for (auto& [key, index] : seen) {
    index = static_cast<int32_t>(out->groups.size());
    EventGroup g;
    g.host = HostId(key.first);
    g.id = key.second;
    g.name = std::to_string(key.second);
    g.implicit = true;
    out->groups.push_back(std::move(g));
  }
  for (const StatTable* stats : tables) {
    const auto& names = stats->Text(StringStat::kStepName);
    stats->Int(IntStat::kGroupId).ForAll([&](uint32_t row, int64_t id) {
      int32_t index = seen[{host_of(row), id}];
      if (row < out->group.size()) out->group[row] = index;
      EventGroup& g = out->groups[static_cast<size_t>(index)];
      auto name = g.root.valid() || names.empty() ? std::nullopt : names.Find(EventRow(row));
      if (name && !trace.set.tracks[reader.TrackOf(row)].derived_in_file) {
        g.name = std::string(stats->strings->View(*name));
        g.root = EventRow(row);
        g.implicit = false;
      }
    });
  }
  out->from_file = true;
}

// Takes from the file which events ran eagerly.
void TakeEagerFromFile(const Trace& trace, std::span<const StatTable* const> tables,
                       Grouping* out) {
  for (const StatTable* stats : tables) {
    const auto& eager = stats->Int(IntStat::kIsEager);
    if (!eager.empty()) out->eager.resize(trace.set.rows);
    eager.ForRange(0, trace.set.rows, [&](uint32_t row, int64_t v) { out->eager[row] = v != 0; });
  }
}

// The marks of each host, by begin; of overlapping marks only the first.
struct Mark {
  Ps begin, end;
  int32_t group;
};
std::vector<std::vector<Mark>> MarksOf(const Trace& trace, const Grouping& grouping) {
  std::vector<std::vector<Mark>> marks(trace.hosts.size());
  for (size_t g = 0; g < grouping.groups.size(); ++g) {
    const EventGroup& group = grouping.groups[g];
    if (group.implicit || !group.root.valid()) continue;
    const Ps begin = trace.set.Start(group.root);
    marks[group.host.value].push_back(
        {begin, begin + trace.set.Duration(group.root), static_cast<int32_t>(g)});
  }
  for (std::vector<Mark>& of_host : marks) {
    std::stable_sort(of_host.begin(), of_host.end(),
                     [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
    Ps end = kMinPs;
    std::erase_if(of_host, [&](const Mark& m) {
      if (m.begin < end) return true;
      end = m.end;
      return false;
    });
  }
  return marks;
}

// The launches whose call is in no group, in their order: mostly few or none.
std::vector<LaunchLink> UngroupedLaunches(const Grouping& grouping) {
  constexpr size_t kAtOnce = size_t{64} << 10;
  const LaunchLinks& all = grouping.launches;
  std::vector<std::vector<LaunchLink>> found((all.size() + kAtOnce - 1) / kAtOnce);
  ParallelFor(found.size(), [&](size_t part) {
    const size_t end = std::min(all.size(), (part + 1) * kAtOnce);
    for (size_t i = part * kAtOnce; i < end; ++i) {
      if (grouping.group[all[i].launch_row] < 0) found[part].push_back(all[i]);
    }
  });
  std::vector<LaunchLink> ungrouped;
  for (const auto& part : found) ungrouped.insert(ungrouped.end(), part.begin(), part.end());
  return ungrouped;
}

// A recording does not always tell which thread works for which mark: a Chrome trace often does
// not, and in an XSpace of JAX the thread that starts copies to the host is untied. A launch
// without a group joins the mark that is open when it begins, and so does its work.
void JoinByTime(const Trace& trace, Grouping* out) {
  const std::vector<LaunchLink> ungrouped = UngroupedLaunches(*out);
  if (ungrouped.empty()) return;
  const std::vector<std::vector<Mark>> marks = MarksOf(trace, *out);
  RowReader reader(trace.set);
  for (const LaunchLink& link : ungrouped) {
    if (out->group[link.device_row] >= 0) continue;
    const Plane& plane =
        trace.planes[trace.set.tracks[reader.TrackOf(link.launch_row)].plane.value];
    const std::vector<Mark>& of_host = marks[plane.host.value];
    const Ps start = reader.Start(link.launch_row);
    const auto after = std::upper_bound(of_host.begin(), of_host.end(), start,
                                        [](Ps t, const Mark& m) { return t < m.begin; });
    if (after == of_host.begin() || std::prev(after)->end <= start) continue;
    out->group[link.device_row] = std::prev(after)->group;
  }
  // One launch may have queued several things.
  for (const LaunchLink& link : ungrouped) {
    if (out->group[link.launch_row] < 0) out->group[link.launch_row] = out->group[link.device_row];
  }
}

// A trace.json does not say which thread works for which mark, but TensorFlow's has the numbers of
// groups (group_id): an event in no mark joins the mark with its number.
void JoinRecordedIds(const Trace& trace, const StatTable& stats, Grouping* out) {
  const auto& ids = stats.Int(IntStat::kGroupId);
  if (ids.empty()) return;
  RowReader reader(trace.set);
  const auto host_of = [&](uint32_t row) {
    const Track& track = trace.set.tracks[reader.TrackOf(row)];
    return trace.planes[track.plane.value].host.value;
  };
  std::map<std::pair<uint32_t, int64_t>, int32_t> marks;  // by host and number
  for (size_t g = 0; g < out->groups.size(); ++g) {
    const EventGroup& group = out->groups[g];
    const auto id = group.root.valid() ? ids.Find(group.root) : std::nullopt;
    if (!group.implicit && id) marks[{group.host.value, *id}] = static_cast<int32_t>(g);
  }
  if (marks.empty()) return;
  ids.ForAll([&](uint32_t row, int64_t id) {
    int32_t& group = out->group[row];
    if (group >= 0 && !out->groups[static_cast<size_t>(group)].implicit) return;
    const auto mark = marks.find({host_of(row), id});
    if (mark != marks.end()) group = mark->second;
  });
}

// Work of devices whose launches were not recorded joins the latest mark before its begin.
void JoinMarksByBegin(const Trace& trace, Grouping* out) {
  const std::vector<std::vector<Mark>> marks = MarksOf(trace, *out);
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu) continue;
    const std::vector<Mark>& of_host = marks[plane.host.value];
    ForLanes(trace, plane, [&](const Lane& lane) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const auto after = std::upper_bound(of_host.begin(), of_host.end(), lane.start[i],
                                            [](Ps t, const Mark& m) { return t < m.begin; });
        if (after != of_host.begin()) out->group[lane.first_row + i] = std::prev(after)->group;
      }
    });
  }
}

}  // namespace

bool HasRecordedGroups(const Trace& trace, const StatTable& stats) {
  return !stats.Int(IntStat::kGroupId).empty() && CapabilitiesOf(trace).group_stats;
}

Grouping BuildGrouping(const Trace& trace, std::span<const StatTable* const> tables,
                       const EventOrder& order, bool ungrouped_events_join) {
  const StatTable& stats = *tables.front();
  Grouping out;
  out.group.Resize(trace.set.rows);
  ForParts(out.group.size(), [&](size_t begin, size_t end) {
    std::fill(out.group.data() + begin, out.group.data() + end, Grouping::kNone);
  });
  EventForest forest(trace, stats, order);
  forest.Build();
  out.types.assign(forest.types().begin(), forest.types().end());
  CheckStop();
  if (CapabilitiesOf(trace).pytorch_events) {
    out.launches = forest.TakeLaunches();
    GroupChrome(trace, forest, &out);
    // Without ids of launches, as of an NPU, work may have no arrow from its launch either.
    if (stats.Int(IntStat::kCorrelationId).empty()) {
      FillUngrouped(trace, false, &out);
      if (out.launches.empty()) JoinMarksByBegin(trace, &out);
    }
    MarkTorchEager(trace, &out);
    return out;
  }
  if (HasRecordedGroups(trace, stats)) {
    TakeGroupsFromFile(trace, tables, &out);
    TakeEagerFromFile(trace, tables, &out);
  } else {
    Grouper(trace, stats, order, &forest, &out).Run();
    GroupLaunched(forest.launches(), &out);
    JoinRecordedIds(trace, stats, &out);
    MarkEager(trace, stats, order, forest, &out);
  }
  out.launches = forest.TakeLaunches();
  if (CapabilitiesOf(trace).event_categories || !ungrouped_events_join) JoinByTime(trace, &out);
  if (!out.from_file) {
    FillUngrouped(trace, ungrouped_events_join, &out);
    GroupTpuCores(trace, stats, &out);
  }
  return out;
}

Grouping Grouping::Compute(AnalysisContext& context) {
  const StatTable& stats = context.stats();
  // Allocations have a part in grouping only where the file says which group they are in.
  const auto tables = HasRecordedGroups(context.trace(), stats)
                          ? context.all_stats()
                          : std::vector<const StatTable*>{&stats};
  return BuildGrouping(context.trace(), tables, context.Get<EventOrder>(),
                       context.xprof().ungrouped_events_join);
}

}  // namespace stepscope
