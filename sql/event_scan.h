// EventScan: visits the events that conditions leave, in the order that a plan promised. It takes
// the shortest of three ways: ranges of lanes, events of names, events of steps. It may visit
// events that do not meet all conditions, because SQLite checks each again. Borrows the source. One
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/query/self_times.h"
#include "sql/budget.h"
#include "sql/event_plan.h"
#include "sql/source.h"

namespace stepscope {

class EventScan {
 public:
  // Starts at the first event. False if the budget is over. Finding the way takes O(lanes log
  // events + names); indices of the source are made if it needs them.
  bool Begin(SqlSource& source, const EventConditions& conditions, EventOrderBy order,
             Budget* budget);
  bool AtEnd() const { return lane_ == nullptr; }
  // Goes to the next event. False if the budget is over.
  bool Next();

  uint32_t row() const { return lane_->first_row + index_; }
  const Lane& lane() const { return *lane_; }
  uint32_t index() const { return index_; }
  Ps Self();  // self time of this event

 private:
  struct Piece {  // of a lane: its events [first, end); of an index: a list of rows
    const Lane* lane = nullptr;
    uint32_t first = 0, end = 0;
    std::span<const uint32_t> rows = {};
  };

  bool ReadNames(const EventConditions& conditions);
  std::vector<Piece> StepPieces(const EventConditions& conditions) const;
  std::vector<Piece> LanePieces(const EventConditions& conditions) const;
  std::vector<Piece> NamePieces() const;
  void TakeShorter(std::vector<Piece> others);
  bool Enter();         // goes to the first event at or behind the position that is wanted
  void Place();         // sets lane and index from the position
  bool Wanted() const;  // whether quick checks leave the event

  SqlSource* source_ = nullptr;
  Budget* budget_ = nullptr;
  const NameIndex* names_ = nullptr;  // null: any name
  std::vector<uint8_t> wanted_;       // by place in names_
  IntegerSpan id_, begin_, track_;
  bool check_ = false;  // whether Wanted() has anything to say

  std::vector<Piece> pieces_;
  std::vector<uint32_t> sorted_;  // rows of several names or steps
  size_t piece_ = 0;
  uint32_t at_ = 0;  // in the piece
  const Lane* lane_ = nullptr;
  uint32_t index_ = 0;
  std::optional<SelfTimes> self_;
  const Lane* self_lane_ = nullptr;
  uint32_t turns_ = 0;
};

}  // namespace stepscope
