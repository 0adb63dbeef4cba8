// Kinds of bytes of ASCII, whatever the locale. Pure; any thread.
#pragma once

namespace stepscope {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace stepscope
