// The arguments that become columns: read in one pass they are those of the careful way.
#include "loaders/chrome_json/typed_args.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "loaders/common/json_cursor.h"
#include "tests/loaders/chrome_json/typed_support.h"

namespace stepscope::chrome {
namespace {

// The careful way: finds the event's end, then its last args, then their members.
TypedArgs Carefully(std::string_view text, bool memory) {
  TypedArgs typed;
  std::string_view args;
  json::ForEachMember(json::ValueAt(text.data(), text.data() + text.size()),
                      [&](std::string_view key, std::string_view value) {
                        if (key == "args") args = value;
                        return true;
                      });
  if (!args.empty()) ReadTypedArgs(args, memory, &typed);
  return typed;
}

constexpr std::string_view kEvents[] = {
    R"({"ph": "X", "name": "aten::mm", "args": {"External id": 7, "Input Dims": [[2, 3], []],
        "Input type": ["float", ""], "Call stack": "a \"b\" }"}})",
    R"({"args": {"correlation": 5, "grid": [1, 2, 3], "block": ["0x10", 1], "stream": 7,
        "est. achieved occupancy %": 12.5, "registers per thread": 3e1}, "ts": 1})",
    R"({"ph":"i","args":{"Addr":"0xff","Bytes":-12,"Device Type":1,"Device Id":3,"Total Reserved":9}})",
    R"({"args": {"long_name": "a/b", "tf_op": null, "group_id": "12", "unknown": {"id": 4}}})",
};

TEST_CASE("typed args: one pass over an event gives what the careful way gives") {
  for (const std::string_view event : kEvents) {
    for (const bool memory : {false, true}) {
      TypedArgs typed;
      const std::string list = std::string(event) + ", {\"args\": {\"id\": 1}}";
      CAPTURE(list);
      REQUIRE(ReadArgsOfEvent(list, memory, &typed));
      CHECK(EqualArgs(typed, Carefully(event, memory)));
      CHECK(typed.ints.size() + typed.tokens.size() > 0);
    }
  }
}

TEST_CASE(
    "typed args: an event that is damaged anywhere is left to the careful way, or read alike") {
  std::mt19937 random(3);
  static constexpr std::string_view kDamage = "{}[]\",:\\ 0";
  int read = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text(kEvents[static_cast<size_t>(i) % std::size(kEvents)]);
    for (auto n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, 1 + random() % 5);
      } else {
        text[at] = kDamage[random() % kDamage.size()];
      }
    }
    TypedArgs typed;
    if (!ReadArgsOfEvent(text, i % 2 == 0, &typed)) continue;
    ++read;
    CAPTURE(text);
    REQUIRE(EqualArgs(typed, Carefully(text, i % 2 == 0)));
  }
  CHECK(read > 1000);
}

TEST_CASE(
    "typed args: an event with arguments twice, without an end or with other args is refused") {
  TypedArgs typed;
  for (const char* text : {"", "{\"args\": {\"id\": 1}, \"args\": {}}", "{\"args\": {\"id\": 1}",
                           "{\"args\": [1]}", "[{\"args\": {}}]"}) {
    CAPTURE(text);
    CHECK_FALSE(ReadArgsOfEvent(text, false, &typed));
  }
  CHECK(ReadArgsOfEvent("{\"ph\": \"X\"}", true, &typed));
  CHECK(typed.allocator.empty());
}

TEST_CASE("typed args: texts are decoded, anything else is compact JSON") {
  CHECK(TextOfToken("\"a\\n\\u00e4\"") == "a\n\xc3\xa4");
  CHECK(TextOfToken("[ [1, 2], \"x y\" ]") == "[[1,2],\"x y\"]");
  CHECK(TextOfToken("") == "");
}

}  // namespace
}  // namespace stepscope::chrome
