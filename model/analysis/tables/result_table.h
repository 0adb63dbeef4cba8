// Results: what every analysis returns, and what the table widget, the reports and
// comparisons read. Columns are typed and looked up by id; each row may link to the events
// behind it. Text forms of a table are below; JSON is in json_stream.h, names of units in
// unit_names.h. All types are values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/shared_text.h"
#include "model/base/text_sink.h"
#include "model/event_rows.h"
#include "model/time.h"

namespace stepscope {

enum class ValueType : uint8_t { kString, kInt, kReal, kBool };
enum class Unit : uint8_t {
  kNone,
  kPs,
  kNs,
  kUs,
  kMs,
  kPercent,
  kFraction,
  kBytes,
  kGiB,
  kCount,
  kGflops,
  kUnixUs  // a moment: microseconds since 1970, UTC
};

struct ColumnDesc {
  std::string id;     // stable, for scripts; XProf's id where XProf has the table
  std::string label;  // for people: "Total time"
  Unit unit = Unit::kNone;
  ValueType type = ValueType::kString;
  // How it is computed, for the tooltip; may be empty.
  std::string how;
  // The column that the table is about: always shown, as the first column is, however narrow the
  // table.
  bool key = false;
};

// A value of its own: a property, or a cell that is written.
using Value = std::variant<std::monostate, SharedText, int64_t, double, bool>;
// A view of a value, as long as that lives; std::monostate: there is none.
using Cell = std::variant<std::monostate, std::string_view, int64_t, double, bool>;
Cell ViewOf(const Value& value);

// The values of one column, all of one type; each may be absent.
class ColumnValues {
 public:
  explicit ColumnValues(ValueType type = ValueType::kString);
  ValueType type() const { return static_cast<ValueType>(values_.index()); }
  size_t size() const;
  void Reserve(size_t rows);
  Cell operator[](size_t row) const;
  bool Has(size_t row) const { return row >= absent_.size() || !absent_[row]; }
  // The text of a cell; empty where it is absent. The column must have texts.
  const SharedText& Text(size_t row) const { return std::get<0>(values_)[row]; }
  Value Own(size_t row) const;

  // Appends a value. Whole numbers become real ones in a column of reals; otherwise the value must
  // have the column's type.
  void Add(SharedText text) { std::get<0>(values_).push_back(std::move(text)); }
  void Add(const char* text) = delete;  // it would become a bool
  void Add(int64_t value);
  void Add(double value) { std::get<2>(values_).push_back(value); }
  void Add(bool value) { std::get<3>(values_).push_back(value ? 1 : 0); }
  void Add(const Value& value);
  void AddAbsent();

 private:
  // In the order of ValueType.
  std::variant<std::vector<SharedText>, std::vector<int64_t>, std::vector<double>,
               std::vector<uint8_t>>
      values_;
  std::vector<bool> absent_;  // by row, up to the last value that is absent
};

struct TableColumn : ColumnDesc {
  TableColumn(ColumnDesc desc) : ColumnDesc(std::move(desc)), values(type) {}  // NOLINT: implicit
  ColumnValues values;
};

// The events behind a row, as many as a person can look through.
struct RowLink {
  EventRows rows;      // in the set number `set`
  uint32_t set = 0;    // 0: the trace's own events; else a set of derived tracks
  uint64_t total = 0;  // number of events in all; `rows` may have fewer
  TimeRange range;     // where to look; empty: the whole trace
};
// Links to all of `rows`.
RowLink LinkTo(EventRows rows);

struct ResultTable {
  ResultTable() = default;
  ResultTable(std::string table_id, std::string table_title, std::vector<ColumnDesc> descs = {});

  std::string id, title;
  std::vector<TableColumn> columns;
  std::vector<RowLink> links;  // empty, or one per row; of a comparison: to events of profile A
  std::vector<RowLink> links_b = {};  // of a comparison: to events of profile B; else empty
  // For people, in place of the cells of one column: mangled names as they are written in C++.
  // Empty, or one per row, empty where the cell is readable as it is. Data has the cells.
  std::vector<SharedText> readable = {};
  int readable_column = -1;

