#include "model/analysis/grouping/host_activity.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr Ps kLongestDispatch = 200 * kPsPerUs;  // an op in an executor that takes longer is work
constexpr Ps kLongestLaunch = kPsPerMs;          // a kernel's first launch that takes longer loads
constexpr Ps kLeastBlock = 100 * kPsPerUs;       // a shorter blocking call holds up nobody else
constexpr size_t kLaunchSample = 64;
constexpr size_t kMostSpilled = 64;  // lanes of events that overlap others; more are not asked

bool IsPageable(std::string_view text) { return text.find("ageable") != std::string_view::npos; }

HostState StateOf(HostRole role) {
  switch (role) {
    case HostRole::kWait:
    case HostRole::kInput:
      return HostState::kInput;
    case HostRole::kSync:
    case HostRole::kEvent:
    case HostRole::kBarrier:
    case HostRole::kAwait:
      return HostState::kSync;
    case HostRole::kGarbage:
    case HostRole::kSave:
      return HostState::kUpkeep;
    case HostRole::kCompile:
    case HostRole::kTune:
      return HostState::kCompile;
    case HostRole::kLaunch:
    case HostRole::kGraph:
    case HostRole::kCopy:
      return HostState::kLaunch;
    case HostRole::kCompute:
      return HostState::kCompute;
    case HostRole::kExecutor:
      return HostState::kDispatch;
    case HostRole::kNothing:
      return HostState::kNothing;
    case HostRole::kWork:
    case HostRole::kPause:
    case HostRole::kPeer:
    case HostRole::kRuntime:
      break;
  }
  return HostState::kWork;
}

// Whether a call of a runtime asks for memory: cudaMalloc, cuMemAlloc, hipMallocAsync,
// cudaHostAlloc.
bool IsAllocation(std::string_view call) {
  return call.find("Alloc") != call.npos || call.find("Malloc") != call.npos;
}

bool Compiles(HostRole role) { return role == HostRole::kCompile || role == HostRole::kTune; }

// Who awaits results is late with the work that they need; that is work of the host.
HostState StateOfBlocker(HostRole role) {
  if (role == HostRole::kAwait) return HostState::kWork;
  return Compiles(role) ? HostState::kCompile : HostState::kSync;
}

// Whether the verdict has words for the role in place of those of its class.
bool HasOwnWords(HostRole role) {
  return role == HostRole::kGarbage || role == HostRole::kBarrier || role == HostRole::kSave;
}

bool SameBut(const HostPiece& a, const HostPiece& b) {  // equal except for the time
  return a.state == b.state && a.row == b.row && a.inside == b.inside && a.executor == b.executor;
}

void Append(std::vector<HostPiece>* pieces, HostPiece piece, TimeRange at) {
  if (at.empty()) return;
  if (!pieces->empty() && pieces->back().end == at.begin && SameBut(pieces->back(), piece)) {
    pieces->back().end = at.end;
    return;
  }
  piece.begin = at.begin;
  piece.end = at.end;
  pieces->push_back(piece);
}

