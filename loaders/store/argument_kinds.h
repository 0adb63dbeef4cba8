// Kinds of values of arguments. Numbers of a store (docs/store.md#arguments).
#pragma once

#include <cstdint>

namespace stepscope::store {

// The position of the type in Stat::value: signed, unsigned, floating point, text.
inline constexpr uint8_t kSigned = 0, kUnsigned = 1, kReal = 2, kText = 3;
inline constexpr uint8_t kFromMetadata = 4;  // added: the same for all events of one name

}  // namespace stepscope::store
