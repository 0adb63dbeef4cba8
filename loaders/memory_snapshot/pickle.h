// PickleReader: reads a Python pickle of plain data (protocols 2 to 5): dicts, lists, tuples, sets,
// numbers, texts, bytes, None and bools. Opcodes that would run code or need more than the file
// (GLOBAL, REDUCE, BUILD, persistent ids, extension codes, buffers from elsewhere) are an error
// that names them, so nothing in a file is ever executed.
//
// A DictSink may take a dict when its items are complete and keep what it says in columns of its
// own; the reader then keeps one number for it. So a file of millions of alike dicts takes less
// memory than its bytes.
//
// Memory is at most a constant times the bytes read; kMaxObjects, kMaxStack, kMaxDepth and kMaxText
// are not exceeded. One thread. O(bytes).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/files/byte_source.h"
#include "model/base/column.h"
#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/string_pool.h"

namespace stepscope::pickle {

inline constexpr size_t kMaxObjects = size_t{1} << 28;  // lists, dicts and memoized values
inline constexpr size_t kMaxStack = size_t{1} << 22;    // values that are not yet in a container
inline constexpr size_t kMaxDepth = 1000;               // containers that are open
inline constexpr size_t kMaxText = size_t{16} << 20;    // bytes of one text

enum class Tag : uint8_t { kNone, kBool, kInt, kWideInt, kReal, kText, kBytes, kObject };

// A value in 8 bytes: what does not fit is a number of an object that the reader owns.
struct Value {
  uint64_t bits = 0;
  static constexpr int kShift = 60;
  static constexpr uint64_t kPayload = (uint64_t{1} << kShift) - 1;
  static Value Of(Tag tag, uint64_t payload) {
    return {(uint64_t{static_cast<uint8_t>(tag)} << kShift) | (payload & kPayload)};
  }
  Tag tag() const { return static_cast<Tag>(bits >> kShift); }
  uint64_t payload() const { return bits & kPayload; }
  bool operator==(const Value&) const = default;
};

// A dict that a sink has taken: the sink's own number for it.
struct Record {
  uint8_t kind = 0;  // 1 to 15; the sink gives them meaning
  uint32_t index = 0;
};

class PickleReader;

class DictSink {
 public:
  virtual ~DictSink() = default;
  // Called for each complete dict; `items` are key, value, key, value. nullopt leaves the dict to
  // the reader.
  virtual std::optional<Record> Take(PickleReader& reader, std::span<const Value> items) = 0;
};

class PickleReader {
 public:
  // Texts are interned into `strings`. All must outlive the reader; `progress` may be null.
  PickleReader(InflateStream* stream, StringPool* strings, DictSink* sink, Progress* progress);

  // Reads up to STOP and returns the value. Where the bytes end before it (truncated()), open
  // containers are closed with what they have so far. kFormat, kUnsupported, kLimit, kIo,
  // kCancelled.
  Result<Value> Read(const std::stop_token& stop, uint64_t max_bytes);
  bool truncated() const { return truncated_; }
  uint64_t offset() const { return base_ + at_; }  // bytes read

  // The items of a list, tuple or set, or the keys and values of a dict in turn; empty for any
  // other value.
  std::span<const Value> Items(Value value) const;
  bool IsDict(Value value) const;
  bool IsList(Value value) const;  // or a tuple or set
  std::optional<Record> AsRecord(Value value) const;
  std::optional<int64_t> AsInt(Value value) const;  // bools count as 0 and 1
  std::optional<double> AsReal(Value value) const;  // ints and bools count too
  std::optional<StringId> AsText(Value value) const;
  // The last value of the key in a dict; None if the value is no dict or has no such key.
  Value Get(Value dict, std::string_view key) const;
  // Makes a list that the sink has read into a record, and frees its items.
  void Replace(Value list, Record record);

 private:
  enum class Kind : uint8_t { kDict, kList, kRecord };
  static constexpr uint64_t kNoItems = (uint64_t{1} << 56) - 1;

  // Whether n bytes lie at at_, after reading more of the stream if needed; false where it ends.
  bool Need(size_t n);
  bool Refill(size_t n);
  uint64_t TakeLittle(size_t n);
  std::string_view TakeBytes(size_t n);

  uint32_t RunCommon(uint32_t most);  // runs common opcodes; returns how many
  bool Step(uint8_t op);              // false: STOP, an error, or the end of the stream
  bool StepContainer(uint8_t op);
  bool StepNumber(uint8_t op);
  bool StepText(uint8_t op);
  bool StepMemo(uint8_t op);
  bool Refuse(uint8_t op);
  bool Fail(std::string text);
  bool Push(Value value);
  bool PushLong(size_t bytes);
  bool PushText(uint64_t bytes, Tag tag);
  bool PushTuple(size_t items);
  Value IntValue(int64_t value);
  Value NewObject(Kind kind);
  std::span<const Value> SinceMark();
  bool PopMark();
  bool Append(Value list, std::span<const Value> items);
  bool SetItems(Value dict, std::span<const Value> items);
  bool Memoize(uint64_t index);
  bool Recall(uint64_t index);
  std::vector<Value>& ItemsOf(Value object);
  void CloseAll();

  InflateStream* stream_;
  StringPool* strings_;
  DictSink* sink_;
  Progress* progress_;
  std::string buffer_;
  size_t at_ = 0, end_ = 0;  // in buffer_
  uint64_t base_ = 0;        // place of buffer_'s first byte in the stream
  uint64_t max_bytes_ = 0, file_done_ = 0;
  bool truncated_ = false, done_ = false;
  Status error_;
  std::vector<Value> stack_;
  std::vector<uint32_t> marks_;
  Column<uint64_t> objects_;  // kind in the upper 8 bits; a slot of items_, or a record
  Column<uint64_t> memo_;     // Value::bits
  std::vector<std::vector<Value>> items_;
  std::vector<uint32_t> free_items_;
  std::vector<int64_t> wide_;
  std::vector<double> reals_;
};

// Inline because they are called for each value of each dict.
inline bool PickleReader::IsDict(Value value) const {
  return value.tag() == Tag::kObject &&
         static_cast<Kind>(objects_[value.payload()] >> 56) == Kind::kDict;
}

inline bool PickleReader::IsList(Value value) const {
  return value.tag() == Tag::kObject &&
         static_cast<Kind>(objects_[value.payload()] >> 56) == Kind::kList;
}

inline std::optional<Record> PickleReader::AsRecord(Value value) const {
  if (value.tag() != Tag::kObject) return std::nullopt;
  const uint64_t entry = objects_[value.payload()];
  if (static_cast<Kind>(entry >> 56) != Kind::kRecord) return std::nullopt;
  return Record{static_cast<uint8_t>((entry >> 48) & 0xff), static_cast<uint32_t>(entry)};
}

inline std::optional<int64_t> PickleReader::AsInt(Value value) const {
  constexpr int kUnused = 64 - Value::kShift;
  switch (value.tag()) {
    case Tag::kInt:
      return static_cast<int64_t>(value.bits << kUnused) >> kUnused;
    case Tag::kWideInt:
      return wide_[value.payload()];
    case Tag::kBool:
      return static_cast<int64_t>(value.payload());
    default:
      return std::nullopt;
  }
}

inline std::optional<StringId> PickleReader::AsText(Value value) const {
  if (value.tag() != Tag::kText) return std::nullopt;
  return StringId(static_cast<uint32_t>(value.payload()));
}

}  // namespace stepscope::pickle
