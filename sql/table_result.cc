#include <algorithm>
#include <optional>
#include <utility>

#include "sql/database.h"

namespace stepscope {
namespace {

class TableSink final : public SqlSink {
 public:
  void Begin(std::vector<SqlResultColumn> columns) override {
    columns_ = std::move(columns);
    rows_.clear();
  }
  void Row(std::vector<Value> cells) override { rows_.push_back(std::move(cells)); }
  bool keeps() const override { return true; }

  SqlTableResult Take(uint64_t total_rows) {
    table_.id = "result";
    table_.title = "Result";
    for (size_t c = 0; c < columns_.size(); ++c) {
      ColumnDesc& desc = columns_[c].desc;
      desc.type = TypeOf(c, desc.type);
      table_.AddColumn(desc);
    }
    for (const std::vector<Value>& row : rows_) AddRow(row);
    Link();
    return {std::move(table_), total_rows, std::move(profiles_)};
  }

 private:
  ValueType TypeOf(size_t column, ValueType declared) const {
    bool any = false, text = false, real = false;
    for (const std::vector<Value>& row : rows_) {
      const Value& cell = row[column];
      any |= !std::holds_alternative<std::monostate>(cell);
      text |= std::holds_alternative<SharedText>(cell);
      real |= std::holds_alternative<double>(cell);
    }
    if (!any) return declared;
    return text ? ValueType::kString : real ? ValueType::kReal : ValueType::kInt;
  }
  // SQL may have numbers among texts; they become texts.
  void AddRow(std::vector<Value> row) {
    for (size_t c = 0; c < row.size(); ++c) {
      const bool text = std::holds_alternative<SharedText>(row[c]);
      const bool none = std::holds_alternative<std::monostate>(row[c]);
      if (table_.columns[c].type == ValueType::kString && !text && !none)
        row[c] = SharedText(RawValue(row[c]));
    }
    table_.AddRow(std::move(row));
  }
  int Find(std::string_view id) const {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].desc.id == id) return static_cast<int>(c);
    }
    return -1;
  }
  const int64_t* IntAt(const std::vector<Value>& row, int column) const {
    return column < 0 ? nullptr : std::get_if<int64_t>(&row[static_cast<size_t>(column)]);
  }
  // The columns with ids of events. Ids that were computed are known by the column's name.
  std::vector<int> EventColumns() const {
    std::vector<int> found;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].event) found.push_back(static_cast<int>(c));
    }
    if (const int computed = Find("event_id"); found.empty() && computed >= 0)
      found.push_back(computed);
    return found;
  }
  // The profile that a row is about: as the column `profile` names its schema, else that of the
  // column with the event or the time.
  std::optional<size_t> ProfileOf(const std::vector<Value>& row, int named, int column) const {
    const auto* text =
        named < 0 ? nullptr : std::get_if<SharedText>(&row[static_cast<size_t>(named)]);
    if (text != nullptr && text->size() == 1 && text->view()[0] >= 'a' &&
        text->view()[0] < static_cast<char>('a' + kMostSqlProfiles))
      return static_cast<size_t>(text->view()[0] - 'a');
    return columns_[static_cast<size_t>(column)].profile;
  }
  // Links each row to its first event, else to its time. A row that may be of one profile or
  // another has no link.
  void Link() {
    const std::vector<int> events = EventColumns();
    const int named = Find("profile"), begin = Find("begin_ps"), dur = Find("dur_ps");
    if (events.empty() && (begin < 0 || dur < 0)) return;
    for (const std::vector<Value>& row : rows_) {
      RowLink link;
      std::optional<size_t> profile;
      for (const int c : events) {
        const int64_t* id = IntAt(row, c);
        if (id == nullptr || *id < 0 || *id >= int64_t{EventRow::kInvalid}) continue;
        profile = ProfileOf(row, named, c);
        if (profile) link = LinkTo(EventRows({EventRow(static_cast<uint32_t>(*id))}));
        break;
      }
      const int64_t* from = IntAt(row, begin);
      const int64_t* length = IntAt(row, dur);
      if (link.rows.empty() && from != nullptr && length != nullptr && *length >= 0) {
        profile = ProfileOf(row, named, begin);
        if (profile) link.range = {*from, SaturatingAdd(*from, *length)};
      }
      table_.links.push_back(std::move(link));
      profiles_.push_back(static_cast<uint8_t>(profile.value_or(0)));
    }
  }

  std::vector<SqlResultColumn> columns_;
  std::vector<std::vector<Value>> rows_;
  std::vector<uint8_t> profiles_;
  ResultTable table_;
};

}  // namespace

Result<SqlTableResult> RunForTable(SqlDatabase& database, const SqlQuestion& question) {
  TableSink sink;
  const Result<SqlDone> done = database.Run(question, sink);
  if (!done.ok()) return done.status();
  return sink.Take(done->rows);
}

}  // namespace stepscope
