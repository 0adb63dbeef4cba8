// WordSet: finds which of at most 64 words a text contains, in one pass over the text. It is for
// names, of which a trace may have a million. Can be made at compile time; immutable, any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace stepscope {

class WordSet {
 public:
  static constexpr size_t kNone = 64;

  // Words have two bytes or more. Borrows them.
  explicit constexpr WordSet(std::span<const std::string_view> words) : words_(words) {
    for (size_t i = 0; i < words.size(); ++i) {
      first_[static_cast<uint8_t>(words[i][0])] |= uint64_t{1} << i;
      second_[static_cast<uint8_t>(words[i][1])] |= uint64_t{1} << i;
    }
  }

  // The index of the first word of the set that the text contains;
  // kNone if it contains none. O(text).
  size_t First(std::string_view text) const {
    uint64_t left = ~uint64_t{0};  // words that come before the one found
    size_t found = kNone;
    for (size_t at = 0; at + 1 < text.size(); ++at) {
      uint64_t maybe = first_[static_cast<uint8_t>(text[at])] &
                       second_[static_cast<uint8_t>(text[at + 1])] & left;
      for (; maybe != 0; maybe &= maybe - 1) {
        const size_t word = static_cast<size_t>(std::countr_zero(maybe));
        if (!text.substr(at).starts_with(words_[word])) continue;
        found = word;
        left = (uint64_t{1} << word) - 1;
        break;
      }
      if (left == 0) break;
    }
    return found;
  }
  bool AnyIn(std::string_view text) const { return First(text) != kNone; }

 private:
  std::span<const std::string_view> words_;
  std::array<uint64_t, 256> first_{}, second_{};  // words by their first and second byte
};

}  // namespace stepscope
