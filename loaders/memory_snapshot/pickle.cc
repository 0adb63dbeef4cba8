#include "loaders/memory_snapshot/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "loaders/memory_snapshot/pickle_opcodes.h"

namespace stepscope::pickle {
namespace {

constexpr size_t kBuffer = size_t{1} << 20;
constexpr uint32_t kOpsPerLook = 1 << 14;  // between two looks at the stop token

constexpr uint64_t kObjectPayload = (uint64_t{1} << 56) - 1;

}  // namespace

PickleReader::PickleReader(InflateStream* stream, StringPool* strings, DictSink* sink,
                           Progress* progress)
    : stream_(stream), strings_(strings), sink_(sink), progress_(progress) {
  buffer_.resize(kBuffer);
}

// ---- What happens for each value

bool PickleReader::Fail(std::string text) {
  error_ = Status(ErrorCode::kFormat, fmt::format("byte {}: {}", offset(), text));
  return false;
}

[[gnu::always_inline]] inline bool PickleReader::Push(Value value) {
  if (stack_.size() >= kMaxStack) return Fail("too many values outside of containers");
  stack_.push_back(value);
  return true;
}

[[gnu::always_inline]] inline bool PickleReader::Recall(uint64_t index) {
  if (index >= memo_.size() || memo_[index] == ~uint64_t{0}) return Fail("a memo index unset");
  return Push({memo_[index]});
}

// ---- Bytes

[[gnu::always_inline]] inline bool PickleReader::Need(size_t n) {
  return end_ - at_ >= n || Refill(n);
}

bool PickleReader::Refill(size_t n) {
  const size_t rest = end_ - at_;
  std::memmove(buffer_.data(), buffer_.data() + at_, rest);
  base_ += at_;
  at_ = 0;
  end_ = rest;
  if (buffer_.size() < n) buffer_.resize(n);
  while (end_ < n) {
    const Result<size_t> got = stream_->Read({buffer_.data() + end_, buffer_.size() - end_});
    if (!got.ok()) {
      error_ = got.status();
      return false;
    }
    if (progress_ != nullptr) {
      const uint64_t done = stream_->file_done();
      progress_->bytes_done += done - file_done_;
      file_done_ = done;
    }
    if (*got == 0) {
      truncated_ = true;
      return false;
    }
    end_ += *got;
  }
  if (base_ + end_ <= max_bytes_) return true;
  error_ = Status(ErrorCode::kLimit,
                  fmt::format("it inflates to more than the limit of {} bytes", max_bytes_));
  return false;
}

[[gnu::always_inline]] inline uint64_t PickleReader::TakeLittle(size_t n) {
  uint64_t value = 0;
  std::memcpy(&value, buffer_.data() + at_, n);
  at_ += n;
  return value;
}

std::string_view PickleReader::TakeBytes(size_t n) {
  const std::string_view text(buffer_.data() + at_, n);
  at_ += n;
  return text;
}

// ---- Values

Value PickleReader::IntValue(int64_t value) {
  constexpr int64_t kMost = int64_t{1} << (Value::kShift - 1);
  if (value >= -kMost && value < kMost) return Value::Of(Tag::kInt, static_cast<uint64_t>(value));
  wide_.push_back(value);
  return Value::Of(Tag::kWideInt, wide_.size() - 1);
}

Value PickleReader::NewObject(Kind kind) {
  objects_.push_back((uint64_t{static_cast<uint8_t>(kind)} << 56) | kNoItems);
  return Value::Of(Tag::kObject, objects_.size() - 1);
}

// The items of a list or dict, for adding to them.
std::vector<Value>& PickleReader::ItemsOf(Value object) {
  uint64_t& entry = objects_[object.payload()];
  if ((entry & kObjectPayload) != kNoItems) return items_[entry & kObjectPayload];
  uint32_t slot = static_cast<uint32_t>(items_.size());
  if (free_items_.empty()) {
    items_.emplace_back();
  } else {
    slot = free_items_.back();
    free_items_.pop_back();
  }
  entry = (entry & ~kObjectPayload) | slot;
  return items_[slot];
}

std::span<const Value> PickleReader::Items(Value value) const {
  if (value.tag() != Tag::kObject) return {};
  const uint64_t entry = objects_[value.payload()];
  if (static_cast<Kind>(entry >> 56) == Kind::kRecord || (entry & kObjectPayload) == kNoItems)
    return {};
  return items_[entry & kObjectPayload];
}

std::optional<double> PickleReader::AsReal(Value value) const {
  if (value.tag() == Tag::kReal) return reals_[value.payload()];
  if (const auto whole = AsInt(value)) return static_cast<double>(*whole);
  return std::nullopt;
}

Value PickleReader::Get(Value dict, std::string_view key) const {
  if (!IsDict(dict)) return {};
  const std::span<const Value> items = Items(dict);
  for (size_t i = items.size(); i >= 2; i -= 2) {
    const auto text = AsText(items[i - 2]);
    if (text && strings_->View(*text) == key) return items[i - 1];
  }
  return {};
}

void PickleReader::Replace(Value list, Record record) {
  if (list.tag() != Tag::kObject) return;
  uint64_t& entry = objects_[list.payload()];
  const uint64_t slot = entry & kObjectPayload;
  if (static_cast<Kind>(entry >> 56) != Kind::kRecord && slot != kNoItems) {
    items_[slot].clear();
    // The room of a large list is freed, because later lists would keep it.
    if (items_[slot].capacity() > 4096) std::vector<Value>().swap(items_[slot]);
    free_items_.push_back(static_cast<uint32_t>(slot));
  }
  entry = (uint64_t{static_cast<uint8_t>(Kind::kRecord)} << 56) | (uint64_t{record.kind} << 48) |
          record.index;
}

// ---- Containers

std::span<const Value> PickleReader::SinceMark() {
  return std::span<const Value>(stack_).subspan(marks_.back());
}

bool PickleReader::PopMark() {
  stack_.resize(marks_.back());
  marks_.pop_back();
  return true;
}

bool PickleReader::Append(Value list, std::span<const Value> items) {
  if (!IsList(list)) return Fail("items for what is no list");
  if (items.empty()) return true;
  std::vector<Value>& to = ItemsOf(list);
  to.insert(to.end(), items.begin(), items.end());
  return true;
}

bool PickleReader::SetItems(Value dict, std::span<const Value> items) {
  if (!IsDict(dict) || items.size() % 2 != 0) return Fail("items for what is no dict");
  if (items.empty()) return true;
  if (Items(dict).empty()) {
    if (const std::optional<Record> record = sink_->Take(*this, items)) {
      Replace(dict, *record);
      return true;
    }
  }
  std::vector<Value>& to = ItemsOf(dict);
  to.insert(to.end(), items.begin(), items.end());
  return true;
}

bool PickleReader::PushTuple(size_t items) {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < items) return Fail("a tuple of more than there is");
  const Value tuple = NewObject(Kind::kList);
  const size_t from = stack_.size() - items;
  if (!Append(tuple, std::span<const Value>(stack_).subspan(from))) return false;
  stack_.resize(from);
  return Push(tuple);
}

