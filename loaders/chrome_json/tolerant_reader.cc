#include "loaders/chrome_json/tolerant_reader.h"

#include <cstring>

namespace stepscope::chrome {

using namespace json;

namespace {

constexpr uint64_t kPassesInVain = 8;
constexpr uint64_t kMinBudget = uint64_t{1} << 20;

bool IsScalar(char first) { return first != '"' && first != '{' && first != '['; }

// Whether an event may begin at the brace `at`: it comes after a comma, a closing brace or an
// opening bracket, and before a key or its own end.
bool MayBegin(const char* first, const char* at, const char* end) {
  const char* before = at;
  while (before > first && IsSpace(before[-1])) --before;
  if (before > first && before[-1] != ',' && before[-1] != '}' && before[-1] != '[') return false;
  const char* next = at + 1;
  while (next < end && IsSpace(*next)) ++next;
  return next < end && (*next == '"' || *next == '}');
}

}  // namespace

TolerantReader::TolerantReader(std::string_view text, uint64_t offset, bool last)
    : first_(text.data()),
      offset_(offset),
      last_(last),
      cursor_(text.data(), text.data() + text.size()),
      budget_(text.size() * kPassesInVain + kMinBudget) {}

TolerantReader::State TolerantReader::Read(size_t max_events, Int128 base_ps, WorkerNames* names,
                                           BatchResult* out) {
  EventSink sink(base_ps, names, out);
  sink.SetOrigin(first_, cursor_.end(), offset_);
  while (out->events.size() < max_events) {
    cursor_.SkipSpace();
    if (cursor_.done()) return State::kTextEnd;
    const char* at = cursor_.at();
    if (*at == ',') {
      cursor_.Advance();
      continue;
    }
    if (*at == ']') {
      cursor_.Advance();
      return State::kArrayEnd;
    }
    if (*at != '{') {
      std::string_view token;
      const bool whole = cursor_.Value(&token);
      // A number at the end of a batch is whole: batches are cut between entries.
      const bool number_at_end = !last_ && !token.empty() && cursor_.done() && IsScalar(*at);
      if (token.empty() || (!whole && !number_at_end)) {
        if (!lost_) sink.Count(ChromeDiagnostic::kDamaged, at);
        lost_ = true;
        Resync(at + 1);
      } else if (!lost_) {
        sink.Count(ChromeDiagnostic::kNotAnObject, at);
      }
      continue;
    }
    RawFields fields;
    const Outcome outcome = Object(&fields, &out->diagnostics);
    if (outcome == Outcome::kOk) {
      lost_ = false;
      sink.Add(fields, at);
      continue;
    }
    const uint64_t passed = static_cast<uint64_t>(cursor_.at() - at);
    const bool cut = outcome == Outcome::kCut;
    if (passed > budget_) {
      sink.Count(ChromeDiagnostic::kUnreadableTail, at);
      cursor_.Move(cursor_.end());
      return State::kTextEnd;
    }
    budget_ -= passed;
    if (!lost_)
      sink.Count(cut && last_ ? ChromeDiagnostic::kTruncatedEvent : ChromeDiagnostic::kDamaged, at);
    lost_ = true;
    Resync(at + 1);
  }
  return State::kMore;
}

// Reads the object whose opening brace the cursor is at, and passes it when it is whole.
TolerantReader::Outcome TolerantReader::Object(RawFields* fields, ChromeDiagnostics* diagnostics) {
  Cursor& c = cursor_;
  const auto repaired = [&](const char* at) {
    diagnostics->Count(ChromeDiagnostic::kRepaired, offset_ + static_cast<uint64_t>(at - first_));
  };
  c.Advance();
  for (bool comma = true, first = true;; first = false) {
    c.SkipSpace();
    if (c.peek() == ',' && !c.done()) {
      if (comma) repaired(c.at());
      comma = true;
      c.Advance();
      continue;
    }
    if (c.peek() == '}' && !c.done()) {
      if (comma && !first) repaired(c.at());
      c.Advance();
      return Outcome::kOk;
    }
    if (c.done()) return Outcome::kCut;
    std::string_view key, value;
    if (c.peek() != '"') return Outcome::kDamaged;
    if (!comma) repaired(c.at());
    if (!c.String(&key)) return Outcome::kCut;
    c.SkipSpace();
    if (c.done()) return Outcome::kCut;
    if (c.peek() != ':') return Outcome::kDamaged;
    c.Advance();
    c.SkipSpace();
    const char* value_at = c.at();
    if (!c.Value(&value)) return Outcome::kCut;
    if (value.empty()) repaired(value_at);
    comma = false;
    fields->any = true;
    std::string_view* slot = FieldOf(fields, key.substr(1));
    if (slot != nullptr) {
      *slot = value;
    } else if (key == "\"args\"" && !value.empty()) {
      fields->args = value.data();
    }
  }
}

// Moves to the next place where an event may begin, else to the end: a closing bracket on the way
// cannot be told from one inside an event.
void TolerantReader::Resync(const char* from) {
  const char* end = cursor_.end();
  for (const char* at = from; at < end; ++at) {
    at = static_cast<const char*>(std::memchr(at, '{', static_cast<size_t>(end - at)));
    if (at == nullptr) break;
    if (MayBegin(first_, at, end)) return cursor_.Move(at);
  }
  cursor_.Move(end);
}

}  // namespace stepscope::chrome
