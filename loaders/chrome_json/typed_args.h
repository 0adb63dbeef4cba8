// Chooses the arguments that become typed columns (docs/chrome.md has the table). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/common/json_cursor.h"
#include "model/stats.h"

namespace stepscope::chrome {

// A text, as TextOfToken reads the token.
struct TextToken {
  StringStat stat;
  std::string_view token;
  // Where whoever decodes it may keep a number of its own for the next token of the same place in
  // events of this kind, which is mostly equal; or null.
  uint32_t* memo = nullptr;
};

// The typed values of one event. Where a column has two, the last one counts.
struct TypedArgs {
  std::vector<std::pair<IntStat, int64_t>> ints;
  std::vector<std::pair<RealStat, double>> reals;
  std::vector<TextToken> tokens;
  std::string allocator;  // of a [memory] instant
  void Clear() {
    ints.clear();
    reals.clear();
    tokens.clear();
    allocator.clear();
  }
};

// An argument that becomes a typed column.
struct Arg;
// The one with this key, or null. O(1).
const Arg* FindArg(std::string_view key);
// Adds the values of a token that the argument has. `memo`: as TextToken::memo.
void ReadArg(const Arg& arg, std::string_view value, TypedArgs* out, uint32_t* memo = nullptr);

// At the value of an argument that has a whole number: passes it and adds it. False where ReadArg
// must look at the token: then nothing has happened.
bool PassWhole(const Arg& arg, json::Cursor* c, TypedArgs* out);

// The text of a token: a string decoded, anything else as compact JSON.
std::string TextOfToken(std::string_view token);

// Replaces `out` with the typed values of an event's args object. `memory`: the event is a [memory]
// instant. The tokens are views of `args`.
void ReadTypedArgs(std::string_view args, bool memory, TypedArgs* out);

// At an event: calls fn(key, value token, whether it is one of the arguments) for each value of it,
// and sets its args object. False when the event is not whole and well-formed, or has arguments
// twice: then the cursor is somewhere in it.
template <typename Fn>
bool PassEvent(json::Cursor* event, std::string_view* args, Fn fn) {
  *args = {};
  std::string_view value;
  return json::PassMembers(event, [&](std::string_view name, json::Cursor* c) {
    if (name == "args") {
      if (!args->empty()) return false;
      const char* begin = c->at();
      const bool whole = json::PassMembers(c, [&](std::string_view key, json::Cursor* at) {
        if (!at->Value(&value)) return false;
        fn(key, value, true);
        return true;
      });
      *args = {begin, static_cast<size_t>(c->at() - begin)};
      return whole;
    }
    if (!c->Value(&value)) return false;
    fn(name, value, false);
    return true;
  });
}

// The same for an event at the begin of `text`, which goes on behind it, in one pass. False when
// the event is not whole and well-formed, or has arguments twice: then `out` means nothing.
bool ReadArgsOfEvent(std::string_view text, bool memory, TypedArgs* out);

// EventForms: reads the typed arguments of many events, most of which are written alike. A recorder
// gives events of one name the same keys in the same order, with the same blanks between them and
// many of the same values. So the text of one event is kept, with the places of those values that
// were seen to vary: of an event that follows, all other text is compared as bytes, and only these
// values are looked at. One thread.
class EventForms {
 public:
  EventForms();
  ~EventForms();
  EventForms(const EventForms&) = delete;
  EventForms& operator=(const EventForms&) = delete;

  // Gives what ReadArgsOfEvent gives, whatever was read before. Events of one `kind`, such as a
  // name, are mostly alike. The tokens are views of `text` or of this object, valid until the next
  // call. O(length).
  bool Read(std::string_view text, uint32_t kind, bool memory, TypedArgs* out);

  static constexpr uint32_t kKinds = 1024;       // more of them share what is kept
  static constexpr size_t kMostOfKind = 4;       // forms
  static constexpr size_t kLongestEvent = 4096;  // a longer one is not kept

 private:
  struct Value;
  struct Form;
  struct Kind;
  void Learn(std::string_view event, std::vector<Value> values, Kind* kind);

  std::vector<Kind> kinds_;
};

}  // namespace stepscope::chrome
