// Escapes text for HTML and SVG, as content or as the value of an attribute. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// & < > and both quotes become entities. Control bytes, which neither format allows,
// become spaces. Invisible characters that change how the rest is shown (as in
// TerminalText) become \u{202e}. O(length).
std::string EscapeMarkup(std::string_view text);

}  // namespace stepscope
