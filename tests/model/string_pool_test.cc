#include "model/string_pool.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace stepscope {
namespace {

TEST_CASE("equal texts share an id, and views stay where they are") {
  StringPool pool;
  CHECK(pool.Intern("") == StringId(0));
  const StringId first = pool.Intern("first");
  const std::string_view view = pool.View(first);
  std::vector<StringId> ids;
  for (int i = 0; i < 20'000; ++i) ids.push_back(pool.Intern("name " + std::to_string(i)));
  bool same = true;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = "name " + std::to_string(i);
    same = same && pool.Intern(text) == ids[static_cast<size_t>(i)] &&
           pool.View(ids[static_cast<size_t>(i)]) == text;
  }
  CHECK(same);
  CHECK(pool.size() == 20'002);
  CHECK(pool.View(first).data() == view.data());
  CHECK(view == "first");
}

TEST_CASE("finding a text does not add it") {
  StringPool pool;
  CHECK_FALSE(pool.Find("x").valid());
  CHECK(pool.Find("") == StringId(0));
  const StringId x = pool.Intern("x");
  CHECK(pool.Find("x") == x);
  CHECK_FALSE(pool.Find("y").valid());
  CHECK(pool.size() == 2);
}

TEST_CASE("long texts, zero bytes and unknown ids") {
  StringPool pool;
  const std::string a("a\0b", 3);
  const std::string huge(1'000'000, 'x');
  const StringId small = pool.Intern("small");
  const StringId id = pool.Intern(huge);
  CHECK(pool.View(id) == huge);
  CHECK(pool.View(pool.Intern(a)) == a);
  CHECK(pool.Intern("a") != pool.Intern(a));
  CHECK(pool.View(small) == "small");
  CHECK(pool.View(StringId()).empty());
  CHECK(pool.View(StringId(1000)).empty());
  CHECK(pool.bytes() >= 1'000'000);
}

TEST_CASE("a moved pool keeps its strings") {
  StringPool pool;
  const StringId id = pool.Intern("kept");
  StringPool other = std::move(pool);
  CHECK(other.View(id) == "kept");
  CHECK(other.Intern("kept") == id);
}

}  // namespace
}  // namespace stepscope
