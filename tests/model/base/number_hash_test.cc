#include "model/base/number_hash.h"

#include <doctest/doctest.h>

#include <set>

namespace stepscope {
namespace {

TEST_CASE("hash of numbers: small numbers in each place give different hashes") {
  std::set<size_t> found;
  for (uint64_t a = 0; a < 32; ++a) {
    for (uint64_t b = 0; b < 32; ++b) {
      for (uint64_t c = 0; c < 4; ++c) found.insert(HashOf({a, b, c}));
    }
  }
  CHECK(found.size() == 32 * 32 * 4);
  CHECK(HashOf({1, 2}) != HashOf({2, 1}));
}

}  // namespace
}  // namespace stepscope
