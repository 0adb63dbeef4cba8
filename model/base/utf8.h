// Decodes UTF-8 strictly: overlong forms, surrogates and code points
// above U+10FFFF are errors. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

// The first code point of a text, which must not be empty.
CodePoint DecodeUtf8(std::string_view text);

}  // namespace stepscope
