#include "capi/arrow_table.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "capi/result_columns.h"
#include "tests/capi/arrow_reader.h"

namespace stepscope {
namespace {

using test::FormOf;
using test::Released;

ResultTable Mixed() {
  ResultTable table;
  table.SetColumns({{"text", "Text", Unit::kNone, ValueType::kString, "as it is"},
                    {"whole", "Whole", Unit::kBytes, ValueType::kInt, ""},
                    {"real", "Real", Unit::kMs, ValueType::kReal, ""},
                    {"flag", "Flag", Unit::kNone, ValueType::kBool, ""},
                    {"none", "None", Unit::kNone, ValueType::kReal, ""}});
  table.AddRow({"a", int64_t{1}, 0.5, true});
  table.AddRow({{}, {}, int64_t{2}, {}, {}});
  table.AddRow({"\xff z", int64_t{3}, std::numeric_limits<double>::quiet_NaN(), false, {}});
  return table;
}

TEST_CASE("a table's cells become columns of their kind") {
  Released<ArrowArrayStream> stream;
  ExportStream(ToArrow(Mixed()), stream.get());
  Released<ArrowSchema> schema;
  REQUIRE(stream->get_schema(stream.get(), schema.get()) == 0);
  CHECK(FormOf(schema.value) == "+s<text:U? whole:l? real:g? flag:b? none:g?>");
  Released<ArrowArray> batch;
  REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
  REQUIRE(batch->length == 3);
  const auto column = [&](int i) -> const ArrowArray& { return *batch->children[i]; };
  CHECK(test::TextsOf(column(0)) == std::vector<std::string>{"a", "", "\xef\xbf\xbd z"});
  CHECK(column(0).null_count == 1);
  CHECK_FALSE(test::HasValue(column(0), 1));
  CHECK(test::NumbersOf<int64_t>(column(1)) == std::vector<int64_t>{1, 0, 3});
  CHECK(test::NumbersOf<double>(column(2)) == std::vector<double>{0.5, 2, 0});
  CHECK_FALSE(test::HasValue(column(2), 2));  // not a number
  CHECK(column(3).null_count == 1);
  CHECK(*static_cast<const uint8_t*>(column(3).buffers[1]) == 1);
  CHECK(column(4).null_count == 3);
}

TEST_CASE("fields say label, unit and how they are computed") {
  Released<ArrowArrayStream> stream;
  ExportStream(ToArrow(Mixed()), stream.get());
  Released<ArrowSchema> schema;
  REQUIRE(stream->get_schema(stream.get(), schema.get()) == 0);
  const char* metadata = schema->children[0]->metadata;
  int32_t count = 0, size = 0;
  std::memcpy(&count, metadata, 4);
  std::memcpy(&size, metadata + 4, 4);
  CHECK(count == 2);
  CHECK(std::string(metadata + 8, static_cast<size_t>(size)) == "label");
  CHECK(std::string(metadata + 8 + size, 8) == std::string("\x04\0\0\0Text", 8));
  CHECK(schema->metadata == nullptr);
}

TEST_CASE("a child that was moved out outlives its parent, and a stream outlives its table") {
  Released<ArrowArray> kept;
  Released<ArrowSchema> kept_schema;
  {
    Released<ArrowArrayStream> stream;
    ExportStream(ToArrow(Mixed()), stream.get());
    Released<ArrowSchema> schema;
    REQUIRE(stream->get_schema(stream.get(), schema.get()) == 0);
    kept_schema.value = *schema->children[1];
    schema->children[1]->release = nullptr;
    Released<ArrowArray> batch;
    REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
    kept.value = *batch->children[0];
    batch->children[0]->release = nullptr;
  }
  CHECK(std::string(kept_schema->name) == "whole");
  CHECK(test::TextsOf(kept.value)[0] == "a");
}

TEST_CASE("after the last batch a stream returns nothing, as often as it is asked") {
  Released<ArrowArrayStream> stream;
  ExportStream(ToArrow(Mixed()), stream.get());
  Released<ArrowArray> batch;
  REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
  for (int i = 0; i < 2; ++i) {
    Released<ArrowArray> end;
    REQUIRE(stream->get_next(stream.get(), end.get()) == 0);
    CHECK(end.gone());
  }
}

TEST_CASE("tables without rows and tables without columns are exported") {
  ResultTable table;
  table.SetColumns({{"a", "A", Unit::kNone, ValueType::kInt, ""}});
  for (const bool columns : {true, false}) {
    if (!columns) table.columns.clear();
    Released<ArrowArrayStream> stream;
    ExportStream(ToArrow(table), stream.get());
    Released<ArrowArray> batch;
    REQUIRE(stream->get_next(stream.get(), batch.get()) == 0);
    CHECK(batch->length == 0);
    REQUIRE(batch->n_children == (columns ? 1 : 0));
    if (columns) CHECK(batch->children[0]->buffers[1] != nullptr);
  }
}

TEST_CASE("each longest begin of a character that is not UTF-8 becomes one U+FFFD") {
  const auto clean = [](std::string_view text) {
    std::vector<char> out;
    AppendUtf8(text, &out);
    return std::string(out.begin(), out.end());
  };
  const std::string bad = "\xef\xbf\xbd";
  CHECK(clean("plain") == "plain");
  CHECK(clean("\xc3\xa9 \xf0\x9f\x98\x80") == "\xc3\xa9 \xf0\x9f\x98\x80");
  CHECK(clean("\xff\xfe") == bad + bad);
  CHECK(clean("a\xe2\x82 b") == "a" + bad + " b");  // cut short
  CHECK(clean("\xe2\x82") == bad);                  // at the end
  CHECK(clean("\xc0\xaf") == bad + bad);            // a longer form
  CHECK(clean("\xed\xa0\x80") == bad + bad + bad);  // a surrogate
  CHECK(clean("\xf0\x80\x80") == bad + bad + bad);
  CHECK(clean("\xf4\x90\xc3\xa9") == bad + bad + "\xc3\xa9");
}

}  // namespace
}  // namespace stepscope
