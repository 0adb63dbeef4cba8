#include "model/base/word_set.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

namespace stepscope {
namespace {

constexpr std::string_view kWords[] = {"half", "bf16", "f16", "float", "alf", "aa"};
constexpr WordSet kSet(kWords);

// Searches for one word after the other, as users would do without the set.
size_t FirstOf(std::string_view text) {
  for (size_t i = 0; i < std::size(kWords); ++i) {
    if (text.find(kWords[i]) != std::string_view::npos) return i;
  }
  return WordSet::kNone;
}

// Calls check(text) for short texts of the words' letters.
template <typename Check>
void ForRandomTexts(Check check) {
  std::mt19937 random(7);
  constexpr std::string_view kLetters = "halfbot16 ";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n) text += kLetters[random() % kLetters.size()];
    CAPTURE(text);
    check(text);
  }
}

TEST_CASE("The first word of the set counts, not the first in the text") {
  CHECK(kSet.First("float_then_half") == 0);
  CHECK(kSet.First("bf16") == 1);
  CHECK(kSet.First("alf") == 4);
  CHECK(kSet.First("") == WordSet::kNone);
  CHECK(kSet.First("h") == WordSet::kNone);
  CHECK(kSet.First("hal") == WordSet::kNone);
  CHECK_FALSE(kSet.AnyIn("flo at"));
  CHECK(kSet.AnyIn("x\xfftaaz"));
}

TEST_CASE("A set finds what a search for each word finds") {
  ForRandomTexts([](const std::string& text) { CHECK(kSet.First(text) == FirstOf(text)); });
}

// The words of `kWords` behind others that no text has, so that they are of several masks.
constexpr size_t kFillers = 61;
constexpr auto kManyWords = [] {
  std::array<std::string_view, kFillers + std::size(kWords)> words;
  words.fill("zz");
  for (size_t i = 0; i < std::size(kWords); ++i) words[kFillers + i] = kWords[i];
  return words;
}();
constexpr WordSetOf<kManyWords.size()> kMany(kManyWords);

TEST_CASE("A set of more than 64 words finds the first of them, too") {
  static_assert(kMany.kNone > 64 && kFillers < 64);
  ForRandomTexts([](const std::string& text) {
    const size_t expected = FirstOf(text);
    CHECK(kMany.First(text) == (expected == WordSet::kNone ? kMany.kNone : kFillers + expected));
    CHECK(kMany.First(text + "zz") == 0);
  });
}

}  // namespace
}  // namespace stepscope