bool PickleReader::StepContainer(uint8_t op) {
  // The lowest value that may be taken without its mark.
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  switch (op) {
    case kMark:
      if (marks_.size() >= kMaxDepth) return Fail("containers are nested too deeply");
      marks_.push_back(static_cast<uint32_t>(stack_.size()));
      return true;
    case kEmptyDict:
      return Push(NewObject(Kind::kDict));
    case kEmptyList:
    case kEmptyTuple:
    case kEmptySet:
      return Push(NewObject(Kind::kList));
    case kTuple1:
    case kTuple2:
    case kTuple3:
      return PushTuple(op - kTuple1 + size_t{1});
    case kAppend: {
      if (stack_.size() < floor + 2) return Fail("an item without a list");
      const Value item = stack_.back();
      stack_.pop_back();
      return Append(stack_.back(), {&item, 1});
    }
    case kSetItem: {
      if (stack_.size() < floor + 3) return Fail("an item without a dict");
      const Value pair[] = {stack_[stack_.size() - 2], stack_.back()};
      stack_.resize(stack_.size() - 2);
      return SetItems(stack_.back(), pair);
    }
    default:
      break;
  }
  if (marks_.empty()) return Fail("items without a mark");
  switch (op) {
    case kTuple:
    case kList:
    case kFrozenSet: {
      const Value list = NewObject(Kind::kList);
      return Append(list, SinceMark()) && PopMark() && Push(list);
    }
    case kDict: {
      const Value dict = NewObject(Kind::kDict);
      return SetItems(dict, SinceMark()) && PopMark() && Push(dict);
    }
    case kPopMark:
      return PopMark();
    default:  // kAppends, kAddItems, kSetItems: into the container below the mark
      break;
  }
  const size_t below = marks_.size() > 1 ? marks_[marks_.size() - 2] : 0;
  if (marks_.back() <= below) return Fail("items without a container");
  const Value into = stack_[marks_.back() - 1];
  return (op == kSetItems ? SetItems(into, SinceMark()) : Append(into, SinceMark())) && PopMark();
}

