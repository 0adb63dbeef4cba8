#include "model/base/count_text.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("counted: one thing has no s, none and several have") {
  CHECK(Counted(1, "events") == "1 event");
  CHECK(Counted(0, "events") == "0 events");
  CHECK(Counted(2, "counter samples") == "2 counter samples");
  CHECK(Counted(1, "counter samples") == "1 counter sample");
  CHECK(NounFor(1, "events") == "event");
  CHECK(NounFor(2, "events") == "events");
  CHECK(Counted(12345, "rows") == "12\u2009345 rows");
}

}  // namespace
}  // namespace stepscope
