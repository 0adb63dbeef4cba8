#include "loaders/chrome_json/flow_binder.h"

#include <array>
#include <optional>
#include <span>
#include <tuple>

#include "model/base/sort_runs.h"
#include "model/jobs/job.h"

namespace stepscope::chrome {

using namespace naming;

namespace {

// Most open slices that are kept. There can only be more when slices overlap without nesting.
constexpr size_t kMaxOpen = 512;

// The slices of a thread that flows may bind to, sorted by start and then longest first. Slices are
// numbered through the thread's parts; most threads have one part, which is sorted already.
class SliceOrder {
 public:
  SliceOrder(const ThreadEvents& thread, const std::stop_token& stop) {
    for (size_t p = 0; p < kParts; ++p) {
      // An arrow to a GPU ends at the kernel, not at the annotation around it.
      if (static_cast<Part>(p) != Part::kAnnotation && thread.parts[p] != nullptr)
        slices_[p] = &thread.parts[p]->slices;
      ends_[p] = (p == 0 ? 0 : ends_[p - 1]) + (slices_[p] ? slices_[p]->start.size() : 0);
    }
    order_.Resize(ends_.back());
    std::iota(order_.data(), order_.data() + order_.size(), 0u);
    const auto before = [this](uint32_t a, uint32_t b) {
      const auto [a_start, a_dur] = Time(Where(a));
      const auto [b_start, b_dur] = Time(Where(b));
      return a_start != b_start ? a_start < b_start : a_dur > b_dur;
    };
    SortRuns(order_.data(), order_.data() + order_.size(), before, stop);
  }
  struct Slice {
    Ps start, end;
    uint32_t index;
    Part part;
  };
  size_t size() const { return order_.size(); }
  Ps start(size_t i) const { return Time(Where(order_[i])).first; }
  Slice at(size_t i) const {
    const auto [part, index] = Where(order_[i]);
    const auto [start, dur] = Time({part, index});
    return {start, start + dur, index, static_cast<Part>(part)};
  }

 private:
  std::pair<size_t, uint32_t> Where(uint32_t number) const {
    size_t part = 0;
    while (number >= ends_[part]) ++part;
    return {part, static_cast<uint32_t>(number - (part == 0 ? 0 : ends_[part - 1]))};
  }
  std::pair<Ps, Ps> Time(std::pair<size_t, uint32_t> at) const {
    const RawEvents& raw = *slices_[at.first];
    return {raw.start[at.second], raw.dur[at.second]};
  }
  std::array<const RawEvents*, kParts> slices_{};
  std::array<size_t, kParts> ends_{};
  Column<uint32_t> order_;
};

// Walks the slices of one thread, by start, beside its flow points, by time.
class Sweep {
 public:
  using Slice = SliceOrder::Slice;
  Sweep(const ThreadEvents& thread, const std::stop_token& stop) : slices_(thread, stop) {}

  // The slice that a point at `ts` binds to. Points must come in order of time.
  std::optional<Slice> At(Ps ts, bool or_next) {
    for (; next_ < slices_.size() && slices_.start(next_) <= ts; ++next_) {
      const Slice slice = slices_.at(next_);
      Close(slice.start);
      open_.push_back(slice);
    }
    const Slice* touching = nullptr;  // ends exactly here
    for (size_t i = open_.size(); i-- > 0;) {
      const Slice& c = open_[i];
      if (c.start == ts || c.end > ts) return c;
      if (c.end == ts && touching == nullptr) touching = &c;
    }
    if (touching != nullptr) return *touching;
    if (or_next && next_ < slices_.size()) return slices_.at(next_);
    return std::nullopt;
  }

 private:
  void Close(Ps now) {
    while (!open_.empty() && open_.back().end < now) open_.pop_back();
    if (open_.size() > kMaxOpen) {
      std::erase_if(open_, [now](const Slice& c) { return c.end < now; });
      if (open_.size() > kMaxOpen) open_.erase(open_.begin(), open_.begin() + kMaxOpen / 2);
    }
  }
  SliceOrder slices_;
  std::vector<Slice> open_;
  size_t next_ = 0;
};

// Binds the flow points of one thread; `order` holds their indices, which are sorted by time.
void BindThread(const ThreadEvents& thread, std::vector<uint32_t>* order,
                const std::stop_token& stop, std::vector<FlowPoint>* points) {
  const auto earlier = [&](uint32_t a, uint32_t b) { return (*points)[a].ts < (*points)[b].ts; };
  SortRuns(order->begin(), order->end(), earlier, stop);
  Sweep sweep(thread, stop);
  if (stop.stop_requested()) return;
  for (const uint32_t i : *order) {
    FlowPoint& p = (*points)[i];
    const auto slice = sweep.At(p.ts, p.ph == 'f' && !p.enclosing);
    if (!slice) continue;
    p.slice = slice->index;
    p.part = slice->part;
  }
}

void BindToSlices(FileEvents* events, const std::stop_token& stop) {
  std::vector<FlowPoint>& points = events->flows;
  std::vector<std::vector<uint32_t>> by_thread(events->threads.size());
  for (uint32_t i = 0; i < points.size(); ++i) {
    if (points[i].slice == kNoIndex) by_thread[points[i].thread].push_back(i);
  }
  const auto bind = [&](size_t t) {
    if (!by_thread[t].empty() && !stop.stop_requested())
      BindThread(events->threads[t], &by_thread[t], stop, &points);
  };
  ParallelFor(by_thread.size(), bind, ThreadsFor(points.size()));
}

// Links the points of one key and id by arrows.
class ChainLinker {
 public:
  ChainLinker(std::vector<Arrow>* arrows, ChromeDiagnostics* diagnostics)
      : arrows_(arrows), diagnostics_(diagnostics) {}

