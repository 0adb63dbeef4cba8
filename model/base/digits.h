// Numbers for people: thin spaces between groups of three digits, "4 761 900.25". Pure,
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Groups the digits before the point of a plain decimal number, which may have a sign.
std::string GroupDigits(std::string_view number);
std::string GroupDigits(uint64_t number);
// The same into room for twice as many bytes; returns how many it wrote. No allocation.
size_t GroupDigits(std::string_view number, char* out);

}  // namespace stepscope
