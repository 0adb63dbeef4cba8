// Text from a profile on its way to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// Names come from files, and a terminal obeys what is in them. What it would obey becomes visible
// instead: control bytes (line ends and tabs too: a name is one line) and bytes that are not UTF-8
// as \x1b; control characters of U+0080 to U+009F, marks that change the direction of writing,
// line separators and invisible spaces as \u{202e}. All else stays as it is, so the result is for
// eyes and cannot be turned back. O(length).
std::string TerminalText(std::string_view text);

// Columns a text takes in a terminal: its code points, which is right for all but CJK names.
size_t CellsOf(std::string_view text);

}  // namespace stepscope
