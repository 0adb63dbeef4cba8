#include "loaders/chrome_json/event_reader.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "loaders/common/json_number.h"
#include "model/base/number_hash.h"

namespace stepscope::chrome {

using namespace json;

// The keys that loading needs; kOther: any other, and what stands before the first key.
enum EventReader::Key : uint8_t {
  kPh,
  kTs,
  kDur,
  kPid,
  kTid,
  kName,
  kCat,
  kId,
  kId2,
  kScope,
  kArgs,
  kBindId,
  kBp,
  kFlowIn,
  kFlowOut,
  kOther,
  kKeys
};

// The values of an event by key, as raw JSON tokens: strings with quotes, containers with brackets.
// Absent ones are empty.
struct EventReader::RawEvent {
  const char* at = nullptr;  // its opening brace
  std::string_view values[kKeys];
  bool any = false;  // it has a member

  std::string_view operator[](Key key) const { return values[key]; }
};

// The text between a value and the next one: `, "name": `. A recorder writes the keys of all events
// in one order, so the same text mostly follows the value of a key.
struct EventReader::KeyText {
  static constexpr size_t kMost = 24;
  uint64_t words[3] = {}, masks[3] = {};
  size_t size = 0;  // 0: unknown
  Key key = kOther;

  // The text begins at `at`, where kMost bytes are readable.
  void Set(const char* at, size_t bytes, Key its_key) {
    size = bytes <= kMost ? bytes : 0;
    key = its_key;
    std::memcpy(words, at, kMost);
    for (size_t i = 0; i < 3; ++i) {
      const size_t kept = std::min<size_t>(8, size - std::min(size, 8 * i));
      masks[i] = kept == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * kept) - 1;
      words[i] &= masks[i];
    }
  }
  bool StandsAt(const char* at) const {
    uint64_t text[3];
    std::memcpy(text, at, kMost);
    return size > 0 && (((text[0] & masks[0]) ^ words[0]) | ((text[1] & masks[1]) ^ words[1]) |
                        ((text[2] & masks[2]) ^ words[2])) == 0;
  }
};

struct EventReader::KeyTexts {
  KeyText first;        // before the first value
  KeyText next[kKeys];  // behind the value of a key
};

