#include "model/xla/hlo_module_builder.h"

#include <doctest/doctest.h>

namespace stepscope::xla {

TEST_CASE("Ids are found; the first of several with one number wins") {
  IdIndex index;
  CHECK(index.Of(1) == IdIndex::kNowhere);
  index.Reset(1000);
  for (uint32_t i = 0; i < 999; ++i) CHECK(index.Add(int64_t{i} << 32 | i, i));
  CHECK(index.Add(-1, 999));
  CHECK_FALSE(index.Add(-1, 7));
  CHECK(index.Of(-1) == 999);
  for (uint32_t i = 0; i < 999; ++i) CHECK(index.Of(int64_t{i} << 32 | i) == i);
  CHECK(index.Of(12345) == IdIndex::kNowhere);
  index.Reset(0);
  CHECK(index.Of(-1) == IdIndex::kNowhere);
}

}  // namespace stepscope::xla
