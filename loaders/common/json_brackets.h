// Finds the brackets of JSON text that stand outside of strings, 64 bytes a step: only quotes,
// escapes and brackets are looked at. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::json {

inline constexpr size_t kBracketBlock = 64;  // bytes

// The state of the text at the end of a block.
struct BracketState {
  bool in_string = false, escaped = false;
  bool stray_escape = false;  // there was a backslash outside of strings
};
// The brackets of a block: a bit for each, the lowest for the first byte, and their numbers.
struct BracketMasks {
  uint64_t open = 0, close = 0;
  int opens = 0, closes = 0;
};

// Fills a mask for each of the next `blocks` blocks of text.
void FindBrackets(const char* text, size_t blocks, BracketState* state, BracketMasks* out);
// Returns the masks of the last bytes of a text, which are fewer than a block.
BracketMasks FindLastBrackets(const char* text, size_t bytes, BracketState* state);

// Returns the position after the closing bracket of the object or array that begins at `at`. Null
// if it is not closed before `end`. `stray_escape`: see BracketState. O(bytes passed).
const char* EndOfContainer(const char* at, const char* end, bool* stray_escape);

}  // namespace stepscope::json
