// FileEvents::Resolve matches begins with ends by Chrome's rules. B and E nest per thread in order
// of time. Nestable asynchronous events (b, n, e) nest per category, id and scope; the older S, T,
// p and F pair by category, name and id. The events of one id are a chain, which stays on one
// track.
#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "loaders/chrome_json/file_events.h"
#include "loaders/chrome_json/flow_binder.h"
#include "model/base/sort_runs.h"
#include "model/jobs/job.h"

namespace stepscope::chrome {

using namespace naming;

namespace {

constexpr size_t kStopEveryEvents = 65'536;  // events

// A slice with arrows by bind_id.
struct BoundSlice {
  Ps ts;
  uint64_t offset;
  uint32_t bind, slice;
  Part part;
};

// Matching the begins and ends of one thread gives these besides slices.
struct Matched {
  std::vector<std::pair<uint64_t, uint64_t>> ends;  // by begin
  std::vector<BoundSlice> bound;
  ChromeDiagnostics diagnostics;
  uint64_t slices = 0;
};

Ps LastOf(const PartEvents& part) {
  Ps last = kMinPs;
  for (size_t i = 0; i < part.slices.start.size(); ++i)
    last = std::max(last, part.slices.start[i] + part.slices.dur[i]);
  for (const Ps start : part.instants.start.span()) last = std::max(last, start);
  return last;
}

// Matches B with E on one thread. Writes to that thread and to `out` only.
class Matcher {
 public:
  Matcher(const std::vector<CategoryRole>& roles, const NameTable& names, ThreadEvents* thread,
          Matched* out)
      : roles_(roles), names_(names), thread_(*thread), out_(*out) {}

  void Run(const std::stop_token& stop) {
    Column<BeginOrEnd>& events = thread_.nested;
    const auto earlier = [](const BeginOrEnd& a, const BeginOrEnd& b) { return a.ts < b.ts; };
    SortRuns(events.data(), events.data() + events.size(), earlier, stop);
    for (size_t i = 0; i < events.size(); ++i) {
      if (i % kStopEveryEvents == 0 && stop.stop_requested()) return;
      Add(events[i]);
    }
    const Ps end = open_.empty() ? 0 : LastOfThread();
    for (size_t i = 0; i < open_.size(); ++i) {
      if (i % kStopEveryEvents == 0 && stop.stop_requested()) return;
      out_.diagnostics.Count(ChromeDiagnostic::kUnmatchedBegin, open_[i]->offset);
      Close(*open_[i], end);
    }
    SortRuns(out_.ends.begin(), out_.ends.end(), std::less<>(), stop);
  }

 private:
  void Add(const BeginOrEnd& event) {
    if (!event.end()) {
      open_.push_back(&event);
    } else if (open_.empty()) {
      out_.diagnostics.Count(ChromeDiagnostic::kUnmatchedEnd, event.offset);
    } else {
      const auto begin = BeginOf(event);
      Close(**begin, event.ts);
      out_.ends.emplace_back((*begin)->offset, event.offset);
      open_.erase(begin);
    }
  }

  // The begin that an end closes: the innermost one. Where one slice ends and the next begins at
  // one time, a file may have the begin first: "B a 0, B b 5, E a 5, E b 9". Then the end's name
  // leads to the innermost begin before its time.
  std::vector<const BeginOrEnd*>::iterator BeginOf(const BeginOrEnd& end) {
    const std::string_view name = names_.Name(MetaId(end.meta));
    const auto innermost = open_.end() - 1;
    auto begin = innermost;
    for (size_t n = 0; n < kMostAtOneTime && !name.empty(); ++n, --begin) {
      if (names_.Name(MetaId((*begin)->meta)) == name) return begin;
      if ((*begin)->ts < end.ts || begin == open_.begin()) return innermost;
    }
    return innermost;
  }

  // The end of what is known about the thread: slices without an end last until then.
  Ps LastOfThread() const {
    Ps last = thread_.nested[thread_.nested.size() - 1].ts;
    for (const std::unique_ptr<PartEvents>& part : thread_.parts) {
      if (part != nullptr) last = std::max(last, LastOf(*part));
    }
    return last;
  }