// ---- Numbers and texts

// Pushes a number in two's complement, little endian. One of more than 64 bits keeps its lowest 64:
// an address fits.
bool PickleReader::PushLong(size_t bytes) {
  const std::string_view text = TakeBytes(bytes);
  const size_t used = std::min<size_t>(bytes, 8);
  uint64_t value = 0;
  std::memcpy(&value, text.data(), used);
  if (used > 0 && used < 8 && (text[used - 1] & 0x80) != 0) value |= ~uint64_t{0} << (8 * used);
  return Push(IntValue(static_cast<int64_t>(value)));
}

bool PickleReader::StepNumber(uint8_t op) {
  switch (op) {
    case kNone:
      return Push({});
    case kNewTrue:
    case kNewFalse:
      return Push(Value::Of(Tag::kBool, op == kNewTrue ? 1 : 0));
    case kBinInt1:
      return Need(1) && Push(Value::Of(Tag::kInt, TakeLittle(1)));
    case kBinInt2:
      return Need(2) && Push(Value::Of(Tag::kInt, TakeLittle(2)));
    case kBinInt:
      return Need(4) && Push(IntValue(static_cast<int32_t>(TakeLittle(4))));
    case kLong1: {
      if (!Need(1)) return false;
      const auto bytes = static_cast<uint8_t>(buffer_[at_]);
      if (!Need(bytes + size_t{1})) return false;
      ++at_;
      return PushLong(bytes);
    }
    case kLong4: {
      if (!Need(4)) return false;
      const auto bytes = static_cast<int32_t>(TakeLittle(4));
      if (bytes < 0 || static_cast<size_t>(bytes) > kMaxText) return Fail("a number too long");
      return Need(static_cast<size_t>(bytes)) && PushLong(static_cast<size_t>(bytes));
    }
    default: {  // kBinFloat: big endian
      if (!Need(8)) return false;
      reals_.push_back(std::bit_cast<double>(__builtin_bswap64(TakeLittle(8))));
      return Push(Value::Of(Tag::kReal, reals_.size() - 1));
    }
  }
}

bool PickleReader::PushText(uint64_t bytes, Tag tag) {
  if (bytes > kMaxText) return Fail(fmt::format("a text of {} bytes", bytes));
  if (!Need(bytes)) return false;
  const std::string_view text = TakeBytes(bytes);
  if (tag == Tag::kBytes) return Push(Value::Of(Tag::kBytes, 0));  // nothing reads bytes
  return Push(Value::Of(Tag::kText, strings_->Intern(text).value));
}

bool PickleReader::StepText(uint8_t op) {
  const auto with_length = [&](size_t n, Tag tag) {
    return Need(n) && PushText(TakeLittle(n), tag);
  };
  switch (op) {
    case kShortBinUnicode:
    case kShortBinString:
      return with_length(1, Tag::kText);
    case kBinUnicode:
    case kBinString:
      return with_length(4, Tag::kText);
    case kBinUnicode8:
      return with_length(8, Tag::kText);
    case kShortBinBytes:
      return with_length(1, Tag::kBytes);
    case kBinBytes:
      return with_length(4, Tag::kBytes);
    default:  // kBinBytes8, kByteArray8
      return with_length(8, Tag::kBytes);
  }
}

