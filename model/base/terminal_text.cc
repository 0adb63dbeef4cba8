#include "model/base/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/base/utf8.h"

namespace stepscope {
namespace {

bool IsObeyed(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  constexpr Range kRanges[] = {
      {0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200b, 0x200b}, {0x200e, 0x200f},
      {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](Range r) { return c >= r.first && c <= r.last; });
}

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

std::string TerminalText(std::string_view text) {
  std::string out;
  if (IsPlain(text)) return out.append(text);
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    const size_t bytes = std::max<size_t>(c.bytes, 1);
    if (c.bytes == 0 || (IsObeyed(c.value) && c.value < 0x80)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (IsObeyed(c.value)) {
      out += fmt::format("\\u{{{:x}}}", c.value);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string TerminalCell(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    if (!out.empty()) out += "; ";
    out += TerminalText(line);
  }
  return out;
}

size_t CellsOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace stepscope
