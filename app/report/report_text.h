// Aligned columns and other text for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

class TextRows {
 public:
  // Cells are escaped for the terminal (model/base/terminal_text.h).
  void Add(std::vector<std::string> cells);
  void RightAlign(size_t column) { right_.push_back(column); }
  // Returns a line for each row, with columns padded to their widest cell and two spaces apart.
  std::string Render(std::string_view indent = {}) const;

 private:
  bool IsRight(size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> right_;
};

// The first so many terminal columns of a text.
std::string_view FirstCells(std::string_view text, size_t cells);

// A property's value with its unit. FormatValue() leaves out units that a column has in its
// header.
std::string PropertyText(const Value& value, Unit unit);
// The same, in words where the value is a word for scripts: "strong" is "significant".
std::string PropertyText(const Property& property);

}  // namespace stepscope
