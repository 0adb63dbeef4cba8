// Aligned columns for terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/result_table.h"

namespace stepscope {

class TextRows {
 public:
  // Cells are escaped for the terminal (model/base/terminal_text.h).
  void Add(std::vector<std::string> cells);
  void RightAlign(size_t column) { right_.push_back(column); }
  // One line a row, columns padded to the widest cell and two spaces apart.
  std::string Render(std::string_view indent = {}) const;

 private:
  bool IsRight(size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> right_;
};

// A property's value with its unit, which FormatValue leaves to the header of a column.
std::string PropertyText(const Property& property);

}  // namespace stepscope
