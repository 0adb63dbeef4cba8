// Names of C++ functions as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// Longer readable names are not shown.
inline constexpr size_t kMaxDemangled = 16 << 10;

// "_ZN3fooC1Ev" -> "foo::foo()". Empty for what is not a mangled name, and for one whose readable
// form may be out of all proportion: back references let a hundred bytes stand for terabytes, so
// names of more than 40 are left as they are. Thread-safe. Takes microseconds; at worst, for a name
// made to hurt, some tens of milliseconds.
std::string Demangle(std::string_view name);

// Of a readable name what says which function it is: "void a::f<int>(int*)" -> "a::f<int>".
// O(length)
std::string_view WithoutParameters(std::string_view readable);

}  // namespace stepscope
