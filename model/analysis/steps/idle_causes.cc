#include "model/analysis/steps/idle_causes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/steps/idle_sums.h"

namespace stepscope {
namespace {

constexpr size_t kMostThreads = 1024, kMostExecutors = 256;
// Gaps are divided some at a time, so that their parts stay in the cache.
constexpr size_t kGapsAtATime = 1024;
// Nobody looks for what the host was in during a shorter gap between launched work.
constexpr Ps kLeastNamed = 20 * kPsPerUs;

// Does what Grouping::LaunchOf() does, faster for rows that mostly follow each other.
class LaunchCursor {
 public:
  explicit LaunchCursor(const LaunchLinks& launches) : launches_(launches) {}

  EventRow Of(uint32_t row) {
    constexpr uint32_t kNear = 64;
    const bool near = at_ < launches_.size() && launches_[at_].device_row <= row &&
                      row - launches_[at_].device_row < kNear;
    if (!near) {
      const auto it =
          std::lower_bound(launches_.begin(), launches_.end(), row,
                           [](const LaunchLink& link, uint32_t r) { return link.device_row < r; });
      at_ = static_cast<size_t>(it - launches_.begin());
    }
    while (at_ < launches_.size() && launches_[at_].device_row < row) ++at_;
    const bool found = at_ < launches_.size() && launches_[at_].device_row == row;
    return found ? EventRow(launches_[at_].launch_row) : EventRow();
  }

