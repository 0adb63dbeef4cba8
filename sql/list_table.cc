#include <algorithm>
#include <charconv>
#include <utility>

#include "sql/event_plan.h"
#include "sql/report_schema.h"
#include "sql/table.h"

namespace stepscope {
namespace {

class ListCursor final : public SqlCursor {
 public:
  ListCursor(SqlSource* source, const SqlList& list) : source_(source), list_(list) {}

  // The plan is the number of the column that is equal to the value, or empty.
  int Begin(std::string_view plan, std::span<sqlite3_value*> values, std::string*) override {
    at_ = 0;
    found_ = {};
    by_index_ = false;
    int column = -1;
    std::from_chars(plan.data(), plan.data() + plan.size(), column);
    if (values.empty() || column < 0) return SQLITE_OK;
    IntegerSpan span;
    Narrow(PlanOp::kEqual, values[0], &span);
    if (!span.empty() && span.first != span.last) return SQLITE_OK;  // a text: all rows
    const IntegerIndex& index = source_->IndexOf(list_, column);
    if (!index.usable) return SQLITE_OK;
    by_index_ = true;
    if (!span.empty()) found_ = index.Equal(span.first);
    return SQLITE_OK;
  }
  int Next(std::string*) override {
    ++at_;
    return SQLITE_OK;
  }
  bool AtEnd() const override { return at_ >= (by_index_ ? found_.size() : list_.size()); }
  sqlite3_int64 RowId() const override { return static_cast<sqlite3_int64>(row()); }
  int Column(sqlite3_context* to, int column) override {
    GiveCell(to, list_.Cell(row(), column));
    return SQLITE_OK;
  }

 private:
  size_t row() const { return by_index_ ? found_[at_].second : at_; }

  SqlSource* source_;
  const SqlList& list_;
  std::span<const std::pair<int64_t, uint32_t>> found_;
  bool by_index_ = false;
  size_t at_ = 0;
};

class ListTable : public SqlTable {
 public:
  ListTable(SqlSession* session, SqlSource* source, std::vector<SqlType> types)
      : session_(session), source_(source), types_(std::move(types)) {}

  int Plan(sqlite3_index_info* info) override {
    constexpr double kRows = 1000;  // a list need not be made to plan a query
    info->estimatedCost = kRows;
    info->estimatedRows = static_cast<sqlite3_int64>(kRows);
    for (int i = 0; i < info->nConstraint && session_->push_down; ++i) {
      const auto& constraint = info->aConstraint[i];
      const bool integer = constraint.iColumn >= 0 &&
                           types_[static_cast<size_t>(constraint.iColumn)] == SqlType::kInteger;
      if (!constraint.usable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || !integer) continue;
      info->aConstraintUsage[i].argvIndex = 1;
      info->estimatedCost = 20;
      info->estimatedRows = 4;
      info->idxStr = sqlite3_mprintf("%d", constraint.iColumn);
      info->needToFreeIdxStr = 1;
      return info->idxStr != nullptr ? SQLITE_OK : SQLITE_NOMEM;
    }
    return SQLITE_OK;
  }
  std::unique_ptr<SqlCursor> Open() override {
    return std::make_unique<ListCursor>(source_, List());
  }

 protected:
  virtual const SqlList& List() = 0;
  SqlSession* session_;
  SqlSource* source_;

 private:
  std::vector<SqlType> types_;  // of the columns
};

class BuiltInTable final : public ListTable {
 public:
  BuiltInTable(SqlSession* session, size_t profile, const SqlTableDesc& desc)
      : ListTable(session, session->schemas[profile].source.get(), TypesOf(desc)),
        profile_(profile),
        desc_(desc) {}
  std::string Declaration() const override { return DeclarationOf(desc_, profile_); }

 private:
  static std::vector<SqlType> TypesOf(const SqlTableDesc& desc) {
    std::vector<SqlType> types;
    for (const SqlColumn& column : desc.columns) types.push_back(column.type);
    return types;
  }
  const SqlList& List() override { return source_->List(desc_.id); }
  size_t profile_;
  const SqlTableDesc& desc_;
};

class ReportTable final : public ListTable {
 public:
  // The source keeps the table.
  ReportTable(SqlSession* session, SqlSource* source, std::string analysis,
              const ResultTable& table)
      : ListTable(session, source, TypesOf(table)), analysis_(std::move(analysis)), table_(table) {}
  std::string Declaration() const override { return DeclarationOf(analysis_, table_); }

 private:
  static std::vector<SqlType> TypesOf(const ResultTable& table) {
    std::vector<SqlType> types;
    for (const ColumnDesc& column : table.columns) types.push_back(SqlTypeOf(column.type));
    return types;
  }
  const SqlList& List() override { return source_->ReportTable(table_); }
  std::string analysis_;
  const ResultTable& table_;
};

}  // namespace

std::unique_ptr<SqlTable> MakeListTable(SqlSession* session, size_t profile, SqlTableId table) {
  return std::make_unique<BuiltInTable>(session, profile, SqlTables()[static_cast<size_t>(table)]);
}

std::unique_ptr<SqlTable> MakeReportTable(SqlSession* session, size_t profile,
                                          const std::string& analysis, const std::string& table) {
  SqlSource* source = session->schemas[profile].source.get();
  const AnalysisResult* result = source->Report(analysis);
  const ResultTable* found = result != nullptr ? result->Table(table) : nullptr;
  if (found == nullptr) return nullptr;
  return std::make_unique<ReportTable>(session, source, analysis, *found);
}

}  // namespace stepscope
