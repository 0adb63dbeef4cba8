// FileEvents::Resolve: matches begins with ends by Chrome's rules: B and E nest per thread in order
// of time. Asynchronous events are in resolve_async.cc.
#include <algorithm>
#include <functional>
#include <memory>

#include "loaders/chrome_json/file_events.h"
#include "model/base/job.h"
#include "model/base/sort_runs.h"

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
  Matcher(const std::vector<CategoryRole>& roles, ThreadEvents* thread, Matched* out)
      : roles_(roles), thread_(*thread), out_(*out) {}

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
      Close(*open_.back(), event.ts);
      out_.ends.emplace_back(open_.back()->offset, event.offset);
      open_.pop_back();
    }
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

  const std::vector<CategoryRole>& roles_;
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

void FileEvents::Resolve(const std::stop_token& stop) {
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
    Matcher(metas_->roles, &thread, &matched[i]).Run(stop);
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

}  // namespace stepscope::chrome
