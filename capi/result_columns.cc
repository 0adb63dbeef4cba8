#include "capi/result_columns.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "capi/arrow_table.h"
#include "model/analysis/pages/row_events.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/key_table.h"

namespace stepscope {
namespace {

const Value& CellOf(const ResultTable& table, size_t row, size_t column) {
  static const Value kNone;
  return column < table.rows[row].size() ? table.rows[row][column] : kNone;
}

ValueType KindOf(const ResultTable& table, size_t column) {
  bool any = false, ints = false, reals = false, flags = false, texts = false;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const Value& cell = CellOf(table, row, column);
    any = any || !std::holds_alternative<std::monostate>(cell);
    ints = ints || std::holds_alternative<int64_t>(cell);
    reals = reals || std::holds_alternative<double>(cell);
    flags = flags || std::holds_alternative<bool>(cell);
    texts = texts || std::holds_alternative<SharedText>(cell);
  }
  if (!any) return table.columns[column].type;
  if (texts || (flags && (ints || reals))) return ValueType::kString;
  if (flags) return ValueType::kBool;
  return reals || table.columns[column].type == ValueType::kReal ? ValueType::kReal
                                                                 : ValueType::kInt;
}

ArrowColumn TextsOf(const ResultTable& table, size_t column) {
  TextColumn out;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const Value& cell = CellOf(table, row, column);
    if (const auto* text = std::get_if<SharedText>(&cell)) {
      out.Add(*text);
    } else if (std::holds_alternative<std::monostate>(cell)) {
      out.AddNull();
    } else {
      out.Add(RawValue(cell));
    }
  }
  return out.Take();
}

// The cells that are a T, in a column of this kind.
template <typename T, typename Column>
ArrowColumn ValuesOf(const ResultTable& table, size_t column, Column out) {
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto* value = std::get_if<T>(&CellOf(table, row, column));
    value != nullptr ? out.Add(*value) : out.AddNull();
  }
  return out.Take();
}

ArrowColumn RealsOf(const ResultTable& table, size_t column) {
  NumberColumn<double> out;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const Value& cell = CellOf(table, row, column);
    const auto* real = std::get_if<double>(&cell);
    const auto* whole = std::get_if<int64_t>(&cell);
    if (real != nullptr && std::isfinite(*real)) {
      out.Add(*real);
    } else if (whole != nullptr) {
      out.Add(static_cast<double>(*whole));
    } else {
      out.AddNull();
    }
  }
  return out.Take();
}

ArrowColumn EventListsOf(const ResultTable& table, const Trace& trace) {
  std::vector<int64_t> offsets{0};
  NumberColumn<int64_t> begins, ends;
  TextColumn tracks;
  for (size_t row = 0; row < table.rows.size(); ++row) {
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
  return {static_cast<int64_t>(table.rows.size()),
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

ArrowColumn CellsOf(const ResultTable& table, size_t column, ValueType kind) {
  if (kind == ValueType::kInt) return ValuesOf<int64_t>(table, column, NumberColumn<int64_t>());
  if (kind == ValueType::kReal) return RealsOf(table, column);
  if (kind == ValueType::kBool) return ValuesOf<bool>(table, column, FlagColumn());
  return TextsOf(table, column);
}

}  // namespace

std::shared_ptr<const ArrowTable> ToArrow(const ResultTable& table, int events,
                                          const Trace* trace) {
  auto out = std::make_shared<ArrowTable>();
  ArrowBatch& batch = out->batches.emplace_back();
  batch.rows = static_cast<int64_t>(table.rows.size());
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (events >= 0 && c == static_cast<size_t>(events) && trace != nullptr) {
      ColumnDesc desc = table.columns[c];
      desc.unit = Unit::kNone;  // a list, no count
      out->fields.push_back(FieldOf(desc, EventListField()));
      batch.columns.push_back(EventListsOf(table, *trace));
      continue;
    }
    const ValueType kind = KindOf(table, c);
    out->fields.push_back(FieldOf(table.columns[c], {{}, FormatOf(kind), true}));
    batch.columns.push_back(CellsOf(table, c, kind));
  }
  return out;
}

ResultTable PropertyTable(const AnalysisResult& result) {
  ResultTable table;
  table.id = "properties";
  std::vector<Value>& row = table.rows.emplace_back();
  for (const Property& p : result.properties) {
    const bool real = std::holds_alternative<double>(p.value);
    const bool whole = std::holds_alternative<int64_t>(p.value);
    const ValueType type = real ? ValueType::kReal : whole ? ValueType::kInt : ValueType::kString;
    table.columns.push_back({p.id, p.label, p.unit, type, p.how});
    row.push_back(p.value);
  }
  return table;
}

ResultTable VerdictTable(const AnalysisResult& result) {
  ResultTable table;
  table.id = "verdicts";
  const auto text = [](const char* id, const char* label) {
    return ColumnDesc{id, label, Unit::kNone, ValueType::kString, {}};
  };
  table.columns = {text("grade", "Grade"), text("text", "Verdict"), text("next_step", "Next step"),
                   text("panel", "Panel")};
  for (const Finding& f : result.findings)
    table.rows.push_back({SharedText(GradeName(f.grade)), f.text, f.next_step, f.panel});
  return table;
}

}  // namespace stepscope
