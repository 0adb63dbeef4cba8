#include "viewer/panels/stat_text.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

TEST_CASE("sizes have units") {
  CHECK(StatText({"bytes", int64_t{1'204'331}, false}) == "1.149 MiB");
  CHECK(StatText({"requested_bytes", uint64_t{4096}, false}) == "4 KiB");
  CHECK(StatText({"bytes", int64_t{12}, false}) == "12 B");
}

TEST_CASE("times have units and no needless digits") {
  CHECK(StatText({"device_duration_ps", int64_t{434'000'000}, false}) == "434 \u00b5s");
  CHECK(StatText({"queue_us", 1.5, false}) == "1.5 \u00b5s");
}

TEST_CASE("other arguments keep the text that was recorded") {
  CHECK(StatText({"correlation", int64_t{1'204'331}, false}) == "1204331");
  CHECK(StatText({"bytes", std::string("12 to 14"), false}) == "12 to 14");
  CHECK(StatText({"bytes", int64_t{-1}, false}) == "-1");
  CHECK(StatText({"bytes_per_second", int64_t{4096}, false}) == "4096");
}