// Index of the first event, from `from` on, that ends after t.
uint32_t FirstEndingAfter(const Lane& lane, uint32_t from, Ps t) {
  if (from < lane.size() && lane.end(from) > t) return from;
  uint32_t low = from, high = lane.size();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (lane.end(middle) > t) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

HostPiece PieceOf(const Lane& lane, uint32_t index, HostState state) {
  HostPiece piece;
  piece.begin = lane.start[index];
  piece.end = lane.end(index);
  piece.state = state;
  piece.row = lane.first_row + index;
  piece.meta = lane.meta[index];
  return piece;
}

bool BeginsBefore(const HostPiece& a, const HostPiece& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

void MergePieces(std::vector<HostPiece>* pieces) {
  std::sort(pieces->begin(), pieces->end(), BeginsBefore);
  size_t kept = 0;
  for (const HostPiece& piece : *pieces) {
    if (kept > 0 && piece.begin <= (*pieces)[kept - 1].end) {
      (*pieces)[kept - 1].end = std::max((*pieces)[kept - 1].end, piece.end);
    } else {
      (*pieces)[kept++] = piece;
    }
  }
  pieces->resize(kept);
}

// Where pieces overlap, the one that begins first keeps the time.
void MakeDisjoint(std::vector<HostPiece>* pieces) {
  std::sort(pieces->begin(), pieces->end(), BeginsBefore);
  size_t kept = 0;
  for (HostPiece piece : *pieces) {
    if (kept > 0) piece.begin = std::max(piece.begin, (*pieces)[kept - 1].end);
    if (piece.begin < piece.end) (*pieces)[kept++] = piece;
  }
  pieces->resize(kept);
}

bool IsThread(const Trace& trace, const Track& track) {
  return track.plane.value < trace.planes.size() &&
         IsHostThreads(trace.planes[track.plane.value]) && !track.derived_in_file;
}

}  // namespace

HostActivity::HostActivity(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                           std::span<const uint8_t> compute)
    : trace_(trace) {
  const NameTable& names = trace.names();
  roles_.resize(names.metas.size());
  marker_.resize(names.metas.size());
  namers_.resize(names.metas.size());
  allocates_.resize(names.metas.size());
  for (size_t m = 0; m < roles_.size(); ++m) {
    roles_[m] = RoleOfHostEvent(names.strings.View(names.metas[m].name), names.metas[m].category);
    const bool works = roles_[m] == HostRole::kWork || roles_[m] == HostRole::kNothing;
    if (m < compute.size() && compute[m] != 0 && works) roles_[m] = HostRole::kCompute;
    const bool runtime = roles_[m] == HostRole::kRuntime;
    allocates_[m] = runtime && IsAllocation(names.strings.View(names.metas[m].name)) ? 1 : 0;
    namers_[m] =
        NamerOf(roles_[m], names.strings.View(names.metas[m].name), names.metas[m].category);
  }
  for (const EventGroup& group : grouping.groups) {  // markers of steps, whatever their names
    if (group.implicit || !group.root.valid()) continue;
    const uint32_t meta = trace.set.Meta(group.root).value;
    roles_[meta] = HostRole::kNothing;
    marker_[meta] = 1;
  }
  MarkLaunches(stats, grouping);
  MarkEnclosing();
}

void HostActivity::MarkEnclosing() {
  const bool asked =
      std::any_of(namers_.begin(), namers_.end(), [](Namer n) { return n != Namer::kNobody; });
  if (!asked) return;
  const EnclosedLaunches launches{roles_, namers_, marker_,
                                  [this](uint32_t row) { return IsLaunch(row); }};
  std::vector<const Track*> threads;
  for (const Track& track : trace_.set.tracks) {
    if (IsThread(trace_, track)) threads.push_back(&track);
  }
  std::vector<std::vector<uint32_t>> rows(threads.size());
  ParallelFor(threads.size(),
              [&](size_t i) { rows[i] = EnclosingEvents(trace_, *threads[i], launches); });
  for (const std::vector<uint32_t>& of_thread : rows) {
    for (const uint32_t row : of_thread) launch_[row] = kEncloses;
  }
}

// LaunchMarks holds what a part of the links says besides which calls launch.
struct HostActivity::LaunchMarks {
  std::vector<uint32_t> blocking;  // rows
  std::vector<uint32_t> tracks;    // of the calls; equal ones do not follow each other
  std::set<uint32_t> kernels;      // names of those with a long launch
};

HostActivity::LaunchMarks HostActivity::MarkPart(std::span<const LaunchLink> links,
                                                 const std::vector<uint8_t>& pageable) {
  const NameTable& names = trace_.names();
  RowReader calls(trace_.set), work(trace_.set);
  LaunchMarks marks;
  for (const LaunchLink& link : links) {
    const uint32_t meta = work.Meta(link.device_row), track = calls.TrackOf(link.launch_row);
    // Another thread may have work of the same call.
    std::atomic_ref(launch_[link.launch_row]).store(kLaunches, std::memory_order_relaxed);
    if (pageable[meta]) marks.blocking.push_back(link.launch_row);
    if (marks.tracks.empty() || marks.tracks.back() != track) marks.tracks.push_back(track);
    if (calls.End(link.launch_row) - calls.Start(link.launch_row) > kLongestLaunch)
      marks.kernels.insert(names.metas[meta].name.value);
  }
  return marks;
}

// Copies from or to pageable memory block: they return when they are done.
void HostActivity::MarkLaunches(const StatTable& stats, const Grouping& grouping) {
  launch_.Zero(trace_.set.rows);
  launching_.assign(trace_.set.tracks.size(), false);
  const NameTable& names = trace_.names();
  std::vector<uint8_t> pageable(names.metas.size());
  for (size_t m = 0; m < pageable.size(); ++m)
    pageable[m] = IsPageable(names.strings.View(names.metas[m].name));
  const std::span<const LaunchLink> links(grouping.launches);
  std::set<uint32_t> kernels;
  std::mutex mutex;
  std::vector<uint32_t> blocking;
  ForParts(links.size(), [&](size_t begin, size_t end) {
    LaunchMarks marks = MarkPart(links.subspan(begin, end - begin), pageable);
    const std::lock_guard lock(mutex);
    blocking.insert(blocking.end(), marks.blocking.begin(), marks.blocking.end());
    for (const uint32_t track : marks.tracks) launching_[track] = true;
    kernels.merge(marks.kernels);
  });
  for (const uint32_t row : blocking) launch_[row] = kBlocking;
  stats.Text(StringStat::kMemcpyDetails).ForAll([&](uint32_t row, StringId text) {
    if (launch_[row] != kNoLaunch && IsPageable(stats.strings->View(text)))
      launch_[row] = kBlocking;
  });
  MarkFirstLaunches(grouping, kernels);
}

// Modules are loaded at the first launch of a kernel on a device: a later long call loads nothing.
// `kernels`: the names of those with a long launch.
void HostActivity::MarkFirstLaunches(const Grouping& grouping, const std::set<uint32_t>& kernels) {
  struct First {
    Ps start;
    uint32_t row;
  };
  if (kernels.empty()) return;
  const NameTable& names = trace_.names();
  RowReader calls(trace_.set), work(trace_.set);
  std::map<std::pair<uint32_t, uint32_t>, First> first;  // by device and name
  for (const LaunchLink& link : grouping.launches) {
    const uint32_t name = names.metas[work.Meta(link.device_row)].name.value;
    if (!kernels.contains(name)) continue;
    const PlaneId device = trace_.set.tracks[work.TrackOf(link.device_row)].plane;
    const First launch{calls.Start(link.launch_row), link.launch_row};
    First& of_kernel = first.try_emplace({device.value, name}, launch).first->second;
    if (launch.start < of_kernel.start) of_kernel = launch;
  }
  for (const auto& [key, f] : first) {
    if (launch_[f.row] == kLaunches) launch_[f.row] = kFirstLaunch;
  }
}

HostState HostActivity::StateOfLaunch(uint32_t row, uint32_t meta, Ps duration) const {
  if (launch_[row] == kBlocking || IsBlocking(roles_[meta])) return HostState::kSync;
  if (duration <= kLongestLaunch || roles_[meta] == HostRole::kGraph) return HostState::kLaunch;
  if (roles_[meta] == HostRole::kCopy) return HostState::kSync;
  return launch_[row] == kFirstLaunch ? HostState::kCompile : HostState::kLaunch;
}

HostPiece HostActivity::Under(HostPiece outer, const Lane& lane, uint32_t index) const {
  const uint32_t row = lane.first_row + index, meta = lane.meta[index];
  const bool encloses = launch_[row] == kEncloses;
  const HostRole role = encloses ? HostRole::kWork : roles_[meta];
  if (encloses && HasOwnWords(roles_[meta])) {  // the name of another cause would be said of it
    if (outer.state == HostState::kNothing) outer.state = HostState::kWork;
    return outer;
  }
  HostState state = StateOf(role);
  if (launch_[row] == kBlocking) state = HostState::kSync;
  const bool launches = launch_[row] == kLaunches || launch_[row] == kFirstLaunch;
  if (launches && state == HostState::kWork) state = HostState::kLaunch;
  if (state == HostState::kLaunch) state = StateOfLaunch(row, meta, lane.dur[index]);
  if (role == HostRole::kExecutor) {
    outer.executor = true;
    if (outer.state != HostState::kNothing) return outer;
  }
  if (state == HostState::kNothing) {
    if (marker_[meta] == 0 || outer.state != HostState::kNothing) return outer;
    outer.marked = true;
    outer.row = row;
    outer.meta = meta;
    return outer;
  }
  const bool short_op = state == HostState::kWork && lane.dur[index] <= kLongestDispatch;
  if (outer.executor && short_op) state = HostState::kDispatch;
  const bool call = role == HostRole::kRuntime || role == HostRole::kLaunch ||
                    role == HostRole::kGraph || role == HostRole::kCopy ||
                    role == HostRole::kSync || role == HostRole::kEvent || IsLaunch(row);
  const bool in_op = outer.state == HostState::kWork || outer.state == HostState::kDispatch;
  // Python's library waits by functions inside functions: the outermost says what for.
  const bool pause = IsPause(role);
  if (pause && in_op && outer.meta != HostPiece::kNone && IsPause(roles_[outer.meta])) return outer;
  // Many ops ask for memory: told apart by the op, each of these calls would look small.
  const bool named_by_op = (call || pause) && in_op && allocates_[meta] == 0;
  outer.inside = named_by_op ? outer.meta : HostPiece::kNone;
  outer.state = state;
  outer.row = row;
  outer.meta = meta;
  return outer;
}

// Walks the events of a thread as time goes on and keeps those that are open, in the order in which
// they began. Each event is looked at once, however many ranges lie inside it.
class HostActivity::Sweep {
 public:
  // `nested` by depth. The lanes of `spilled` hold events that overlap others without nesting.
  Sweep(const HostActivity& activity, std::vector<const Lane*> nested,
        std::vector<const Lane*> spilled)
      : activity_(activity),
        nested_(std::move(nested)),
        spilled_(std::move(spilled)),
        next_(nested_.size()),
        next_spilled_(spilled_.size()),
        spilled_open_(spilled_.size(), 0),
        spilled_end_(spilled_.size(), kMaxPs) {}

  // Ranges must ascend.
  void Append(TimeRange range, std::vector<HostPiece>* out) {
    for (Ps t = range.begin; t < range.end;) {
      Close(t);
      const HostPiece piece = open_.empty() ? HostPiece() : open_.back().said;
      const Ps inner = Enter(t, std::min(range.end, FirstEnd()));
      stepscope::Append(out, piece, {t, inner});
      t = inner;
    }
  }
  uint64_t looks() const { return looks_; }

 private:
  static constexpr size_t kNested = ~size_t{0};

  struct Open {
    const Lane* lane;
    uint32_t index;
    size_t spilled;  // index of its lane among the spilled ones; kNested: it is on none
    Ps begin, end;
    HostPiece said;  // by this event and all that began before it
  };

  static bool BeginsBefore(const Open& a, const Open& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  }

  void Close(Ps t) {
    const auto ended = [&](const Open& o) {
      if (o.end > t) return false;
      if (o.spilled == kNested) --depth_;
      if (o.spilled != kNested) SetSpilled(o.spilled, false, kMaxPs);
      return true;
    };
    while (!open_.empty() && ended(open_.back())) open_.pop_back();
    if (FirstEnd() > t) return;
    const auto first =
        std::find_if(open_.begin(), open_.end(), [t](const Open& o) { return o.end <= t; });
    const auto from = static_cast<size_t>(first - open_.begin());
    open_.erase(std::remove_if(first, open_.end(), ended), open_.end());
    Say(from);
  }

  // When the first open event ends.
  Ps FirstEnd() const {
    const Open* inner = InnermostNested();
    Ps end = inner != nullptr ? inner->end : kMaxPs;
    for (const Ps spilled : spilled_end_) end = std::min(end, spilled);
    return end;
  }

  // Opens the first event that begins before `end` and is not open yet. Returns when it begins,
  // from t on; `end` if there is none.
  Ps Enter(Ps t, Ps end) {
    Open first{nullptr, 0, kNested, end, end, {}};
    const Open* inner = InnermostNested();
    // These states hold whatever is inside.
    const bool holds = inner != nullptr && inner->said.state >= HostState::kSync;
    if (depth_ < nested_.size() && !holds)
      LookAt(*nested_[depth_], t, kNested, &next_[depth_], &first);
    for (size_t s = 0; s < spilled_.size(); ++s) {
      if (spilled_open_[s] == 0) LookAt(*spilled_[s], t, s, &next_spilled_[s], &first);
    }
    if (first.lane == nullptr) return end;
    if (first.spilled == kNested) ++depth_;
    if (first.spilled != kNested) SetSpilled(first.spilled, true, first.end);
    const auto at = std::upper_bound(open_.begin(), open_.end(), first, BeginsBefore);
    const auto index = static_cast<size_t>(at - open_.begin());
    open_.insert(at, first);
    Say(index);
    return std::max(first.begin, t);
  }

  void SetSpilled(size_t spilled, bool open, Ps end) {
    spilled_open_[spilled] = open;
    spilled_end_[spilled] = end;
  }

  void LookAt(const Lane& lane, Ps t, size_t spilled, uint32_t* next, Open* first) {
    ++looks_;
    *next = FirstEndingAfter(lane, *next, t);
    if (*next >= lane.size() || lane.start[*next] >= first->begin) return;
    *first = {&lane, *next, spilled, lane.start[*next], lane.end(*next), {}};
  }

  const Open* InnermostNested() const {
    const auto inner = std::find_if(open_.rbegin(), open_.rend(),
                                    [](const Open& o) { return o.spilled == kNested; });
    return inner != open_.rend() ? &*inner : nullptr;
  }

  // Says anew what open events from this one on say.
  void Say(size_t from) {
    for (size_t i = from; i < open_.size(); ++i) {
      const HostPiece outer = i == 0 ? HostPiece() : open_[i - 1].said;
      const bool holds = outer.state >= HostState::kSync;
      open_[i].said = holds ? outer : activity_.Under(outer, *open_[i].lane, open_[i].index);
    }
  }

  const HostActivity& activity_;
  const std::vector<const Lane*> nested_, spilled_;
  std::vector<uint32_t> next_;          // by depth: all events before this one end before now
  std::vector<uint32_t> next_spilled_;  // the same by spilled lane
  std::vector<char> spilled_open_;      // by spilled lane: whether one of its events is open
  std::vector<Ps> spilled_end_;         // by spilled lane: of that event; kMaxPs: none is open
  std::vector<Open> open_;
  size_t depth_ = 0;  // open nested events
  uint64_t looks_ = 0;
};

std::vector<HostPiece> HostActivity::During(const Track& thread, std::span<const TimeRange> ranges,
                                            uint64_t* looks) const {
  std::vector<const Lane*> nested, spilled;
  for (const Lane& lane : trace_.set.LanesOf(thread)) {
    if (lane.kind == LaneKind::kInstant || lane.size() == 0) continue;
    if (lane.kind == LaneKind::kNested) {
      nested.push_back(&lane);
    } else if (spilled.size() < kMostSpilled) {
      spilled.push_back(&lane);
    }
  }
  Sweep sweep(*this, std::move(nested), std::move(spilled));
  std::vector<HostPiece> pieces;
  pieces.reserve(ranges.size());
  for (const TimeRange& range : ranges) sweep.Append(range, &pieces);
  if (looks != nullptr) *looks += sweep.looks();
  return pieces;
}

// Whether an event may hold up other threads: a call that blocks, or compilation.
bool HostActivity::BlocksOthers(const Lane& lane, uint32_t index) const {
  const uint32_t row = lane.first_row + index;
  const HostRole role = roles_[lane.meta[index]];
  const Ps length = lane.dur[index];
  if (launch_[row] == kEncloses || length < kLeastBlock) return false;
  if (IsBlocking(role) || role == HostRole::kAwait || launch_[row] == kBlocking) return true;
  return (role == HostRole::kCopy || Compiles(role)) && length > kLongestLaunch;
}

void HostActivity::SummariseThread(const Track& thread, bool main, bool executing,
                                   const std::vector<uint8_t>& counts, HostSummary* summary) const {
  bool executor = false;
  for (const Lane& lane : trace_.set.LanesOf(thread)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (counts[lane.meta[i]] == 0) continue;
      const HostRole role = roles_[lane.meta[i]];
      executor = executor || role == HostRole::kExecutor;
      if (lane.dur[i] <= 0) continue;
      if (role == HostRole::kWait) summary->waits.push_back(PieceOf(lane, i, HostState::kInput));
      if (!main && BlocksOthers(lane, i))
        summary->blockers.push_back(PieceOf(lane, i, StateOfBlocker(role)));
      if (role == HostRole::kExecutor && executing)
        summary->executing.push_back(PieceOf(lane, i, HostState::kDispatch));
    }
  }
  if (executor) summary->executors.push_back(&thread);
}

