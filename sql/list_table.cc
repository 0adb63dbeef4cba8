#include <charconv>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sql/event_plan.h"
#include "sql/schema.h"
#include "sql/table.h"

namespace stepscope {
namespace {

class ListCursor final : public SqlCursor {
 public:
  ListCursor(SqlSource* source, const SqlList& list) : source_(source), list_(list) {}

  // The plan is empty, or the number of the column that must be equal to the value.
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

class ListTable final : public SqlTable {
 public:
  // Returns the list, which the source makes on first use.
  using FindList = std::function<const SqlList&()>;
  ListTable(SqlSource* source, std::string declaration, std::vector<SqlType> types, FindList find)
      : source_(source),
        declaration_(std::move(declaration)),
        types_(std::move(types)),
        find_(std::move(find)) {}
  std::string Declaration() const override { return declaration_; }

  int Plan(sqlite3_index_info* info) override {
    constexpr double kRows = 1000;  // a list need not be made to plan a query
    info->estimatedCost = kRows;
    info->estimatedRows = static_cast<sqlite3_int64>(kRows);
    for (int i = 0; i < info->nConstraint; ++i) {
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
    return std::make_unique<ListCursor>(source_, find_());
  }

 private:
  SqlSource* source_;
  std::string declaration_;
  std::vector<SqlType> types_;  // of the columns
  FindList find_;
};

}  // namespace

std::unique_ptr<SqlTable> MakeListTable(SqlSession* session, size_t profile, SqlTableId table) {
  SqlSource* source = session->schemas[profile].source.get();
  const SqlTableDesc& desc = SqlTables()[static_cast<size_t>(table)];
  std::vector<SqlType> types;
  for (const SqlColumn& column : desc.columns) types.push_back(column.type);
  return std::make_unique<ListTable>(
      source, DeclarationOf(desc, profile), std::move(types),
      [source, table]() -> const SqlList& { return source->List(table); });
}

std::unique_ptr<SqlTable> MakeReportTable(SqlSession* session, size_t profile,
                                          const std::string& analysis, const std::string& table) {
  SqlSource* source = session->schemas[profile].source.get();
  const AnalysisResult* result = source->Report(analysis);
  const ResultTable* found = result != nullptr ? result->Table(table) : nullptr;
  if (found == nullptr) return nullptr;
  std::vector<SqlType> types;
  for (const ColumnDesc& column : found->columns) types.push_back(SqlTypeOf(column.type));
  return std::make_unique<ListTable>(
      source, DeclarationOf(analysis, *found), std::move(types),
      [source, found]() -> const SqlList& { return source->ReportTable(*found); });
}

}  // namespace stepscope
