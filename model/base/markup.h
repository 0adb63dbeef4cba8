// Text inside HTML and SVG, as content or as the value of an attribute.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// & < > and both quotes become entities; control bytes, which neither allows, spaces. What would
// change how the rest is shown without being seen (as in TerminalText) becomes \u{202e}. O(length).
std::string EscapeMarkup(std::string_view text);

}  // namespace stepscope
