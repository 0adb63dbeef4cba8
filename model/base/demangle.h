// Names of C++ functions as people write them. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// Demangle returns no longer names.
inline constexpr size_t kMaxDemangled = 16 << 10;

// "_ZN3fooC1Ev" -> "foo::foo()". Empty if the name is not mangled, or if its readable form could be
// huge: back references let a hundred bytes stand for terabytes, so a name with
// more than 40 of them stays as it is. Takes microseconds, and at worst some tens
// of milliseconds for a malicious name.
std::string Demangle(std::string_view name);

// A readable name without return type and parameters: "void
// a::f<int>(int*)" -> "a::f<int>". O(length).
std::string_view WithoutParameters(std::string_view readable);

}  // namespace stepscope
