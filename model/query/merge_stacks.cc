#include "model/query/merge_stacks.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "model/analysis/steps/scope.h"

namespace stepscope {
namespace {

// Frames by their parent and name.
class CallTreeBuilder {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  CallTreeBuilder() { frames_.emplace_back(); }
  // The frame of the name below `parent`; kNone if it would be too deep or one too many. O(1).
  uint32_t Below(uint32_t parent, StringId name);
  CallFrame& at(uint32_t frame) { return frames_[frame]; }
  // Notes an event of a frame, for CallTree::rows.
  void AddRow(uint32_t frame, EventRow row);
  // Sorts the frames of each parent by `key`, the largest first and equal ones by age, and moves
  // them into `tree`. O(n log n).
  void Finish(Ps CallFrame::*key, CallTree* tree);

 private:
  void Order(Ps CallFrame::*key, std::vector<uint32_t>* order) const;

  std::vector<CallFrame> frames_;
  std::unordered_map<uint64_t, uint32_t> below_;     // frame by parent and name
  std::vector<std::pair<uint32_t, EventRow>> rows_;  // frame and event
  bool all_rows_ = true;
  uint64_t last_key_ = ~uint64_t{0};  // loops ask for the same frame again and again
  uint32_t last_ = kNone;
};

uint32_t CallTreeBuilder::Below(uint32_t parent, StringId name) {
  const uint64_t key = uint64_t{parent} << 32 | name.value;
  if (key == last_key_) return last_;
  const auto found = below_.find(key);
  uint32_t frame = kNone;
  if (found != below_.end()) {
    frame = found->second;
  } else if (frames_.size() < kMostFrames && frames_[parent].depth < kDeepestFrame) {
    frame = static_cast<uint32_t>(frames_.size());
    below_.emplace(key, frame);
    frames_.push_back({.name = name, .parent = parent, .depth = frames_[parent].depth + 1});
  }
  last_key_ = key;
  return last_ = frame;
}

void CallTreeBuilder::AddRow(uint32_t frame, EventRow row) {
  if (!all_rows_) return;
  if (rows_.size() < kMostCallRows) {
    rows_.emplace_back(frame, row);
    return;
  }
  all_rows_ = false;
  std::vector<std::pair<uint32_t, EventRow>>().swap(rows_);
}

// A walk from parents to children, with a stack of its own.
void CallTreeBuilder::Order(Ps CallFrame::*key, std::vector<uint32_t>* order) const {
  std::vector<uint32_t> by_parent(frames_.size());
  for (uint32_t f = 0; f < by_parent.size(); ++f) by_parent[f] = f;
  // Within a parent the largest is last, because the walk takes from the end.
  std::sort(by_parent.begin() + 1, by_parent.end(), [&](uint32_t a, uint32_t b) {
    const CallFrame &x = frames_[a], &y = frames_[b];
    if (x.parent != y.parent) return x.parent < y.parent;
    return x.*key != y.*key ? x.*key < y.*key : a > b;
  });
  std::vector<uint32_t> first(frames_.size() + 1);  // of each parent's children in by_parent
  for (uint32_t f = 1; f < frames_.size(); ++f) ++first[frames_[f].parent + 1];
  first[0] = 1;  // the first frame is nobody's child
  for (size_t f = 1; f < first.size(); ++f) first[f] += first[f - 1];
  std::vector<uint32_t> open{0};
  order->reserve(frames_.size());
  while (!open.empty()) {
    const uint32_t frame = open.back();
    open.pop_back();
    order->push_back(frame);
    open.insert(open.end(), by_parent.begin() + first[frame], by_parent.begin() + first[frame + 1]);
  }
}

void CallTreeBuilder::Finish(Ps CallFrame::*key, CallTree* tree) {
  std::vector<uint32_t> order, place(frames_.size());
  Order(key, &order);
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  tree->frames.clear();
  tree->frames.reserve(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    CallFrame frame = frames_[order[i]];
    frame.parent = place[frame.parent];
    frame.end = i + 1;
    tree->frames.push_back(frame);
  }
  for (uint32_t i = static_cast<uint32_t>(order.size()) - 1; i > 0; --i) {
    CallFrame& parent = tree->frames[tree->frames[i].parent];
    parent.end = std::max(parent.end, tree->frames[i].end);
  }
  if (!all_rows_) return;
  tree->first_row.assign(order.size() + 1, 0);
  for (const auto& [frame, row] : rows_) ++tree->first_row[place[frame] + 1];
  for (size_t i = 1; i < tree->first_row.size(); ++i) tree->first_row[i] += tree->first_row[i - 1];
  std::vector<uint32_t> next(tree->first_row.begin(), tree->first_row.end() - 1);
  tree->rows.resize(rows_.size());
  for (const auto& [frame, row] : rows_) tree->rows[next[place[frame]]++] = row;
}

constexpr uint32_t kNone = CallTreeBuilder::kNone;
constexpr uint32_t kStopEvery = 1 << 16;  // events

StringId NameIn(const NameTable& names, uint32_t meta) {
  if (meta >= names.metas.size()) return StringId(0);
  const EventMeta& m = names.metas[meta];
  return m.display_name.valid() && m.display_name.value != 0 ? m.display_name : m.name;
}

// The times between which the selected events of a track begin, or are open where the window cuts
// them; both count.
struct Window {
  Ps first = kMaxPs, last = kMinPs;
  bool empty() const { return last < first; }
  bool Contains(Ps t) const { return t >= first && t <= last; }
};

// Adds the events of one track to the frames: goes through nested lanes from callers to callees,
// each event once, and closes an event when all inside it are done.
class TrackWalk {
 public:
  TrackWalk(const CallTreeQuestion& question, const Track& track, CallTreeBuilder* frames,
            uint64_t* cut)
      : set_(question.trace->set),
        rows_(question.rows),
        lanes_(set_.LanesOf(track)),
        frames_(*frames),
        cut_(*cut) {
    while (nested_ < lanes_.size() && lanes_[nested_].kind == LaneKind::kNested) ++nested_;
    cursors_.resize(nested_);
    FindWindow(question, track);
  }

