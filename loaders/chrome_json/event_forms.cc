#include "loaders/chrome_json/event_forms.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "loaders/common/json_cursor.h"

namespace stepscope::chrome {
namespace {

bool EqualWords(const char* a, const char* b) {
  uint64_t x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y;
}

// As memcmp, which takes longer for short texts.
bool EqualBytes(const char* a, const char* b, size_t n) {
  if (n < 8 || n > 32) return std::memcmp(a, b, n) == 0;
  for (size_t i = 0; i + 8 < n; i += 8) {
    if (!EqualWords(a + i, b + i)) return false;
  }
  return EqualWords(a + n - 8, b + n - 8);
}

bool StartsWith(const json::Cursor& c, std::string_view text) {
  return static_cast<size_t>(c.end() - c.at()) >= text.size() &&
         EqualBytes(c.at(), text.data(), text.size());
}

}  // namespace

// A value of the event that is kept.
struct EventForms::Value {
  Value(uint32_t b, uint32_t e, const Arg* a) : begin(b), end(e), arg(a) {}
  uint32_t begin, end;  // in the event's text
  const Arg* arg;       // the column that it goes into, or null
  bool varies = false;
  std::string last;   // the newest token of an argument, if it is a string or a container
  uint32_t memo = 0;  // TextToken::memo
};

// Text between two values is equal in all events of a form.
struct EventForms::Form {
  std::string text;
  std::vector<Value> values;

  std::string_view Token(const Value& value) const {
    return std::string_view(text).substr(value.begin, value.end - value.begin);
  }
  bool Read(std::string_view event, TypedArgs* out);
  bool Adopt(std::string_view event, const std::vector<Value>& read);
};

struct EventForms::Kind {
  std::vector<Form> forms;
  uint32_t replaced = 0;  // the form that was replaced last
};

namespace {

// Passes a value that varies. Where the last string or container stands again, its end is known;
// numbers are passed as fast as compared.
template <typename Value>
std::string_view PassValue(json::Cursor* c, Value* value) {
  if (!value->last.empty() && StartsWith(*c, value->last)) {
    c->Move(c->at() + value->last.size());
    return value->last;
  }
  std::string_view token;
  if (!c->Value(&token)) return {};
  const bool repeats = !token.empty() && (token[0] == '"' || token[0] == '[' || token[0] == '{');
  if (value->arg != nullptr && repeats) value->last = token;
  return token;
}

}  // namespace

// The careful way would pass the same values: between them it sees the same text, and where a value
// is not empty, it begins where the text before it ends.
bool EventForms::Form::Read(std::string_view event, TypedArgs* out) {
  out->Clear();
  const std::string_view whole = text;
  json::Cursor c(event.data(), event.data() + event.size());
  size_t compared = 0;  // of `text`
  for (Value& value : values) {
    std::string_view token;
    if (value.varies) {
      const std::string_view before = whole.substr(compared, value.begin - compared);
      if (!StartsWith(c, before)) return false;
      c.Move(c.at() + before.size());
      compared = value.end;
      if (value.arg != nullptr && PassWhole(*value.arg, &c, out)) continue;
      token = PassValue(&c, &value);
      if (token.empty()) return false;
    } else if (value.arg != nullptr) {
      token = Token(value);
    }
    if (value.arg != nullptr) ReadArg(*value.arg, token, out, &value.memo);
  }
  return StartsWith(c, whole.substr(compared));
}

// Whether the event has this form. Then those values vary that differ in it.
bool EventForms::Form::Adopt(std::string_view event, const std::vector<Value>& read) {
  if (read.size() != values.size()) return false;
  const std::string_view whole = text;
  size_t at = 0, own = 0;
  for (size_t i = 0; i < read.size(); ++i) {
    if (event.substr(at, read[i].begin - at) != whole.substr(own, values[i].begin - own))
      return false;
    at = read[i].end, own = values[i].end;
  }
  if (event.substr(at) != whole.substr(own)) return false;
  for (size_t i = 0; i < read.size(); ++i) {
    const std::string_view token = event.substr(read[i].begin, read[i].end - read[i].begin);
    if (token != Token(values[i])) values[i].varies = true;
  }
  return true;
}

EventForms::EventForms() : kinds_(kKinds) {}
EventForms::~EventForms() = default;

bool EventForms::Read(std::string_view text, uint32_t kind, bool memory, TypedArgs* out) {
  if (memory) return ReadArgsOfEvent(text, memory, out);
  Kind& known = kinds_[kind % kKinds];
  for (Form& form : known.forms) {
    if (!form.Read(text, out)) continue;
    ++compared_;
    return true;
  }
  out->Clear();
  std::vector<Value> values;
  std::string_view args;
  json::Cursor c(text.data(), text.data() + text.size());
  const auto place = [&](const char* at) { return static_cast<uint32_t>(at - text.data()); };
  const bool whole =
      PassEvent(&c, &args, [&](std::string_view key, std::string_view token, bool is_arg) {
        const Arg* arg = is_arg ? FindArg(key) : nullptr;
        if (arg != nullptr) ReadArg(*arg, token, out);
        values.emplace_back(place(token.data()), place(token.data() + token.size()), arg);
      });
  if (whole) Learn(text.substr(0, place(c.at())), std::move(values), &known);
  return whole;
}

void EventForms::Learn(std::string_view event, std::vector<Value> values, Kind* kind) {
  if (event.size() > kLongestEvent) return;
  for (Form& form : kind->forms) {
    if (form.Adopt(event, values)) return;
  }
  Form form{std::string(event), std::move(values)};
  if (kind->forms.size() < kMostOfKind) {
    kind->forms.push_back(std::move(form));
  } else {
    kind->replaced = (kind->replaced + 1) % kMostOfKind;
    kind->forms[kind->replaced] = std::move(form);
  }
}

}  // namespace stepscope::chrome
