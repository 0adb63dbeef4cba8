// Forms in which JSON is written beside the usual one: UTF-16, and one object a line. Their text is
// rewritten in memory as UTF-8 and as one list, so that the loader of Chrome traces reads it.
// Stateless; any thread. O(bytes).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "loaders/files/byte_source.h"

namespace stepscope {

enum class JsonForm : uint8_t {
  kUsual,  // or no JSON
  kUtf16Le,
  kUtf16Be,
  kLines,  // {"ph": …} after {"ph": …}, without a list around them
};

// The form of a text that begins like this.
JsonForm JsonFormOf(std::string_view prefix);

// The bytes of `source` in the usual form. kLimit where they are more than the limit, kIo.
Result<std::shared_ptr<const ByteSource>> InUsualForm(const ByteSource& source, JsonForm form,
                                                      uint64_t max_inflated_bytes);

}  // namespace stepscope
