#include "loaders/chrome_json/event.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "loaders/common/json_cursor.h"
#include "model/base/fnv.h"

namespace stepscope::chrome {

using namespace json;

namespace {

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

}  // namespace

namespace {

// Whether the key begins with a text whose length the compiler knows: a few keys of each event are
// compared, and a call for each would take longer than the comparison.
template <size_t kSize>
bool Begins(std::string_view key, const char (&text)[kSize]) {
  return key.size() >= kSize - 1 && std::memcmp(key.data(), text, kSize - 1) == 0;
}

}  // namespace

std::string_view* FieldOf(RawFields* f, std::string_view key) {
  switch (key.front()) {
    case 'p':
      if (Begins(key, "ph\"")) return &f->ph;
      return Begins(key, "pid\"") ? &f->pid : nullptr;
    case 't':
      if (Begins(key, "ts\"")) return &f->ts;
      return Begins(key, "tid\"") ? &f->tid : nullptr;
    case 'd':
      return Begins(key, "dur\"") ? &f->dur : nullptr;
    case 'n':
      return Begins(key, "name\"") ? &f->name : nullptr;
    case 'c':
      return Begins(key, "cat\"") ? &f->cat : nullptr;
    case 'i':
      if (Begins(key, "id\"")) return &f->id;
      return Begins(key, "id2\"") ? &f->id2 : nullptr;
    case 's':
      return Begins(key, "scope\"") ? &f->scope : nullptr;
    case 'b':
      if (Begins(key, "bp\"")) return &f->bp;
      return Begins(key, "bind_id\"") ? &f->bind_id : nullptr;
    case 'f':
      if (Begins(key, "flow_in\"")) return &f->flow_in;
      return Begins(key, "flow_out\"") ? &f->flow_out : nullptr;
    default:
      return nullptr;
  }
}

void BatchResult::Clear() {
  events.clear();
  aux.clear();
  samples.clear();
  memory.clear();
  diagnostics = {};
}

// The key is mixed twice, so that both of its halves reach all bits of the slot.
uint64_t PairIndex::SlotOf(uint64_t key) const {
  const uint64_t h = key * 0x9e3779b97f4a7c15ull;
  return ((h ^ h >> 32) * 0xbf58476d1ce4e5b9ull >> 20) & (table_.size() - 1);
}

bool PairIndex::Insert(uint32_t a, uint32_t b, uint32_t* index) {
  if ((keys_.size() + 1) * 2 > table_.size()) Grow();
  const uint64_t key = uint64_t{a} << 32 | b;
  const uint64_t mask = table_.size() - 1;
  uint64_t slot = SlotOf(key);
  for (++probes_; table_[slot] != 0; slot = (slot + 1) & mask, ++probes_) {
    if (keys_[table_[slot] - 1] == key) {
      *index = table_[slot] - 1;
      return false;
    }
  }
  *index = static_cast<uint32_t>(keys_.size());
  keys_.push_back(key);
  table_[slot] = *index + 1;
  return true;
}

void PairIndex::Grow() {
  table_.assign(std::max<size_t>(64, table_.size() * 2), 0);
  const uint64_t mask = table_.size() - 1;
  for (size_t i = 0; i < keys_.size(); ++i) {
    uint64_t slot = SlotOf(keys_[i]);
    for (++probes_; table_[slot] != 0; ++probes_) slot = (slot + 1) & mask;
    table_[slot] = static_cast<uint32_t>(i + 1);
  }
}

uint64_t EventSink::Offset(const char* at) const {
  return offset_ + static_cast<uint64_t>(at - first_);
}

void EventSink::Add(const RawFields& fields, const char* object) {
  if (!fields.any) return Count(ChromeDiagnostic::kEmptyObject, object);
  const std::string_view phase = StripQuotes(fields.ph);
  if (phase.empty()) return Count(ChromeDiagnostic::kNoPhase, object);
  const char ph = phase.size() == 1 ? phase[0] : '\0';
  if (IsIgnored(ph)) return Count(ChromeDiagnostic::kIgnoredPhase, object);
  if (!kPhases.Has(ph)) return Count(ChromeDiagnostic::kUnknownPhase, object);
  ParsedEvent event{};
  event.ph = ph;
  event.aux = kNoAux;
  event.offset = Offset(object);
  if (!Times(fields, ph, object, &event)) return;
  event.meta = Meta(fields);
  event.thread = Thread(fields, ph, object);
  if (Extra(fields, ph, object, &event)) out_->events.push_back(event);
}

uint32_t EventSink::Number(PairIndex* index, StringId first, StringId second,
                           std::vector<NamePair>* added) {
  const StringPool& strings = names_->strings;
  uint32_t number;
  if (index->Insert(first.value, second.value, &number)) {
    added->push_back({strings.View(first), strings.View(second)});
  }
  return number;
}

uint32_t EventSink::Meta(const RawFields& fields) {
  StringPool& strings = names_->strings;
  if (strings.View(names_->last_cat) != fields.cat) names_->last_cat = strings.Intern(fields.cat);
  return Number(&names_->metas, strings.Intern(fields.name), names_->last_cat, &out_->new_metas);
}

bool EventSink::Times(const RawFields& fields, char ph, const char* object, ParsedEvent* event) {
  if (ph == 'M') return true;
  const std::optional<Int128> ts = ParseMicros(fields.ts);
  if (!ts) {
    Count(ChromeDiagnostic::kNoTimestamp, object);
    return false;
  }
  const Int128 distance = *ts - base_ps_;
  if (distance > kMaxDistance || distance < -kMaxDistance) {
    Count(ChromeDiagnostic::kTimeOutOfRange, object);
    return false;
  }
  event->ts = static_cast<int64_t>(distance);
  if (ph != 'X') return true;
  const std::optional<Int128> dur = ParseMicros(fields.dur);
  if (!dur) {
    Count(ChromeDiagnostic::kBadDuration, object);
  } else if (*dur < 0) {
    Count(ChromeDiagnostic::kNegativeDuration, object);
  } else {
    event->dur = static_cast<int64_t>(std::min(*dur, kMaxDistance));
  }
  return true;
}

uint32_t EventSink::Thread(const RawFields& fields, char ph, const char* object) {
  if ((fields.pid.empty() || fields.tid.empty()) && kThreadPhases.Has(ph)) {
    Count(ChromeDiagnostic::kNoThread, object);
  }
  const auto text = [](std::string_view token) {
    const std::string_view stripped = StripQuotes(token);
    return token.empty() || stripped == "null" ? std::string_view("0") : stripped;
  };
  const std::string_view pid = text(fields.pid), tid = text(fields.tid);
  NamePair& last = names_->last_thread;
  if (names_->last_thread_number == WorkerNames::kNoThread || last.first != pid ||
      last.second != tid) {
    StringPool& strings = names_->strings;
    const StringId first = strings.Intern(pid), second = strings.Intern(tid);
    names_->last_thread_number = Number(&names_->threads, first, second, &out_->new_threads);
    last = {strings.View(first), strings.View(second)};
  }
  return names_->last_thread_number;
}

// Reads ids, flows, counters and allocator samples. False when something is missing without which
// the event is of no use.
bool EventSink::Extra(const RawFields& fields, char ph, const char* object, ParsedEvent* event) {
  const bool instant = ph == 'i' || ph == 'I';
  if (instant && fields.args != nullptr && fields.name == "\"[memory]\"") Memory(fields, *event);
  const bool binds = (ph == 'X' || ph == 'B') && !fields.bind_id.empty();
  const bool needs_id = kIdPhases.Has(ph);
  if (!binds && !needs_id && ph != 'C' && ph != 'M') return true;
  EventAux aux;
  if (fields.args != nullptr) aux.args_offset = Offset(fields.args);
  if (!fields.id.empty()) {
    aux.id = IdOf(fields.id);
    aux.has_id = true;
  }
  if (!fields.id2.empty()) {
    ForEachMember(ValueAt(fields.id2.data(), end_),
                  [&](std::string_view key, std::string_view value) {
                    aux.id = IdOf(value);
                    aux.has_id = true;
                    aux.id_is_local = key == "local";
                    return false;
                  });
  }
  if (needs_id && !aux.has_id) {
    Count(ChromeDiagnostic::kNoId, object);
    return false;
  }
  aux.scope = Keep(fields.scope);
  aux.bind_enclosing = StripQuotes(fields.bp) == "e";
  if (binds) {
    aux.bind_id = IdOf(fields.bind_id);
    aux.flow_in = IsTrue(fields.flow_in);
    aux.flow_out = IsTrue(fields.flow_out);
  }
  if (ph == 'C') {
    CounterValues(fields, &aux);
    if (aux.samples == 0) {
      Count(ChromeDiagnostic::kNoCounterValue, object);
      return false;
    }
  }
  event->aux = static_cast<uint32_t>(out_->aux.size());
  out_->aux.push_back(aux);
  return true;
}

void EventSink::CounterValues(const RawFields& fields, EventAux* aux) {
  aux->first_sample = static_cast<uint32_t>(out_->samples.size());
  if (fields.args == nullptr) return;
  ForEachMember(ValueAt(fields.args, end_), [&](std::string_view key, std::string_view value) {
    const std::optional<double> number = ParseReal(value);
    if (number && *number - *number == 0) {  // finite
      out_->samples.push_back({Keep(key), *number});
      ++aux->samples;
    }
    return true;
  });
}

void EventSink::Memory(const RawFields& fields, const ParsedEvent& event) {
  MemorySample sample{};
  sample.thread = event.thread;
  sample.ts = event.ts;
  ForEachMember(ValueAt(fields.args, end_), [&](std::string_view key, std::string_view value) {
    int64_t* slot = nullptr;
    if (key == "Total Allocated") slot = &sample.total_allocated;
    if (key == "Total Reserved") slot = &sample.total_reserved;
    if (key == "Device Type") slot = &sample.device_type;
    if (key == "Device Id") slot = &sample.device_id;
    if (slot != nullptr) *slot = ParseInt(value).value_or(-1);
    return true;
  });
  if (sample.total_allocated >= 0 || sample.total_reserved >= 0) out_->memory.push_back(sample);
}

}  // namespace stepscope::chrome
