#include "model/base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace stepscope {
namespace {

constexpr size_t kMaxMangled = 1024;  // bytes; the C++ library takes no longer names either
constexpr size_t kMaxReferences = 40;

// An upper bound of the back references, because letters of names count too. "St", "Ss" and the
// like do not count: they stand for short fixed texts.
size_t BackReferences(std::string_view name) {
  size_t n = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    const char next = name[i + 1];
    const bool number = next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z');
    n += (name[i] == 'S' || name[i] == 'T') && number;
  }
  return n;
}

}  // namespace

std::string Demangle(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kMaxMangled) return {};
  if (BackReferences(name) > kMaxReferences) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return {};
  const std::string_view readable(text.get());
  return readable.size() > kMaxDemangled ? std::string() : std::string(readable);
}

std::string_view WithoutParameters(std::string_view readable) {
  constexpr std::string_view kVoid = "void ";
  if (readable.starts_with(kVoid)) readable.remove_prefix(kVoid.size());
  if (!readable.ends_with(')')) return readable;
  size_t open = 0;
  for (size_t i = readable.size(); i-- > 0;) {
    open += readable[i] == ')';
    if (readable[i] == '(' && --open == 0) return i > 0 ? readable.substr(0, i) : readable;
  }
  return readable;
}

}  // namespace stepscope
