#include "model/analysis/tables/result_table.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "model/base/check.h"

namespace stepscope {

RowLink LinkTo(EventRows rows) {
  RowLink link;
  link.total = rows.size();
  link.rows = std::move(rows);
  return link;
}

Cell ViewOf(const Value& value) {
  return std::visit(
      [](const auto& v) -> Cell {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, SharedText>) {
          return v.view();
        } else {
          return v;
        }
      },
      value);
}

ColumnValues::ColumnValues(ValueType type) {
  if (type == ValueType::kInt) values_.emplace<1>();
  if (type == ValueType::kReal) values_.emplace<2>();
  if (type == ValueType::kBool) values_.emplace<3>();
}

size_t ColumnValues::size() const {
  return std::visit([](const auto& values) { return values.size(); }, values_);
}

void ColumnValues::Reserve(size_t rows) {
  std::visit([rows](auto& values) { values.reserve(rows); }, values_);
}

Cell ColumnValues::operator[](size_t row) const {
  if (!Has(row)) return {};
  switch (type()) {
    case ValueType::kString:
      return std::get<0>(values_)[row].view();
    case ValueType::kInt:
      return std::get<1>(values_)[row];
    case ValueType::kReal:
      return std::get<2>(values_)[row];
    case ValueType::kBool:
      return std::get<3>(values_)[row] != 0;
  }
  return {};
}

Value ColumnValues::Own(size_t row) const {
  if (type() == ValueType::kString && Has(row)) return Text(row);
  return std::visit(
      [](auto v) -> Value {
        if constexpr (std::is_same_v<decltype(v), std::string_view>) {
          return SharedText(v);
        } else {
          return v;
        }
      },
      (*this)[row]);
}

void ColumnValues::Add(int64_t value) {
  if (type() == ValueType::kReal) return Add(static_cast<double>(value));
  std::get<1>(values_).push_back(value);
}

void ColumnValues::Add(const Value& value) {
  std::visit(
      [this](const auto& v) {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) {
          AddAbsent();
        } else {
          Add(v);
        }
      },
      value);
}

void ColumnValues::AddAbsent() {
  std::visit([](auto& values) { values.emplace_back(); }, values_);
  absent_.resize(size(), false);
  absent_.back() = true;
}

ResultTable::ResultTable(std::string table_id, std::string table_title,
                         std::vector<ColumnDesc> descs)
    : id(std::move(table_id)), title(std::move(table_title)) {
  SetColumns(std::move(descs));
}

void ResultTable::SetColumns(std::vector<ColumnDesc> descs) {
  columns.clear();
  for (ColumnDesc& desc : descs) AddColumn(std::move(desc));
}

ResultTable ResultTable::WithRows(std::span<const uint32_t> rows) const {
  ResultTable out(id, title, {columns.begin(), columns.end()});
  out.readable_column = readable_column;
  for (size_t c = 0; c < columns.size(); ++c) {
    out.columns[c].values.Reserve(rows.size());
    for (const uint32_t row : rows) out.columns[c].values.Add(columns[c].values.Own(row));
  }
  for (const uint32_t row : rows) {
    if (!links.empty()) out.links.push_back(links[row]);
    if (!links_b.empty()) out.links_b.push_back(links_b[row]);
    if (!readable.empty()) out.readable.push_back(readable[row]);
  }
  return out;
}

void ResultTable::AddRow(std::vector<Value> cells) {
  STEPSCOPE_DCHECK(cells.size() <= columns.size());
  for (size_t c = 0; c < columns.size(); ++c)
    columns[c].values.Add(c < cells.size() ? cells[c] : Value());
}

int ResultTable::Column(std::string_view column_id) const {
  const auto it = std::find_if(columns.begin(), columns.end(),
                               [&](const ColumnDesc& c) { return c.id == column_id; });
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

Cell ResultTable::Shown(size_t row, size_t column) const {
  const bool named = readable_column >= 0 && column == static_cast<size_t>(readable_column);
  if (named && row < readable.size() && !readable[row].empty()) return readable[row].view();
  return At(row, column);
}

std::string_view ResultTable::ShownText(size_t row, int column) const {
  if (column < 0 || row >= size()) return {};
  const Cell cell = Shown(row, static_cast<size_t>(column));
  const auto* text = std::get_if<std::string_view>(&cell);
  return text != nullptr ? *text : std::string_view();
}

const ResultTable* AnalysisResult::Table(std::string_view table_id) const {
  const auto it = std::find_if(tables.begin(), tables.end(),
                               [&](const ResultTable& t) { return t.id == table_id; });
  return it == tables.end() ? nullptr : &*it;
}

const Property* AnalysisResult::Find(std::string_view property_id) const {
  const auto it = std::find_if(properties.begin(), properties.end(),
                               [&](const Property& p) { return p.id == property_id; });
  return it == properties.end() ? nullptr : &*it;
}

}  // namespace stepscope
