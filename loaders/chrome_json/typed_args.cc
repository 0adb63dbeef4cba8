#include "loaders/chrome_json/typed_args.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"

namespace stepscope::chrome {

using namespace json;

// An argument goes into one column, or into three from this one on.
struct Arg {
  enum class ArgKind : uint8_t { kInt, kText, kReal, kTriple };
  std::string_view key;
  ArgKind kind;
  uint8_t stat;
};

namespace {

constexpr Arg Int(std::string_view key, IntStat stat) {
  return {key, Arg::ArgKind::kInt, static_cast<uint8_t>(stat)};
}
constexpr Arg Text(std::string_view key, StringStat stat) {
  return {key, Arg::ArgKind::kText, static_cast<uint8_t>(stat)};
}
constexpr Arg Real(std::string_view key, RealStat stat) {
  return {key, Arg::ArgKind::kReal, static_cast<uint8_t>(stat)};
}
constexpr Arg Triple(std::string_view key, IntStat first) {
  return {key, Arg::ArgKind::kTriple, static_cast<uint8_t>(first)};
}

// By length: most keys of a trace are none of these, and few of these have the same length.
constexpr std::array kArgs = {
    Int("_c", IntStat::kConsumerId),
    Int("_p", IntStat::kProducerId),
    Int("_r", IntStat::kRootLevel),
    Int("id", IntStat::kId),
    Text("op", StringStat::kOpType),
    Int("Seq", IntStat::kCollectiveSeq),
    Int("_ct", IntStat::kConsumerType),
    Int("_pt", IntStat::kProducerType),
    Int("Addr", IntStat::kAddress),
    Text("_src", StringStat::kSource),
    Text("name", StringStat::kOpName),
    Triple("grid", IntStat::kGridX),
    Int("Bytes", IntStat::kAllocationBytes),
    Triple("block", IntStat::kBlockX),
    Int("bytes", IntStat::kBytes),
    Text("dtype", StringStat::kElementType),
    Text("tf_op", StringStat::kTfOp),
    Int("device", IntStat::kDeviceId),
    Text("hlo_op", StringStat::kHloOp),
    Int("run_id", IntStat::kRunId),
    Text("source", StringStat::kSource),
    Int("is_func", IntStat::kIsFunc),
    Int("Dst Rank", IntStat::kTargetRank),
    Int("Src Rank", IntStat::kSourceRank),
    Text("eager_op", StringStat::kEagerOp),
    Text("equation", StringStat::kEquation),
    Int("group_id", IntStat::kGroupId),
    Int("iter_num", IntStat::kIterNum),
    Int("queue_id", IntStat::kQueueId),
    Int("step_num", IntStat::kStepNum),
    Int("Device Id", IntStat::kDeviceOrdinal),
    Int("device_id", IntStat::kDeviceId),
    Text("long_name", StringStat::kTfOp),
    Text("step_name", StringStat::kStepName),
    Int("symbol_id", IntStat::kSymbolId),
    Int("Group size", IntStat::kGroupSize),
    Text("Input Dims", StringStat::kShape),
    Text("Input type", StringStat::kInputTypes),
    Text("hlo_module", StringStat::kHloModule),
    Int("program_id", IntStat::kProgramId),
    Int("External id", IntStat::kExternalId),
    Int("consumer_id", IntStat::kConsumerId),
    Int("correlation", IntStat::kCorrelationId),
    Int("external id", IntStat::kExternalId),
    Int("producer_id", IntStat::kProducerId),
    Text("hlo_category", StringStat::kHloCategory),
    Int("In msg nelems", IntStat::kInElements),
    Int("consumer_type", IntStat::kConsumerType),
    Int("correlationId", IntStat::kCorrelationId),
    Int("producer_type", IntStat::kProducerType),
    Int("shared memory", IntStat::kStaticShared),
    Int("Out msg nelems", IntStat::kOutElements),
    Int("Total Reserved", IntStat::kBytesReserved),
    Int("correlation_id", IntStat::kCorrelationId),
    Int("device_ordinal", IntStat::kDeviceOrdinal),
    Text("kernel_details", StringStat::kKernelDetails),
    Text("memcpy_details", StringStat::kMemcpyDetails),
    Text("Collective name", StringStat::kCollectiveName),
    Int("Total Allocated", IntStat::kBytesAllocated),
    Text("shape_with_layout", StringStat::kShape),
    Int("cuda_graph_exec_id", IntStat::kCudaGraphExecId),
    Text("Process Group Name", StringStat::kProcessGroup),
    Text("Process Group Ranks", StringStat::kGroupRanks),
    Int("registers per thread", IntStat::kRegisters),
    Int("dynamic shared memory", IntStat::kDynamicShared),
    Real("est. achieved occupancy %", RealStat::kOccupancyPct),
};
static_assert(std::is_sorted(kArgs.begin(), kArgs.end(), [](const Arg& a, const Arg& b) {
  return a.key.size() < b.key.size();
}));

// By length of the key: the first argument that is not shorter.
constexpr auto kFirstOfLength = [] {
  std::array<uint8_t, kArgs.back().key.size() + 2> first{};
  for (size_t n = 0; n < first.size(); ++n) {
    while (first[n] < kArgs.size() && kArgs[first[n]].key.size() < n) ++first[n];
  }
  return first;
}();

}  // namespace

const Arg* FindArg(std::string_view key) {
  if (key.size() + 1 >= kFirstOfLength.size()) return nullptr;
  for (size_t i = kFirstOfLength[key.size()]; i < kFirstOfLength[key.size() + 1]; ++i) {
    if (kArgs[i].key.front() == key.front() && kArgs[i].key == key) return &kArgs[i];
  }
  return nullptr;
}

namespace {

// A whole number; also as "0x1f", which HIP writes for streams and addresses.
std::optional<int64_t> Integer(std::string_view token) {
  if (token.starts_with('"') || token.starts_with('0')) {
    if (const auto hex = ParseHex(StripQuotes(token))) return static_cast<int64_t>(*hex);
  }
  return ParseInt(token);
}

void ReadTriple(std::string_view value, uint8_t first, TypedArgs* out) {
  uint8_t i = 0;
  ForEachElement(value, [&](std::string_view element) {
    if (const auto number = Integer(element))
      out->ints.emplace_back(static_cast<IntStat>(first + i), *number);
    return ++i < 3;
  });
}

void ReadAllocator(std::string_view args, TypedArgs* out) {
  int64_t type = 0, id = -1;
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    if (key == "Device Type") type = Integer(value).value_or(0);
    if (key == "Device Id") id = Integer(value).value_or(-1);
    return true;
  });
  out->allocator = type == 0 ? "CPU"
                   : type == 1 || type == 6
                       ? "GPU " + std::to_string(id)
                       : "Device " + std::to_string(type) + ":" + std::to_string(id);
}

}  // namespace

