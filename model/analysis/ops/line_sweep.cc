#include "model/analysis/ops/line_sweep.h"

#include <algorithm>
#include <unordered_map>

namespace stepscope {
namespace {

// The place of each slot's sum on a line. A file may have a million short lines and a million
// ops, so a line with few events has a map in place of a list of all slots.
class SumIndex {
 public:
  SumIndex(size_t slots, size_t events) {
    if (slots <= 8 * events) dense_.assign(slots, OpId::kNone);
  }
  uint32_t& operator[](uint32_t slot) {
    return dense_.empty() ? sparse_.try_emplace(slot, OpId::kNone).first->second : dense_[slot];
  }

 private:
  std::vector<uint32_t> dense_;
  std::unordered_map<uint32_t, uint32_t> sparse_;
};

// Takes what a line's sweep finds and sums the ops that begin in `scope`. The sweep covers the
// whole line, because an op's self time leaves out the ops inside it wherever they begin.
struct LineSink {
  const TimeScope& scope;
  LineOps* out;
  SumIndex index;
  Extent extent;  // of what was added
  void Add(const OpInterval& op, Ps self) {
    if (!scope.Contains(op.begin)) return;
    uint32_t& at = index[op.op->slot];
    if (at == OpId::kNone) {
      at = static_cast<uint32_t>(out->sums.size());
      out->sums.emplace_back(op.op->slot, HostSum());
    }
    HostSum& sum = out->sums[at].second;
    sum.Add(std::max<Ps>(0, op.end - op.begin), self, op.eager, EventRow(op.row));
    if (sum.type.empty()) sum.type = op.op->type;
    out->busy += self;
    extent.Add(op.begin, op.end);
  }
};

// XProf's sweep: begins and ends are sorted by time, then as inserted, and an end pops the stack
// down to its own begin. Where nested ops end together the outer end comes first; the inner end
// then finds no begin and empties the stack.
void SweepXprof(const std::vector<OpInterval>& ops, LineSink* out) {
  struct Point {
    Ps time;
    uint32_t index;  // 2 * op, + 1 at the end
    bool operator<(const Point& o) const {
      return time != o.time ? time < o.time : index < o.index;
    }
  };
  struct Open {
    uint32_t op;
    Ps children;
  };
  std::vector<Point> points;
  points.reserve(2 * ops.size());
  for (uint32_t i = 0; i < ops.size(); ++i) {
    points.push_back({ops[i].begin, 2 * i});
    points.push_back({ops[i].end, 2 * i + 1});
  }
  std::sort(points.begin(), points.end());
  std::vector<Open> stack;
  for (const Point& p : points) {
    uint32_t op = p.index / 2;
    if (p.index % 2 == 0) {
      stack.push_back({op, 0});
      continue;
    }
    while (!stack.empty() && stack.back().op != op) stack.pop_back();
    if (stack.empty()) continue;
    Open open = stack.back();
    stack.pop_back();
    const OpInterval& o = ops[op];
    Ps duration = std::max<Ps>(0, o.end - o.begin);
    out->Add(o, duration - open.children);
    if (!stack.empty()) stack.back().children += duration;
  }
}

// Our sweep: at each moment the op that began last has the time, so that self times add up to the
// union.
void SweepOwn(const std::vector<OpInterval>& ops, LineSink* out) {
  std::vector<Ps> self(ops.size());
  std::vector<uint32_t> stack;
  Ps cursor = ops.front().begin, last = ops.front().end;
  auto advance = [&](Ps to) {
    while (!stack.empty() && cursor < to) {
      uint32_t top = stack.back();
      if (ops[top].end > cursor) {
        Ps until = std::min(ops[top].end, to);
        self[top] += until - cursor;
        cursor = until;
      }
      if (ops[top].end <= cursor) stack.pop_back();
    }
    cursor = std::max(cursor, to);
  };
  for (uint32_t i = 0; i < ops.size(); ++i) {
    advance(ops[i].begin);
    stack.push_back(i);
    last = std::max(last, ops[i].end);
  }
  advance(last);
  for (uint32_t i = 0; i < ops.size(); ++i) out->Add(ops[i], self[i]);
}

// Adds the durations of all infeed enqueue calls but the last, and the distances between their
// starts.
void AddEnqueues(const std::vector<OpInterval>& ops, const TimeScope& scope, LineOps* out) {
  const OpInterval* before = nullptr;
  for (const OpInterval& o : ops) {
    if (!o.op->IsEnqueue()) continue;
    if (before && scope.Contains(before->begin)) {
      out->enqueue.busy += static_cast<double>(before->end - before->begin);
      out->enqueue.period += static_cast<double>(o.begin - before->begin);
    }
    before = &o;
  }
}

// The extent of all ops. XProf also counts those that its sweep lost.
Extent ExtentOf(const std::vector<OpInterval>& ops) {
  Extent extent;
  for (const OpInterval& op : ops) extent.Add(op.begin, op.end);
  return extent;
}

}  // namespace

LineOps SweepLine(const std::vector<OpInterval>& ops, const LineSweep& how) {
  LineOps line;
  if (ops.empty()) return line;
  if (how.enqueues) AddEnqueues(ops, how.scope, &line);
  LineSink sink{how.scope, &line, SumIndex(how.slots, ops.size()), {}};
  if (how.outer_closed_first) {
    SweepXprof(ops, &sink);
  } else {
    SweepOwn(ops, &sink);
  }
  line.total = how.scope.whole() ? ExtentOf(ops).length() : sink.extent.length();
  if (how.outer_closed_first) line.total = std::max(line.total, line.busy);
  return line;
}

}  // namespace stepscope
