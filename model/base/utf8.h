// UTF-8 as it must be: no longer forms, surrogates or code points beyond the last. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

// The code point at the begin of a text that is not empty.
CodePoint DecodeUtf8(std::string_view text);

}  // namespace stepscope