void ReadArg(const Arg& arg, std::string_view value, TypedArgs* out, uint32_t* memo) {
  switch (arg.kind) {
    case Arg::ArgKind::kInt:
      if (const auto number = Integer(value))
        out->ints.emplace_back(static_cast<IntStat>(arg.stat), *number);
      return;
    case Arg::ArgKind::kText:
      out->tokens.push_back({static_cast<StringStat>(arg.stat), value, memo});
      return;
    case Arg::ArgKind::kReal:
      if (const auto number = ParseReal(value))
        out->reals.emplace_back(static_cast<RealStat>(arg.stat), *number);
      return;
    case Arg::ArgKind::kTriple:
      return ReadTriple(value, arg.stat, out);
  }
}

bool PassWhole(const Arg& arg, json::Cursor* c, TypedArgs* out) {
  int64_t number = 0;
  if (arg.kind != Arg::ArgKind::kInt || !c->Whole(&number)) return false;
  out->ints.emplace_back(static_cast<IntStat>(arg.stat), number);
  return true;
}

std::string TextOfToken(std::string_view token) {
  if (token.empty() || token.front() != '"') return Compact(token);
  std::string text;
  Unescape(token, &text);
  return text;
}

void ReadTypedArgs(std::string_view args, bool memory, TypedArgs* out) {
  out->Clear();
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    if (const Arg* arg = FindArg(key)) ReadArg(*arg, value, out);
    return true;
  });
  if (memory) ReadAllocator(args, out);
}

bool ReadArgsOfEvent(std::string_view text, bool memory, TypedArgs* out) {
  out->Clear();
  std::string_view args;
  Cursor event(text.data(), text.data() + text.size());
  const bool whole =
      PassEvent(&event, &args, [&](std::string_view key, std::string_view value, bool in_args) {
        if (!in_args) return;
        if (const Arg* arg = FindArg(key)) ReadArg(*arg, value, out);
      });
  if (whole && memory && !args.empty()) ReadAllocator(args, out);
  return whole;
}

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
    if (form.Read(text, out)) return true;
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