// ---- The memo

bool PickleReader::Memoize(uint64_t index) {
  if (stack_.empty()) return Fail("nothing to remember");
  // Writers count from 0, so a number beyond the bytes read comes from no writer.
  if (index > offset() || index >= kMaxObjects) return Fail("a memo index out of range");
  while (memo_.size() <= index) memo_.push_back(~uint64_t{0});
  memo_[index] = stack_.back().bits;
  return true;
}

bool PickleReader::StepMemo(uint8_t op) {
  switch (op) {
    case kMemoize:
      return Memoize(memo_.size());
    case kBinPut:
      return Need(1) && Memoize(TakeLittle(1));
    default:  // kLongBinPut
      return Need(4) && Memoize(TakeLittle(4));
  }
}

// ---- The machine

bool PickleReader::Refuse(uint8_t op) {
  if (const char* name = RefusedName(op)) {
    return Fail(
        fmt::format("it asks for code to be run ({}), which a memory snapshot has no "
                    "need of; nothing was run and nothing is shown",
                    name));
  }
  return Fail(fmt::format("0x{:02x} is no opcode of a binary pickle", op));
}

bool PickleReader::Step(uint8_t op) {
  // Most opcodes of a file recall texts and frames that were met before.
  if (op == kBinGet) return Need(1) && Recall(TakeLittle(1));
  if (op == kLongBinGet) return Need(4) && Recall(TakeLittle(4));
  switch (op) {
    case kMemoize:
    case kBinPut:
    case kLongBinPut:
      return StepMemo(op);
    case kBinInt1:
    case kBinInt2:
    case kBinInt:
    case kLong1:
    case kLong4:
    case kBinFloat:
    case kNone:
    case kNewTrue:
    case kNewFalse:
      return StepNumber(op);
    case kShortBinUnicode:
    case kShortBinString:
    case kBinUnicode:
    case kBinString:
    case kBinUnicode8:
    case kShortBinBytes:
    case kBinBytes:
    case kBinBytes8:
    case kByteArray8:
      return StepText(op);
    case kMark:
    case kEmptyDict:
    case kEmptyList:
    case kEmptyTuple:
    case kEmptySet:
    case kTuple1:
    case kTuple2:
    case kTuple3:
    case kAppend:
    case kSetItem:
    case kTuple:
    case kList:
    case kFrozenSet:
    case kDict:
    case kPopMark:
    case kAppends:
    case kAddItems:
    case kSetItems:
      return StepContainer(op);
    case kProto:
      return Need(1) && (TakeLittle(1) <= 5 || Fail("a protocol newer than 5"));
    case kFrame:
      return Need(8) && (TakeLittle(8), true);
    case kPop:
      if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return Fail("nothing to drop");
      stack_.pop_back();
      return true;
    case kDup:
      return stack_.empty() ? Fail("nothing to copy") : Push(stack_.back());
    case kStop:
      done_ = true;
      return false;
    default:
      return Refuse(op);
  }
}

// Closes what is open where the bytes end, the innermost first, as the writer would have.
void PickleReader::CloseAll() {
  while (!stack_.empty()) {
    const size_t from = marks_.empty() ? 1 : marks_.back();
    if (from == 0) return;
    const Value into = stack_[from - 1];
    const size_t items = stack_.size() - from;
    // A list of one item has no mark: it lies on the stack as the value of the last key.
    if (IsDict(into) && items % 2 != 0) {
      if (items >= 3 && IsList(stack_[stack_.size() - 2]) &&
          !Append(stack_[stack_.size() - 2], {&stack_.back(), 1}))
        return;
      stack_.pop_back();
    }
    const std::span<const Value> rest = std::span<const Value>(stack_).subspan(from);
    if (IsDict(into) ? !SetItems(into, rest) : IsList(into) && !Append(into, rest)) return;
    stack_.resize(from);
    if (marks_.empty()) return;
    marks_.pop_back();
  }
}

