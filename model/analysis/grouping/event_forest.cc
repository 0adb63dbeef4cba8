#include "model/analysis/grouping/event_forest.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "model/analysis/intervals/track_reader.h"
#include "model/jobs/job.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

constexpr int64_t kNoType = std::numeric_limits<int64_t>::min();  // a context without a type

bool IsSpecial(HostEventType type) {
  switch (type) {
    case HostEventType::kNone:
    case HostEventType::kOtherKnown:
    case HostEventType::kIterator:
    case HostEventType::kTfOpRun:
      return false;
    default:
      return true;
  }
}

}  // namespace

EventForest::EventForest(const Trace& trace, const StatTable& stats, const EventOrder& order)
    : trace_(trace), stats_(stats), order_(order) {}

uint32_t EventForest::MetaAt(uint32_t pos) const {
  return trace_.set.Meta(EventRow(order_.row[pos])).value;
}

void EventForest::ClassifyMetas() {
  const NameTable& names = trace_.names();
  types_.resize(names.metas.size());
  region_role_.resize(names.metas.size());
  loop_markers_.assign(trace_.hosts.size(), false);
  for (size_t i = 0; i < names.metas.size(); ++i) {
    std::string_view name = names.strings.View(names.metas[i].name);
    types_[i] = ClassifyHostEvent(name);
    if (name == "ThreadpoolListener::StartRegion") region_role_[i] = 1;
    if (name == "ThreadpoolListener::StopRegion") region_role_[i] = 2;
    if (types_[i] != HostEventType::kLoopMarker) continue;
    uint32_t plane = names.metas[i].plane.value;
    if (plane >= trace_.planes.size()) continue;
    uint32_t host = trace_.planes[plane].host.value;
    if (host < loop_markers_.size()) loop_markers_[host] = true;
  }
}

void EventForest::FindPositions() {
  pos_.Resize(order_.row.size());
  ForParts(order_.row.size(), [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) pos_[order_.row[p]] = static_cast<uint32_t>(p);
  });
}

void EventForest::Build() {
  ClassifyMetas();
  CheckStop();  // the order may be incomplete
  FindPositions();
  const TrackSet& set = trace_.set;
  size_t hosts = trace_.hosts.size();
  host_tracks_.resize(hosts);
  special_.resize(hosts);
  for (uint32_t t : order_.tracks) {
    uint32_t plane = set.tracks[t].plane.value;
    if (plane >= trace_.planes.size() || set.tracks[t].derived_in_file) continue;
    uint32_t host = trace_.planes[plane].host.value;
    if (host < hosts) host_tracks_[host].push_back(t);
  }
  parent_.Zero(set.rows);
  below_.Zero(set.rows);
  marks_.Zero(set.rows);
  const auto& async = stats_.Int(IntStat::kIsAsync);
  async.ForRange(0, set.rows, [&](uint32_t row, int64_t is_async) {
    if (is_async != 0) marks_[pos_[row]] = kAsync;
  });
  std::vector<std::vector<uint32_t>> special(set.tracks.size());
  const std::vector<uint32_t> by_size = LargestFirst(set, order_.tracks);
  ParallelFor(by_size.size(), [&](size_t i) { NestTrack(by_size[i], &special[by_size[i]]); });
  for (uint32_t h = 0; h < hosts; ++h) {
    CheckStop();
    for (uint32_t t : host_tracks_[h]) {
      special_[h].insert(special_[h].end(), special[t].begin(), special[t].end());
    }
    LinkSpecial(h);
  }
  LinkContexts();
  LinkLaunches();  // last, because it asks what other links lead to the work
  CheckStop();
  auto by_row = [](const LaunchLink& a, const LaunchLink& b) {
    return a.device_row < b.device_row;
  };
  if (!std::is_sorted(launches_.begin(), launches_.end(), by_row)) {
    std::sort(launches_.begin(), launches_.end(), by_row);
  }
  SortLinks();
}

