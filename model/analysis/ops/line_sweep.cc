#include "model/analysis/ops/line_sweep.h"

#include <algorithm>

namespace stepscope {

// The sweep covers the whole line, because an op's self time leaves out the ops inside it wherever
// they begin. At each moment the op that began last has the time, so that self times add up to the
// union.
void LineSweeper::Add(const OpInterval& op) {
  all_.Add(op.begin, op.end);
  if (how_.enqueues && op.op->IsEnqueue()) AddEnqueue(op);
  if (how_.outer_closed_first) return ops_.push_back(op);
  Advance(op.begin);
  open_.push_back({op.end, Count(op)});
}

LineOps LineSweeper::Take() {
  if (how_.outer_closed_first) {
    SweepXprof();
  } else {
    Advance(all_.last);
  }
  // XProf's extent has the ops that its sweep lost, too.
  line_.total = (how_.scope.whole() ? all_ : counted_).length();
  if (how_.outer_closed_first) line_.total = std::max(line_.total, line_.busy);
  return std::move(line_);
}

// Counts an op that begins in the scope; its self time is added later. Returns its sum.
uint32_t LineSweeper::Count(const OpInterval& op) {
  if (!how_.scope.Contains(op.begin)) return OpId::kNone;
  uint32_t& at = index_[op.op->slot];
  if (at == OpId::kNone) {
    at = static_cast<uint32_t>(line_.sums.size());
    line_.sums.emplace_back(op.op->slot, HostSum());
  }
  HostSum& sum = line_.sums[at].second;
  sum.Add(std::max<Ps>(0, op.end - op.begin), 0, op.eager, EventRow(op.row));
  if (sum.type.empty()) sum.type = op.op->type;
  counted_.Add(op.begin, op.end);
  return at;
}

void LineSweeper::AddSelf(uint32_t sum, Ps self) {
  if (sum == OpId::kNone) return;
  line_.sums[sum].second.self += self;
  line_.busy += self;
}

// Adds the durations of all infeed enqueue calls but the last, and the distances between their
// starts.
void LineSweeper::AddEnqueue(const OpInterval& op) {
  if (any_enqueue_ && how_.scope.Contains(enqueue_.begin)) {
    line_.enqueue.busy += static_cast<double>(enqueue_.end - enqueue_.begin);
    line_.enqueue.period += static_cast<double>(op.begin - enqueue_.begin);
  }
  any_enqueue_ = true;
  enqueue_ = {op.begin, op.end};
}

// Gives the time until `to` to the ops that are open.
void LineSweeper::Advance(Ps to) {
  while (!open_.empty() && now_ < to) {
    const Open& top = open_.back();
    if (top.end > now_) {
      const Ps until = std::min(top.end, to);
      AddSelf(top.sum, until - now_);
      now_ = until;
    }
    if (top.end <= now_) open_.pop_back();
  }
  now_ = std::max(now_, to);
}

// XProf's sweep: begins and ends are sorted by time, then as inserted, and an end pops the stack
// down to its own begin. Where nested ops end together the outer end comes first; the inner end
// then finds no begin and empties the stack.
void LineSweeper::SweepXprof() {
  struct Point {
    Ps time;
    uint32_t index;  // 2 * op, + 1 at the end
    bool operator<(const Point& o) const {
      return time != o.time ? time < o.time : index < o.index;
    }
  };
  struct OpenOp {
    uint32_t op;
    Ps children;
  };
  std::vector<Point> points;
  points.reserve(2 * ops_.size());
  for (uint32_t i = 0; i < ops_.size(); ++i) {
    points.push_back({ops_[i].begin, 2 * i});
    points.push_back({ops_[i].end, 2 * i + 1});
  }
  std::sort(points.begin(), points.end());
  std::vector<OpenOp> stack;
  for (const Point& p : points) {
    uint32_t op = p.index / 2;
    if (p.index % 2 == 0) {
      stack.push_back({op, 0});
      continue;
    }
    while (!stack.empty() && stack.back().op != op) stack.pop_back();
    if (stack.empty()) continue;
    const OpenOp open = stack.back();
    stack.pop_back();
    const OpInterval& o = ops_[op];
    Ps duration = std::max<Ps>(0, o.end - o.begin);
    AddSelf(Count(o), duration - open.children);
    if (!stack.empty()) stack.back().children += duration;
  }
}

}  // namespace stepscope