  size_t size() const { return columns.empty() ? 0 : columns.front().values.size(); }  // rows
  bool empty() const { return size() == 0; }
  void AddColumn(ColumnDesc desc) { columns.emplace_back(std::move(desc)); }
  void SetColumns(std::vector<ColumnDesc> descs);
  // A table of some rows, in this order, with their links and readable names.
  ResultTable WithRows(std::span<const uint32_t> rows) const;
  // Appends a row; columns without a value of their own have none there.
  void AddRow(std::vector<Value> cells);
  Cell At(size_t row, size_t column) const { return columns[column].values[row]; }
  // Index of the column; -1 if there is none. O(columns).
  int Column(std::string_view id) const;
  // The value that people see in an existing cell.
  Cell Shown(size_t row, size_t column) const;
  // The text that people see in a cell. Empty where the cell is no text, or column is -1.
  std::string_view ShownText(size_t row, int column) const;
};

struct Property {
  std::string id, label;
  Value value;
  Unit unit = Unit::kNone;
  std::string how;  // formula, and what is left out
};

struct Finding {  // a verdict in one sentence, with its evidence
  enum class Grade { kGood, kInfo, kWarning, kBad } grade = Grade::kInfo;
  std::string text;
  std::string next_step;  // what to try
  std::string panel;      // id of the page with the evidence
};

struct AnalysisResult {
  // A number that AnalysisCache gives each result it keeps; later ones are larger. 0: not kept.
  uint64_t serial = 0;
  std::string panel;  // id of the page: "overview", "kernel_stats", ...
  std::vector<Property> properties;
  std::vector<ResultTable> tables;
  std::vector<Finding> findings;
  // Why there is nothing to show, and what to record; empty if there is something.
  std::string empty_reason;
  const ResultTable* Table(std::string_view id) const;
  const Property* Find(std::string_view id) const;

  // The typed result that properties and tables are made from, e.g. KernelStats. Null if it is of
  // another type, or if there is none.
  template <typename T>
  const T* As() const {
    return source_type == typeid(T) ? static_cast<const T*>(source.get()) : nullptr;
  }
  template <typename T>
  void SetSource(std::shared_ptr<const T> typed) {
    source = std::move(typed), source_type = typeid(T);
  }
  std::shared_ptr<const void> source;
  std::type_index source_type = typeid(void);
};

// Text forms of a table, written row by row. O(cells).
// CSV: RFC 4180, numbers not rounded. A cell that begins with = + - or @ is written as it is: it is
// data, and a spreadsheet must be told to read it as text.
// Text: aligned columns for people and terminals (model/base/terminal_text.h), with readable names.
void WriteCsv(const ResultTable& table, const TextSink& sink);
std::string ToCsv(const ResultTable& table);
std::string CsvField(const std::string& text);  // quoted if RFC 4180 wants it
// How WriteText makes lines fit into `width`: it drops columns without content, then constant ones,
// then shortens texts, then drops the least useful columns; a last line names what it dropped.
struct TextLayout {
  size_t max_rows = 0;  // 0: all
  size_t width = 0;     // terminal columns; 0: no limit
};
void WriteText(const ResultTable& table, const TextLayout& layout, const TextSink& sink);
std::string ToText(const ResultTable& table, const TextLayout& layout = {});
// For people; with the unit, unless the column's label has it (UnitSuffix in unit_names.h).
std::string FormatValue(const Cell& value, Unit unit);
inline std::string FormatValue(const Value& value, Unit unit) {
  return FormatValue(ViewOf(value), unit);
}
std::string RawValue(const Cell& value);  // unrounded, for data
inline std::string RawValue(const Value& value) { return RawValue(ViewOf(value)); }

}  // namespace stepscope