// XProf adds a Region from the latest StartRegion with _c to each StopRegion after it. A Region has
// no stats and only takes part in nesting (xla/tsl/profiler/utils/preprocess_xplane.cc).
std::vector<EventForest::Region> EventForest::ThreadpoolRegions(uint32_t track) const {
  std::vector<Region> regions;
  RowRange range = RowsOf(trace_.set, trace_.set.tracks[track]);
  RowReader reader(trace_.set);
  bool started = false;
  Ps begin = 0;
  for (uint32_t pos = range.first; pos < range.end(); ++pos) {
    uint32_t row = order_.row[pos], meta = reader.Meta(row);
    uint8_t role = meta < region_role_.size() ? region_role_[meta] : uint8_t{0};
    if (role == 1 && stats_.Int(IntStat::kConsumerId).Find(EventRow(row))) {
      begin = reader.Start(row);
      started = true;
    } else if (role == 2 && started) {
      regions.push_back({begin, reader.Start(row)});
    }
  }
  std::stable_sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) {
    return std::make_tuple(a.begin, b.end) < std::make_tuple(b.begin, a.end);
  });
  return regions;
}

void EventForest::NestTrack(uint32_t track, std::vector<uint32_t>* special) {
  struct Open {
    Ps begin, end;
    uint32_t pos, parent;  // pos: kNone for a threadpool region; parent: the nearest real event
  };
  const TrackSet& set = trace_.set;
  RowRange range = RowsOf(set, set.tracks[track]);
  uint32_t plane = set.tracks[track].plane.value;
  bool host = plane < trace_.planes.size() && IsHostThreads(trace_.planes[plane]);
  std::vector<Region> regions;
  if (host &&
      std::find(region_role_.begin(), region_role_.end(), uint8_t{2}) != region_role_.end()) {
    regions = ThreadpoolRegions(track);
  }
  const TrackReader reader(set, set.tracks[track]);
  std::vector<Open> stack;
  auto enter = [&](Ps begin, Ps end, uint32_t pos, uint32_t at) {
    while (!stack.empty() && !(stack.back().begin <= begin && end <= stack.back().end)) {
      if (stack.back().pos != kNone) SetSubtreeEnd(stack.back().pos, at);
      stack.pop_back();
    }
    uint32_t parent = stack.empty()               ? kNone
                      : stack.back().pos != kNone ? stack.back().pos
                                                  : stack.back().parent;
    if (pos != kNone && parent != kNone) parent_[pos] = parent + 1;
    stack.push_back({begin, end, pos, parent});
  };
  size_t next_region = 0;
  for (uint32_t pos = range.first; pos < range.end(); ++pos) {
    uint32_t row = order_.row[pos];
    const TrackReader::Event event = reader.Of(row);
    const Ps begin = event.start, end = event.end();
    const uint32_t meta = event.meta;
    while (next_region < regions.size() &&
           std::make_tuple(regions[next_region].begin, -regions[next_region].end) <=
               std::make_tuple(begin, -end)) {
      enter(regions[next_region].begin, regions[next_region].end, kNone, pos);
      ++next_region;
    }
    if (meta < types_.size() && IsSpecial(types_[meta])) special->push_back(pos);
    if (InTree(pos)) enter(begin, end, pos, pos);
  }
  for (const Open& open : stack) {
    if (open.pos != kNone) SetSubtreeEnd(open.pos, range.end());
  }
}

void EventForest::AddLink(uint32_t parent, uint32_t child) {
  links_.push_back({child, parent});
  marks_[child] |= kLinkedChild;
  marks_[parent] |= kLinkedParent;
}

void EventForest::SortLinks() {
  std::stable_sort(links_.begin(), links_.end(),
                   [](const Link& a, const Link& b) { return a.child < b.child; });
}

void EventForest::AppendParents(uint32_t pos, std::vector<uint32_t>* out) const {
  if (const uint32_t parent = Encloser(pos); parent != kNone) out->push_back(parent);
  if (!HasLinkedParents(pos)) return;
  uint32_t row = order_.row[pos];
  auto launch = std::lower_bound(launches_.begin(), launches_.end(), row,
                                 [](const LaunchLink& l, uint32_t r) { return l.device_row < r; });
  if (launch != launches_.end() && launch->device_row == row) {
    out->push_back(pos_[launch->launch_row]);
  }
  auto link = std::lower_bound(links_.begin(), links_.end(), pos,
                               [](const Link& l, uint32_t p) { return l.child < p; });
  for (; link != links_.end() && link->child == pos; ++link) out->push_back(link->parent);
}

