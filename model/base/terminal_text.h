// Makes text from a profile safe to print on a terminal. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Decodes UTF-8 strictly: overlong forms, surrogates and code points
// above U+10FFFF are errors. Pure.
struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

// The first code point of a text, which must not be empty.
CodePoint DecodeUtf8(std::string_view text);

// Names come from files, and a terminal obeys the controls in them. This makes controls visible.
// Control bytes, line ends and tabs included, and bytes that are not UTF-8 become \x1b and the
// like. Control characters of U+0080 to U+009F, marks that change the direction of writing, line
// separators and invisible spaces become \u{202e} and the like. Backslashes stay, so the result is
// for eyes and cannot be turned back. O(length).
std::string TerminalText(std::string_view text);

// The same for a text of several lines, as a stack is, in a cell: "; " between two lines.
std::string TerminalCell(std::string_view text);

// The columns that a text takes in a terminal: its code points, which is wrong for CJK names only.
size_t CellsOf(std::string_view text);

}  // namespace stepscope
