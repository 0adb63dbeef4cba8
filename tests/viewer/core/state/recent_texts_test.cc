#include "viewer/core/state/recent_texts.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("recent texts: the last one comes first, and each is there once") {
  CHECK(RecentTexts("").empty());
  CHECK(RecentTexts(" a:1 ; b:2,c:3;; a:1 ") == std::vector<std::string>{"a:1", "b:2,c:3"});
  CHECK(WithRecentText("", "a:1") == "a:1");
  CHECK(WithRecentText("a:1; b:2", "c:3") == "c:3; a:1; b:2");
  CHECK(WithRecentText("a:1; b:2", " b:2 ") == "b:2; a:1");
}

TEST_CASE("recent texts: the oldest are dropped") {
  std::string setting;
  for (int i = 0; i < 20; ++i) setting = WithRecentText(setting, "h:" + std::to_string(i));
  const std::vector<std::string> texts = RecentTexts(setting);
  CHECK(texts.size() == kMaxRecentTexts);
  CHECK(texts.front() == "h:19");
  CHECK(texts.back() == "h:10");
}

}  // namespace
}  // namespace stepscope