  void Link(std::span<const FlowPoint> chain) {
    chain_ = {};
    for (const FlowPoint& p : chain) {
      if (p.slice == kNoIndex) {
        diagnostics_->Count(ChromeDiagnostic::kFlowWithoutSlice, p.offset);
      } else {
        Add(p);
      }
    }
    LinkEarly();
    if (chain_.last != nullptr && !chain_.linked)
      diagnostics_->Count(ChromeDiagnostic::kFlowWithoutEnd, chain_.last->offset);
  }

 private:
  // The points so far.
  struct Chain {
    std::vector<const FlowPoint*> early;                // steps and ends before the first start
    const FlowPoint *first = nullptr, *last = nullptr;  // starts, or steps after one
    bool linked = false, first_linked = false;          // any of them has an end, `first` has one
  };

  void Add(const FlowPoint& p) {
    if (p.ph != 's' && chain_.last == nullptr) {
      chain_.early.push_back(&p);
      return;
    }
    if (p.ph != 's') {
      AddArrow(*chain_.last, p);
      chain_.first_linked = chain_.first_linked || chain_.last == chain_.first;
    }
    if (p.ph != 'f') chain_.last = &p;
    if (chain_.first == nullptr) chain_.first = chain_.last;
  }

  // An end lies before its start where the clock of a device is behind the host's. Ends before the
  // first start belong to that start unless it has ends of its own, as where an id is used again.
  void LinkEarly() {
    const bool binds = chain_.first != nullptr && !chain_.first_linked;
    for (const FlowPoint* p : chain_.early) {
      if (binds) {
        AddArrow(*chain_.first, *p);
      } else {
        diagnostics_->Count(ChromeDiagnostic::kFlowWithoutStart, p->offset);
      }
    }
  }

  void AddArrow(const FlowPoint& from, const FlowPoint& to) {
    arrows_->push_back(
        {from.thread, from.slice, to.thread, to.slice, from.part, to.part, to.id, to.key});
    chain_.linked = true;
  }

  Chain chain_;
  std::vector<Arrow>* arrows_;
  ChromeDiagnostics* diagnostics_;
};

// Some of the chains. Shares hold whole chains, so that threads may link them side by side.
struct Share {
  std::vector<HashedItem> points;
  std::vector<Arrow> arrows;
  ChromeDiagnostics diagnostics;
};

uint64_t HashOf(const FlowPoint& p) { return HashOfId(p.id, p.key); }

// Links the points with one hash: nearly always one chain, and already in order of time.
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

void LinkShare(const std::vector<FlowPoint>& points, const std::stop_token& stop, Share* share) {
  ChainLinker linker(&share->arrows, &share->diagnostics);
  share->arrows.reserve(share->points.size() / 2);
  ForHashGroups(&share->points, points, stop,
                [&](std::vector<FlowPoint>* group) { LinkGroup(group, &linker); });
}

}  // namespace

std::vector<std::vector<Arrow>> BindFlows(FileEvents* events, const std::stop_token& stop) {
  BindToSlices(events, stop);
  std::vector<Share> shares(kHashShares);
  // Reserves a little more than an even share: fresh memory costs more than filling it.
  for (Share& share : shares) share.points.reserve(events->flows.size() / kHashShares * 9 / 8);
  for (uint32_t i = 0; i < events->flows.size(); ++i) {
    const uint64_t hash = HashOf(events->flows[i]);
    shares[HashShareOf(hash)].points.push_back({hash, i});
  }
  const auto link = [&](size_t i) {
    if (!stop.stop_requested()) LinkShare(events->flows, stop, &shares[i]);
  };
  ParallelFor(shares.size(), link, ThreadsFor(events->flows.size()));
  events->flows = {};
  std::vector<std::vector<Arrow>> arrows;
  for (Share& share : shares) {
    arrows.push_back(std::move(share.arrows));
    events->diagnostics.Merge(share.diagnostics);
  }
  return arrows;
}

}  // namespace stepscope::chrome
