// JsonCursor: a forgiving walk over JSON text. Never reads outside of [at, end), never recurses,
// never fails hard: control characters, bad UTF-8, NaN, missing closings are all passed over.
// Shared by the tolerant reader and by everything that decodes arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stepscope::chrome {

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class JsonCursor {
 public:
  JsonCursor(const char* begin, const char* end) : at_(begin), end_(end) {}
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  bool done() const { return at_ >= end_; }
  char peek() const { return at_ < end_ ? *at_ : '\0'; }
  void Move(const char* to) { at_ = to; }
  void Advance() { ++at_; }

  void SkipSpace();
  // At a quote: passes the string; its token with quotes. False when it is not closed (then at
  // end).
  bool String(std::string_view* token);
  // At a value: passes it. Strings with quotes, containers with brackets. False when the text ends
  // inside it; an empty token when there is no value here (at a comma, a closing bracket or the
  // end).
  bool Value(std::string_view* token);

 private:
  bool Container();
  const char* at_;
  const char* end_;
};

// Calls fn(key without quotes, value token) for each member of the object at `text`; stops at
// damage. `fn` returns false to stop.
void ForEachMember(std::string_view text,
                   const std::function<bool(std::string_view, std::string_view)>& fn);
// The same for an array.
void ForEachElement(std::string_view text, const std::function<bool(std::string_view)>& fn);
// The value token that starts at `at`, or up to the end if it is not closed.
std::string_view ValueAt(const char* at, const char* end);

// Text of a string token (quotes optional): escapes resolved; what is no valid UTF-8 becomes
// U+FFFD. Returns false if something had to be replaced.
bool Unescape(std::string_view token, std::string* out);

// Members of nested objects as "a.b", depth first; arrays and objects below `depth` levels as
// compact JSON.
void Flatten(std::string_view object, const std::string& prefix, int depth,
             const std::function<void(std::string_view key, std::string_view token)>& fn);
// Without the white space between tokens.
std::string Compact(std::string_view json);

}  // namespace stepscope::chrome