  void Run() {
    if (window_.empty()) return;
    AddNested();
    for (const Lane& lane : lanes_.subspan(nested_)) {
      if (lane.kind == LaneKind::kSpill) AddSpilled(lane);
    }
  }

 private:
  struct Open {
    uint32_t depth, index;
    uint32_t next_child, end_child;      // in the lane below
    uint32_t frame = kNone;              // none as long as nothing selected is inside
    bool selected = false, own = false;  // own: the frame is of its name, not of one above it
    Ps inside = 0;    // what is below it adds so much to the frames above, if it is not selected
    Ps children = 0;  // durations one level below
  };

  void FindWindow(const CallTreeQuestion& question, const Track& track) {
    const Trace& trace = *question.trace;
    if (question.scope != nullptr) {
      const bool placed = track.plane.value < trace.planes.size();
      const HostId host = placed ? trace.planes[track.plane.value].host : HostId();
      if (!question.scope->HasHost(host)) return;
      scope_ = {question.scope->OfHost(host).first, question.scope->OfHost(host).last};
    }
    for (const Lane& lane : lanes_) {
      if (lane.kind == LaneKind::kInstant || lane.size() == 0) continue;
      if (rows_ == nullptr) {
        Extend(lane.start.front(), lane.start.front());
        Extend(lane.start.back(), lane.end(lane.size() - 1));
      } else {
        rows_->ForEach(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row) {
          Extend(lane.start[row - lane.first_row], lane.end(row - lane.first_row));
        });
      }
    }
    window_ = {std::max(window_.first, scope_.first), std::min(window_.last, scope_.last)};
  }

  // Where nothing is cut, only begins count: a track of long events is not walked beyond them.
  void Extend(Ps start, Ps end) {
    const bool cut = start < scope_.first && end > scope_.first;
    window_.first = std::min(window_.first, cut ? scope_.first : start);
    window_.last = std::max(window_.last, cut ? scope_.first : start);
  }

  bool IsSelected(const Lane& lane, uint32_t i) const {
    const bool inside = window_.Contains(lane.start[i]) ||
                        (lane.start[i] < scope_.first && lane.end(i) > scope_.first);
    return inside && (rows_ == nullptr || rows_->Has(lane.first_row + i));
  }

  static Ps After(Ps last) { return last == kMaxPs ? kMaxPs : last + 1; }
  // The part of an event's time that lies in the scope.
  Ps Inside(const Lane& lane, uint32_t i) const {
    const Ps from = std::max(lane.start[i], scope_.first);
    const Ps to = std::min(lane.end(i), After(scope_.last));
    return to > from ? to - from : 0;
  }