  void Close(const BeginOrEnd& begin, Ps end) {
    const Part part = roles_[begin.meta].part;
    RawEvents& slices = thread_.Of(part).slices;
    const auto slice = static_cast<uint32_t>(slices.start.size());
    if (begin.aux != kNoIndex)
      out_.bound.push_back({begin.ts, begin.offset, begin.aux, slice, part});
    slices.AddWide(begin.ts, end - begin.ts, begin.meta, begin.offset);
    ++out_.slices;
  }

  static constexpr size_t kMostAtOneTime = 16;  // begins that are passed for one end

  const std::vector<CategoryRole>& roles_;
  const NameTable& names_;
  ThreadEvents& thread_;
  Matched& out_;
  std::vector<const BeginOrEnd*> open_;
};

}  // namespace

std::vector<Ps> FileEvents::LastOfProcesses() const {
  std::vector<Ps> last;
  const auto extend = [&](uint32_t pid, Ps t) {
    if (pid >= last.size()) last.resize(pid + 1, kMinPs);
    last[pid] = std::max(last[pid], t);
  };
  for (const ThreadEvents& thread : threads) {
    for (const std::unique_ptr<PartEvents>& part : thread.parts) {
      if (part != nullptr) extend(thread.pid, LastOf(*part));
    }
  }
  for (const AsyncEvent& e : async) extend(e.pid, e.ts);
  return last;
}

void FileEvents::FindSpan(const std::stop_token& stop) {
  const auto extend = [this](Ps begin, Ps end) {
    span.begin = has_span ? std::min(span.begin, begin) : begin;
    span.end = has_span ? std::max(span.end, end) : end;
    has_span = true;
  };
  for (const ThreadEvents& t : threads) {
    if (stop.stop_requested()) return;
    for (const std::unique_ptr<PartEvents>& p : t.parts) {
      if (p == nullptr) continue;
      for (size_t i = 0; i < p->slices.start.size(); ++i) {
        extend(p->slices.start[i], p->slices.start[i] + p->slices.dur[i]);
      }
      for (const Ps start : p->instants.start.span()) extend(start, start);
    }
    for (const BeginOrEnd& n : t.nested.span()) extend(n.ts, n.ts);
  }
  for (const AsyncEvent& a : async) extend(a.ts, a.ts);
  for (const Counter& c : counters) {
    for (const CounterSeries& s : c.series) {
      for (const Ps time : s.time) extend(time, time);
    }
  }
}

void FileEvents::Resolve(Int128 base_ps, const std::stop_token& stop) {
  if (at_zero_ > 0) DropLostTimes(static_cast<Ps>(-base_ps));
  FindSpan(stop);
  if (!stop.stop_requested()) ResolveNested(stop);
  if (!stop.stop_requested()) ResolveAsync(stop);
  SortRuns(ends.begin(), ends.end(), std::less<>(), stop);
}

// Matches all threads in parallel, and adds what belongs to the whole file in their order.
void FileEvents::ResolveNested(const std::stop_token& stop) {
  std::vector<uint32_t> nesting;  // threads with begins or ends
  for (uint32_t i = 0; i < threads.size(); ++i) {
    if (!threads[i].nested.empty()) nesting.push_back(i);
  }
  std::vector<Matched> matched(nesting.size());
  ParallelFor(nesting.size(), [&](size_t i) {
    if (stop.stop_requested()) return;
    ThreadEvents& thread = threads[nesting[i]];
    Matcher(metas_->roles, builder_->names(), &thread, &matched[i]).Run(stop);
    thread.nested.Release();
  });
  for (uint32_t i = 0; i < matched.size() && !stop.stop_requested(); ++i) {
    Matched& m = matched[i];
    diagnostics.Merge(m.diagnostics);
    event_count += m.slices;
    for (const BoundSlice& b : m.bound)
      AddBind(b.ts, b.offset, binds_[b.bind], nesting[i], b.part, b.slice);
    ends.insert(ends.end(), m.ends.begin(), m.ends.end());
    m.ends = {};
  }
}

// --- Asynchronous events ------------------------------------------------------------------------

struct AsyncChain {
  uint32_t pid, cat;
  Ps begin, end;
  uint64_t offset;  // where its first event lies in the text
  struct Slice {
    Ps start, dur;
    uint32_t meta;
    uint64_t offset;
  };
  std::span<const Slice> slices, instants;
};

namespace {

// Overlapping ids of one category get tracks of their own, up to this many; the others share the
// last one, where they overlap.
constexpr uint32_t kMaxAsyncTracks = 64;
constexpr size_t kStopEveryChains = 16'384;  // chains

bool IsLegacy(char ph) { return ph == 'S' || ph == 'T' || ph == 'p' || ph == 'F'; }
bool IsBegin(char ph) { return ph == 'b' || ph == 'S'; }
bool IsEnd(char ph) { return ph == 'e' || ph == 'F'; }

// Two asynchronous events belong together if these are equal.
auto ChainKey(const AsyncEvent& e) {
  const bool legacy = IsLegacy(e.ph);
  return std::tuple(legacy, e.cat, e.scope, e.local ? e.pid + 1 : 0, e.id, legacy ? e.meta : 0);
}

// The begins of a chain that have no end yet. Finds the innermost one of a name, or of all, in
// O(1): some writers give one id to everything.
class OpenBegins {
 public:
  explicit OpenBegins(size_t metas) : top_(metas, kNoIndex) {}
  void Push(const AsyncEvent& begin) {
    entries_.push_back({&begin, top_[begin.meta]});
    top_[begin.meta] = static_cast<uint32_t>(entries_.size() - 1);
  }
  // Removes and returns the innermost begin of the name; null when there is none. `any`: takes one
  // of another name then.
  const AsyncEvent* Take(uint32_t meta, bool any) {
    uint32_t at = top_[meta];
    if (at == kNoIndex && any && !entries_.empty()) at = static_cast<uint32_t>(entries_.size() - 1);
    if (at == kNoIndex) return nullptr;
    const Entry taken = entries_[at];
    top_[taken.begin->meta] = taken.below;
    entries_[at].begin = nullptr;
    while (!entries_.empty() && entries_.back().begin == nullptr) entries_.pop_back();
    return taken.begin;
  }
  // Hands out what is left, outermost first.
  template <typename Fn>
  void Drain(const Fn& fn) {
    for (const Entry& e : entries_) {
      if (e.begin == nullptr) continue;
      top_[e.begin->meta] = kNoIndex;
      fn(*e.begin);
    }
    entries_.clear();
  }

