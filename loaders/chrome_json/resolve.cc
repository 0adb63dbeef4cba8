// FileEvents::Resolve: begins find their ends. Chrome's rules: B and E nest per thread in order of
// time; nestable asynchronous events (b, n, e) nest per category, id and scope; the older S, T, p,
// F pair by category, name and id.
#include <algorithm>
#include <queue>

#include "loaders/chrome_json/file_events.h"

namespace stepscope::chrome {

// The slices and instants of one asynchronous id, which stay together on one track.
struct AsyncChain {
  uint32_t pid = 0, cat = 0;
  Ps begin = 0, end = 0;
  struct Slice {
    Ps start, dur;
    uint32_t meta;
    uint64_t offset;
  };
  std::vector<Slice> slices, instants;
};

namespace {

// Overlapping ids of one category get tracks of their own, up to this many; more share the last one
// and spill.
constexpr uint32_t kMaxAsyncTracks = 64;

bool IsLegacy(char ph) { return ph == 'S' || ph == 'T' || ph == 'p' || ph == 'F'; }
bool IsBegin(char ph) { return ph == 'b' || ph == 'S'; }
bool IsEnd(char ph) { return ph == 'e' || ph == 'F'; }

// What makes two asynchronous events belong together.
auto ChainKey(const AsyncEvent& e) {
  const bool legacy = IsLegacy(e.ph);
  return std::tuple(legacy, e.cat, e.scope, e.local ? e.pid + 1 : 0, e.id, legacy ? e.meta : 0);
}

}  // namespace

void FileEvents::FindSpan() {
  const auto extend = [this](Ps begin, Ps end) {
    span.begin = has_span ? std::min(span.begin, begin) : begin;
    span.end = has_span ? std::max(span.end, end) : end;
    has_span = true;
  };
  for (const ThreadEvents& t : threads) {
    for (const PartEvents& p : t.parts) {
      for (size_t i = 0; i < p.slices.start.size(); ++i) {
        extend(p.slices.start[i], p.slices.start[i] + p.slices.dur[i]);
      }
      for (const Ps start : p.instants.start.span()) extend(start, start);
    }
    for (const BeginOrEnd& n : t.nested) extend(n.ts, n.ts);
  }
  for (const AsyncEvent& a : async) extend(a.ts, a.ts);
  for (const Counter& c : counters) {
    for (const CounterSeries& s : c.series) {
      for (const Ps time : s.time) extend(time, time);
    }
  }
}

void FileEvents::Resolve() {
  FindSpan();
  for (uint32_t i = 0; i < threads.size(); ++i) ResolveNested(&threads[i], i);
  std::sort(ends.begin(), ends.end());
  ResolveAsync();
}

void FileEvents::ResolveNested(ThreadEvents* thread, uint32_t index) {
  std::vector<BeginOrEnd>& events = thread->nested;
  const auto earlier = [](const BeginOrEnd& a, const BeginOrEnd& b) { return a.ts < b.ts; };
  if (!std::is_sorted(events.begin(), events.end(), earlier)) {
    std::stable_sort(events.begin(), events.end(), earlier);
  }
  std::vector<const BeginOrEnd*> open;
  const auto close = [&](const BeginOrEnd& begin, Ps end) {
    const Part part = Role(begin.meta).part;
    RawEvents& slices = thread->parts[static_cast<size_t>(part)].slices;
    if (begin.aux != kNoIndex) {
      AddBind(begin.ts, begin.offset, binds_[begin.aux], index, part,
              static_cast<uint32_t>(slices.start.size()));
    }
    AddRaw(&slices, begin.ts, end - begin.ts, begin.meta, begin.offset);
    ++event_count;
  };
  for (const BeginOrEnd& event : events) {
    if (!event.end) {
      open.push_back(&event);
    } else if (open.empty()) {
      problems.Add(Problem::kUnmatchedEnd, event.offset);
    } else {
      close(*open.back(), event.ts);
      ends.emplace_back(open.back()->offset, event.offset);
      open.pop_back();
    }
  }
  for (const BeginOrEnd* begin : open) {
    problems.Add(Problem::kUnmatchedBegin, begin->offset);
    close(*begin, span.end);
  }
  events = {};
}

void FileEvents::ResolveAsync() {
  std::stable_sort(async.begin(), async.end(), [](const AsyncEvent& a, const AsyncEvent& b) {
    return std::pair(ChainKey(a), a.ts) < std::pair(ChainKey(b), b.ts);
  });
  std::vector<AsyncChain> chains;
  for (size_t i = 0; i < async.size();) {
    size_t end = i + 1;
    while (end < async.size() && ChainKey(async[end]) == ChainKey(async[i])) ++end;
    AsyncChain chain;
    ResolveChain(std::span(async).subspan(i, end - i), &chain);
    if (!chain.slices.empty() || !chain.instants.empty()) chains.push_back(std::move(chain));
    i = end;
  }
  async = {};
  PlaceChains(&chains);
}

void FileEvents::ResolveChain(std::span<const AsyncEvent> events, AsyncChain* out) {
  const AsyncEvent& first = events.front();
  out->pid = first.pid;
  out->cat = first.cat;
  out->begin = first.ts;
  out->end = events.back().ts;
  std::vector<const AsyncEvent*> open;
  for (const AsyncEvent& e : events) {
    if (IsBegin(e.ph)) {
      open.push_back(&e);
    } else if (!IsEnd(e.ph)) {
      out->instants.push_back({e.ts, 0, e.meta, e.offset});
    } else {
      // The innermost of that name; an end without a name closes the innermost.
      auto match = std::find_if(open.rbegin(), open.rend(),
                                [&](const AsyncEvent* b) { return b->meta == e.meta; });
      if (match == open.rend() && builder_->names().Name(MetaId(e.meta)).empty())
        match = open.rbegin();
      if (match == open.rend()) {
        problems.Add(Problem::kUnmatchedAsyncEnd, e.offset);
        continue;
      }
      const AsyncEvent& begin = **match;
      out->slices.push_back({begin.ts, e.ts - begin.ts, begin.meta, begin.offset});
      ends.emplace_back(begin.offset, e.offset);
      open.erase(std::next(match).base());
    }
  }
  for (const AsyncEvent* begin : open) {
    problems.Add(Problem::kUnmatchedAsyncBegin, begin->offset);
    out->slices.push_back({begin->ts, span.end - begin->ts, begin->meta, begin->offset});
    out->end = span.end;
  }
}

// Chains of one process and category that overlap lie on different tracks: the first that is free
// again.
void FileEvents::PlaceChains(std::vector<AsyncChain>* chains) {
  std::stable_sort(chains->begin(), chains->end(), [](const AsyncChain& a, const AsyncChain& b) {
    return std::tuple(a.pid, a.cat, a.begin) < std::tuple(b.pid, b.cat, b.begin);
  });
  using Busy = std::pair<Ps, size_t>;  // until when, which track
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  uint32_t used = 0;
  for (size_t i = 0; i < chains->size(); ++i) {
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
      AddRaw(&events.slices, s.start, s.dur, s.meta, s.offset);
    for (const AsyncChain::Slice& s : chain.instants)
      AddRaw(&events.instants, s.start, 0, s.meta, s.offset);
    event_count += chain.slices.size() + chain.instants.size();
  }
}

}  // namespace stepscope::chrome
