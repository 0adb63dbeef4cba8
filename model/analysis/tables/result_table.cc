#include "model/analysis/tables/result_table.h"

#include <algorithm>
#include <utility>

namespace stepscope {

RowLink LinkTo(EventRows rows) {
  RowLink link;
  link.total = rows.size();
  link.rows = std::move(rows);
  return link;
}

int ResultTable::Column(std::string_view column_id) const {
  const auto it = std::find_if(columns.begin(), columns.end(),
                               [&](const ColumnDesc& c) { return c.id == column_id; });
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

const Value& ResultTable::Shown(size_t row, size_t column) const {
  const bool named = readable_column >= 0 && column == static_cast<size_t>(readable_column);
  if (named && row < readable.size() && readable[row].index() != 0) return readable[row];
  return rows[row][column];
}

std::string_view ResultTable::ShownText(size_t row, int column) const {
  if (column < 0 || row >= rows.size()) return {};
  const auto c = static_cast<size_t>(column);
  const auto* text = c < rows[row].size() ? std::get_if<SharedText>(&Shown(row, c)) : nullptr;
  return text != nullptr ? text->view() : std::string_view();
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
