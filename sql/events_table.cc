#include "model/analysis/grouping/grouping.h"
#include "model/lookup.h"
#include "sql/event_plan.h"
#include "sql/event_scan.h"
#include "sql/table.h"

namespace stepscope {
namespace {

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
    if (session_->push_down)
      return ChoosePlan(counts_, rows_by_track_, info) ? SQLITE_OK : SQLITE_NOMEM;
    info->estimatedCost = counts_.events;
    return SQLITE_OK;
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