  // The last event that begins at or before t, which may enclose t; else the first one.
  static uint32_t LastAtOrBefore(const Lane& lane, Ps t) {
    const auto after = std::upper_bound(lane.start.begin(), lane.start.end(), t);
    return after == lane.start.begin() ? 0 : static_cast<uint32_t>(after - lane.start.begin()) - 1;
  }

  // Children are needed for the self time of a selected event; of another one only those that may
  // have selected events inside. An event without duration at the end of another one belongs to it,
  // so that none is lost.
  void Push(uint32_t depth, uint32_t index) {
    const Lane& lane = lanes_[depth];
    Open event{depth, index, 0, 0};
    event.selected = IsSelected(lane, index);
    if (depth + 1 < nested_ && (event.selected || lane.start[index] <= window_.last)) {
      const Lane& below = lanes_[depth + 1];
      const Ps end = index + 1 < lane.size() ? lane.start[index + 1] : kMaxPs;
      event.next_child = NextAtOrAfter(depth + 1, lane.start[index]);
      if (!event.selected || lane.start[index] < scope_.first)
        event.next_child = std::max(event.next_child, LastAtOrBefore(below, window_.first));
      // Events that begin behind the scope take none of its time.
      const bool beyond = !event.selected && window_.last < end;
      const Ps until = event.selected ? std::min(end, After(scope_.last)) : end;
      event.end_child = NextAtOrAfter(depth + 1, beyond ? window_.last + 1 : until);
    }
    open_.push_back(event);
    if (event.selected) Place(open_.size() - 1);
  }

  // The first event that begins at or after t, for times that mostly ascend: steps that double lead
  // from the last answer.
  uint32_t NextAtOrAfter(size_t depth, Ps t) {
    const std::span<const Ps> start = lanes_[depth].start;
    size_t& from = cursors_[depth];
    if (from > 0 && start[from - 1] >= t) from = 0;
    size_t to = from;
    for (size_t step = 1; to < start.size() && start[to] < t; step *= 2) {
      from = to + 1;
      to = std::min(start.size(), to + step);
    }
    from = static_cast<size_t>(std::lower_bound(start.begin() + from, start.begin() + to, t) -
                               start.begin());
    return static_cast<uint32_t>(from);
  }

  // Gives an event and those around it their frames.
  void Place(size_t at) {
    size_t from = at;
    while (from > 0 && open_[from - 1].frame == kNone) --from;
    for (; from <= at; ++from) {
      Open& event = open_[from];
      const bool whole = from == 0 || open_[from - 1].own;
      const uint32_t above = from == 0 ? 0 : open_[from - 1].frame;
      const uint32_t frame =
          whole ? frames_.Below(above, NameIn(*set_.names, lanes_[event.depth].meta[event.index]))
                : kNone;
      event.own = frame != kNone;
      event.frame = event.own ? frame : above;
    }
  }

  void Close() {
    const Open event = open_.back();
    open_.pop_back();
    const Lane& lane = lanes_[event.depth];
    const Ps dur = Inside(lane, event.index);
    const Ps added = event.selected ? dur : event.inside;
    if (event.own) Add(&CallFrame::total, event.frame, added);
    if (event.selected) {
      Add(&CallFrame::self, event.frame, std::max<Ps>(0, SaturatingSub(dur, event.children)));
      Count(event.own ? event.frame : kNone, EventRow(lane.first_row + event.index));
    }
    if (open_.empty()) {
      Add(&CallFrame::total, 0, added);
    } else {
      open_.back().inside = SaturatingAdd(open_.back().inside, added);
      open_.back().children = SaturatingAdd(open_.back().children, dur);
    }
  }

  void Add(Ps CallFrame::*field, uint32_t frame, Ps time) {
    Ps& sum = frames_.at(frame).*field;
    sum = SaturatingAdd(sum, time);
  }

  void Count(uint32_t frame, EventRow row) {
    if (frame == kNone) {
      ++cut_;
      return;
    }
    ++frames_.at(frame).count;
    frames_.AddRow(frame, row);
  }

