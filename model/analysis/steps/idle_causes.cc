#include "model/analysis/steps/idle_causes.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace stepscope {
namespace {

constexpr size_t kMostThreads = 1024, kMostExecutors = 256;
constexpr size_t kPartsPerStop = 16'384;
// Nobody looks for what the host was in during a shorter gap between launched work.
constexpr Ps kLeastNamed = 20 * kPsPerUs;

StepTimeClass ClassOf(HostState state) {
  switch (state) {
    case HostState::kInput:
      return StepTimeClass::kInput;
    case HostState::kSync:
      return StepTimeClass::kSync;
    case HostState::kCompile:
      return StepTimeClass::kCompile;
    case HostState::kLaunch:
    case HostState::kDispatch:
      return StepTimeClass::kLaunch;
    case HostState::kWork:
    case HostState::kUpkeep:
    case HostState::kCompute:
      return StepTimeClass::kHost;
    case HostState::kNothing:
      break;
  }
  return StepTimeClass::kUnknown;
}

// Sums the parts of one gap, which come in order.
class GapSums {
 public:
  void Add(StepTimeClass loss, const HostPiece& piece, Ps time) {
    parts_.push_back({loss, piece.meta, piece.inside, piece.row, time});
  }
  // The whole gap as one interval with the class that most of it has and that class's largest
  // cause. O(parts log parts).
  IdleInterval Take(const IdleGap& gap, PlaneId device) {
    IdleInterval interval;
    interval.step = gap.window;
    interval.device = device;
    interval.range = {gap.begin, gap.end};
    const Part part = parts_.size() == 1 ? parts_.front() : Largest();
    interval.loss = part.loss;
    interval.event = part.meta == HostPiece::kNone ? MetaId() : MetaId(part.meta);
    interval.inside = part.inside == HostPiece::kNone ? MetaId() : MetaId(part.inside);
    interval.row = part.row == HostPiece::kNone ? EventRow() : EventRow(part.row);
    parts_.clear();
    return interval;
  }

 private:
  struct Part {
    StepTimeClass loss = StepTimeClass::kUnknown;
    uint32_t meta = HostPiece::kNone, inside = HostPiece::kNone, row = HostPiece::kNone;
    Ps time = 0;
    auto cause() const { return std::tie(meta, inside); }
  };

  Part Largest() {
    StepClassTimes classes{};
    for (const Part& part : parts_) At(classes, part.loss) += part.time;
    const auto most = std::max_element(classes.begin(), classes.end());
    return LargestOf(static_cast<StepTimeClass>(most - classes.begin()));
  }

  // The largest part with that class; only the class is set if no part has time.
  Part LargestOf(StepTimeClass loss) {
    std::erase_if(parts_, [loss](const Part& part) { return part.loss != loss; });
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.cause() < b.cause(); });
    Part most, sum;
    most.loss = loss;
    for (const Part& part : parts_) {
      if (sum.time > 0 && sum.cause() == part.cause()) {
        sum.time += part.time;
      } else {
        sum = part;
      }
      if (sum.time > most.time) most = sum;
    }
    return most;
  }

  std::vector<Part> parts_;
};

// Cuts gaps where their class changes. Parts come in order of time.
class PartCutter {
 public:
  PartCutter(PlaneId device, DeviceIdle* out) : device_(device), out_(out) {}

  void Add(uint32_t window, StepTimeClass loss, const HostPiece& piece, TimeRange range) {
    if (out_ == nullptr) return;
    if (loss != loss_ || window != part_.window || range.begin != part_.end) Cut();
    if (part_.end == part_.begin) part_.begin = range.begin;
    part_.window = window;
    part_.end = range.end;
    loss_ = loss;
    sums_.Add(loss, piece, range.length());
  }
  // Gaps are cut at their ends too: the next one may begin at once, in another window.
  void Cut() {
    if (part_.end > part_.begin) out_->Add(sums_.Take(part_, device_));
    part_ = {};
  }

 private:
  const PlaneId device_;
  DeviceIdle* const out_;
  GapSums sums_;
  IdleGap part_;
  StepTimeClass loss_ = StepTimeClass::kUnknown;
};

// The time of each cause in all windows of a device.
class TimesOfCauses {
 public:
  explicit TimesOfCauses(size_t metas) : alone_(metas) {}
  void Add(const HostPiece& piece) {
    if (piece.meta == HostPiece::kNone) return;
    const Ps time = piece.end - piece.begin;
    if (piece.inside == HostPiece::kNone) {
      alone_[piece.meta] += time;
    } else {
      inside_[KeyOf(piece.meta, piece.inside)] += time;
    }
  }
  Ps Of(const IdleCause& cause) const {
    if (!cause.event.valid()) return 0;
    if (!cause.inside.valid()) return alone_[cause.event.value];
    const auto found = inside_.find(KeyOf(cause.event.value, cause.inside.value));
    return found == inside_.end() ? 0 : found->second;
  }

