#include "model/analysis/steps/idle_sums.h"

#include <algorithm>

namespace stepscope {
namespace {

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

// The key by which the causes of a class are ordered.
struct RankedCause {
  StepTimeClass loss;
  Ps large, small;  // falling, each 0 for the other kind
  uint32_t event, inside;
  IdleCause* cause;
  bool operator<(const RankedCause& o) const {
    return std::tie(loss, large, small, event, inside) <
           std::tie(o.loss, o.large, o.small, o.event, o.inside);
  }
};

void MergeCauses(const IdleCause& from, IdleCause* to) {
  to->time += from.time;
  to->count += from.count;
  if (from.longest.length() > to->longest.length()) to->longest = from.longest;
}

}  // namespace

IdleInterval GapParts::Whole(const IdleGap& gap, PlaneId device) const {
  return IntervalOf(parts_, gap.window, device, {gap.begin, gap.end});
}

void GapParts::Cut(const IdleGap& gap, PlaneId device, DeviceIdle* out) const {
  for (size_t first = 0, end = 0; first < parts_.size(); first = end) {
    const auto joins = [&](size_t part) {
      return parts_[part].loss == parts_[first].loss &&
             parts_[part].range.begin == parts_[part - 1].range.end;
    };
    for (end = first + 1; end < parts_.size() && joins(end);) ++end;
    const TimeRange range{parts_[first].range.begin, parts_[end - 1].range.end};
    out->Add(IntervalOf(Parts(parts_).subspan(first, end - first), gap.window, device, range));
  }
}

IdleInterval GapParts::IntervalOf(Parts parts, uint32_t window, PlaneId device, TimeRange range) {
  IdleInterval interval;
  interval.step = window;
  interval.device = device;
  interval.range = range;
  const Part part = parts.size() == 1 ? parts.front() : Largest(parts);
  interval.loss = part.loss;
  interval.event = part.meta == HostPiece::kNone ? MetaId() : MetaId(part.meta);
  interval.inside = part.inside == HostPiece::kNone ? MetaId() : MetaId(part.inside);
  interval.row = part.row == HostPiece::kNone ? EventRow() : EventRow(part.row);
  return interval;
}

GapParts::Part GapParts::Largest(Parts parts) {
  StepClassTimes classes{};
  for (const Part& part : parts) At(classes, part.loss) += part.range.length();
  const auto most = std::max_element(classes.begin(), classes.end());
  return LargestOf(parts, static_cast<StepTimeClass>(most - classes.begin()));
}

// The largest part with that class; only the class is set if no part has time.
GapParts::Part GapParts::LargestOf(Parts parts, StepTimeClass loss) {
  std::vector<Part> of_class;
  for (const Part& part : parts) {
    if (part.loss == loss) of_class.push_back(part);
  }
  std::stable_sort(of_class.begin(), of_class.end(),
                   [](const Part& a, const Part& b) { return a.cause() < b.cause(); });
  Part most;
  most.loss = loss;
  Ps longest = 0;
  for (size_t first = 0, end = 0; first < of_class.size(); first = end) {
    Ps time = 0;
    for (; end < of_class.size() && of_class[end].cause() == of_class[first].cause(); ++end)
      time += of_class[end].range.length();
    if (time > longest) longest = time, most = of_class[first];
  }
  return most;
}

void TimesOfCauses::Add(const HostPiece& piece) {
  if (piece.meta == HostPiece::kNone) return;
  const Ps time = piece.end - piece.begin;
  if (piece.inside == HostPiece::kNone) {
    alone_[piece.meta] += time;
  } else {
    inside_[KeyOf(piece.meta, piece.inside)] += time;
  }
}

Ps TimesOfCauses::Of(const IdleCause& cause) const {
  if (!cause.event.valid()) return 0;
  if (!cause.inside.valid()) return alone_[cause.event.value];
  const auto found = inside_.find(KeyOf(cause.event.value, cause.inside.value));
  return found == inside_.end() ? 0 : found->second;
}

void CauseSums::Add(uint32_t window, const HostPiece& piece, bool queued) {
  if (window != window_) CloseWindow();
  window_ = window;
  all_.Add(piece);
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

void CauseSums::CloseWindow() {
  for (const auto& [key, cause] : sums_) closed_.push_back(cause);
  sums_.clear();
  last_ = nullptr;
}

void CauseSums::Flush(PlaneId device, std::vector<IdleCause>* out) {
  CloseWindow();
  for (IdleCause& cause : closed_) cause.device = device;
  for (size_t first = 0, end = 0; first < closed_.size(); first = end) {
    while (end < closed_.size() && closed_[end].step == closed_[first].step) ++end;
    FlushWindow(std::span(closed_).subspan(first, end - first), out);
  }
  closed_.clear();
}

void CauseSums::FlushWindow(std::span<IdleCause> causes, std::vector<IdleCause>* out) const {
  StepClassTimes here{};
  for (const IdleCause& cause : causes) At(here, cause.loss) += cause.time;
  std::vector<RankedCause> all;
  all.reserve(causes.size());
  for (IdleCause& cause : causes) {
    const bool large = cause.time >= At(here, cause.loss) / 5;
    all.push_back({cause.loss, large ? -cause.time : Ps{0}, large ? Ps{0} : -all_.Of(cause),
                   cause.event.value, cause.inside.value, &cause});
  }
  std::sort(all.begin(), all.end());
  size_t of_class = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    IdleCause& cause = *all[i].cause;
    of_class = i > 0 && all[i - 1].loss == cause.loss ? of_class + 1 : 0;
    if (of_class < kCausesOfClass) {
      out->push_back(cause);
    } else if (of_class == kCausesOfClass) {
      cause.event = cause.inside = MetaId();
      out->push_back(cause);
    } else {
      MergeCauses(cause, &out->back());
    }
  }
}

size_t CauseSums::FirstMarker(Ps t) const {
  const auto it = std::upper_bound(markers_.begin(), markers_.end(), t,
                                   [](Ps at, const TimeRange& m) { return at < m.end; });
  return static_cast<size_t>(it - markers_.begin());
}

IdleCause& CauseSums::CauseOf(uint32_t window, StepTimeClass loss, const HostPiece& piece) {
  const Key key{loss, piece.meta, piece.inside};
  if (last_ != nullptr && last_->first == key) return last_->second;
  const auto [it, added] = sums_.try_emplace(key);
  last_ = &*it;
  IdleCause& cause = it->second;
  if (!added) return cause;
  cause.step = window;
  cause.loss = loss;
  if (piece.meta != HostPiece::kNone) cause.event = MetaId(piece.meta);
  if (piece.inside != HostPiece::kNone) cause.inside = MetaId(piece.inside);
  return cause;
}

void CauseSums::AddPart(uint32_t window, StepTimeClass loss, const HostPiece& piece,
                        TimeRange range) {
  const Ps time = range.length();
  At((*losses_)[window], loss) += time;
  if (gap_ != nullptr) gap_->Add(loss, piece, range);
  IdleCause& cause = CauseOf(window, loss, piece);
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

}  // namespace stepscope