 private:
  struct Entry {
    const AsyncEvent* begin;  // null: taken already
    uint32_t below;           // index of the begin of the same name before it
  };
  std::vector<Entry> entries_;  // the last one is never a taken one
  std::vector<uint32_t> top_;   // index of the innermost entry, by meta
};

// Some of the chains, and what becomes of them.
struct AsyncShare {
  std::vector<HashedItem> events;
  std::vector<AsyncChain::Slice> slices, instants;
  std::vector<AsyncChain> chains;
  std::vector<std::pair<uint64_t, uint64_t>> ends;
  ChromeDiagnostics diagnostics;
};

class ChainMatcher {
 public:
  ChainMatcher(const std::vector<AsyncEvent>& all, const NameTable& names,
               const std::vector<Ps>& last, AsyncShare* share)
      : all_(all), names_(names), last_(last), share_(*share), open_(names.metas.size()) {}

  void Run(const std::stop_token& stop) {
    // Reserved, so that spans of slices stay valid.
    share_.slices.reserve(share_.events.size());
    share_.instants.reserve(share_.events.size());
    ForHashGroups(&share_.events, all_, stop,
                  [&](std::vector<AsyncEvent>* group) { MatchGroup(group, stop); });
  }

 private:
  // Matches the events with one hash: nearly always one chain.
  void MatchGroup(std::vector<AsyncEvent>* group, const std::stop_token& stop) {
    const auto before = [](const AsyncEvent& a, const AsyncEvent& b) {
      return std::pair(ChainKey(a), a.ts) < std::pair(ChainKey(b), b.ts);
    };
    SortRuns(group->begin(), group->end(), before, stop);
    for (size_t i = 0; i < group->size();) {
      size_t end = i + 1;
      while (end < group->size() && ChainKey((*group)[end]) == ChainKey((*group)[i])) ++end;
      Match(std::span(*group).subspan(i, end - i));
      i = end;
    }
  }

