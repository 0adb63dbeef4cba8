#include "model/base/shared_text.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

TEST_CASE("shared text: as small as a pointer, and the same text as was put in") {
  CHECK(sizeof(SharedText) == sizeof(void*));
  const SharedText empty, none(""), name(std::string("volta_sgemm\0x", 13));
  CHECK(empty.empty());
  CHECK(none == empty);
  CHECK(name.size() == 13);
  CHECK(name == std::string_view("volta_sgemm\0x", 13));
  CHECK_FALSE(name == "volta_sgemm");
  CHECK(name.str() == std::string("volta_sgemm\0x", 13));
}

TEST_CASE("shared text: copies share the bytes, the last owner frees them") {
  SharedText copy;
  const char* bytes = nullptr;
  {
    const SharedText first("a name too long for any small string");
    bytes = first.view().data();
    copy = first;
    const SharedText moved = std::move(copy);
    CHECK(copy.empty());
    copy = moved;
    copy = *&copy;  // to itself
  }
  CHECK(copy.view().data() == bytes);
  CHECK(copy == "a name too long for any small string");
}

TEST_CASE("shared text: threads copy and drop one at the same time") {
  const SharedText name("kernel");
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([name] {
      for (int i = 0; i < 10'000; ++i) {
        const std::vector<SharedText> copies(3, name);
        if (!(copies[2] == "kernel")) FAIL("lost");
      }
    });
  }
  threads.clear();
  CHECK(name == "kernel");
}

}  // namespace
}  // namespace stepscope
