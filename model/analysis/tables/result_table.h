// Results: what every analysis returns, and what the table widget, the reports and
// comparisons read. Columns are typed and looked up by id; each row may link to the events
// behind it. Text forms of a table are below; JSON is in json_stream.h, names of units in
// unit_names.h. All types are values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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

using Value = std::variant<std::monostate, SharedText, int64_t, double, bool>;

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
  std::string id, title;
  std::vector<ColumnDesc> columns;
  std::vector<std::vector<Value>> rows;
  std::vector<RowLink> links;  // empty, or one per row; of a comparison: to events of profile A
  std::vector<RowLink> links_b = {};  // of a comparison: to events of profile B; else empty
  // For people, in place of the cells of one column: mangled names as they are written in C++.
  // Empty, or one per row, nothing where the cell is readable as it is. Data has the cells.
  std::vector<Value> readable = {};
  int readable_column = -1;

  // Index of the column; -1 if there is none. O(columns).
  int Column(std::string_view id) const;
  // The text that people see in an existing cell.
  const Value& Shown(size_t row, size_t column) const;
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
std::string FormatValue(const Value& value, Unit unit);
std::string RawValue(const Value& value);  // unrounded, for data

}  // namespace stepscope