  void Match(std::span<const AsyncEvent> events) {
    const size_t slices = share_.slices.size(), instants = share_.instants.size();
    Ps end = events.back().ts;
    for (const AsyncEvent& e : events) Add(e);
    open_.Drain([&](const AsyncEvent& begin) {
      share_.diagnostics.Count(ChromeDiagnostic::kUnmatchedAsyncBegin, begin.offset);
      share_.slices.push_back({begin.ts, last_[begin.pid] - begin.ts, begin.meta, begin.offset});
      end = last_[begin.pid];
    });
    AsyncChain chain{events[0].pid, events[0].cat, events[0].ts, end, events[0].offset, {}, {}};
    chain.slices = std::span(share_.slices).subspan(slices);
    chain.instants = std::span(share_.instants).subspan(instants);
    if (!chain.slices.empty() || !chain.instants.empty()) share_.chains.push_back(chain);
  }

  void Add(const AsyncEvent& e) {
    if (IsBegin(e.ph)) return open_.Push(e);
    if (!IsEnd(e.ph)) return share_.instants.push_back({e.ts, 0, e.meta, e.offset});
    // An end closes the innermost begin of its name, one without a name the innermost of all.
    const AsyncEvent* begin = open_.Take(e.meta, names_.Name(MetaId(e.meta)).empty());
    if (begin == nullptr)
      return share_.diagnostics.Count(ChromeDiagnostic::kUnmatchedAsyncEnd, e.offset);
    share_.slices.push_back({begin->ts, e.ts - begin->ts, begin->meta, begin->offset});
    share_.ends.emplace_back(begin->offset, e.offset);
  }

  const std::vector<AsyncEvent>& all_;
  const NameTable& names_;
  const std::vector<Ps>& last_;  // by process
  AsyncShare& share_;
  OpenBegins open_;
};

}  // namespace

void FileEvents::ResolveAsync(const std::stop_token& stop) {
  if (async.empty()) return;
  std::vector<AsyncShare> shares(kHashShares);
  for (uint32_t i = 0; i < async.size(); ++i) {
    const uint64_t hash = HashOfId(async[i].id, async[i].cat);
    shares[HashShareOf(hash)].events.push_back({hash, i});
  }
  const std::vector<Ps> last = LastOfProcesses();
  ParallelFor(kHashShares, [&](size_t i) {
    if (stop.stop_requested()) return;
    ChainMatcher(async, builder_->names(), last, &shares[i]).Run(stop);
  });
  async = {};
  std::vector<AsyncChain> chains;
  for (AsyncShare& share : shares) {
    if (stop.stop_requested()) return;
    chains.insert(chains.end(), share.chains.begin(), share.chains.end());
    ends.insert(ends.end(), share.ends.begin(), share.ends.end());
    diagnostics.Merge(share.diagnostics);
    share.chains = {};
    share.ends = {};
  }
  PlaceChains(&chains, stop);
}

// Puts chains of one process and category on tracks: those that overlap lie on different ones, each
// on the first track that is free again.
void FileEvents::PlaceChains(std::vector<AsyncChain>* chains, const std::stop_token& stop) {
  const auto before = [](const AsyncChain& a, const AsyncChain& b) {
    return std::tuple(a.pid, a.cat, a.begin, a.offset) <
           std::tuple(b.pid, b.cat, b.begin, b.offset);
  };
  SortRuns(chains->begin(), chains->end(), before, stop);
  using Busy = std::pair<Ps, size_t>;  // when a track is free again, and its number
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  uint32_t used = 0;
  for (size_t i = 0; i < chains->size(); ++i) {
    if (i % kStopEveryChains == 0 && stop.stop_requested()) return;
    const AsyncChain& chain = (*chains)[i];
    if (i == 0 || chain.pid != (*chains)[i - 1].pid || chain.cat != (*chains)[i - 1].cat) {
      busy = {};
      used = 0;
    }
    size_t track = async_tracks.size();
    if (!busy.empty() && (busy.top().first <= chain.begin || used == kMaxAsyncTracks)) {
      track = busy.top().second;
      busy.pop();
    } else {
      async_tracks.push_back({chain.pid, chain.cat, used++, {}});
    }
    busy.emplace(chain.end, track);
    PartEvents& events = async_tracks[track].events;
    for (const AsyncChain::Slice& s : chain.slices)
      events.slices.AddWide(s.start, s.dur, s.meta, s.offset);
    for (const AsyncChain::Slice& s : chain.instants)
      events.instants.AddWide(s.start, 0, s.meta, s.offset);
    event_count += chain.slices.size() + chain.instants.size();
  }
}

}  // namespace stepscope::chrome
