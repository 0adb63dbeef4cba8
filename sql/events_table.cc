// The table `events`: EventScan finds the rows, EventsCursor gives their columns.
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/lookup.h"
#include "model/query/self_times.h"
#include "sql/event_plan.h"
#include "sql/guard.h"
#include "sql/source.h"
#include "sql/table.h"

namespace stepscope {
namespace {

// Visits the events that meet conditions, in the order that the plan promised. It takes the
// shortest of three lists: ranges of lanes, events of names, events of steps. It may visit events
// that do not meet all conditions, because SQLite checks each again. Borrows the source. One
// thread.
class EventScan {
 public:
  // Starts at the first event. False if the budget is over. O(lanes log events + names), after the
  // source has made the indices that are needed.
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
  bool Enter();         // goes to the first wanted event at or after the position
  void Place();         // sets lane and index from the position
  bool Wanted() const;  // false if a quick check refuses the event

  SqlSource* source_ = nullptr;
  Budget* budget_ = nullptr;
  const NameIndex* names_ = nullptr;  // null: any name
  std::vector<uint8_t> wanted_;       // by place in names_
  IntegerSpan id_, begin_, track_;
  bool check_ = false;  // false: Wanted() is true for all events

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

// Replaces the pieces by rows of an index if visiting these is quicker. Both give rows by id, so
// the result is the same.
void EventScan::TakeShorter(std::vector<Piece> others) {
  const uint64_t events = EventsOf(others);
  constexpr uint64_t kSorting = 8;  // sorting an event takes as long as visiting 8
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
    constexpr uint64_t kFew = 1000;  // visiting so few is quicker than finding steps of all events
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
  // SelfTimes is quick for successive events of a lane, SelfTime() for a single one.
  if (piece.lane == nullptr || piece.end - piece.first < 16)
    return SelfTime(source_->trace().set, EventRow(row()));
  if (self_lane_ != lane_) {
    self_.emplace(source_->trace().set, *lane_, index_);
    self_lane_ = lane_;
  }
  return self_->Of(index_);
}

class EventsCursor final : public SqlCursor {
 public:
  EventsCursor(const SqlSession* session, SqlSource* source)
      : session_(session), source_(source), set_(source->trace().set) {}

  int Begin(std::string_view plan, std::span<sqlite3_value*> values, std::string*) override {
    const EventConditions conditions =
        ReadPlan(plan, static_cast<int>(values.size()), values.data());
    return Went(scan_.Begin(*source_, conditions, OrderOf(plan), session_->budget));
  }
  int Next(std::string*) override { return Went(scan_.Next()); }
  bool AtEnd() const override { return scan_.AtEnd(); }
  sqlite3_int64 RowId() const override { return scan_.row(); }

  int Column(sqlite3_context* to, int column) override {
    const Lane& lane = scan_.lane();
    const uint32_t i = scan_.index();
    switch (static_cast<EventColumn>(column)) {
      case EventColumn::kId:
        return Give(to, scan_.row());
      case EventColumn::kBegin:
        return Give(to, lane.start[i]);
      case EventColumn::kDur:
        return Give(to, lane.dur[i]);
      case EventColumn::kSelf:
        return Give(to, scan_.Self());
      case EventColumn::kName:
        GiveText(to, source_->trace().names().Name(MetaId(lane.meta[i])));
        return SQLITE_OK;
      case EventColumn::kCategory:
        return GiveCategory(to, lane.meta[i]);
      case EventColumn::kTrack:
        return Give(to, lane.track.value);
      case EventColumn::kDepth:
        return Give(to, lane.depth);
      case EventColumn::kParent:
        return GiveRow(to, Parent(set_, EventRow(scan_.row())));
      case EventColumn::kStep:
        return GiveStep(to);
      case EventColumn::kLaunch:
        return GiveLaunch(to);
      case EventColumn::kInstant:
        return Give(to, lane.kind == LaneKind::kInstant ? 1 : 0);
    }
    return SQLITE_OK;
  }

 private:
  static int Went(bool on) { return on ? SQLITE_OK : SQLITE_INTERRUPT; }
  static int Give(sqlite3_context* to, int64_t value) {
    sqlite3_result_int64(to, value);
    return SQLITE_OK;
  }
  static int GiveRow(sqlite3_context* to, EventRow row) {
    row.valid() ? sqlite3_result_int64(to, row.value) : sqlite3_result_null(to);
    return SQLITE_OK;
  }
  int GiveCategory(sqlite3_context* to, uint32_t meta) {
    if (categories_ == nullptr) categories_ = &source_->Categories();
    if (meta < categories_->size() && !(*categories_)[meta].empty())
      GiveText(to, (*categories_)[meta]);
    return SQLITE_OK;  // a column is null unless it is given
  }
  int GiveStep(sqlite3_context* to) {
    if (steps_ == nullptr) steps_ = &source_->Steps();
    const std::optional<int64_t> step = steps_->Of(scan_.lane(), scan_.index());
    if (step) sqlite3_result_int64(to, *step);
    return SQLITE_OK;
  }
  int GiveLaunch(sqlite3_context* to) {
    if (launches_ == nullptr) launches_ = &source_->Launches();
    return GiveRow(to, launches_->LaunchOf(scan_.row()));
  }

  const SqlSession* session_;
  SqlSource* source_;
  const TrackSet& set_;
  EventScan scan_;
  const std::vector<std::string>* categories_ = nullptr;
  const StepNumbers* steps_ = nullptr;
  const Grouping* launches_ = nullptr;
};

class EventsTable final : public SqlTable {
 public:
  EventsTable(SqlSession* session, size_t profile)
      : session_(session), profile_(profile), source_(session->schemas[profile].source.get()) {
    const TrackSet& set = source_->trace().set;
    counts_ = {static_cast<double>(set.rows), static_cast<double>(set.names->metas.size()),
               static_cast<double>(set.tracks.size()), 10};
    for (size_t l = 1; l < set.lanes.size(); ++l)
      rows_by_track_ &= set.lanes[l - 1].track <= set.lanes[l].track;
  }
  std::string Declaration() const override {
    return DeclarationOf(SqlTables()[static_cast<size_t>(SqlTableId::kEvents)], profile_);
  }
  int Plan(sqlite3_index_info* info) override {
    return ChoosePlan(counts_, rows_by_track_, info) ? SQLITE_OK : SQLITE_NOMEM;
  }
  std::unique_ptr<SqlCursor> Open() override {
    return std::make_unique<EventsCursor>(session_, source_);
  }

 private:
  SqlSession* session_;
  size_t profile_;
  SqlSource* source_;
  EventCounts counts_;
  bool rows_by_track_ = true;
};

}  // namespace

std::unique_ptr<SqlTable> MakeEventsTable(SqlSession* session, size_t profile) {
  return std::make_unique<EventsTable>(session, profile);
}

}  // namespace stepscope