HostSummary HostActivity::Summarise(HostId host, bool executing, const Track* main) const {
  std::vector<uint8_t> counts(roles_.size());  // by MetaId: few events have a role that counts
  for (size_t m = 0; m < counts.size(); ++m) {
    const HostRole role = roles_[m];
    counts[m] = role == HostRole::kExecutor || role == HostRole::kWait ||
                role == HostRole::kAwait || role == HostRole::kCopy || Compiles(role) ||
                IsBlocking(role);
  }
  const std::vector<const Track*> threads = HostThreadsOf(trace_, host);
  uint64_t events = 0;
  for (const Track* thread : threads) events += thread->events;
  std::vector<HostSummary> of_threads(threads.size());
  const auto summarise = [&](size_t i) {
    SummariseThread(*threads[i], threads[i] == main, executing, counts, &of_threads[i]);
  };
  ParallelFor(threads.size(), summarise, ThreadsFor(events));
  HostSummary summary;
  for (const HostSummary& part : of_threads) {
    const auto append = [&](auto member) {
      auto& all = summary.*member;
      all.insert(all.end(), (part.*member).begin(), (part.*member).end());
    };
    append(&HostSummary::waits);
    append(&HostSummary::executing);
    append(&HostSummary::blockers);
    append(&HostSummary::executors);
  }
  MergePieces(&summary.waits);
  MergePieces(&summary.executing);
  MakeDisjoint(&summary.blockers);
  return summary;
}