 private:
  static uint64_t KeyOf(uint32_t meta, uint32_t inside) { return uint64_t{meta} << 32 | inside; }
  std::vector<Ps> alone_;  // by MetaId: without an op around it
  std::unordered_map<uint64_t, Ps> inside_;
};

// Sums the parts of one window by class and cause.
class CauseSums {
 public:
  CauseSums(std::span<const TimeRange> markers, const TimesOfCauses& all,
            std::vector<StepClassTimes>* losses, GapSums* gap, PartCutter* cutter)
      : markers_(markers), all_(all), losses_(losses), gap_(gap), cutter_(cutter) {}

  void Add(uint32_t window, const HostPiece& piece, bool queued) {
    const StepTimeClass loss = queued ? StepTimeClass::kQueued : ClassOf(piece.state);
    if (loss != StepTimeClass::kHost || markers_.empty()) {
      AddPart(window, loss, piece, {piece.begin, piece.end});
      return;
    }
    // Markers cut the piece: what lies outside them is between steps.
    Ps at = piece.begin;
    for (size_t m = FirstMarker(at); at < piece.end; ++m) {
      const Ps begin = m < markers_.size() ? markers_[m].begin : kMaxPs;
      const Ps end = m < markers_.size() ? markers_[m].end : kMaxPs;
      const Ps outside = std::min(begin, piece.end), inside = std::min(end, piece.end);
      if (outside > at) AddPart(window, StepTimeClass::kBetweenSteps, piece, {at, outside});
      at = std::max(at, outside);
      if (inside > at) AddPart(window, StepTimeClass::kHost, piece, {at, inside});
      at = std::max(at, inside);
    }
  }

  // Gives the largest causes of each class; the rest of the class is one cause without a name.
  // Those with less than a fifth of the class here are chosen by their time in all windows, so that
  // steps that hardly differ name the same ones.
  void Flush(PlaneId device, uint32_t window, std::vector<IdleCause>* out) {
    StepClassTimes here{};
    for (const auto& [key, cause] : sums_) At(here, cause.loss) += cause.time;
    std::vector<Ranked> all;
    all.reserve(sums_.size());
    for (auto& [key, cause] : sums_) {
      const bool large = cause.time >= At(here, cause.loss) / 5;
      all.push_back({cause.loss, large ? -cause.time : Ps{0}, large ? Ps{0} : -all_.Of(cause),
                     cause.event.value, cause.inside.value, &cause});
    }
    std::sort(all.begin(), all.end());
    size_t of_class = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      IdleCause& cause = *all[i].cause;
      of_class = i > 0 && all[i - 1].loss == cause.loss ? of_class + 1 : 0;
      cause.step = window;
      cause.device = device;
      if (of_class < kCausesOfClass) {
        out->push_back(std::move(cause));
      } else if (of_class == kCausesOfClass) {
        cause.event = cause.inside = MetaId();
        out->push_back(std::move(cause));
      } else {
        Merge(cause, &out->back());
      }
    }
    sums_.clear();
    last_ = nullptr;
  }

 private:
  // The key by which the causes of a class are ordered.
  struct Ranked {
    StepTimeClass loss;
    Ps large, small;  // falling, each 0 for the other kind
    uint32_t event, inside;
    IdleCause* cause;
    bool operator<(const Ranked& o) const {
      return std::tie(loss, large, small, event, inside) <
             std::tie(o.loss, o.large, o.small, o.event, o.inside);
    }
  };
  static void Merge(const IdleCause& from, IdleCause* to) {
    to->time += from.time;
    to->count += from.count;
    if (from.longest.length() > to->longest.length()) to->longest = from.longest;
  }

  size_t FirstMarker(Ps t) const {
    const auto it = std::upper_bound(markers_.begin(), markers_.end(), t,
                                     [](Ps at, const TimeRange& m) { return at < m.end; });
    return static_cast<size_t>(it - markers_.begin());
  }

  void AddPart(uint32_t window, StepTimeClass loss, const HostPiece& piece, TimeRange range) {
    const Ps time = range.length();
    At((*losses_)[window], loss) += time;
    if (gap_ != nullptr) gap_->Add(loss, piece, time);
    cutter_->Add(window, loss, piece, range);
    const Key key{loss, piece.meta, piece.inside};
    if (last_ == nullptr || last_->first != key) last_ = &*sums_.try_emplace(key).first;
    IdleCause& cause = last_->second;
    cause.loss = loss;
    if (piece.meta != HostPiece::kNone) cause.event = MetaId(piece.meta);
    if (piece.inside != HostPiece::kNone) cause.inside = MetaId(piece.inside);
    cause.time += time;
    ++cause.count;
    if (time > cause.longest.length()) cause.longest = range;
    if (piece.row == HostPiece::kNone) return;
    for (EventRow& row : cause.rows) {
      if (row.valid() && row.value != piece.row) continue;
      row = EventRow(piece.row);
      return;
    }
  }

  std::span<const TimeRange> markers_;
  const TimesOfCauses& all_;
  std::vector<StepClassTimes>* losses_;
  GapSums* gap_;
  PartCutter* cutter_;
  using Key = std::tuple<StepTimeClass, uint32_t, uint32_t>;
  std::map<Key, IdleCause> sums_;
  std::pair<const Key, IdleCause>* last_ = nullptr;  // the next part is mostly the same cause
};

