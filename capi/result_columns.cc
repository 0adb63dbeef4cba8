#include "capi/result_columns.h"

#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capi/arrow_table.h"
#include "model/analysis/pages/row_events.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/key_table.h"

namespace stepscope {
namespace {

// The cells of a column whose type is T. Absent ones, and reals that are not finite, are null.
template <typename T, typename Column>
ArrowColumn ValuesOf(const ColumnValues& values, Column out) {
  for (size_t row = 0; row < values.size(); ++row) {
    const Cell cell = values[row];
    const T* value = std::get_if<T>(&cell);
    bool known = value != nullptr;
    if constexpr (std::is_same_v<T, double>) known = known && std::isfinite(*value);
    known ? out.Add(*value) : out.AddNull();
  }
  return out.Take();
}

ArrowColumn EventListsOf(const ResultTable& table, const Trace& trace) {
  std::vector<int64_t> offsets{0};
  NumberColumn<int64_t> begins, ends;
  TextColumn tracks;
  for (size_t row = 0; row < table.size(); ++row) {
    const std::vector<RowEvent> events = EventsOfRow(trace, table, row);
    for (const RowEvent& event : events) {
      begins.Add(event.time.begin);
      ends.Add(event.time.end);
      tracks.Add(event.track);
    }
    offsets.push_back(offsets.back() + static_cast<int64_t>(events.size()));
  }
  const int64_t listed = offsets.back();
  ArrowColumn item{listed, 0, {nullptr}, {begins.Take(), ends.Take(), tracks.Take()}};
  return {static_cast<int64_t>(table.size()),
          0,
          {nullptr, BufferOf(std::move(offsets))},
          {std::move(item)}};
}

ArrowField EventListField() {
  ArrowField item{"item", "+s"};
  item.children = {{"begin_ps", "l"}, {"end_ps", "l"}, {"track", "U"}};
  ArrowField list{{}, "+L"};
  list.children.push_back(std::move(item));
  return list;
}

ArrowField FieldOf(const ColumnDesc& column, ArrowField field) {
  field.name = column.id;
  const auto say = [&field](const char* key, std::string_view text) {
    if (!text.empty()) field.metadata.emplace_back(key, text);
  };
  say("label", column.label);
  say("unit", UnitName(column.unit));
  say("how", column.how);
  return field;
}

const char* FormatOf(ValueType kind) {
  constexpr std::pair<ValueType, const char*> kFormats[] = {
      {ValueType::kInt, "l"}, {ValueType::kReal, "g"}, {ValueType::kBool, "b"}};
  return FindValue(kFormats, kind, "U");
}

ArrowColumn CellsOf(const ColumnValues& values) {
  switch (values.type()) {
    case ValueType::kInt:
      return ValuesOf<int64_t>(values, NumberColumn<int64_t>());
    case ValueType::kReal:
      return ValuesOf<double>(values, NumberColumn<double>());
    case ValueType::kBool:
      return ValuesOf<bool>(values, FlagColumn());
    case ValueType::kString:
      break;
  }
  return ValuesOf<std::string_view>(values, TextColumn());
}

}  // namespace

std::shared_ptr<const ArrowTable> ToArrow(const ResultTable& table, int events,
                                          const Trace* trace) {
  auto out = std::make_shared<ArrowTable>();
  ArrowBatch& batch = out->batches.emplace_back();
  batch.rows = static_cast<int64_t>(table.size());
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (events >= 0 && c == static_cast<size_t>(events) && trace != nullptr) {
      ColumnDesc desc = table.columns[c];
      desc.unit = Unit::kNone;  // a list, no count
      out->fields.push_back(FieldOf(desc, EventListField()));
      batch.columns.push_back(EventListsOf(table, *trace));
      continue;
    }
    const TableColumn& column = table.columns[c];
    out->fields.push_back(FieldOf(column, {{}, FormatOf(column.type), true}));
    batch.columns.push_back(CellsOf(column.values));
  }
  return out;
}

namespace {

ValueType TypeOf(const Value& value) {
  if (std::holds_alternative<double>(value)) return ValueType::kReal;
  if (std::holds_alternative<int64_t>(value)) return ValueType::kInt;
  return std::holds_alternative<bool>(value) ? ValueType::kBool : ValueType::kString;
}

}  // namespace

ResultTable PropertyTable(const AnalysisResult& result) {
  ResultTable table;
  table.id = "properties";
  std::vector<Value> row;
  for (const Property& p : result.properties) {
    table.AddColumn({p.id, p.label, p.unit, TypeOf(p.value), p.how});
    row.push_back(p.value);
  }
  table.AddRow(std::move(row));
  return table;
}

ResultTable VerdictTable(const AnalysisResult& result) {
  ResultTable table;
  table.id = "verdicts";
  const auto text = [](const char* id, const char* label) {
    return ColumnDesc{id, label, Unit::kNone, ValueType::kString, {}};
  };
  table.SetColumns({text("grade", "Grade"), text("text", "Verdict"), text("next_step", "Next step"),
                    text("panel", "Panel")});
  for (const Finding& f : result.findings)
    table.AddRow({SharedText(GradeName(f.grade)), f.text, f.next_step, f.panel});
  return table;
}

}  // namespace stepscope