 private:
  const LaunchLinks& launches_;
  size_t at_ = 0;
};

std::vector<TimeRange> Markers(std::span<const Step> steps, HostId host) {
  std::vector<TimeRange> markers;
  for (const Step& step : steps) {
    if (step.inferred) return {};
    if (step.host == host && !step.span.empty()) markers.push_back(step.span);
  }
  std::sort(markers.begin(), markers.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < markers.size(); ++i)  // a marker inside another adds nothing
    markers[i].end = std::max(markers[i].end, markers[i - 1].end);
  return markers;
}

// By TrackId, the number of launches on it. O(launches).
std::vector<uint32_t> LaunchesByTrack(const Trace& trace, const Grouping& grouping) {
  std::vector<uint32_t> launches(trace.set.tracks.size());
  RowReader reader(trace.set);
  for (const LaunchLink& link : grouping.launches) ++launches[reader.TrackOf(link.launch_row)];
  return launches;
}

// The thread of the steps' marks, else the one that launches most, else the busiest.
const Track* FindMain(const Trace& trace, std::span<const Step> steps, HostId host,
                      const std::vector<uint32_t>& launches) {
  const std::vector<const Track*> threads = HostThreadsOf(trace, host);
  for (const Step& step : steps) {
    if (step.host != host || step.rows.empty()) continue;
    const TrackId id = trace.set.TrackOf(step.rows.front());
    for (const Track* thread : threads) {
      if (thread == &trace.set.tracks[id.value]) return thread;
    }
  }
  // A thread that launches drives the device, however long others wait.
  const Track* best = nullptr;
  const auto weight = [&](const Track* thread) {
    const auto id = static_cast<size_t>(thread - trace.set.tracks.data());
    return std::pair(launches[id], thread->busy);
  };
  for (const Track* thread : threads) {
    if (best == nullptr || weight(thread) > weight(best)) best = thread;
  }
  return best;
}

}  // namespace

std::vector<Step> MarkedSteps(const Trace& trace, std::span<const Step> steps) {
  std::vector<Step> marked(steps.begin(), steps.end());
  for (Step& step : marked) {
    if (step.group < 0 || step.rows.empty()) continue;
    const EventRow marker = step.rows.front();
    const Ps begin = trace.set.Start(marker);
    step.span = {begin, SaturatingAdd(begin, trace.set.Duration(marker))};
  }
  return marked;
}

IdleExplainer::IdleExplainer(const Trace& trace, const Grouping& grouping,
                             const HostActivity& activity, std::span<const Step> steps, bool cpu)
    : trace_(trace), grouping_(grouping), activity_(activity), hosts_(trace.hosts.size()) {
  const std::vector<uint32_t> launches = LaunchesByTrack(trace, grouping);
  for (uint32_t h = 0; h < hosts_.size(); ++h) {
    hosts_[h].main = FindMain(trace, steps, HostId(h), launches);
    hosts_[h].markers = Markers(steps, HostId(h));
    hosts_[h].all = activity.Summarise(HostId(h), cpu, hosts_[h].main);
    // Where ops run on the CPU, the rest of their executor's time is work of the host.
    for (HostPiece& piece : hosts_[h].all.executing) piece.state = HostState::kWork;
  }
  FindExecutors();
  const NameTable& names = trace.names();
  std::vector<bool> graphs;
  for (size_t m = 0; m < names.metas.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    if (name.find("GraphLaunch") != std::string_view::npos &&
        RoleOfHostEvent(name, names.metas[m].category) == HostRole::kGraph) {
      graphs.resize(names.metas.size());
      graphs[m] = true;
    }
    if (name.find("StreamWaitEvent") == std::string_view::npos) continue;
    waits_for_event_.resize(names.metas.size());
    waits_for_event_[m] = true;
  }
  if (!graphs.empty()) FindGraphs(graphs);
}

// Finds when the first node of each launch of a graph begins. `graphs`: by MetaId.
void IdleExplainer::FindGraphs(const std::vector<bool>& graphs) {
  RowReader calls(trace_.set), events(trace_.set);
  size_t of_graphs = 0;
  for (const LaunchLink& link : grouping_.launches) {
    if (!graphs[calls.Meta(link.launch_row)]) continue;
    ++of_graphs;
    const Ps begin = events.Start(link.device_row);
    const auto [first, added] = graph_begins_.try_emplace(link.launch_row, begin);
    if (!added) first->second = std::min(first->second, begin);
  }
  const size_t all = grouping_.launches.size();
  if (all > 0) graph_share_ = static_cast<double>(of_graphs) / static_cast<double>(all);
}

// Whether a graph that the call launched has begun: its other nodes wait for none of the host.
bool IdleExplainer::GraphRuns(EventRow launch, Ps at) const {
  if (graph_begins_.empty()) return false;
  const auto first = graph_begins_.find(launch.value);
  return first != graph_begins_.end() && first->second < at;
}

// Finds the executors of threads that launch and have none themselves. Programs have a few of both
// kinds; where there are more, none is looked for.
void IdleExplainer::FindExecutors() {
  const std::vector<Track>& tracks = trace_.set.tracks;
  for (uint32_t t = 0; t < tracks.size() && executors_.size() < kMostThreads; ++t) {
    const Track& track = tracks[t];
    if (!activity_.Launches(t) || track.plane.value >= trace_.planes.size()) continue;
    const std::vector<const Track*>& all =
        InfoOf(trace_.planes[track.plane.value].host).all.executors;
    if (all.empty() || std::find(all.begin(), all.end(), &track) != all.end()) continue;
    const std::span<const Track* const> some(all.data(), std::min(all.size(), kMostExecutors));
    executors_[&track] = activity_.ExecutorOf(track, some);
  }
}

const IdleExplainer::HostInfo& IdleExplainer::InfoOf(HostId host) const {
  static const HostInfo kNone;
  return host.value < hosts_.size() ? hosts_[host.value] : kNone;
}

const Track* IdleExplainer::MainThread(HostId host) const { return InfoOf(host).main; }

// The state that a device keeps from some of its gaps to the next.
struct IdleExplainer::Walk {
  Walk(const Trace& trace, const Grouping& grouping)
      : calls(trace.set), launches(grouping.launches) {}
  void Clear() {
    for (PartsOfThreads* of_threads : {&open, &late}) {
      for (auto& [thread, parts] : *of_threads) parts.clear();
    }
    done.clear();
  }
  RowReader calls;
  LaunchCursor launches;
  const Track* feeding = nullptr;  // the thread of the last launch
  PartsOfThreads open, late;       // of the gaps at hand
  Parts done;
};

// Divides each gap at the launch that ends it: the launch explains what follows, the thread is
// asked for what came before. A gap that begins after the launch has returned is late as a whole.
void IdleExplainer::Divide(std::span<const IdleGap> gaps, Walk* walk) const {
  RowReader& launches = walk->calls;
  const Track*& feeding = walk->feeding;
  Parts* const done = &walk->done;
  done->reserve(gaps.size());
  std::map<const Track*, std::vector<size_t>> calls;  // in `done`, those that tell no op
  const auto add = [&](PartsOfThreads* to, const Part& part) { (*to)[feeding].push_back(part); };
  const auto part_of = [](uint32_t gap, Ps begin, Ps end) {
    Part part;
    part.gap = gap;
    part.piece.begin = begin, part.piece.end = end;
    return part;
  };
  for (uint32_t g = 0; g < gaps.size(); ++g) {
    const IdleGap& gap = gaps[g];
    const EventRow launch =
        gap.next_row == IdleGap::kNone ? EventRow() : walk->launches.Of(gap.next_row);
    if (!launch.valid()) {
      add(&walk->open, part_of(g, gap.begin, gap.end));
      continue;
    }
    feeding = &trace_.set.tracks[launches.TrackOf(launch.value)];
    const Ps begin = launches.Start(launch.value), end = launches.End(launch.value);
    if (end <= std::min(gap.since, gap.begin) || GraphRuns(launch, gap.begin)) {
      Part& part = done->emplace_back();  // filled in place, because most gaps come here
      part.gap = g;
      part.queued = true;
      part.piece.begin = gap.begin, part.piece.end = gap.end;
      if (!waits_for_event_.empty()) AddAwaited(*feeding, launch, &part.piece);
      if (part.piece.row == HostPiece::kNone && gap.end - gap.begin >= kLeastNamed) {
        add(&walk->late, part);
        done->pop_back();
      }
      continue;
    }
    const Ps called = std::clamp(begin, gap.begin, gap.end);
    if (called > gap.begin) add(&walk->open, part_of(g, gap.begin, called));
    const Ps soon = SaturatingAdd(std::max(end, gap.begin), SaturatingMul(end - begin, kSoon));
    const Ps explained = std::clamp(soon, called, gap.end);
    const TimeRange call{called, explained};
    if (!call.empty()) {
      HostPiece said;
      said.row = launch.value;
      said.meta = launches.Meta(launch.value);
      said.state = activity_.StateOfLaunch(launch.value, said.meta, end - begin);
      said.begin = call.begin;
      said.end = call.end;
      const bool blocks = said.state == HostState::kSync;
      if (blocks || activity_.NamedAfterKernel(said.meta)) calls[feeding].push_back(done->size());
      done->push_back({g, said});
    }
    if (explained < gap.end) add(&walk->late, part_of(g, explained, gap.end));
  }
  for (auto& [thread, some] : calls) NameOps(thread, std::move(some), done);
}

// Adds the call before a launch to the piece, if that makes the stream wait for an event of another
// one.
void IdleExplainer::AddAwaited(const Track& thread, EventRow launch, HostPiece* piece) const {
  for (const Lane& lane : trace_.set.LanesOf(thread)) {
    if (launch.value <= lane.first_row || launch.value - lane.first_row >= lane.size()) continue;
    const uint32_t before = launch.value - lane.first_row - 1, meta = lane.meta[before];
    if (!waits_for_event_[meta]) return;
    piece->row = lane.first_row + before;
    piece->meta = meta;
  }
}

// Adds the op around launch calls.
void IdleExplainer::NameOps(const Track* thread, std::vector<size_t> calls, Parts* done) const {
  const auto begin = [&](size_t call) {
    return trace_.set.Start(EventRow((*done)[call].piece.row));
  };
  std::sort(calls.begin(), calls.end(), [&](size_t a, size_t b) { return begin(a) < begin(b); });
  std::vector<TimeRange> ranges;
  for (const size_t call : calls) {
    const Ps at = begin(call);
    if (ranges.empty() || ranges.back().begin != at) ranges.push_back({at, SaturatingAdd(at, 1)});
  }
  const std::vector<HostPiece> pieces = activity_.During(*thread, ranges);
  auto piece = pieces.begin();
  for (const size_t call : calls) {
    while (piece != pieces.end() && piece->end <= begin(call)) ++piece;
    if (piece == pieces.end()) return;
    HostPiece& said = (*done)[call].piece;
    if (piece->row == said.row) said.inside = piece->inside;
  }
}

// Asks what the thread did in the open parts; returns those in which it did nothing.
IdleExplainer::Parts IdleExplainer::Ask(const Track* thread, const Parts& open, Parts* done) const {
  if (thread == nullptr) return open;
  std::vector<TimeRange> ranges;
  ranges.reserve(open.size());
  for (const Part& part : open) ranges.push_back({part.piece.begin, part.piece.end});
  const std::vector<HostPiece> pieces = activity_.During(*thread, ranges);
  Parts left;
  size_t first = 0;
  for (const Part& part : open) {
    while (first < pieces.size() && pieces[first].end <= part.piece.begin) ++first;
    for (size_t i = first; i < pieces.size() && pieces[i].begin < part.piece.end; ++i) {
      Part piece{part.gap, pieces[i], part.queued};
      piece.piece.begin = std::max(piece.piece.begin, part.piece.begin);
      piece.piece.end = std::min(piece.piece.end, part.piece.end);
      (piece.piece.state == HostState::kNothing ? &left : done)->push_back(piece);
    }
  }
  return left;
}

// Names parts in which launched work did not begin. It waits for something on the device that is
// not recorded, so the name is what the thread is in meanwhile. Where the work was queued, only a
// call that blocks is worth a name: else the host is ahead and does what it would do anyway.
void IdleExplainer::NameLate(const HostInfo& host, const Track* thread, const Parts& late,
                             Parts* done) const {
  const size_t first = done->size();
  Parts left = Ask(thread, late, done);
  if (thread != host.main) left = Ask(host.main, left, done);
  left = AskAll(host.all.blockers, left, done);
  for (Part part : left) {
    part.piece.row = part.piece.meta = HostPiece::kNone;  // a marker is no name
    done->push_back(part);
  }
  for (size_t i = first; i < done->size(); ++i) {
    Part& part = (*done)[i];
    if (part.queued && part.piece.state != HostState::kSync)
      part.piece.row = part.piece.meta = part.piece.inside = HostPiece::kNone;
    part.piece.state = HostState::kNothing;
  }
}

// Finds the open parts that the intervals of all threads explain; returns the others. The intervals
// are sorted and disjoint.
IdleExplainer::Parts IdleExplainer::AskAll(std::span<const HostPiece> all, const Parts& open,
                                           Parts* done) {
  Parts left;
  for (const Part& part : open) {
    auto said = std::upper_bound(all.begin(), all.end(), part.piece.begin,
                                 [](Ps t, const HostPiece& w) { return t < w.end; });
    Ps at = part.piece.begin;
    const auto add = [&](const HostPiece& what, Ps end, Parts* to) {
      if (end <= at) return;
      Part piece{part.gap, what, part.queued};
      piece.piece.begin = at;
      piece.piece.end = end;
      to->push_back(piece);
      at = end;
    };
    for (; said != all.end() && said->begin < part.piece.end; ++said) {
      add(part.piece, std::min(said->begin, part.piece.end), &left);
      add(*said, std::min(said->end, part.piece.end), done);
    }
    add(part.piece, part.piece.end, &left);
  }
  return left;
}

// A main thread that awaits results is no cause: the threads that are to start the work are late.
IdleExplainer::Parts IdleExplainer::AskMain(const HostInfo& host, std::span<const IdleGap> gaps,
                                            const Parts& open, Parts* done) const {
  Parts said;
  Parts left = Ask(host.main, open, &said);
  for (Part& part : said) {
    const bool awaits = part.piece.state == HostState::kSync && activity_.Awaits(part.piece.meta);
    if (awaits) part.piece.state = HostState::kWork;
  }
  PassOn(host, gaps, said, done);
  return left;
}

// Whether the call that gives a piece its name returns before the work behind the gap begins.
bool IdleExplainer::ReturnsIn(const IdleGap& gap, const HostPiece& piece) const {
  const EventRow row(piece.row);
  return SaturatingAdd(trace_.set.Start(row), trace_.set.Duration(row)) < gap.end;
}

// Adds what a thread did to `done`. Where that waits for another thread, which is in a blocking
// call itself, that call is the cause. Who waits for a lock has it when the call returns.
void IdleExplainer::PassOn(const HostInfo& host, std::span<const IdleGap> gaps, const Parts& said,
                           Parts* done) const {
  const std::vector<HostPiece>& blockers = host.all.blockers;
  const auto is_held = [&](const Part& part) {
    auto blocker = std::upper_bound(blockers.begin(), blockers.end(), part.piece.begin,
                                    [](Ps t, const HostPiece& b) { return t < b.end; });
    for (; blocker != blockers.end() && blocker->begin < part.piece.end; ++blocker) {
      if (ReturnsIn(gaps[part.gap], *blocker)) return true;
    }
    return false;
  };
  Parts waiting;
  for (const Part& part : said) {
    const uint32_t meta = part.piece.meta;
    const bool named = part.piece.state == HostState::kWork && meta != HostPiece::kNone;
    const bool waits =
        named && (activity_.Awaits(meta) || (activity_.Pauses(meta) && is_held(part)));
    (waits ? &waiting : done)->push_back(part);
  }
  const Parts alone = AskAll(host.all.blockers, waiting, done);
  done->insert(done->end(), alone.begin(), alone.end());
}

// Asks other threads for a call that blocks. One that goes on when the work begins did not hold it
// up: what both wait for is not known.
IdleExplainer::Parts IdleExplainer::AskBlockers(const HostInfo& host, std::span<const IdleGap> gaps,
                                                const Parts& open, Parts* done) const {
  const size_t first = done->size();
  Parts left = AskAll(host.all.blockers, open, done);
  for (size_t i = first; i < done->size(); ++i) {
    HostPiece& piece = (*done)[i].piece;
    if (!ReturnsIn(gaps[(*done)[i].gap], piece)) piece.state = HostState::kNothing;
  }
  return left;
}

// Fills walk->done with the parts of the gaps, by time.
void IdleExplainer::FindParts(const HostInfo& info, bool cpu, std::span<const IdleGap> gaps,
                              Walk* walk) const {
  walk->Clear();
  Divide(gaps, walk);
  Parts& done = walk->done;
  const size_t divided = done.size();
  for (const auto& [thread, parts] : walk->late) {
    CheckStop();
    if (!parts.empty()) NameLate(info, thread, parts, &done);
  }
  for (const auto& [thread, parts] : walk->open) {
    CheckStop();
    if (parts.empty()) continue;
    Parts said;
    Parts left = Ask(thread, parts, &said);
    PassOn(info, gaps, said, &done);
    const auto executor = executors_.find(thread);
    if (executor != executors_.end()) left = Ask(executor->second, left, &done);
    left = AskAll(info.all.waits, left, &done);
    if (cpu) left = AskAll(info.all.executing, left, &done);
    if (thread != info.main) left = AskMain(info, gaps, left, &done);
    // A thread that marks steps itself and is inside a mark runs Python that was not recorded.
    const bool own = thread == nullptr || thread == info.main;
    Parts unknown;
    for (Part& part : left) {
      if (own && part.piece.marked) part.piece.state = HostState::kWork;
      if (!own) part.piece.row = part.piece.meta = HostPiece::kNone;  // a marker is no name
      (part.piece.state == HostState::kWork ? &done : &unknown)->push_back(part);
    }
    unknown = AskBlockers(info, gaps, unknown, &done);
    done.insert(done.end(), unknown.begin(), unknown.end());
  }
  const auto earlier = [](const Part& a, const Part& b) { return a.piece.begin < b.piece.begin; };
  const auto asked = done.begin() + static_cast<ptrdiff_t>(divided);  // what comes before is sorted
  std::sort(asked, done.end(), earlier);
  if (divided > 0 && asked != done.end())
    std::inplace_merge(done.begin(), asked, done.end(), earlier);
}

IdleExplainer::Stream::Stream(const IdleExplainer& explainer, HostId host, PlaneId device,
                              std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes,
                              IdleIntervals* intervals, DeviceIdle* parts_of_gaps)
    : explainer_(explainer),
      info_(explainer.InfoOf(host)),
      device_(device),
      intervals_(intervals),
      parts_of_gaps_(parts_of_gaps),
      sums_(info_.markers, explainer.trace_.names().metas.size(), losses,
            intervals != nullptr || parts_of_gaps != nullptr ? &of_gap_ : nullptr, device, causes),
      walk_(std::make_unique<Walk>(explainer.trace_, explainer.grouping_)) {}

IdleExplainer::Stream::~Stream() = default;

IdleGap& IdleExplainer::Stream::Next() {
  if (gaps_.size() >= kGapsAtATime) {
    Explain(gaps_);
    gaps_.clear();
  }
  return gaps_.emplace_back();
}

void IdleExplainer::Stream::Explain(std::span<const IdleGap> gaps) {
  explainer_.FindParts(info_, !device_.valid(), gaps, walk_.get());
  const Parts& parts = walk_->done;
  for (size_t i = 0; i < parts.size(); ++i) {
    const IdleGap& gap = gaps[parts[i].gap];
    sums_.Add(gap.window, parts[i].piece, parts[i].queued);
    if (i + 1 < parts.size() && parts[i + 1].gap == parts[i].gap) continue;
    if (intervals_ != nullptr && intervals_->Wants({gap.begin, gap.end}))
      intervals_->Add(of_gap_.Whole(gap, device_));
    if (parts_of_gaps_ != nullptr) of_gap_.Cut(gap, device_, parts_of_gaps_);
    of_gap_.Clear();
  }
}

void IdleExplainer::Stream::Finish() {
  Explain(gaps_);
  sums_.Finish();
}

void IdleExplainer::Explain(HostId host, PlaneId device, std::span<const IdleGap> gaps,
                            std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes,
                            IdleIntervals* intervals) const {
  Stream stream(*this, host, device, losses, causes, intervals, nullptr);
  for (; !gaps.empty(); gaps = gaps.subspan(std::min(gaps.size(), kGapsAtATime)))
    stream.Explain(gaps.first(std::min(gaps.size(), kGapsAtATime)));
  stream.Finish();
}

}  // namespace stepscope
