#include "model/analysis/steps/cause_name.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

#include "model/analysis/naming/remedies.h"

namespace stepscope {
namespace {

TEST_CASE("words of roles: each has a remedy, and most work has none of its own") {
  size_t own = 0;
  for (int r = 0; r <= static_cast<int>(HostRole::kCompute); ++r) {
    const RoleWords* words = WordsOfRole(static_cast<HostRole>(r));
    if (words == nullptr) continue;
    ++own;
    CHECK(words->role == static_cast<HostRole>(r));
    CHECK_FALSE(std::string_view(RemedyFor(words->remedy, Program{})).empty());
  }
  CHECK(own == 6);
  CHECK(WordsOfRole(HostRole::kWork) == nullptr);
  CHECK(std::string_view(WordsOfRole(HostRole::kPeer)->what) == "another process");
}

}  // namespace
}  // namespace stepscope