namespace {

// --- What tokens mean ----------------------------------------------------------------------------

// Events farther than this from the file's time base are dropped: int64 picoseconds hold 106 days.
constexpr Int128 kMaxDistance = Int128{50} * 86'400 * kPsPerS;

uint64_t HashText(std::string_view text) {
  Fnv fnv;
  fnv.Add(text);
  return fnv.value();
}

// The id that a token stands for: a number, a decimal text, "0x1f" or any text (hashed).
uint64_t IdOf(std::string_view token) {
  const std::string_view text = StripQuotes(token);
  if (const auto hex = ParseHex(text)) return *hex;
  if (text.empty() || text.size() > 18) return HashText(text);
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return HashText(text);
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

bool IsTrue(std::string_view token) {
  const std::string_view text = StripQuotes(token);
  return text == "true" || text == "1";
}

// A set of phases as bits, because each event is looked up in several.
struct PhaseSet {
  uint64_t bits = 0;
  constexpr explicit PhaseSet(std::string_view phases) {
    for (const char c : phases) bits |= Bit(c);
  }
  constexpr bool Has(char c) const { return (bits & Bit(c)) != 0; }
  static constexpr uint64_t Bit(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code / 64 == 1 ? uint64_t{1} << (code % 64) : 0;  // letters only
  }
};
constexpr PhaseSet kPhases("XBEbneSTpFiIRCstfMNODP"), kThreadPhases("XBEiIP"),
    kIdPhases("bneSTpFstf"), kIgnoredLetters("cVv");

bool IsIgnored(char ph) { return kIgnoredLetters.Has(ph) || ph == '=' || ph == '(' || ph == ')'; }

// Whether an event of the phase has a time and a length of its own, which a profiler can lose.
bool MayLoseTime(char ph) { return ph == 'X' || ph == 'i' || ph == 'I'; }

// An absent duration is none.
bool IsZero(std::string_view duration) { return ParseMicros(duration).value_or(0) == 0; }

// --- From raw events to records ------------------------------------------------------------------

using RawEvent = EventReader::RawEvent;

class EventSink {
 public:
  EventSink(const char* first, uint64_t offset, Int128 base_ps, WorkerNames* names,
            BatchResult* out)
      : first_(first), offset_(offset), base_ps_(base_ps), names_(*names), out_(*out) {}

  void Add(const RawEvent& raw);

 private:
  uint64_t OffsetOf(const char* at) const { return offset_ + static_cast<uint64_t>(at - first_); }
  void Count(ChromeDiagnostic diagnostic, const RawEvent& raw) {
    out_.diagnostics.Count(diagnostic, OffsetOf(raw.at));
  }
  bool ReadTimes(const RawEvent& raw, ParsedEvent* event);
  uint32_t ThreadNumber(const RawEvent& raw, char ph);
  uint32_t MetaNumber(const RawEvent& raw);
  bool ReadAux(const RawEvent& raw, ParsedEvent* event);
  void ReadId(const RawEvent& raw, EventAux* aux);
  void ReadCounterValues(const RawEvent& raw, EventAux* aux);
  void ReadMemory(const RawEvent& raw, const ParsedEvent& event);
  std::string_view Keep(std::string_view token) {
    return names_.strings.View(names_.strings.Intern(token));
  }
  uint32_t PairNumber(PairIndex* index, StringId first, StringId second,
                      std::vector<NamePair>* added);

  const char* first_;  // of the text, which lies at `offset_` of the file's
  uint64_t offset_;
  Int128 base_ps_;
  WorkerNames& names_;
  BatchResult& out_;
};

void EventSink::Add(const RawEvent& raw) {
  if (!raw.any) return Count(ChromeDiagnostic::kEmptyObject, raw);
  const std::string_view phase = StripQuotes(raw[EventReader::kPh]);
  if (phase.empty()) return Count(ChromeDiagnostic::kNoPhase, raw);
  const char ph = phase.size() == 1 ? phase[0] : '\0';
  if (IsIgnored(ph)) return Count(ChromeDiagnostic::kIgnoredPhase, raw);
  if (!kPhases.Has(ph)) return Count(ChromeDiagnostic::kUnknownPhase, raw);
  ParsedEvent event{};
  event.ph = ph;
  event.aux = kNoAux;
  event.offset = OffsetOf(raw.at);
  if (!ReadTimes(raw, &event)) return;
  event.meta = MetaNumber(raw);
  event.thread = ThreadNumber(raw, ph);
  const bool instant = ph == 'i' || ph == 'I';
  if (instant && raw[EventReader::kName] == "\"[memory]\"") ReadMemory(raw, event);
  if (ReadAux(raw, &event)) out_.events.push_back(event);
}

uint32_t EventSink::PairNumber(PairIndex* index, StringId first, StringId second,
                               std::vector<NamePair>* added) {
  uint32_t number;
  if (index->Insert(first.value, second.value, &number))
    added->push_back({names_.strings.View(first), names_.strings.View(second)});
  return number;
}

uint32_t EventSink::MetaNumber(const RawEvent& raw) {
  StringPool& strings = names_.strings;
  if (strings.View(names_.last_cat) != raw[EventReader::kCat])
    names_.last_cat = strings.Intern(raw[EventReader::kCat]);
  return PairNumber(&names_.metas, strings.Intern(raw[EventReader::kName]), names_.last_cat,
                    &out_.new_metas);
}

bool EventSink::ReadTimes(const RawEvent& raw, ParsedEvent* event) {
  if (event->ph == 'M') return true;
  const std::optional<Int128> ts = ParseMicros(raw[EventReader::kTs]);
  if (!ts) {
    Count(ChromeDiagnostic::kNoTimestamp, raw);
    return false;
  }
  const bool at_zero = *ts == 0 && MayLoseTime(event->ph) && IsZero(raw[EventReader::kDur]);
  const Int128 distance = *ts - base_ps_;
  if (distance > kMaxDistance || distance < -kMaxDistance) {
    if (at_zero) {
      ++out_.lost_times;
    } else {
      Count(ChromeDiagnostic::kTimeOutOfRange, raw);
    }
    return false;
  }
  out_.at_zero += at_zero;
  event->ts = static_cast<int64_t>(distance);
  if (event->ph != 'X') return true;
  const std::optional<Int128> dur = ParseMicros(raw[EventReader::kDur]);
  if (!dur) {
    Count(ChromeDiagnostic::kBadDuration, raw);
  } else if (*dur < 0) {
    Count(ChromeDiagnostic::kNegativeDuration, raw);
  } else {
    event->dur = static_cast<int64_t>(std::min(*dur, kMaxDistance));
  }
  return true;
}

uint32_t EventSink::ThreadNumber(const RawEvent& raw, char ph) {
  if (kThreadPhases.Has(ph)) {
    if (raw[EventReader::kPid].empty()) Count(ChromeDiagnostic::kNoProcess, raw);
    if (raw[EventReader::kTid].empty()) Count(ChromeDiagnostic::kNoThread, raw);
  }
  const auto text = [](std::string_view token) {
    const std::string_view stripped = StripQuotes(token);
    return token.empty() || stripped == "null" ? std::string_view("0") : stripped;
  };
  const std::string_view pid = text(raw[EventReader::kPid]), tid = text(raw[EventReader::kTid]);
  NamePair& last = names_.last_thread;
  if (names_.last_thread_number == WorkerNames::kNoThread || last.first != pid ||
      last.second != tid) {
    StringPool& strings = names_.strings;
    const StringId first = strings.Intern(pid), second = strings.Intern(tid);
    names_.last_thread_number = PairNumber(&names_.threads, first, second, &out_.new_threads);
    last = {strings.View(first), strings.View(second)};
  }
  return names_.last_thread_number;
}

// Reads what only some phases have: ids, flows, counters. False when something is missing without
// which the event is of no use.
bool EventSink::ReadAux(const RawEvent& raw, ParsedEvent* event) {
  const char ph = event->ph;
  const bool binds = (ph == 'X' || ph == 'B') && !raw[EventReader::kBindId].empty();
  const bool needs_id = kIdPhases.Has(ph);
  if (!binds && !needs_id && ph != 'C' && ph != 'M') return true;
  EventAux aux;
  if (!raw[EventReader::kArgs].empty()) aux.args_offset = OffsetOf(raw[EventReader::kArgs].data());
  ReadId(raw, &aux);
  if (needs_id && !aux.has_id) {
    Count(ChromeDiagnostic::kNoId, raw);
    return false;
  }
  aux.scope = Keep(raw[EventReader::kScope]);
  aux.bind_enclosing = StripQuotes(raw[EventReader::kBp]) == "e";
  if (binds) {
    aux.bind_id = IdOf(raw[EventReader::kBindId]);
    aux.flow_in = IsTrue(raw[EventReader::kFlowIn]);
    aux.flow_out = IsTrue(raw[EventReader::kFlowOut]);
  }
  if (ph == 'C') {
    ReadCounterValues(raw, &aux);
    if (aux.samples == 0) {
      Count(ChromeDiagnostic::kNoCounterValue, raw);
      return false;
    }
  }
  event->aux = static_cast<uint32_t>(out_.aux.size());
  out_.aux.push_back(aux);
  return true;
}

void EventSink::ReadId(const RawEvent& raw, EventAux* aux) {
  if (!raw[EventReader::kId].empty()) {
    aux->id = IdOf(raw[EventReader::kId]);
    aux->has_id = true;
  }
  // {"local": "0x1"} or {"global": "0x1"}
  ForEachMember(raw[EventReader::kId2], [aux](std::string_view key, std::string_view value) {
    aux->id = IdOf(value);
    aux->has_id = true;
    aux->id_is_local = key == "local";
    return false;
  });
}

void EventSink::ReadCounterValues(const RawEvent& raw, EventAux* aux) {
  aux->first_sample = static_cast<uint32_t>(out_.samples.size());
  ForEachMember(raw[EventReader::kArgs], [&](std::string_view key, std::string_view value) {
    const std::optional<double> number = ParseReal(value);
    if (number && *number - *number == 0) {  // finite
      out_.samples.push_back({Keep(key), *number});
      ++aux->samples;
    }
    return true;
  });
}

void EventSink::ReadMemory(const RawEvent& raw, const ParsedEvent& event) {
  MemorySample sample{};
  sample.thread = event.thread;
  sample.ts = event.ts;
  ForEachMember(raw[EventReader::kArgs], [&](std::string_view key, std::string_view value) {
    int64_t* slot = nullptr;
    if (key == "Total Allocated") slot = &sample.total_allocated;
    if (key == "Total Reserved") slot = &sample.total_reserved;
    if (key == "Device Type") slot = &sample.device_type;
    if (key == "Device Id") slot = &sample.device_id;
    if (slot != nullptr) *slot = ParseInt(value).value_or(-1);
    return true;
  });
  if (sample.total_allocated >= 0 || sample.total_reserved >= 0) out_.memory.push_back(sample);
}

// --- The walk over the text ----------------------------------------------------------------------

constexpr uint64_t kPassesInVain = 8;
constexpr uint64_t kMinBudget = uint64_t{1} << 20;

// The key at `text`, which begins behind its opening quote. `size` gets the bytes of a known key
// with its closing quote.
EventReader::Key KeyAt(std::string_view text, size_t* size) {
  EventReader::Key found = EventReader::kOther;
  // A call for each comparison would take longer than the comparison.
  const auto is = [&]<size_t kSize>(const char(&word)[kSize], EventReader::Key key) {
    if (text.size() < kSize - 1 || std::memcmp(text.data(), word, kSize - 1) != 0) return false;
    *size = kSize - 1;
    found = key;
    return true;
  };
  switch (text.empty() ? '\0' : text.front()) {
    case 'a':
      is("args\"", EventReader::kArgs);
      break;
    case 'b':
      is("bp\"", EventReader::kBp) || is("bind_id\"", EventReader::kBindId);
      break;
    case 'c':
      is("cat\"", EventReader::kCat);
      break;
    case 'd':
      is("dur\"", EventReader::kDur);
      break;
    case 'f':
      is("flow_in\"", EventReader::kFlowIn) || is("flow_out\"", EventReader::kFlowOut);
      break;
    case 'i':
      is("id\"", EventReader::kId) || is("id2\"", EventReader::kId2);
      break;
    case 'n':
      is("name\"", EventReader::kName);
      break;
    case 'p':
      is("ph\"", EventReader::kPh) || is("pid\"", EventReader::kPid);
      break;
    case 's':
      is("scope\"", EventReader::kScope);
      break;
    case 't':
      is("ts\"", EventReader::kTs) || is("tid\"", EventReader::kTid);
      break;
    default:
      break;
  }
  return found;
}

bool IsScalar(char first) { return first != '"' && first != '{' && first != '['; }

// Whether a key and its colon begin at the quote `at`: `"ph":`.
bool IsKeyAt(const char* at, const char* end) {
  constexpr std::ptrdiff_t kLongestKey = 64;
  Cursor c(at, std::min(end, at + kLongestKey));
  std::string_view key;
  if (c.peek() != '"' || !c.String(&key)) return false;
  c.SkipSpace();
  return c.peek() == ':';
}

// Whether an event may begin at the brace `at`. Behind a comma, a closing brace or an opening
// bracket a key or the event's own end follows. Behind damage, such as `"ts":2\x01`, a key and its
// colon must follow. Behind a colon an object is a value.
bool MayBegin(const char* first, const char* at, const char* end) {
  const char* before = at;
  while (before > first && IsSpace(before[-1])) --before;
  const char* next = at + 1;
  while (next < end && IsSpace(*next)) ++next;
  if (next == end || (before > first && before[-1] == ':')) return false;
  if (before > first && before[-1] != ',' && before[-1] != '}' && before[-1] != '[')
    return IsKeyAt(next, end);
  return *next == '"' || *next == '}';
}

}  // namespace

EventReader::EventReader(std::string_view text, uint64_t offset, bool last)
    : texts_(std::make_unique<KeyTexts>()),
      first_(text.data()),
      offset_(offset),
      last_(last),
      cursor_(text.data(), text.data() + text.size()),
      budget_(text.size() * kPassesInVain + kMinBudget) {}
EventReader::~EventReader() = default;

EventReader::State EventReader::Read(size_t max_events, Int128 base_ps, WorkerNames* names,
                                     BatchResult* out) {
  EventSink sink(first_, offset_, base_ps, names, out);
  while (out->events.size() < max_events) {
    cursor_.SkipSpace();
    if (cursor_.done()) return State::kTextEnd;
    const char first = cursor_.peek();
    if (first == ',' || first == ']') {
      cursor_.Advance();
      if (first == ']') return State::kArrayEnd;
    } else if (first != '{') {
      PassOther(&out->diagnostics);
    } else {
      RawEvent event;
      event.at = cursor_.at();
      const Outcome outcome = ReadMembers(&event, &out->diagnostics);
      if (outcome == Outcome::kWhole) {
        lost_ = false;
        sink.Add(event);
      } else if (!PassDamage(event.at, outcome == Outcome::kCut, &out->diagnostics)) {
        return State::kTextEnd;
      }
    }
  }
  return State::kMore;
}

// Passes an entry of the list that is no object.
void EventReader::PassOther(ChromeDiagnostics* diagnostics) {
  const char* at = cursor_.at();
  std::string_view token;
  const bool whole = cursor_.Value(&token);
  // A number at the end of a batch is whole: batches are cut between entries.
  const bool number_at_end = !last_ && !token.empty() && cursor_.done() && IsScalar(*at);
  const bool damaged = token.empty() || (!whole && !number_at_end);
  if (!lost_)
    diagnostics->Count(damaged ? ChromeDiagnostic::kDamaged : ChromeDiagnostic::kNotAnObject,
                       OffsetOf(at));
  if (!damaged) return;
  lost_ = true;
  Resync(at + 1);
}

// Goes on behind an event that could not be read. False where too much was searched in vain.
bool EventReader::PassDamage(const char* event, bool cut, ChromeDiagnostics* diagnostics) {
  const uint64_t passed = static_cast<uint64_t>(cursor_.at() - event);
  if (passed > budget_) {
    diagnostics->Count(ChromeDiagnostic::kUnreadableTail, OffsetOf(event));
    cursor_.Move(cursor_.end());
    return false;
  }
  budget_ -= passed;
  if (!lost_)
    diagnostics->Count(
        cut && last_ ? ChromeDiagnostic::kTruncatedEvent : ChromeDiagnostic::kDamaged,
        OffsetOf(event));
  lost_ = true;
  Resync(event + 1);
  return true;
}

// Reads the object whose opening brace the cursor is at, and passes it when it is whole.
EventReader::Outcome EventReader::ReadMembers(RawEvent* event, ChromeDiagnostics* diagnostics) {
  Cursor& c = cursor_;
  c.Advance();
  KeyText* text = &texts_->first;
  while (true) {
    const char* const from = c.at();
    const bool comparable = c.end() - from >= static_cast<ptrdiff_t>(KeyText::kMost);
    Key key = kOther;
    if (comparable && text->StandsAt(from)) {
      key = text->key;
      c.Move(from + text->size);
      c.SkipSpace();  // there may be more than before
    } else {
      bool clean = true;
      const Outcome outcome = ReadKey(text == &texts_->first, &key, &clean, diagnostics);
      if (outcome != Outcome::kMore) return outcome;
      if (comparable && clean) text->Set(from, static_cast<size_t>(c.at() - from), key);
    }
    const char* const value_at = c.at();
    if (!c.Value(&event->values[key])) return Outcome::kCut;
    if (event->values[key].empty())
      diagnostics->Count(ChromeDiagnostic::kRepaired, OffsetOf(value_at));
    event->any = true;
    text = &texts_->next[key];
  }
}

// Reads what stands before the next value: a comma, unless it is the first, a key and a colon.
// kMore: there is a value. `clean`: nothing was repaired.
EventReader::Outcome EventReader::ReadKey(bool first, Key* key, bool* clean,
                                          ChromeDiagnostics* diagnostics) {
  Cursor& c = cursor_;
  const auto repaired = [&](const char* at) {
    diagnostics->Count(ChromeDiagnostic::kRepaired, OffsetOf(at));
    *clean = false;
  };
  bool comma = first;  // one was passed, or none is needed
  for (c.SkipSpace(); c.peek() == ','; c.SkipSpace()) {
    if (comma) repaired(c.at());
    comma = true;
    first = false;
    c.Advance();
  }
  if (c.done()) return Outcome::kCut;
  if (c.peek() == '}') {
    if (comma && !first) repaired(c.at());
    c.Advance();
    return Outcome::kWhole;
  }
  if (c.peek() != '"') return Outcome::kDamaged;
  if (!comma) repaired(c.at());
  const char* const word = c.at() + 1;
  size_t size = 0;
  *key = KeyAt({word, static_cast<size_t>(c.end() - word)}, &size);
  std::string_view other;
  if (*key != kOther) {
    c.Move(word + size);
  } else if (!c.String(&other)) {
    return Outcome::kCut;
  }
  c.SkipSpace();
  if (c.done()) return Outcome::kCut;
  if (c.peek() != ':') return Outcome::kDamaged;
  c.Advance();
  c.SkipSpace();
  return Outcome::kMore;
}

// Moves to the next place where an event may begin, else to the end: a closing bracket on the way
// cannot be told from one inside an event.
void EventReader::Resync(const char* from) {
  const char* end = cursor_.end();
  for (const char* at = from; at < end; ++at) {
    at = static_cast<const char*>(std::memchr(at, '{', static_cast<size_t>(end - at)));
    if (at == nullptr) break;
    if (MayBegin(first_, at, end)) return cursor_.Move(at);
  }
  cursor_.Move(end);
}

}  // namespace stepscope::chrome
