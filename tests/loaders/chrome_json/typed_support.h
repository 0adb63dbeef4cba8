// The tests of typed arguments share this: whether two events have the same.
#pragma once

#include <algorithm>

#include "loaders/chrome_json/typed_args.h"

namespace stepscope::chrome {

inline bool EqualArgs(const TypedArgs& a, const TypedArgs& b) {
  const auto same_text = [](const TextToken& x, const TextToken& y) {
    return x.stat == y.stat && x.token == y.token;
  };
  return a.ints == b.ints && a.reals == b.reals && a.allocator == b.allocator &&
         std::ranges::equal(a.tokens, b.tokens, same_text);
}

}  // namespace stepscope::chrome