// Does what Grouping::LaunchOf() does, faster for rows that mostly follow each other.
class LaunchCursor {
 public:
  explicit LaunchCursor(const std::vector<LaunchLink>& launches) : launches_(launches) {}

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
  const std::vector<LaunchLink>& launches_;
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

const Track* FindMain(const Trace& trace, std::span<const Step> steps, HostId host) {
  const std::vector<const Track*> threads = HostThreadsOf(trace, host);
  for (const Step& step : steps) {
    if (step.host != host || step.rows.empty()) continue;
    const TrackId id = trace.set.TrackOf(step.rows.front());
    for (const Track* thread : threads) {
      if (thread == &trace.set.tracks[id.value]) return thread;
    }
  }
  const Track* busiest = nullptr;
  for (const Track* thread : threads) {
    if (busiest == nullptr || thread->busy > busiest->busy) busiest = thread;
  }
  return busiest;
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
  for (uint32_t h = 0; h < hosts_.size(); ++h) {
    hosts_[h].main = FindMain(trace, steps, HostId(h));
    hosts_[h].markers = Markers(steps, HostId(h));
    hosts_[h].all = activity.Summarise(HostId(h), cpu, hosts_[h].main);
    // Where ops run on the CPU, the rest of their executor's time is work of the host.
    for (HostPiece& piece : hosts_[h].all.executing) piece.state = HostState::kWork;
  }
  FindExecutors();
  const NameTable& names = trace.names();
  for (size_t m = 0; m < names.metas.size(); ++m) {
    if (names.strings.View(names.metas[m].name).find("StreamWaitEvent") == std::string_view::npos)
      continue;
    waits_for_event_.resize(names.metas.size());
    waits_for_event_[m] = true;
  }
}

// Finds the executors of threads that launch and have none themselves. Programs have a few of both
// kinds; where there are more, none is looked for.
void IdleExplainer::FindExecutors() {
  std::vector<bool> launches(trace_.set.tracks.size());
  RowReader reader(trace_.set);
  for (const LaunchLink& link : grouping_.launches)
    launches[reader.TrackOf(link.launch_row)] = true;
  for (size_t t = 0; t < launches.size() && executors_.size() < kMostThreads; ++t) {
    const Track& track = trace_.set.tracks[t];
    if (!launches[t] || track.plane.value >= trace_.planes.size()) continue;
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

// Divides each gap at the launch that ends it: the launch explains what follows, the thread is
// asked for what came before. A gap that begins after the launch has returned is late as a whole.
void IdleExplainer::Divide(std::span<const IdleGap> gaps, PartsOfThreads* open,
                           PartsOfThreads* late, Parts* done) const {
  RowReader launches(trace_.set);
  LaunchCursor cursor(grouping_.launches);
  const Track* feeding = nullptr;
  std::map<const Track*, std::vector<size_t>> calls;  // in `done`, those that tell no op
  const auto add = [&](PartsOfThreads* to, const Part& part) {
    const auto [it, added] = to->try_emplace(feeding);
    if (added) it->second.reserve(gaps.size());
    it->second.push_back(part);
  };
  for (uint32_t g = 0; g < gaps.size(); ++g) {
    const IdleGap& gap = gaps[g];
    const EventRow launch = gap.next_row == IdleGap::kNone ? EventRow() : cursor.Of(gap.next_row);
    HostPiece piece;
    piece.begin = gap.begin;
    piece.end = gap.end;
    if (!launch.valid()) {
      add(open, {g, piece});
      continue;
    }
    feeding = &trace_.set.tracks[launches.TrackOf(launch.value)];
    const Ps begin = launches.Start(launch.value), end = launches.End(launch.value);
    if (end <= std::min(gap.since, gap.begin)) {
      const HostPiece awaited = EventAwaitedBy(*feeding, launch);
      piece.row = awaited.row;
      piece.meta = awaited.meta;
      const Part queued{g, piece, true};
      if (piece.row != HostPiece::kNone || piece.end - piece.begin < kLeastNamed) {
        done->push_back(queued);
      } else {
        add(late, queued);
      }
      continue;
    }
    const Ps called = std::clamp(begin, gap.begin, gap.end);
    if (called > gap.begin) {
      piece.end = called;
      add(open, {g, piece});
    }
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
    if (explained < gap.end) {
      piece = HostPiece();
      piece.begin = explained;
      piece.end = gap.end;
      add(late, {g, piece});
    }
  }
  for (auto& [thread, some] : calls) NameOps(thread, std::move(some), done);
}

// The call before a launch, if that makes the stream wait for an event of another one; else a piece
// without a row.
HostPiece IdleExplainer::EventAwaitedBy(const Track& thread, EventRow launch) const {
  HostPiece piece;
  if (waits_for_event_.empty()) return piece;
  for (const Lane& lane : trace_.set.LanesOf(thread)) {
    if (launch.value <= lane.first_row || launch.value - lane.first_row >= lane.size()) continue;
    const uint32_t before = launch.value - lane.first_row - 1, meta = lane.meta[before];
    if (!waits_for_event_[meta]) return piece;
    piece.row = lane.first_row + before;
    piece.meta = meta;
  }
  return piece;
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
      Part piece{part.gap, what};
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
// If one of them is in a blocking call itself, that call is the cause.
IdleExplainer::Parts IdleExplainer::AskMain(const HostInfo& host, const Parts& open,
                                            Parts* done) const {
  Parts said, awaiting;
  Parts left = Ask(host.main, open, &said);
  for (Part& part : said) {
    const bool awaits = part.piece.state == HostState::kSync && activity_.Awaits(part.piece.meta);
    if (awaits) part.piece.state = HostState::kWork;
    (awaits ? &awaiting : done)->push_back(part);
  }
  const Parts alone = AskAll(host.all.blockers, awaiting, done);
  done->insert(done->end(), alone.begin(), alone.end());
  return left;
}

void IdleExplainer::Explain(HostId host, PlaneId device, std::span<const IdleGap> gaps,
                            std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes,
                            IdleIntervals* intervals, DeviceIdle* parts_of_gaps,
                            const std::stop_token& stop) const {
  const HostInfo& info = InfoOf(host);
  PartsOfThreads open, late;
  Parts done;
  done.reserve(2 * gaps.size());  // unused room takes no memory
  Divide(gaps, &open, &late, &done);
  const size_t divided = done.size();
  for (const auto& [thread, parts] : late) {
    if (stop.stop_requested()) return;
    NameLate(info, thread, parts, &done);
  }
  for (const auto& [thread, parts] : open) {
    if (stop.stop_requested()) return;
    Parts left = Ask(thread, parts, &done);
    const auto executor = executors_.find(thread);
    if (executor != executors_.end()) left = Ask(executor->second, left, &done);
    left = AskAll(info.all.waits, left, &done);
    if (!device.valid()) left = AskAll(info.all.executing, left, &done);
    if (thread != info.main) left = AskMain(info, left, &done);
    // A thread that marks steps itself and is inside a mark runs Python that was not recorded.
    const bool own = thread == nullptr || thread == info.main;
    for (Part& part : left) {
      if (own && part.piece.marked) part.piece.state = HostState::kWork;
      if (!own) part.piece.row = part.piece.meta = HostPiece::kNone;  // a marker is no name
    }
    done.insert(done.end(), left.begin(), left.end());
  }
  if (stop.stop_requested()) return;
  const auto earlier = [](const Part& a, const Part& b) { return a.piece.begin < b.piece.begin; };
  const auto asked = done.begin() + static_cast<ptrdiff_t>(divided);  // what comes before is sorted
  std::sort(asked, done.end(), earlier);
  std::inplace_merge(done.begin(), asked, done.end(), earlier);
  GapSums gap;
  PartCutter cutter(device, parts_of_gaps);
  TimesOfCauses all(trace_.names().metas.size());
  for (const Part& part : done) all.Add(part.piece);
  CauseSums sums(info.markers, all, losses, intervals == nullptr ? nullptr : &gap, &cutter);
  for (size_t i = 0; i < done.size(); ++i) {
    if (i % kPartsPerStop == 0 && stop.stop_requested()) return;
    const uint32_t window = gaps[done[i].gap].window;
    sums.Add(window, done[i].piece, done[i].queued);
    if (i + 1 == done.size() || done[i + 1].gap != done[i].gap) {
      if (intervals != nullptr) intervals->Add(gap.Take(gaps[done[i].gap], device));
      cutter.Cut();
    }
    if (i + 1 == done.size() || gaps[done[i + 1].gap].window != window)
      sums.Flush(device, window, causes);
  }
}

}  // namespace stepscope
