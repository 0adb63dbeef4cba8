// json::Cursor: a forgiving walk over JSON text. It never reads outside of [at, end), never
// recurses and never fails: control characters, bad UTF-8, NaN and missing closings are passed
// over. Nothing is copied; tokens are views of the text. One thread. O(bytes passed).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "loaders/common/json_number.h"

namespace stepscope::json {

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class Cursor {
 public:
  Cursor(const char* begin, const char* end) : at_(begin), end_(end) {}
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  bool done() const { return at_ >= end_; }
  char peek() const { return at_ < end_ ? *at_ : '\0'; }
  void Move(const char* to) { at_ = to; }
  void Advance() { ++at_; }

  void SkipSpace() {
    if (at_ >= end_ || !IsSpace(*at_)) return;
    ++at_;
    if (at_ < end_ && IsSpace(*at_)) PassSpace();
  }
  // At a quote: passes the string and sets its token, with quotes. False when it is not closed;
  // then the cursor is at the end.
  bool String(std::string_view* token);
  // At a value: passes it and sets its token, strings with quotes and containers with brackets. The
  // token is empty where there is no value (at a comma, a closing bracket or the end). False when
  // the text ends inside the value.
  bool Value(std::string_view* token);
  // At a whole number of at most 18 digits and without a sign: passes it and sets its value. False
  // where something else stands, or where the text ends inside it: then the cursor has not moved.
  bool Whole(int64_t* value);

 private:
  void PassSpace();
  bool Container();
  const char* at_;
  const char* end_;
};

// At an object: calls fn(key without quotes, cursor at the value) for each member; fn passes the
// value, or returns false to stop. True when the object was passed whole and well-formed. Else the
// cursor is inside it, and fn may have been called for some of the members.
template <typename Fn>
bool PassMembers(Cursor* c, Fn fn) {
  if (c->peek() != '{') return false;
  c->Advance();
  for (;;) {
    c->SkipSpace();
    if (c->peek() == ',') {
      c->Advance();
      continue;
    }
    if (c->peek() == '}') {
      c->Advance();
      return true;
    }
    std::string_view key;
    if (c->peek() != '"' || !c->String(&key)) return false;
    c->SkipSpace();
    if (c->peek() != ':') return false;
    c->Advance();
    c->SkipSpace();
    if (!fn(key.substr(1, key.size() - 2), c)) return false;
  }
}

// Calls entry(cursor) with the cursor at each entry of the object or array that begins with `open`,
// until it returns false.
template <typename Fn>
void ForEachEntry(std::string_view text, char open, Fn entry) {
  Cursor c(text.data(), text.data() + text.size());
  c.SkipSpace();
  if (c.peek() != open) return;
  c.Advance();
  while (!c.done()) {
    c.SkipSpace();
    if (c.peek() == ',') {
      c.Advance();
    } else if (!entry(&c)) {
      return;
    }
  }
}

// Calls fn(key without quotes, value token) for each member of the object at `text`; stops at
// damage. `fn` returns false to stop.
template <typename Fn>
void ForEachMember(std::string_view text, Fn fn) {
  ForEachEntry(text, '{', [&](Cursor* c) {
    std::string_view key, value;
    if (c->peek() != '"' || !c->String(&key)) return false;
    c->SkipSpace();
    if (c->peek() != ':') return false;
    c->Advance();
    c->SkipSpace();
    c->Value(&value);
    return fn(StripQuotes(key), value);
  });
}

// Calls fn(value token) for each element of the array at `text`, likewise.
template <typename Fn>
void ForEachElement(std::string_view text, Fn fn) {
  ForEachEntry(text, '[', [&](Cursor* c) {
    std::string_view value;
    c->Value(&value);
    return !value.empty() && fn(value);
  });
}

// The value token that starts at `at`, or up to the end if it is not closed.
std::string_view ValueAt(const char* at, const char* end);

// The text of a string token (quotes optional), with escapes resolved. Invalid UTF-8 becomes
// U+FFFD; then false is returned.
bool Unescape(std::string_view token, std::string* out);

// Calls fn for the members of an object, those of nested objects as "a.b", depth first. Arrays, and
// objects more than `depth` levels down, are given as compact JSON.
void Flatten(std::string_view object, const std::string& prefix, int depth,
             const std::function<void(std::string_view key, std::string_view token)>& fn);
// The JSON without the white space between its tokens.
std::string Compact(std::string_view json);

}  // namespace stepscope::json
