#include "app/report/text_layout.h"

#include <algorithm>
#include <utility>

#include "model/base/terminal_text.h"

namespace stepscope {

void TextRows::Add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = TerminalText(cell);
  rows_.push_back(std::move(cells));
}

bool TextRows::IsRight(size_t column) const {
  return std::find(right_.begin(), right_.end(), column) != right_.end();
}

std::string TextRows::Render(std::string_view indent) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size(), 0);
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], CellsOf(row[c]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - CellsOf(row[c]), ' ');
      if (c) line += "  ";
      line += IsRight(c) ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string_view FirstCells(std::string_view text, size_t cells) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && cells-- == 0) break;
  }
  return text.substr(0, end);
}

std::string PropertyText(const Value& value, Unit unit) {
  std::string text = FormatValue(value, unit);
  if (text.empty()) return text;  // not known
  if (unit == Unit::kMs) return text + " ms";
  if (unit == Unit::kUs) return text + " \u00b5s";
  if (unit == Unit::kNs) return text + " ns";
  return text;
}

std::string PropertyText(const Property& property) {
  struct Word {
    const char *property, *id, *text;
  };
  constexpr Word kWords[] = {{"significance", "none", "not significant"},
                             {"significance", "weak", "weakly significant"},
                             {"significance", "strong", "significant"}};
  std::string text = PropertyText(property.value, property.unit);
  for (const Word& word : kWords) {
    if (property.id == word.property && text == word.id) return word.text;
  }
  return text;
}

}  // namespace stepscope
