// WordSet: finds which of some words a text contains, in one pass over the text. It is for names,
// of which a trace may have a million. Can be made at compile time; immutable, any thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace stepscope {

// Holds at most kMost words. Its tables take 4 KB for each 64 of them.
template <size_t kMost>
class WordSetOf {
 public:
  static constexpr size_t kNone = kMost;

  // Words have two bytes or more. Borrows them.
  explicit constexpr WordSetOf(std::span<const std::string_view> words) : words_(words) {
    for (size_t i = 0; i < words.size(); ++i) {
      first_[static_cast<uint8_t>(words[i][0])][i / 64] |= uint64_t{1} << i % 64;
      second_[static_cast<uint8_t>(words[i][1])][i / 64] |= uint64_t{1} << i % 64;
    }
  }

  // The index of the first word of the set that the text contains;
  // kNone if it contains none. O(text).
  size_t First(std::string_view text) const {
    Masks left;  // words that come before the one found
    left.fill(~uint64_t{0});
    size_t found = kNone;
    for (size_t at = 0; at + 1 < text.size() && found != 0; ++at) {
      const Masks& first = first_[static_cast<uint8_t>(text[at])];
      const Masks& second = second_[static_cast<uint8_t>(text[at + 1])];
      for (size_t m = 0; m < kMasks; ++m) {
        const size_t word = FirstOf(m, first[m] & second[m] & left[m], text.substr(at));
        if (word == kNone) continue;
        found = word;
        left = Before(word);
        break;
      }
    }
    return found;
  }
  bool AnyIn(std::string_view text) const { return First(text) != kNone; }

 private:
  static constexpr size_t kMasks = (kMost + 63) / 64;
  using Masks = std::array<uint64_t, kMasks>;  // a bit for each word

  // The first of the words `maybe`, which are of mask m, that the text begins with.
  size_t FirstOf(size_t m, uint64_t maybe, std::string_view text) const {
    for (; maybe != 0; maybe &= maybe - 1) {
      const size_t word = m * 64 + static_cast<size_t>(std::countr_zero(maybe));
      if (text.starts_with(words_[word])) return word;
    }
    return kNone;
  }

  static Masks Before(size_t word) {
    Masks before{};
    std::fill_n(before.begin(), word / 64, ~uint64_t{0});
    before[word / 64] = (uint64_t{1} << word % 64) - 1;
    return before;
  }

  std::span<const std::string_view> words_;
  std::array<Masks, 256> first_{}, second_{};  // words by their first and second byte
};

using WordSet = WordSetOf<64>;

}  // namespace stepscope
