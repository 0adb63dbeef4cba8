// The walk over JSON text: eight bytes at a time it finds what a walk by characters finds.
#include "loaders/common/json_cursor.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace stepscope::json {
namespace {

// The end of the string that begins at 0, or npos: character by character.
size_t EndOfString(const std::string& text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return std::string::npos;
}

// The same for the container that begins at 0.
size_t EndOfContainer(const std::string& text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const size_t end = EndOfString(text.substr(i));
      if (end == std::string::npos) return end;
      i += end - 1;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if ((text[i] == '}' || text[i] == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string::npos;
}

std::string RandomText(std::mt19937& random, char first) {
  static constexpr std::string_view kSome = "\"\\{}[]:, \n\tab\x02\x0d\x5f\xdb\xfb\xa2z";
  std::string text(1, first);
  const size_t length = random() % 40;
  while (text.size() < length) text += kSome[random() % kSome.size()];
  return text;
}

TEST_CASE("json cursor: strings and containers end where a walk by characters ends them") {
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const char first = "\"{["[i % 3];
    const std::string text = RandomText(random, first);
    Cursor cursor(text.data(), text.data() + text.size());
    std::string_view token;
    const bool whole = cursor.Value(&token);
    const size_t end = first == '"' ? EndOfString(text) : EndOfContainer(text);
    CAPTURE(text);
    REQUIRE(whole == (end != std::string::npos));
    REQUIRE(token.size() == std::min(end, text.size()));
    REQUIRE(cursor.at() == token.data() + token.size());
  }
}

// Text in which numbers and words are likely to end anywhere, also within the first 16 bytes.
std::string RandomWord(std::mt19937& random) {
  static constexpr std::string_view kIn = "0123456789.-+eEx/nul\xb2\xac\x80",
                                    kEnds = ",}] \n:\"[{\t\r";
  std::string text;
  for (size_t length = random() % 40; text.size() < length;) text += kIn[random() % kIn.size()];
  if (random() % 4 != 0) text += kEnds[random() % kEnds.size()];
  while (text.size() < 50 && random() % 8 != 0) text += kIn[random() % kIn.size()];
  return text;
}

TEST_CASE("json cursor: numbers and words end where a walk by characters ends them") {
  constexpr std::string_view kEnds = ",}] \n:\"[{\t\r";
  std::mt19937 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const std::string text = RandomWord(random);
    if (text.empty() || text[0] == '"' || text[0] == '{' || text[0] == '[') continue;
    Cursor cursor(text.data(), text.data() + text.size());
    std::string_view token;
    const bool whole = cursor.Value(&token);
    const size_t end = text.find_first_of(kEnds);
    CAPTURE(text);
    REQUIRE(whole == (end != std::string::npos));
    REQUIRE(token == text.substr(0, end));
  }
}

TEST_CASE("json cursor: a whole number is what ParseInt reads of the token, or the cursor stays") {
  std::mt19937 random(4);
  size_t passed = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = RandomWord(random);
    if (i % 2 == 0) text = std::to_string(random()) + text.substr(text.size() / 2);
    Cursor cursor(text.data(), text.data() + text.size());
    CAPTURE(text);
    int64_t number = -1;
    if (!cursor.Whole(&number)) {
      REQUIRE(cursor.at() == text.data());
      continue;
    }
    ++passed;
    const std::string_view token(text.data(), static_cast<size_t>(cursor.at() - text.data()));
    REQUIRE(ValueAt(text.data(), text.data() + text.size()) == token);
    REQUIRE(ParseInt(token) == number);
  }
  CHECK(passed > 5'000);
  for (const char* text :
       {"", "12", "-1,", "1.0,", "1e3,", "0x1f,", "\"1\",", "1234567890123456789,"}) {
    CAPTURE(text);
    const std::string_view all(text);
    Cursor cursor(all.data(), all.data() + all.size());
    int64_t number = 0;
    CHECK_FALSE(cursor.Whole(&number));
  }
}

TEST_CASE("json cursor: white space is passed, whatever its length") {
  std::mt19937 random(2);
  for (size_t blanks = 0; blanks < 40; ++blanks) {
    std::string text;
    while (text.size() < blanks) text += random() % 4 == 0 ? "\n\r\t"[random() % 3] : ' ';
    for (const char* rest : {"", "x", "\"key\": 1"}) {
      const std::string all = text + rest;
      Cursor cursor(all.data(), all.data() + all.size());
      cursor.SkipSpace();
      CHECK(cursor.at() == all.data() + blanks);
    }
  }
}

TEST_CASE("json cursor: an object's members are passed, or said to be damaged") {
  const auto pass = [](std::string_view text, std::vector<std::string>* seen) {
    Cursor cursor(text.data(), text.data() + text.size());
    return PassMembers(&cursor, [&](std::string_view key, Cursor* at) {
      std::string_view value;
      if (!at->Value(&value)) return false;
      seen->push_back(std::string(key) + "=" + std::string(value));
      return true;
    });
  };
  std::vector<std::string> seen;
  CHECK(pass("{ \"a\": 1,, \"b\" : [2, {}] ,\"c\":\"}\"} behind", &seen));
  CHECK(seen == std::vector<std::string>{"a=1", "b=[2, {}]", "c=\"}\""});
  for (const char* damaged : {"", "1", "[]", "{", "{\"a\"", "{\"a\" 1}", "{a: 1}", "{\"a\": 1]",
                              "{\"a\": tru{e}}", "{\"a\": 1"}) {
    CAPTURE(damaged);
    CHECK_FALSE(pass(damaged, &seen));
  }
}

}  // namespace
}  // namespace stepscope::json
