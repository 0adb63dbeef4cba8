#include "loaders/chrome_json/flow_binder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stepscope::chrome {
namespace {

struct Candidate {
  Ps start, end;
  uint32_t slice;
  Part part;
};

// Open slices kept at most; more can only be there when slices overlap without nesting.
constexpr size_t kMaxOpen = 512;

// All slices of a thread's parts that flows may bind to, by start, longer first.
std::vector<Candidate> SlicesOf(const ThreadEvents& thread) {
  std::vector<Candidate> all;
  for (size_t part = 0; part < kParts; ++part) {
    // An arrow to a GPU goes to the kernel, not to the annotation around it.
    if (static_cast<Part>(part) == Part::kAnnotation) continue;
    const RawEvents& s = thread.parts[part].slices;
    for (uint32_t i = 0; i < s.start.size(); ++i) {
      all.push_back({s.start[i], s.start[i] + s.dur[i], i, static_cast<Part>(part)});
    }
  }
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  };
  if (!std::is_sorted(all.begin(), all.end(), before))
    std::stable_sort(all.begin(), all.end(), before);
  return all;
}

// Sweeps one thread: flow points in order of time against slices in order of start.
class Sweep {
 public:
  explicit Sweep(std::vector<Candidate> slices) : slices_(std::move(slices)) {}

  // The slice for a point; points come in order of time. Null if there is none.
  const Candidate* At(Ps ts, bool or_next) {
    for (; next_ < slices_.size() && slices_[next_].start <= ts; ++next_) {
      Close(slices_[next_].start);
      open_.push_back(&slices_[next_]);
    }
    const Candidate* touching = nullptr;  // ends exactly here
    for (size_t i = open_.size(); i-- > 0;) {
      const Candidate* c = open_[i];
      if (c->start == ts || c->end > ts) return c;
      if (c->end == ts && touching == nullptr) touching = c;
    }
    if (touching != nullptr) return touching;
    return or_next && next_ < slices_.size() ? &slices_[next_] : nullptr;
  }

 private:
  void Close(Ps now) {
    while (!open_.empty() && open_.back()->end < now) open_.pop_back();
    if (open_.size() > kMaxOpen) {
      std::erase_if(open_, [now](const Candidate* c) { return c->end < now; });
      if (open_.size() > kMaxOpen) open_.erase(open_.begin(), open_.begin() + kMaxOpen / 2);
    }
  }
  std::vector<Candidate> slices_;
  std::vector<const Candidate*> open_;
  size_t next_ = 0;
};

void BindToSlices(FileEvents* events) {
  std::vector<FlowPoint>& points = events->flows;
  std::vector<uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(points[a].thread, points[a].ts, a) <
           std::tuple(points[b].thread, points[b].ts, b);
  });
  for (size_t i = 0; i < order.size();) {
    const uint32_t thread = points[order[i]].thread;
    size_t end = i;
    bool search = false;
    for (; end < order.size() && points[order[end]].thread == thread; ++end) {
      search = search || points[order[end]].slice == kNoIndex;
    }
    if (search) {
      Sweep sweep(SlicesOf(events->threads[thread]));
      for (size_t k = i; k < end; ++k) {
        FlowPoint& p = points[order[k]];
        if (p.slice != kNoIndex) continue;
        const Candidate* slice = sweep.At(p.ts, p.ph == 'f' && !p.enclosing);
        if (slice == nullptr) continue;
        p.slice = slice->slice;
        p.part = slice->part;
      }
    }
    i = end;
  }
}

}  // namespace

std::vector<Arrow> BindFlows(FileEvents* events) {
  BindToSlices(events);
  std::vector<FlowPoint>& points = events->flows;
  const auto rank = [](char ph) { return ph == 's' ? 0 : ph == 't' ? 1 : 2; };
  std::sort(points.begin(), points.end(), [&](const FlowPoint& a, const FlowPoint& b) {
    return std::tuple(a.key, a.id, a.ts, rank(a.ph), a.offset) <
           std::tuple(b.key, b.id, b.ts, rank(b.ph), b.offset);
  });
  std::vector<Arrow> arrows;
  for (size_t i = 0; i < points.size();) {
    size_t end = i;
    while (end < points.size() && points[end].key == points[i].key &&
           points[end].id == points[i].id)
      ++end;
    const FlowPoint* last = nullptr;  // start or step
    uint64_t linked = 0;
    for (size_t k = i; k < end; ++k) {
      const FlowPoint& p = points[k];
      if (p.slice == kNoIndex) {
        events->problems.Add(Problem::kFlowWithoutSlice, p.offset);
        continue;
      }
      if (p.ph != 's') {
        if (last == nullptr) {
          events->problems.Add(Problem::kFlowWithoutStart, p.offset);
        } else {
          arrows.push_back(
              {last->thread, last->slice, p.thread, p.slice, last->part, p.part, p.id, p.key});
          ++linked;
        }
      }
      if (p.ph == 's' || (p.ph == 't' && last != nullptr)) last = &p;
    }
    if (last != nullptr && linked == 0)
      events->problems.Add(Problem::kFlowWithoutEnd, last->offset);
    i = end;
  }
  points = {};
  return arrows;
}

}  // namespace stepscope::chrome