  void AddNested() {
    if (nested_ == 0) return;
    const Lane& roots = lanes_[0];
    uint32_t steps = 0;
    for (uint32_t i = LastAtOrBefore(roots, window_.first);
         i < roots.size() && roots.start[i] <= window_.last; ++i) {
      Push(0, i);
      while (!open_.empty()) {
        if (++steps % kStopEvery == 0) CheckStop();
        Open& top = open_.back();
        if (top.next_child < top.end_child) {
          Push(top.depth + 1, top.next_child++);
        } else {
          Close();
        }
      }
    }
  }

  void AddSpilled(const Lane& lane) {
    for (uint32_t i = LastAtOrBefore(lane, window_.first);
         i < lane.size() && lane.start[i] <= window_.last; ++i) {
      if (!IsSelected(lane, i)) continue;
      const uint32_t frame = frames_.Below(0, NameIn(*set_.names, lane.meta[i]));
      const Ps time = Inside(lane, i);
      Add(&CallFrame::total, 0, time);
      if (frame != kNone) Add(&CallFrame::total, frame, time);
      Add(&CallFrame::self, frame != kNone ? frame : 0, time);
      Count(frame, EventRow(lane.first_row + i));
    }
  }

  const TrackSet& set_;
  const RowBits* rows_;
  std::span<const Lane> lanes_;
  CallTreeBuilder& frames_;
  uint64_t& cut_;
  size_t nested_ = 0;             // lanes of nested events, which come first
  Window scope_{kMinPs, kMaxPs};  // cuts events
  Window window_;
  std::vector<Open> open_;
  std::vector<size_t> cursors_;  // by lane: where the last search ended
};

// Adds the tracks of devices, or all others.
void AddTracks(const CallTreeQuestion& question, bool devices, CallTreeBuilder* frames,
               uint64_t* cut) {
  const Trace& trace = *question.trace;
  for (const Track& track : trace.set.tracks) {
    CheckStop();
    const bool placed = track.plane.value < trace.planes.size();
    const bool device = placed && IsDevice(trace.planes[track.plane.value].kind);
    if (device == devices && !track.derived_in_file && track.lane_count > 0)
      TrackWalk(question, track, frames, cut).Run();
  }
}

// Adds each frame of a tree, and what calls it, from the callee to the callers.
class Turning {
 public:
  explicit Turning(const CallTree& tree) : tree_(tree) {}

  CallTree Run() {
    CallTree turned;
    turned.cut = tree_.cut;
    turned.devices = tree_.devices;
    builder_.at(0).total = tree_.frames[0].total;
    for (uint32_t f = 1; f < tree_.frames.size(); ++f) {
      if (f % kStopEvery == 0) CheckStop();
      Add(f);
    }
    builder_.Finish(&CallFrame::self, &turned);
    return turned;
  }

 private:
  // Whether a frame above has the same name.
  bool Recurs(uint32_t frame) const {
    const StringId name = tree_.frames[frame].name;
    for (uint32_t f = tree_.frames[frame].parent; f != 0; f = tree_.frames[f].parent) {
      if (tree_.frames[f].name == name) return true;
    }
    return false;
  }

  void Add(uint32_t frame) {
    const CallFrame& callee = tree_.frames[frame];
    if (callee.count == 0 && callee.self == 0) return;
    const Ps total = Recurs(frame) ? 0 : callee.total;
    uint32_t place = 0;
    for (uint32_t f = frame; f != 0; f = tree_.frames[f].parent) {
      place = builder_.Below(place, tree_.frames[f].name);
      if (place == kNone) return;
      CallFrame& at = builder_.at(place);
      at.count += callee.count;
      at.self = SaturatingAdd(at.self, callee.self);
      at.total = SaturatingAdd(at.total, total);
      if (f != frame) continue;
      for (const EventRow row : tree_.RowsOf(frame)) builder_.AddRow(place, row);
    }
  }

  const CallTree& tree_;
  CallTreeBuilder builder_;
};

}  // namespace

CallTree BuildCallTree(const CallTreeQuestion& question) {
  CallTree tree;
  for (const bool devices : {false, true}) {
    CallTreeBuilder frames;
    AddTracks(question, devices, &frames, &tree.cut);
    CheckStop();
    frames.Finish(&CallFrame::total, &tree);
    tree.devices = devices && tree.frames.size() > 1;
    if (tree.frames.size() > 1) break;
  }
  return tree;
}

CallTree TurnOver(const CallTree& tree) { return Turning(tree).Run(); }

}  // namespace stepscope
