#include "model/base/natural_order.h"

#include <algorithm>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

// Removes the digits at the start of the text and returns them without leading zeros.
std::string_view TakeNumber(std::string_view* text) {
  size_t zeros = 0;
  while (zeros < text->size() && (*text)[zeros] == '0') ++zeros;
  size_t end = zeros;
  while (end < text->size() && IsDigit((*text)[end])) ++end;
  const std::string_view number = text->substr(zeros, end - zeros);
  text->remove_prefix(end);
  return number;
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const std::string_view x = TakeNumber(&a), y = TakeNumber(&b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

}  // namespace stepscope
