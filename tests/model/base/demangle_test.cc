#include "model/base/demangle.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "model/trace_builder.h"

namespace stepscope {
namespace {

TEST_CASE("Mangled names become readable, others stay") {
  CHECK(Demangle("_ZN3fooC1Ev") == "foo::foo()");
  CHECK(Demangle("_Z6kernelIfLi4EEvPT_i") == "void kernel<float, 4>(float*, int)");
  CHECK(Demangle("_ZNSt6vectorIiSaIiEE4sizeEv") ==
        "std::vector<int, std::allocator<int> >::size()");
  for (const char* name : {"", "_Z", "kernel", "_ZN3foo", "Z6kernelv", "_Zürich"})
    CHECK(Demangle(name) == "");
}

// Each level names the one below twice, so the readable name doubles with each level.
std::string Bomb(int levels) {
  std::string name = "_Z1fI1A";
  std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 0; i < levels; ++i) {
    const std::string before = std::string("S") + digits[static_cast<size_t>(i)] + "_";
    name += "1BI" + before + before + "E";
  }
  return name + "Evv";
}

TEST_CASE("A malicious name is left as it is") {
  CHECK(Demangle(Bomb(30)) == "");
  CHECK(Demangle(Bomb(15)).size() <= kMaxDemangled);
  CHECK(Demangle("_Z" + std::string(5'000, '1')) == "");
  CHECK(Demangle("_Z1000" + std::string(1'000, 'a') + "v").size() == 1'002);
  CHECK(Demangle("_Z2000" + std::string(2'000, 'a') + "v") == "");
}

TEST_CASE("A trace has the readable name beside the raw one") {
  TraceBuilder builder;
  const auto add = [&](const char* name, const char* display) {
    EventMeta meta;
    meta.name = builder.strings().Intern(name);
    meta.display_name = builder.strings().Intern(display);
    return builder.AddMeta(meta);
  };
  const MetaId mangled = add("_Z6kernelv", ""), again = add("_Z6kernelv", "");
  const MetaId given = add("_Z6kernelv", "mine"), plain = add("kernel", "");
  const NameTable& names = builder.names();
  CHECK(names.Name(mangled) == "_Z6kernelv");
  CHECK(names.DisplayName(mangled) == "kernel()");
  CHECK(names.metas[mangled.value].display_name == names.metas[again.value].display_name);
  CHECK(names.DisplayName(given) == "mine");
  CHECK(names.DisplayName(plain) == "kernel");
}

TEST_CASE("WithoutParameters keeps what names the function") {
  for (const auto& [name, expected] :
       {std::pair{"void a::f<int>(int*, b (*)(c))", "a::f<int>"},
        {"foo::foo()", "foo::foo"},
        {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
        {"a::operator()(int)", "a::operator()"},
        {"gemm<x>", "gemm<x>"},
        {"", ""},
        {")", ")"},
        {"(x)", "(x)"}}) {
    CHECK(WithoutParameters(name) == expected);
  }
}

}  // namespace
}  // namespace stepscope
