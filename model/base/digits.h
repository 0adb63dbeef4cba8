// Numbers as people read them, with thin spaces between groups of three digits: "4 761 900.25"; and
// names without their numbers. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Groups the digits before the decimal point. The number may have a sign, but no exponent.
std::string GroupDigits(std::string_view number);
std::string GroupDigits(uint64_t number);
// The same without allocation: writes to `out`, which has room for twice the number's bytes, and
// returns how many bytes it wrote.
size_t GroupDigits(std::string_view number, char* out);

// The name with '#' for each number, or for a number behind a '#': "fused_add_12" and "step #3"
// become "fused_add_#" and "step #". O(length).
std::string WithoutNumbers(std::string_view name);

}  // namespace stepscope
