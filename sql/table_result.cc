#include <algorithm>
#include <utility>

#include "sql/database.h"

namespace stepscope {
namespace {

class TableSink final : public SqlSink {
 public:
  void Begin(std::vector<SqlResultColumn> columns) override {
    columns_ = std::move(columns);
    table_.rows.clear();
  }
  void Row(std::vector<Value> cells) override { table_.rows.push_back(std::move(cells)); }
  bool keeps() const override { return true; }

  ResultTable Take() {
    table_.id = "result";
    table_.title = "Result";
    for (size_t c = 0; c < columns_.size(); ++c) {
      ColumnDesc& desc = columns_[c].desc;
      desc.type = TypeOf(c, desc.type);
      table_.columns.push_back(desc);
    }
    Link();
    return std::move(table_);
  }

 private:
  ValueType TypeOf(size_t column, ValueType declared) const {
    bool any = false, text = false, real = false;
    for (const std::vector<Value>& row : table_.rows) {
      const Value& cell = row[column];
      any |= !std::holds_alternative<std::monostate>(cell);
      text |= std::holds_alternative<SharedText>(cell);
      real |= std::holds_alternative<double>(cell);
    }
    if (!any) return declared;
    return text ? ValueType::kString : real ? ValueType::kReal : ValueType::kInt;
  }
  int Find(std::string_view id) const {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].desc.id == id) return static_cast<int>(c);
    }
    return -1;
  }
  // The column with the events that rows are about: the first with ids of events of the first
  // profile. Ids that were computed are known by the column's name.
  int EventColumn() const {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].event && columns_[c].profile == 0) return static_cast<int>(c);
    }
    return Find("event_id");
  }
  const int64_t* IntAt(const std::vector<Value>& row, int column) const {
    return column < 0 ? nullptr : std::get_if<int64_t>(&row[static_cast<size_t>(column)]);
  }
  void Link() {
    const int event = EventColumn(), begin = Find("begin_ps"), dur = Find("dur_ps");
    if (event < 0 && (begin < 0 || dur < 0)) return;
    for (const std::vector<Value>& row : table_.rows) {
      RowLink link;
      const int64_t* id = IntAt(row, event);
      const int64_t* from = IntAt(row, begin);
      const int64_t* length = IntAt(row, dur);
      if (id != nullptr && *id >= 0 && *id < int64_t{EventRow::kInvalid})
        link = LinkTo(EventRows({EventRow(static_cast<uint32_t>(*id))}));
      else if (from != nullptr && length != nullptr && *length >= 0)
        link.range = {*from, SaturatingAdd(*from, *length)};
      table_.links.push_back(std::move(link));
    }
  }

  std::vector<SqlResultColumn> columns_;
  ResultTable table_;
};

}  // namespace

Result<SqlTableResult> RunForTable(SqlDatabase& database, const SqlQuestion& question,
                                   std::stop_token stop) {
  TableSink sink;
  const Result<SqlDone> done = database.Run(question, sink, std::move(stop));
  if (!done.ok()) return done.status();
  return SqlTableResult{sink.Take(), done->rows};
}

}  // namespace stepscope