const Track* HostActivity::ExecutorOf(const Track& thread,
                                      std::span<const Track* const> executors) const {
  if (executors.empty()) return nullptr;
  std::vector<Ps> launches;
  for (const Lane& lane : trace_.set.LanesOf(thread)) {
    for (uint32_t i = 0; i < lane.size() && launches.size() < kLaunchSample; ++i) {
      if (IsLaunch(lane.first_row + i)) launches.push_back(lane.start[i]);
    }
  }
  const Track* best = nullptr;
  size_t most = 0;
  for (const Track* other : executors) {
    size_t inside = 0;
    for (const Lane& lane : trace_.set.LanesOf(*other)) {
      if (lane.kind != LaneKind::kNested || lane.depth > 1) continue;  // executors are outermost
      for (const Ps t : launches) {
        const uint32_t i = FirstEndingAfter(lane, 0, t);
        if (i < lane.size() && lane.start[i] <= t && roles_[lane.meta[i]] == HostRole::kExecutor)
          ++inside;
      }
    }
    if (inside > most) most = inside, best = other;
  }
  return best;
}

std::vector<const Track*> HostThreadsOf(const Trace& trace, HostId host) {
  std::vector<const Track*> threads;
  for (const Track& track : trace.set.tracks) {
    if (IsThread(trace, track) && trace.planes[track.plane.value].host == host)
      threads.push_back(&track);
  }
  return threads;
}

HostActivity HostActivity::Compute(AnalysisContext& context) {
  return HostActivity(context.trace(), context.stats(), context.Get<Grouping>(), {});
}

}  // namespace stepscope
