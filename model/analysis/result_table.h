// ResultTable: what every analysis returns and the one table widget, the reports and the diff
// consume. Columns are typed and looked up by id; each row may link to the events behind it.
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
  kGflops
};

struct ColumnDesc {
  std::string id;     // XProf's where XProf has the table
  std::string label;  // "Total time"
  Unit unit = Unit::kNone;
  ValueType type = ValueType::kString;
  std::string how;   // how it is computed, for the tooltip; may be empty
  bool key = false;  // what the table is about: shown however narrow it is, as the first column is
};

using Value = std::variant<std::monostate, SharedText, int64_t, double, bool>;

// The events behind a row.
struct RowLink {
  EventRows rows;      // of set `set`
  uint32_t set = 0;    // 0: the trace's own events
  uint64_t total = 0;  // how many there are in all; `rows` may have fewer
  TimeRange range;     // where to look; empty: whole trace
};
RowLink LinkTo(EventRows rows);  // to all there are

struct ResultTable {
  std::string id, title;
  std::vector<ColumnDesc> columns;
  std::vector<std::vector<Value>> rows;
  std::vector<RowLink> links;  // empty, or one per row
  // For people, in place of the cells of one column: mangled names as they are written in C++.
  // Empty, or one per row, nothing where the cell is readable as it is. Data has the cells.
  std::vector<Value> readable = {};
  int readable_column = -1;

  int Column(std::string_view id) const;  // -1 if absent
  // What people see in a cell that there is.
  const Value& Shown(size_t row, size_t column) const;
  // The same as a name, or nothing where the cell holds none. -1 is no column.
  std::string_view ShownText(size_t row, int column) const;
};

struct Property {
  std::string id, label;
  Value value;
  Unit unit = Unit::kNone;
  std::string how;  // formula, exclusions
};

struct Finding {  // a verdict in one sentence, with its evidence
  enum class Grade { kGood, kInfo, kWarning, kBad } grade = Grade::kInfo;
  std::string text;
  std::string next_step;  // what to try
  std::string panel;      // which panel shows the evidence
};

struct AnalysisResult {
  // Given by who keeps results (AnalysisCache): each has its own, later ones larger. 0: not kept.
  uint64_t serial = 0;
  std::string panel;  // "overview", "kernel_stats", ...
  std::vector<Property> properties;
  std::vector<ResultTable> tables;
  std::vector<Finding> findings;
  std::string empty_reason;  // why there is nothing, and what to record; else empty
  const ResultTable* Table(std::string_view id) const;
  const Property* Find(std::string_view id) const;
};

// Text forms of a table, written row by row. CSV: RFC 4180, unrounded numbers; a cell that begins
// with = + - or @ stays as it is: it is data, and a spreadsheet has to be told to read it as text.
// Text: aligned columns for people and terminals (model/base/terminal_text.h), names readable; 0:
// all rows.
void WriteCsv(const ResultTable& table, const TextSink& sink);
std::string ToCsv(const ResultTable& table);
std::string CsvField(const std::string& text);  // quoted where it must be
// Where lines would be longer than `width`, columns without content go first, then those that are
// constant; then text is shortened, then columns go from the right. What is left out is said below.
struct TextLayout {
  size_t max_rows = 0;  // 0: all
  size_t width = 0;     // terminal columns; 0: no limit
};
void WriteText(const ResultTable& table, const TextLayout& layout, const TextSink& sink);
std::string ToText(const ResultTable& table, const TextLayout& layout = {});
std::string FormatValue(const Value& value,
                        Unit unit);  // for people, unit included where the column does not say it
std::string RawValue(const Value& value);  // unrounded, for data

}  // namespace stepscope
