#include "model/base/bytes_text.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("sizes have the unit that keeps their number below a thousand") {
  CHECK(BytesText(0) == "0 B");
  CHECK(BytesText(5) == "5 B");
  CHECK(BytesText(999) == "999 B");
  CHECK(BytesText(1000) == "1.0 kB");
  CHECK(BytesText(2000) == "2.0 kB");
  CHECK(BytesText(999'949) == "999.9 kB");
  CHECK(BytesText(999'950) == "1.0 MB");
  CHECK(BytesText(12'340'000) == "12.3 MB");
  CHECK(BytesText(999'999'999) == "1.00 GB");
  CHECK(BytesText(2'500'000'000) == "2.50 GB");
  CHECK(BytesText(UINT64_MAX) == "18446744073.71 GB");
}

}  // namespace
}  // namespace stepscope
