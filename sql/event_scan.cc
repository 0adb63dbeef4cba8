#include "sql/event_scan.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr uint32_t kTurns = 1 << 16;  // between two looks at the clock

bool Meets(const NameCondition& condition, std::string_view name) {
  if (condition.op == PlanOp::kEqual) return name == condition.text;
  const std::string text(name);
  if (condition.op == PlanOp::kLike)
    return sqlite3_strlike(condition.text.c_str(), text.c_str(), 0) == 0;
  return sqlite3_strglob(condition.text.c_str(), text.c_str()) == 0;
}

template <typename Pieces>
uint64_t EventsOf(const Pieces& pieces) {
  uint64_t events = 0;
  for (const auto& piece : pieces)
    events += piece.lane != nullptr ? piece.end - piece.first : piece.rows.size();
  return events;
}

}  // namespace

// Marks the names that all conditions allow.
bool EventScan::ReadNames(const EventConditions& conditions) {
  names_ = &source_->Names();
  const StringPool& strings = source_->trace().names().strings;
  wanted_.assign(names_->name.size(), 1);
  for (const NameCondition& condition : conditions.names) {
    if (condition.op == PlanOp::kEqual) {
      const StringId id = strings.Find(condition.text);
      const uint32_t place = id.valid() && id.value < names_->of_string.size()
                                 ? names_->of_string[id.value]
                                 : NameIndex::kNone;
      for (size_t p = 0; p < wanted_.size(); ++p) wanted_[p] &= p == place ? 1 : 0;
      continue;
    }
    for (size_t p = 0; p < wanted_.size(); ++p) {
      if (p % kTurns == 0 && budget_->Over()) return false;
      if (wanted_[p] != 0 && !Meets(condition, strings.View(names_->name[p]))) wanted_[p] = 0;
    }
  }
  return true;
}

std::vector<EventScan::Piece> EventScan::LanePieces(const EventConditions& conditions) const {
  std::vector<Piece> pieces;
  for (const Lane& lane : source_->trace().set.lanes) {
    if (!conditions.track.Has(lane.track.value)) continue;
    auto first = lane.start.begin(), last = lane.start.end();
    if (!conditions.begin.all()) {
      first = std::lower_bound(first, last, conditions.begin.first);
      last = std::upper_bound(first, last, conditions.begin.last);
    }
    int64_t from = first - lane.start.begin(), to = last - lane.start.begin();
    from = std::max(from, std::max<int64_t>(conditions.id.first, 0) - lane.first_row);
    if (conditions.id.last < int64_t{lane.first_row} + to)
      to = std::max<int64_t>(conditions.id.last, -1) + 1 - lane.first_row;
    if (from < to)
      pieces.push_back({&lane, static_cast<uint32_t>(from), static_cast<uint32_t>(to)});
  }
  return pieces;
}

std::vector<EventScan::Piece> EventScan::NamePieces() const {
  std::vector<Piece> pieces;
  for (size_t p = 0; p < wanted_.size(); ++p) {
    if (wanted_[p] != 0 && names_->count(p) > 0) pieces.push_back({.rows = names_->At(p)});
  }
  return pieces;
}

std::vector<EventScan::Piece> EventScan::StepPieces(const EventConditions& conditions) const {
  const StepIndex& steps = source_->ByStep();
  std::vector<Piece> pieces;
  for (size_t p = 0; p < steps.places(); ++p) {
    if (p == 0 ? !conditions.step.all() : !conditions.step.Has(steps.number[p])) continue;
    if (steps.count(p) > 0) pieces.push_back({.rows = steps.At(p)});
  }
  return pieces;
}

// Takes rows of an index instead of what there is, if that is quicker. Rows come out by id either
// way, so that the way changes no result.
void EventScan::TakeShorter(std::vector<Piece> others) {
  const uint64_t events = EventsOf(others);
  constexpr uint64_t kSorting = 8;  // sorting an event costs so many looks at one
  if (events * (others.size() > 1 ? kSorting : 1) >= EventsOf(pieces_)) return;
  if (others.size() > 1) {
    sorted_.clear();
    for (const Piece& piece : others)
      sorted_.insert(sorted_.end(), piece.rows.begin(), piece.rows.end());
    std::sort(sorted_.begin(), sorted_.end());
    others = {{.rows = sorted_}};
  }
  pieces_ = std::move(others);
}

bool EventScan::Begin(SqlSource& source, const EventConditions& conditions, EventOrderBy order,
                      Budget* budget) {
  *this = EventScan();
  source_ = &source;
  budget_ = budget;
  if (conditions.none) return true;
  id_ = conditions.id, begin_ = conditions.begin, track_ = conditions.track;
  const bool by_name = order == EventOrderBy::kName, by_step = order == EventOrderBy::kStep;
  if ((by_name || !conditions.names.empty()) && !ReadNames(conditions)) return false;
  if (by_name) {
    pieces_ = NamePieces();
  } else if (by_step) {
    pieces_ = StepPieces(conditions);
  } else {
    pieces_ = LanePieces(conditions);
    if (names_ != nullptr) TakeShorter(NamePieces());
    constexpr uint64_t kFew = 1000;  // quicker to look at than to find the steps of all events
    if (!conditions.step.all() && EventsOf(pieces_) > kFew) TakeShorter(StepPieces(conditions));
  }
  check_ = names_ != nullptr || !id_.all() || !begin_.all() || !track_.all();
  return Enter();
}

void EventScan::Place() {
  const Piece& piece = pieces_[piece_];
  if (piece.lane != nullptr) {
    lane_ = piece.lane;
    index_ = piece.first + at_;
    return;
  }
  const uint32_t row = piece.rows[at_];
  if (lane_ == nullptr || row - lane_->first_row >= lane_->size()) {
    const TrackSet& set = source_->trace().set;
    lane_ = &set.lanes[set.LaneOf(EventRow(row)).value];
  }
  index_ = row - lane_->first_row;
}

bool EventScan::Wanted() const {
  if (names_ != nullptr) {
    const size_t meta = std::min<size_t>(lane_->meta[index_], names_->of_meta.size() - 1);
    if (wanted_[names_->of_meta[meta]] == 0) return false;
  }
  return id_.Has(row()) && begin_.Has(lane_->start[index_]) && track_.Has(lane_->track.value);
}

bool EventScan::Enter() {
  while (piece_ < pieces_.size()) {
    const Piece& piece = pieces_[piece_];
    const auto size =
        piece.lane != nullptr ? piece.end - piece.first : static_cast<uint32_t>(piece.rows.size());
    for (; at_ < size; ++at_) {
      Place();
      if (!check_ || Wanted()) return true;
      if (++turns_ % kTurns == 0 && budget_->Over()) return false;
    }
    ++piece_;
    at_ = 0;
  }
  lane_ = nullptr;
  return true;
}

bool EventScan::Next() {
  ++at_;
  return Enter();
}

Ps EventScan::Self() {
  const Piece& piece = pieces_[piece_];
  // Single events of a long lane are found by search, successive ones by going along.
  if (piece.lane == nullptr || piece.end - piece.first < 16)
    return SelfTime(source_->trace().set, EventRow(row()));
  if (self_lane_ != lane_) {
    self_.emplace(source_->trace().set, *lane_, index_);
    self_lane_ = lane_;
  }
  return self_->Of(index_);
}

}  // namespace stepscope