// Runs the commonest opcodes, without calls, while the buffer surely has their arguments. What they
// push is collected in a small array and goes to the stack in one piece. Any other opcode, and one
// that would fail, is left for Step.
uint32_t PickleReader::RunCommon(uint32_t most) {
  constexpr std::ptrdiff_t kLongest = 16;
  constexpr size_t kPieces = 64;
  if (stack_.size() + kPieces > kMaxStack) return 0;
  Value pushed[kPieces];
  size_t values = 0;
  const char* p = buffer_.data() + at_;
  const char* const end = buffer_.data() + end_;
  const auto little = [&](size_t n) {
    uint64_t value = 0;
    std::memcpy(&value, p + 1, n);
    return value;
  };
  const auto put = [&](Value value, size_t bytes) {
    pushed[values++] = value;
    p += bytes;
    return true;
  };
  const auto get = [&](uint64_t index, size_t bytes) {
    if (index >= memo_.size() || memo_[index] == ~uint64_t{0}) return false;
    return put({memo_[index]}, bytes);
  };
  const auto common = [&] {
    switch (static_cast<uint8_t>(*p)) {
      case kBinGet:
        return get(little(1), 2);
      case kLongBinGet:
        return get(little(4), 5);
      case kBinInt1:
        return put(Value::Of(Tag::kInt, little(1)), 2);
      case kBinInt2:
        return put(Value::Of(Tag::kInt, little(2)), 3);
      case kBinInt:
        return put(IntValue(static_cast<int32_t>(little(4))), 5);
      case kLong1: {
        const auto bytes = static_cast<uint8_t>(p[1]);
        if (bytes == 0 || bytes > 8) return false;
        uint64_t raw = 0;
        std::memcpy(&raw, p + 2, 8);
        const int unused = 64 - 8 * bytes;
        return put(IntValue(static_cast<int64_t>(raw << unused) >> unused), bytes + size_t{2});
      }
      case kEmptyDict:
        return put(NewObject(Kind::kDict), 1);
      case kMark:
        if (marks_.size() >= kMaxDepth) return false;
        marks_.push_back(static_cast<uint32_t>(stack_.size() + values));
        ++p;
        return true;
      case kMemoize:
        if (values == 0 && stack_.empty()) return false;
        if (memo_.size() > offset() || memo_.size() >= kMaxObjects) return false;
        memo_.push_back(values > 0 ? pushed[values - 1].bits : stack_.back().bits);
        ++p;
        return true;
      default:
        return false;
    }
  };
  uint32_t done = 0;
  while (done < most && end - p >= kLongest && values < kPieces && common()) ++done;
  at_ = static_cast<size_t>(p - buffer_.data());
  stack_.insert(stack_.end(), pushed, pushed + values);
  return done;
}

Result<Value> PickleReader::Read(const std::stop_token& stop, uint64_t max_bytes) {
  max_bytes_ = max_bytes;
  if (Need(1) && static_cast<uint8_t>(buffer_[at_]) != kProto)
    return Status(ErrorCode::kFormat, "this is no pickle of protocol 2 to 5");
  bool more = !truncated_ && error_.ok();
  while (more) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    if (objects_.size() > kMaxObjects - kOpsPerLook)
      return Status(ErrorCode::kLimit, fmt::format("more than {} lists and dicts", kMaxObjects));
    for (uint32_t i = 0; more && i < kOpsPerLook; ++i) {
      i += RunCommon(kOpsPerLook - 1 - i);
      more = Need(1);
      if (more) more = Step(static_cast<uint8_t>(buffer_[at_++]));
    }
  }
  if (!error_.ok()) return error_;
  if (truncated_) CloseAll();
  if (!error_.ok()) return error_;
  if (stack_.empty()) return Status(ErrorCode::kFormat, "the pickle holds no object");
  return truncated_ ? stack_.front() : stack_.back();
}

}  // namespace stepscope::pickle
