#include "loaders/chrome_json/flow_binder.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "model/base/task.h"

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
  size_t count = 0;
  for (const PartEvents& part : thread.parts) count += part.slices.start.size();
  all.reserve(count);
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

// Flow points of one thread, as indices in order of time.
void BindThread(const ThreadEvents& thread, std::vector<uint32_t>* order,
                std::vector<FlowPoint>* points) {
  const auto earlier = [&](uint32_t a, uint32_t b) { return (*points)[a].ts < (*points)[b].ts; };
  if (!std::is_sorted(order->begin(), order->end(), earlier))
    std::stable_sort(order->begin(), order->end(), earlier);
  Sweep sweep(SlicesOf(thread));
  for (const uint32_t i : *order) {
    FlowPoint& p = (*points)[i];
    const Candidate* slice = sweep.At(p.ts, p.ph == 'f' && !p.enclosing);
    if (slice == nullptr) continue;
    p.slice = slice->slice;
    p.part = slice->part;
  }
}

void BindToSlices(FileEvents* events, const std::stop_token& stop) {
  std::vector<FlowPoint>& points = events->flows;
  std::vector<std::vector<uint32_t>> by_thread(events->threads.size());
  for (uint32_t i = 0; i < points.size(); ++i) {
    if (points[i].slice == kNoIndex) by_thread[points[i].thread].push_back(i);
  }
  ParallelFor(by_thread.size(), [&](size_t t) {
    if (!by_thread[t].empty() && !stop.stop_requested())
      BindThread(events->threads[t], &by_thread[t], &points);
  });
}

// The arrows of one key and id.
class ChainLinker {
 public:
  ChainLinker(std::vector<Arrow>* arrows, ProblemCounts* problems)
      : arrows_(arrows), problems_(problems) {}

  void Link(std::span<const FlowPoint> chain) {
    const FlowPoint* last = nullptr;  // start or step
    bool linked = false;
    for (const FlowPoint& p : chain) {
      if (p.slice == kNoIndex) {
        problems_->Add(Problem::kFlowWithoutSlice, p.offset);
        continue;
      }
      if (p.ph != 's' && last == nullptr) problems_->Add(Problem::kFlowWithoutStart, p.offset);
      if (p.ph != 's' && last != nullptr) {
        arrows_->push_back(
            {last->thread, last->slice, p.thread, p.slice, last->part, p.part, p.id, p.key});
        linked = true;
      }
      if (p.ph == 's' || (p.ph == 't' && last != nullptr)) last = &p;
    }
    if (last != nullptr && !linked) problems_->Add(Problem::kFlowWithoutEnd, last->offset);
  }

 private:
  std::vector<Arrow>* arrows_;
  ProblemCounts* problems_;
};

// A share of the chains: whole ones, so that shares may be linked side by side. Their number does
// not depend on the machine, and neither does the order of the arrows.
constexpr size_t kShares = 16;

struct Share {
  std::vector<FlowPoint> points;
  std::vector<Arrow> arrows;
  ProblemCounts problems;
};

uint64_t HashOf(const FlowPoint& p) {
  const uint64_t h = (p.id ^ uint64_t{p.key} << 40) * 0x9e3779b97f4a7c15ull;
  return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
}

// Points with one hash: nearly always one chain, in order of time as it stands in the file.
void LinkGroup(std::vector<FlowPoint>* group, ChainLinker* linker) {
  const auto rank = [](char ph) { return ph == 's' ? 0 : ph == 't' ? 1 : 2; };
  const auto before = [&](const FlowPoint& a, const FlowPoint& b) {
    return std::tuple(a.key, a.id, a.ts, rank(a.ph), a.offset) <
           std::tuple(b.key, b.id, b.ts, rank(b.ph), b.offset);
  };
  if (!std::is_sorted(group->begin(), group->end(), before))
    std::sort(group->begin(), group->end(), before);
  for (auto begin = group->begin(); begin != group->end();) {
    const auto end = std::find_if(begin, group->end(), [&](const FlowPoint& p) {
      return p.key != begin->key || p.id != begin->id;
    });
    linker->Link({begin, end});
    begin = end;
  }
}

// Hashes are sorted instead of points: they are smaller, and one comparison tells them apart.
void LinkShare(Share* share) {
  const std::vector<FlowPoint>& points = share->points;
  std::vector<std::pair<uint64_t, uint32_t>> order;
  order.reserve(points.size());
  for (uint32_t i = 0; i < points.size(); ++i) order.emplace_back(HashOf(points[i]), i);
  std::sort(order.begin(), order.end());
  ChainLinker linker(&share->arrows, &share->problems);
  std::vector<FlowPoint> group;
  for (size_t i = 0; i < order.size();) {
    group.clear();
    const uint64_t hash = order[i].first;
    for (; i < order.size() && order[i].first == hash; ++i)
      group.push_back(points[order[i].second]);
    LinkGroup(&group, &linker);
  }
  share->points = {};
}

}  // namespace

std::vector<Arrow> BindFlows(FileEvents* events, const std::stop_token& stop) {
  BindToSlices(events, stop);
  std::vector<Share> shares(kShares);
  // A little more than an even share: fresh memory costs more than what is done with it.
  for (Share& share : shares) share.points.reserve(events->flows.size() / kShares * 9 / 8);
  for (const FlowPoint& p : events->flows) shares[HashOf(p) >> 60].points.push_back(p);
  events->flows = {};
  ParallelFor(shares.size(), [&](size_t i) {
    if (!stop.stop_requested()) LinkShare(&shares[i]);
  });
  std::vector<Arrow> arrows;
  size_t count = 0;
  for (const Share& share : shares) count += share.arrows.size();
  arrows.reserve(count);
  for (Share& share : shares) {
    arrows.insert(arrows.end(), share.arrows.begin(), share.arrows.end());
    share.arrows = {};
    events->problems.Merge(share.problems);
  }
  return arrows;
}

}  // namespace stepscope::chrome