// Links each child to the parent with the same key, to the last one of several. O(n log n).
template <typename KeyOf>
void EventForest::LinkEqual(const std::vector<uint32_t>& parents,
                            const std::vector<uint32_t>& children, KeyOf key_of) {
  if (parents.empty() || children.empty()) return;
  std::map<LinkKey, uint32_t> last;
  for (uint32_t pos : parents) {
    if (const auto key = key_of(pos)) last[*key] = pos;
  }
  for (uint32_t pos : children) {
    const auto key = key_of(pos);
    const auto parent = key ? last.find(*key) : last.end();
    if (parent != last.end()) AddLink(parent->second, pos);
  }
}

std::optional<EventForest::LinkKey> EventForest::Pair(uint32_t pos, IntStat a, IntStat b) const {
  const EventRow row(order_.row[pos]);
  const auto first = stats_.Int(a).Find(row), second = stats_.Int(b).Find(row);
  if (!first || !second) return std::nullopt;
  return LinkKey{*first, *second};
}

// ExecutorState::Process is the parent of the iterator calls, and of the op that runs a TPU
// program, with its (id, iter_num).
void EventForest::LinkExecutors(const ByType& special) {
  const auto key = [&](uint32_t pos) { return Pair(pos, IntStat::kId, IntStat::kIterNum); };
  for (HostEventType child :
       {HostEventType::kGetNext, HostEventType::kGetNextAsOptional, HostEventType::kTpuExecute}) {
    LinkEqual(special[HostEventType::kExecutorProcess], special[child], key);
  }
}

// The key of the run that a host call or a TPU module belongs to. Run ids
// wrap at 27 bits on the device.
std::optional<EventForest::LinkKey> EventForest::RunKey(uint32_t pos) const {
  constexpr int64_t kRunIdMask = (int64_t{1} << 27) - 1;
  const EventRow row(order_.row[pos]);
  const auto run = stats_.Int(IntStat::kRunId).Find(row);
  const auto queue = stats_.Int(IntStat::kQueueId).Find(row);
  if (!run || !queue) return std::nullopt;
  const Track& track = trace_.set.tracks[trace_.set.TrackOf(row).value];
  const int64_t plane_id = trace_.planes[track.plane.value].id;
  return LinkKey{*queue, *run & kRunIdMask,
                 stats_.Int(IntStat::kDeviceOrdinal).Find(row).value_or(plane_id),
                 stats_.Int(IntStat::kCoreType).Find(row).value_or(0)};
}

// Links, on hosts with TPUs, requests of one queue, and programs'
// launches to TPU modules of one run.
void EventForest::LinkTpu(uint32_t host, const ByType& special) {
  LinkEqual(special[HostEventType::kTpuEnqueue], special[HostEventType::kTpuDequeue],
            [&](uint32_t pos) { return Pair(pos, IntStat::kRequestId, IntStat::kQueueAddr); });
  const std::vector<uint32_t>& runs = special[HostEventType::kTpuRun];
  if (runs.empty()) return;
  std::vector<uint32_t> children = special[HostEventType::kTpuRunDone];
  for (uint32_t t : host_tracks_[host]) {
    const Track& track = trace_.set.tracks[t];
    if (track.kind != TrackKind::kXlaModules ||
        trace_.planes[track.plane.value].kind != PlaneKind::kTpu)
      continue;
    const RowRange range = RowsOf(trace_.set, track);
    for (uint32_t pos = range.first; pos < range.end(); ++pos) children.push_back(pos);
  }
  LinkEqual(runs, children, [&](uint32_t pos) { return RunKey(pos); });
}

void EventForest::LinkSpecial(uint32_t host) {
  ByType special;
  for (const uint32_t pos : special_[host]) special[types_[MetaAt(pos)]].push_back(pos);
  LinkExecutors(special);
  LinkTpu(host, special);
}

// Marks work as linked. Says whether it has anything but its launch: other links, an event that
// encloses it, or events within it.
bool EventForest::MarkLinked(uint32_t device_row) {
  const uint32_t pos = pos_[device_row];
  const bool more = parent_[pos] != 0 || below_[pos] != 0 || marks_[pos] != 0;
  marks_[pos] |= kLinkedChild;
  return more;
}

