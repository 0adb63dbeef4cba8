// JSON in UTF-16 and with one event a line: what it becomes, and what is left as it is.
#include "loaders/files/json_forms.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/support/loaded.h"

namespace stepscope {
namespace {

constexpr std::string_view kEvent = R"({"ph":"X","name":"aé😀","ts":1,"dur":2,"pid":1,"tid":1})";

void PutUnit(uint32_t unit, bool big, std::string* out) {
  const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
  *out += big ? std::string{high, low} : std::string{low, high};
}

// The event in UTF-16: its name has a letter beyond ASCII and a pair of surrogates.
std::string Utf16(bool big, bool mark) {
  std::string out;
  if (mark) PutUnit(0xfeff, big, &out);
  const std::string list = "[" + std::string(kEvent) + "]";
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.substr(i).starts_with("é")) {
      PutUnit(0xe9, big, &out);
      i += 1;
    } else if (list.substr(i).starts_with("😀")) {
      PutUnit(0xd83d, big, &out);
      PutUnit(0xde00, big, &out);
      i += 3;
    } else {
      PutUnit(static_cast<unsigned char>(list[i]), big, &out);
    }
  }
  return out;
}

TEST_CASE("UTF-16 of both orders, with and without a mark, is read as a trace") {
  for (const bool big : {false, true}) {
    for (const bool mark : {false, true}) {
      CAPTURE(big);
      CAPTURE(mark);
      const auto trace = test::Loaded("a.json", Utf16(big, mark));
      REQUIRE(trace->counts.slices == 1);
      CHECK(trace->names().Name(trace->set.Meta(EventRow(0))) == "aé😀");
    }
  }
}

TEST_CASE("Half a surrogate becomes the replacement character") {
  std::string bytes = Utf16(false, true);
  const size_t at = bytes.find(std::string("\x3d\xd8\x00\xde", 4));
  REQUIRE(at != std::string::npos);
  bytes.erase(at + 2, 2);
  const auto trace = test::Loaded("a.json", bytes);
  REQUIRE(trace->counts.slices == 1);
  CHECK(trace->names().Name(trace->set.Meta(EventRow(0))) == "aé\xef\xbf\xbd");
}

TEST_CASE("Text in UTF-16 that is no JSON is called by its name") {
  const auto trace = LoadBytes("a.txt", std::string("\xff\xfeh\0i\0", 6), {});
  CHECK(trace.status().message().find("UTF-16 text: save it as UTF-8") != std::string::npos);
}

TEST_CASE("One event a line is read as a list, with the arguments of each") {
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines += R"({"ph":"X","name":"line }{ \" ,","ts":)" + std::to_string(i * 10) +
             R"(,"dur":5,"pid":1,"tid":1,"args":{"n":)" + std::to_string(i) + "}}\n";
  for (const std::string& text :
       {lines, "\xef\xbb\xbf" + lines, lines.substr(0, lines.size() - 1)}) {
    const auto trace = test::Loaded("a.jsonl", text);
    CHECK(trace->counts.slices == 20);
    CHECK(trace->diagnostics.problems() == 0);
    const auto stats = trace->source->Decode(*trace, EventRow(7));
    REQUIRE(stats.ok());
    REQUIRE(!stats->empty());
    CHECK(std::get<int64_t>(stats->front().value) == 7);
  }
}

TEST_CASE("Lines that were cut are read up to there") {
  const std::string lines =
      std::string(kEvent) + "\n" + std::string(kEvent) + "\n{\"ph\":\"X\",\"na";
  CHECK(test::Loaded("a.jsonl", lines)->counts.slices == 2);
}

TEST_CASE("Usual JSON and other bytes are left as they are") {
  for (const std::string_view text :
       {std::string_view("[]"), std::string_view("{\"traceEvents\":[]}"), std::string_view(""),
        std::string_view("{\"a\":1}\n{\"a\":2}\n"), std::string_view("{"), std::string_view("x")})
    CHECK_MESSAGE(JsonFormOf(text) == JsonForm::kUsual, text);
  CHECK(JsonFormOf(std::string(kEvent)) == JsonForm::kLines);
}

TEST_CASE("What the rewritten text would take is limited") {
  LoadOptions options;
  options.max_inflated_bytes = 100;
  const auto trace = LoadBytes("a.json", Utf16(false, true), options);
  CHECK(trace.status().code() == ErrorCode::kLimit);
}

}  // namespace
}  // namespace stepscope
