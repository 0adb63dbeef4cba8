#include "model/analysis/grouping/grouping.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/analysis/grouping/eager_torch.h"
#include "model/analysis/grouping/grouping_tpu.h"
#include "model/base/task.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

constexpr uint32_t kNoPos = EventForest::kNone;

// Groups the events of one host at a time (docs/rules.md#grouping).
class Grouper {
 public:
  Grouper(const Trace& trace, const StatTable& stats, const EventOrder& order, EventForest* forest,
          Grouping* out)
      : trace_(trace), stats_(stats), order_(order), forest_(*forest), out_(*out) {}

  void Run(uint32_t host);

 private:
  struct Root {
    int64_t level;
    Ps begin;
    uint32_t pos;
  };
  std::optional<int64_t> Int(IntStat stat, uint32_t pos) const {
    return stats_.Int(stat).Find(EventRow(order_.row[pos]));
  }
  HostEventType TypeAt(uint32_t pos) const { return forest_.types()[forest_.MetaAt(pos)]; }
  std::set<int64_t> TfDataIds(uint32_t host) const;
  std::vector<uint32_t> TfLoopRoots(uint32_t host, const std::set<int64_t>& tf_data);
  std::vector<Root> LevelRoots(uint32_t host, const std::set<int64_t>& tf_data) const;
  bool IsNested(const Root& root) const;
  void Assign(uint32_t host, uint32_t root);
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
  int64_t next_id_ = 0;
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
  forest_.SortLinks();
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

void Grouper::Assign(uint32_t host, uint32_t root) {
  int32_t group = static_cast<int32_t>(out_.groups.size());
  EventGroup g;
  g.host = HostId(host);
  g.id = next_id_++;
  g.name = NameOf(root, g.id);
  g.root = EventRow(order_.row[root]);
  g.implicit = IsImplicitRoot(TypeAt(root));
  out_.groups.push_back(std::move(g));
  std::vector<uint32_t> pending{root};
  auto take = [&](uint32_t pos) {
    out_.group[order_.row[pos]] = group;
    forest_.ForLinkedChildren(pos, [&](uint32_t child) {
      if (out_.group[order_.row[child]] < 0) pending.push_back(child);
    });
  };
  while (!pending.empty()) {
    uint32_t top = pending.back();
    pending.pop_back();
    if (out_.group[order_.row[top]] >= 0) continue;
    take(top);
    if (!forest_.InTree(top)) continue;  // an asynchronous event encloses nothing
    for (uint32_t pos = top + 1; pos < forest_.SubtreeEnd(top);) {
      if (!forest_.InTree(pos)) {
        ++pos;
      } else if (out_.group[order_.row[pos]] >= 0) {
        pos = forest_.SubtreeEnd(pos);  // has a group: what is inside is not entered
      } else {
        take(pos++);
      }
    }
  }
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

void Grouper::Run(uint32_t host) {
  if (forest_.HasLoopMarkers(host)) return;
  next_id_ = 0;
  levels_.clear();
  for (uint32_t t : forest_.HostTracks(host)) {
    ForColumn(stats_.Int(IntStat::kRootLevel), RowsOf(trace_.set, trace_.set.tracks[t]),
              [&](uint32_t row, int64_t level) { levels_[row] = level; });
  }
  for (uint32_t pos : forest_.Special(host)) {
    if (TypeAt(pos) == HostEventType::kTraceContext) levels_.try_emplace(order_.row[pos], 1);
    if (TypeAt(pos) == HostEventType::kBatch) levels_[order_.row[pos]] = 2;
    if (TypeAt(pos) == HostEventType::kBatchingSession) levels_[order_.row[pos]] = 1;
  }
  std::set<int64_t> tf_data = TfDataIds(host);
  std::vector<uint32_t> loops = TfLoopRoots(host, tf_data);
  for (uint32_t root : loops) Assign(host, root);
  if (!loops.empty()) return;
  for (const Root& root : LevelRoots(host, tf_data)) {
    if (out_.group[order_.row[root.pos]] < 0 && !IsNested(root)) Assign(host, root.pos);
  }
}

// Work joins the group of its call where Assign has not met it, because no edge leads to it.
void GroupLaunched(const std::vector<LaunchLink>& launches, Grouping* out) {
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

// Events of GPU planes without a group join the group of the latest event before them that has one.
// By our definitions only events of unknown launch do: the others were launched outside every step.
void FillUngrouped(const Trace& trace, bool all_join, Grouping* out) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu) continue;
    bool gaps = false;
    std::vector<std::tuple<Ps, Ps, uint32_t>> events;
    for (int pass = 0; pass < 2; ++pass) {
      for (TrackId t : plane.tracks) {
        const Track& track = trace.set.tracks[t.value];
        if (track.derived_in_file) continue;
        for (const Lane& lane : trace.set.LanesOf(track)) {
          for (uint32_t i = 0; i < lane.size(); ++i) {
            gaps = gaps || out->group[lane.first_row + i] < 0;
            if (pass == 1) events.push_back({lane.start[i], lane.dur[i], lane.first_row + i});
          }
        }
      }
      if (!gaps) break;
    }
    if (!gaps) continue;
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

// Groups a PyTorch trace: each ProfilerStep#N on a host thread is a step. Host events belong to it
// by time, device events by their launch.
void GroupChrome(const Trace& trace, const EventForest& forest, Grouping* out) {
  struct Step {
    Ps begin, end;
    int32_t group;
  };
  const TrackSet& set = trace.set;
  const NameTable& names = trace.names();
  for (uint32_t host = 0; host < trace.hosts.size(); ++host) {
    std::vector<std::tuple<Ps, Ps, uint32_t>> marks;
    std::vector<const Track*> threads;
    for (uint32_t t : forest.HostTracks(host)) {
      const Track& track = set.tracks[t];
      if (!IsHostThreads(trace.planes[track.plane.value])) continue;
      threads.push_back(&track);
      for (const Lane& lane : set.LanesOf(track)) {
        for (uint32_t i = 0; i < lane.size(); ++i) {
          const EventMeta& meta = names.metas[lane.meta[i]];
          if (meta.category == EventCategory::kStep && lane.dur[i] > 0) {
            marks.push_back({lane.start[i], lane.dur[i], lane.first_row + i});
          }
        }
      }
    }
    std::sort(marks.begin(), marks.end());
    std::vector<Step> steps;
    for (const auto& [start, dur, row] : marks) {
      if (!steps.empty() && start < steps.back().end)
        continue;  // the same step, seen by another thread
      EventGroup g;
      g.host = HostId(host);
      g.id = static_cast<int64_t>(steps.size());
      g.name = std::string(set.Name(EventRow(row)));
      g.root = EventRow(row);
      steps.push_back({start, start + dur, static_cast<int32_t>(out->groups.size())});
      out->groups.push_back(std::move(g));
    }
    if (steps.empty()) continue;
    for (const Track* track : threads) {
      for (const Lane& lane : set.LanesOf(*track)) {
        size_t s = 0;
        for (uint32_t i = 0; i < lane.size(); ++i) {
          while (s < steps.size() && steps[s].end <= lane.start[i]) ++s;
          if (s == steps.size()) break;
          if (steps[s].begin <= lane.start[i]) out->group[lane.first_row + i] = steps[s].group;
        }
      }
    }
  }
  for (const LaunchLink& link : out->launches)
    out->group[link.device_row] = out->group[link.launch_row];
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
  const std::vector<LaunchLink>& all = grouping.launches;
  std::vector<std::vector<LaunchLink>> found((all.size() + kAtOnce - 1) / kAtOnce);
  ParallelFor(found.size(), [&](size_t part) {
    const size_t end = std::min(all.size(), (part + 1) * kAtOnce);
    for (size_t i = part * kAtOnce; i < end; ++i) {
      if (grouping.group[all[i].launch_row] < 0) found[part].push_back(all[i]);
    }
  });
  std::vector<LaunchLink> ungrouped;
  for (const std::vector<LaunchLink>& part : found)
    ungrouped.insert(ungrouped.end(), part.begin(), part.end());
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

}  // namespace

bool HasRecordedGroups(const Trace& trace, const StatTable& stats) {
  return !stats.Int(IntStat::kGroupId).empty() && CapabilitiesOf(trace).group_stats;
}

Grouping BuildGrouping(const Trace& trace, std::span<const StatTable* const> tables,
                       const EventOrder& order, bool ungrouped_events_join, std::stop_token stop) {
  const StatTable& stats = *tables.front();
  Grouping out;
  out.group.Resize(trace.set.rows);
  ForParts(out.group.size(), [&](size_t begin, size_t end) {
    std::fill(out.group.data() + begin, out.group.data() + end, Grouping::kNone);
  });
  EventForest forest(trace, stats, order);
  forest.Build(stop);
  out.types.assign(forest.types().begin(), forest.types().end());
  if (stop.stop_requested()) return out;
  if (CapabilitiesOf(trace).pytorch_events) {
    out.launches = forest.TakeLaunches();
    GroupChrome(trace, forest, &out);
    MarkTorchEager(trace, &out);
    return out;
  }
  if (HasRecordedGroups(trace, stats)) {
    TakeGroupsFromFile(trace, tables, &out);
    TakeEagerFromFile(trace, tables, &out);
  } else {
    Grouper grouper(trace, stats, order, &forest, &out);
    for (uint32_t host = 0; host < trace.hosts.size() && !stop.stop_requested(); ++host) {
      grouper.Run(host);
    }
    GroupLaunched(forest.launches(), &out);
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

}  // namespace stepscope