// Links the work of a track to the calls that queued it.
EventForest::TrackLinks EventForest::LinkWork(const Track& track, const LaunchIndex& calls,
                                              LaunchLink* out) {
  TrackLinks links;
  RowReader reader(trace_.set);
  ForColumn(stats_.Int(IntStat::kCorrelationId), RowsOf(trace_.set, track),
            [&](uint32_t row, int64_t id) {
              const HostEventType type = types_[reader.Meta(row)];
              if (type != HostEventType::kNone && type != HostEventType::kKernelExecute) return;
              const LaunchLink link{row, calls.Find(id)};
              if (link.launch_row == LaunchIndex::kNone) return;
              out[links.count++] = link;
              if (MarkLinked(row)) links.more.push_back({pos_[row], pos_[link.launch_row]});
            });
  return links;
}

// Returns about how many entries the column has for events of a track, and no fewer.
size_t EventForest::EntriesOf(uint32_t track, const SparseColumn<int64_t>& column) const {
  const RowRange rows = RowsOf(trace_.set, trace_.set.tracks[track]);
  return std::min<size_t>(rows.count, column.ExtentOf(rows.first, rows.end()).entries);
}

bool EventForest::HoldsCalls(uint32_t track) const {
  return HoldsHostEvents(trace_, trace_.planes[trace_.set.tracks[track].plane.value]);
}

// Indexes the calls on the tracks of each host. There are about `entries` calls in all.
std::vector<LaunchIndex> EventForest::IndexCalls(const std::vector<std::vector<uint32_t>>& tracks,
                                                 size_t entries) const {
  std::vector<LaunchIndex> calls(tracks.size());
  const CallFacts facts{trace_.set, stats_.Int(IntStat::kCorrelationId), types_, pos_.span()};
  ParallelFor(
      calls.size(), [&](size_t h) { calls[h] = LaunchIndex(facts, tracks[h]); },
      ThreadsFor(entries));
  return calls;
}

void EventForest::LinkLaunches() {
  const auto& ids = stats_.Int(IntStat::kCorrelationId);
  // Each track writes its links where there is room for all; then they move together.
  struct Work {
    uint32_t host, track;
    size_t first;
    TrackLinks links;
  };
  std::vector<Work> works;
  std::vector<std::vector<uint32_t>> callers(host_tracks_.size());
  size_t room = 0, entries = 0;
  for (uint32_t h = 0; h < host_tracks_.size(); ++h) {
    for (const uint32_t t : host_tracks_[h]) {
      const bool caller = HoldsCalls(t);
      if (caller) callers[h].push_back(t);
      if (!caller) works.push_back({h, t, room, {}});
      (caller ? entries : room) += EntriesOf(t, ids);
    }
  }
  const std::vector<LaunchIndex> calls = IndexCalls(callers, entries);
  launches_.resize(room);
  const auto link = [&](size_t i) {
    Work& work = works[i];
    CheckStop();
    work.links =
        LinkWork(trace_.set.tracks[work.track], calls[work.host], launches_.data() + work.first);
  };
  ParallelFor(works.size(), link, ThreadsFor(room));
  size_t end = 0;
  for (const Work& work : works) {
    const LaunchLink* const from = launches_.data() + work.first;
    if (work.first != end) std::copy(from, from + work.links.count, launches_.data() + end);
    end += work.links.count;
    launch_links_.insert(launch_links_.end(), work.links.more.begin(), work.links.more.end());
  }
  launches_.resize(end);
  if (launches_.empty()) LinkFlows();
}

