#include "model/analysis/steps/idle_sums.h"

#include <algorithm>

#include "model/base/number_hash.h"

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
    if (!out->Wants(range)) continue;
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

void TimesOfCauses::Add(const IdleCause& cause) {
  if (!cause.event.valid()) return;
  if (!cause.inside.valid()) {
    alone_[cause.event.value] += cause.time;
  } else {
    inside_[KeyOf(cause.event.value, cause.inside.value)] += cause.time;
  }
}

Ps TimesOfCauses::Of(const IdleCause& cause) const {
  if (!cause.event.valid()) return 0;
  if (!cause.inside.valid()) return alone_[cause.event.value];
  const auto found = inside_.find(KeyOf(cause.event.value, cause.inside.value));
  return found == inside_.end() ? 0 : found->second;
}

CauseSums::CauseSums(std::span<const TimeRange> markers, size_t metas,
                     std::vector<StepClassTimes>* losses, GapParts* gap, PlaneId device,
                     std::vector<IdleCause>* out)
    : markers_(markers),
      all_(metas),
      losses_(losses),
      gap_(gap),
      device_(device),
      out_(*out),
      begin_(out->size()),
      window_begin_(out->size()),
      slots_(kFewSlots, kFree) {}

void CauseSums::Add(uint32_t window, const HostPiece& piece, bool queued) {
  const StepTimeClass loss = queued ? StepTimeClass::kQueued : ClassOf(piece.state);
  if (loss != StepTimeClass::kHost || markers_.empty()) {
    AddPart(window, loss, piece, piece.begin, piece.end);
    return;
  }
  // Markers cut the piece: what lies outside them is between steps.
  Ps at = piece.begin;
  for (size_t m = FirstMarker(at); at < piece.end; ++m) {
    const Ps begin = m < markers_.size() ? markers_[m].begin : kMaxPs;
    const Ps end = m < markers_.size() ? markers_[m].end : kMaxPs;
    const Ps outside = std::min(begin, piece.end), inside = std::min(end, piece.end);
    if (outside > at) AddPart(window, StepTimeClass::kBetweenSteps, piece, at, outside);
    at = std::max(at, outside);
    if (inside > at) AddPart(window, StepTimeClass::kHost, piece, at, inside);
    at = std::max(at, inside);
  }
}

size_t CauseSums::FirstMarker(Ps t) const {
  const auto it = std::upper_bound(markers_.begin(), markers_.end(), t,
                                   [](Ps at, const TimeRange& m) { return at < m.end; });
  return static_cast<size_t>(it - markers_.begin());
}

void CauseSums::AddPart(uint32_t window, StepTimeClass loss, const HostPiece& piece, Ps begin,
                        Ps end) {
  const Ps time = SaturatingSub(end, begin);
  if (losses_ != nullptr) At((*losses_)[window], loss) += time;
  if (gap_ != nullptr) gap_->Add(loss, piece, begin, end);
  IdleCause& cause = CauseOf(window, loss, piece);
  cause.time += time;
  ++cause.count;
  if (time > cause.longest.length()) cause.longest = {begin, end};
  if (piece.row == HostPiece::kNone) return;
  for (EventRow& row : cause.rows) {
    if (row.valid() && row.value != piece.row) continue;
    row = EventRow(piece.row);
    return;
  }
}

IdleCause& CauseSums::CauseOf(uint32_t window, StepTimeClass loss, const HostPiece& piece) {
  if (window != window_) {
    window_ = window;
    window_begin_ = out_.size();
  }
  const Key key{loss, MetaId(piece.meta), MetaId(piece.inside)};
  // The next part is mostly of the same cause.
  if (out_.size() > window_begin_ && key == KeyOf(out_.back())) return out_.back();
  uint32_t* slot = &SlotOf(key);
  if (IsOfWindow(*slot)) return out_[*slot];
  if (2 * (out_.size() - window_begin_ + 1) > slots_.size()) {
    DoubleSlots();
    slot = &SlotOf(key);
  }
  *slot = static_cast<uint32_t>(out_.size());
  IdleCause& cause = out_.emplace_back();
  cause.step = window;
  cause.device = device_;
  std::tie(cause.loss, cause.event, cause.inside) = key;
  return cause;
}

// The slot with the cause, or the one to put it in.
uint32_t& CauseSums::SlotOf(const Key& key) {
  const auto [loss, event, inside] = key;
  size_t at = HashOf({static_cast<uint64_t>(loss), event.value, inside.value});
  for (;; ++at) {
    uint32_t& slot = slots_[at & (slots_.size() - 1)];
    if (!IsOfWindow(slot) || key == KeyOf(out_[slot])) return slot;
  }
}

void CauseSums::DoubleSlots() {
  slots_.assign(2 * slots_.size(), kFree);
  for (size_t i = window_begin_; i < out_.size(); ++i)
    SlotOf(KeyOf(out_[i])) = static_cast<uint32_t>(i);
}

void CauseSums::Finish() {
  for (size_t i = begin_; i < out_.size(); ++i) all_.Add(out_[i]);
  size_t to = begin_;
  for (size_t first = begin_, end = 0; first < out_.size(); first = end) {
    for (end = first + 1; end < out_.size() && out_[end].step == out_[first].step;) ++end;
    to = RankWindow(first, end, to);
  }
  out_.resize(to);
}

size_t CauseSums::RankWindow(size_t first, size_t end, size_t to) {
  const std::span<const IdleCause> causes = std::span(out_).subspan(first, end - first);
  if (causes.size() == 1) {
    out_[to] = causes[0];
    return to + 1;
  }
  StepClassTimes here{};
  for (const IdleCause& cause : causes) At(here, cause.loss) += cause.time;
  unranked_.assign(causes.begin(), causes.end());
  ranked_.clear();
  for (const IdleCause& cause : unranked_) {
    const bool large = cause.time >= At(here, cause.loss) / 5;
    ranked_.push_back(
        {cause.loss, large ? -cause.time : Ps{0}, large ? Ps{0} : -all_.Of(cause), &cause});
  }
  std::sort(ranked_.begin(), ranked_.end(),
            [](const RankedCause& a, const RankedCause& b) { return a.key() < b.key(); });
  size_t of_class = 0;
  for (size_t i = 0; i < ranked_.size(); ++i) {
    of_class = i > 0 && ranked_[i - 1].loss == ranked_[i].loss ? of_class + 1 : 0;
    const IdleCause& cause = *ranked_[i].cause;
    if (of_class > kCausesOfClass) {
      MergeCauses(cause, &out_[to - 1]);
      continue;
    }
    out_[to] = cause;
    if (of_class == kCausesOfClass) out_[to].event = out_[to].inside = MetaId();
    ++to;
  }
  return to;
}

}  // namespace stepscope
