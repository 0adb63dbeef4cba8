#include "model/analysis/result_table.h"

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