// Where no event has the id of its launch, as in the files of Ascend and rocprof, an arrow from a
// host to a GPU is a launch; of several arrows to one event that from the event that begins first.
void EventForest::LinkFlows() {
  RowReader from(trace_.set), to(trace_.set);
  const auto kind = [&](uint32_t track) {
    return trace_.planes[trace_.set.tracks[track].plane.value].kind;
  };
  for (const Flow& flow : trace_.flows) {
    const bool launch = kind(from.TrackOf(flow.from.value)) == PlaneKind::kHostThreads &&
                        kind(to.TrackOf(flow.to.value)) == PlaneKind::kGpu;
    if (launch && InTree(pos_[flow.to.value]))
      launches_.push_back({flow.to.value, flow.from.value});
  }
  const auto start = [&](const LaunchLink& link) {
    return std::tuple(link.device_row, from.Start(link.launch_row), link.launch_row);
  };
  std::sort(launches_.begin(), launches_.end(),
            [&](const LaunchLink& a, const LaunchLink& b) { return start(a) < start(b); });
  const auto same = [](const LaunchLink& a, const LaunchLink& b) {
    return a.device_row == b.device_row;
  };
  launches_.resize(static_cast<size_t>(std::unique(launches_.begin(), launches_.end(), same) -
                                       launches_.begin()));
  for (const LaunchLink& link : launches_) {
    if (MarkLinked(link.device_row))
      launch_links_.push_back({pos_[link.device_row], pos_[link.launch_row]});
  }
}

// The host's events that have both stats, by type, id, track and position.
std::vector<EventForest::Side> EventForest::SidesOf(uint32_t host, IntStat type_stat,
                                                    IntStat id_stat, size_t most) const {
  std::vector<Side> out;
  out.reserve(most);
  uint32_t sequence = 0;
  for (const uint32_t t : host_tracks_[host]) {
    const RowRange rows = RowsOf(trace_.set, trace_.set.tracks[t]);
    ColumnCursor<int64_t> types(stats_.Int(type_stat));
    types.Seek(rows.first);
    ForColumn(stats_.Int(id_stat), rows, [&](uint32_t row, int64_t id) {
      const int64_t type = types.Get(row, kNoType);
      if (type != kNoType) out.push_back({type, id, sequence, pos_[row]});
    });
    ++sequence;
  }
  std::sort(out.begin(), out.end(), [](const Side& a, const Side& b) {
    return std::tie(a.type, a.id, a.sequence, a.pos) < std::tie(b.type, b.id, b.sequence, b.pos);
  });
  return out;
}

void EventForest::LinkContexts() {
  struct Want {
    uint32_t host;
    IntStat type, id;
    size_t most = 0;
  };
  std::vector<Want> wants;
  size_t all = 0;
  for (uint32_t h = 0; h < host_tracks_.size(); ++h) {
    wants.push_back({h, IntStat::kProducerType, IntStat::kProducerId});
    wants.push_back({h, IntStat::kConsumerType, IntStat::kConsumerId});
  }
  for (Want& want : wants) {
    for (const uint32_t t : host_tracks_[want.host]) want.most += EntriesOf(t, stats_.Int(want.id));
    all += want.most;
  }
  std::vector<std::vector<Side>> sides(wants.size());
  const auto collect = [&](size_t i) {
    sides[i] = SidesOf(wants[i].host, wants[i].type, wants[i].id, wants[i].most);
  };
  ParallelFor(wants.size(), collect, ThreadsFor(all));
  for (size_t i = 0; i < sides.size(); i += 2) LinkSides(sides[i], sides[i + 1]);
}

// Makes every producer of a (type, id) a parent of every consumer of it, unless both sides have 64
// or more (xla/tsl/profiler/utils/group_events.cc).
void EventForest::LinkSides(const std::vector<Side>& producers,
                            const std::vector<Side>& consumers) {
  const auto key_less = [](const Side& a, const Side& b) {
    return std::tie(a.type, a.id) < std::tie(b.type, b.id);
  };
  size_t c = 0;
  for (size_t p = 0; p < producers.size();) {
    size_t p_end = p;
    while (p_end < producers.size() && !key_less(producers[p], producers[p_end])) ++p_end;
    while (c < consumers.size() && key_less(consumers[c], producers[p])) ++c;
    size_t c_end = c;
    while (c_end < consumers.size() && !key_less(producers[p], consumers[c_end])) ++c_end;
    if (p_end - p < 64 || c_end - c < 64) {
      for (size_t i = p; i < p_end; ++i) {
        for (size_t k = c; k < c_end; ++k) AddLink(producers[i].pos, consumers[k].pos);
      }
    }
    p = p_end;
    c = c_end;
  }
}

}  // namespace stepscope
