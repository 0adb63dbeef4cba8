#include "model/analysis/naming/word_parts.h"

#include <cstdint>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

enum class Kind : uint8_t { kOther, kSmall, kCapital, kDigit };

Kind KindOf(char c) {
  if (c >= 'A' && c <= 'Z') return Kind::kCapital;
  if (c >= '0' && c <= '9') return Kind::kDigit;
  const bool letter = (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
  return letter ? Kind::kSmall : Kind::kOther;
}

// Whether a word begins at a letter or digit that follows one of the kind `before`.
bool Begins(Kind before, Kind here, Kind after) {
  if ((before == Kind::kDigit) != (here == Kind::kDigit)) return true;
  if (here != Kind::kCapital) return false;
  return before == Kind::kSmall || after == Kind::kSmall;
}

}  // namespace

std::string WordParts(std::string_view name) {
  std::string words = "_";
  words.reserve(name.size() + name.size() / 4 + 2);
  Kind before = Kind::kOther;
  for (size_t i = 0; i < name.size(); ++i) {
    const Kind here = KindOf(name[i]);
    const Kind after = i + 1 < name.size() ? KindOf(name[i + 1]) : Kind::kOther;
    const bool begins = here == Kind::kOther || Begins(before, here, after);
    if (begins && words.back() != '_') words += '_';
    if (here != Kind::kOther) words += Lower(name[i]);
    before = here;
  }
  if (words.back() != '_') words += '_';
  return words;
}

}  // namespace stepscope
