#include "loaders/store/arguments.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_map>
#include <utility>

#include "loaders/store/byte_codec.h"
#include "model/stat_reader.h"

namespace stepscope::store {
namespace {

// Kinds of values of arguments. Numbers of a store (docs/store.md#arguments).

// The position of the type in Stat::value: signed, unsigned, floating point, text.
constexpr uint8_t kSigned = 0, kUnsigned = 1, kReal = 2, kText = 3;
constexpr uint8_t kFromMetadata = 4;  // added: the same for all events of one name

constexpr uint32_t kMostNames = 1u << 20;            // names, texts, shapes or lists of a block
constexpr uint32_t kMostArguments = 1u << 13;        // of one event
constexpr uint64_t kMostListed = 1u << 20;           // arguments of all shapes or lists
constexpr size_t kMostTextBytes = size_t{64} << 20;  // of the texts of one event

}  // namespace

uint64_t ArgumentBlock::Column::At(uint32_t i) const {
  uint64_t value = 0;
  for (uint32_t plane = 0; plane < width; ++plane)
    value |= uint64_t{planes[size_t{plane} * count + i]} << (8 * plane);
  return base + factor * value;
}

void ArgumentBlock::Add(const Argument& argument, uint64_t value, size_t* text_bytes,
                        std::vector<Stat>* out) const {
  Stat& stat = out->emplace_back();
  stat.name = names_[argument.name];
  stat.from_metadata = (argument.kind & kFromMetadata) != 0;
  switch (argument.kind & ~kFromMetadata) {
    case kSigned:
      stat.value = static_cast<int64_t>(value);
      break;
    case kUnsigned:
      stat.value = value;
      break;
    case kReal:
      stat.value = std::bit_cast<double>(value);
      break;
    default: {
      const std::string_view text = value < texts_.size() ? texts_[value] : std::string_view();
      *text_bytes += text.size() + stat.name.size();
      stat.value = *text_bytes > kMostTextBytes ? "<" + std::to_string(text.size()) + " bytes>"
                                                : std::string(text);
    }
  }
}

bool ArgumentBlock::ReadArgument(ByteReader* reader, Argument* argument) const {
  argument->name = reader->Count(kMostNames);
  argument->kind = static_cast<uint8_t>(reader->Count(kFromMetadata | kText));
  return reader->ok() && argument->name < names_.size();
}

bool ArgumentBlock::ReadCommon(ByteReader* reader) {
  uint64_t listed = 0;
  for (uint32_t lists = reader->Count(kMostNames); lists > 0 && reader->ok(); --lists) {
    std::vector<Common>& list = common_lists_.emplace_back();
    const uint32_t n = reader->Count(kMostArguments);
    listed += n;
    if (listed > kMostListed) return false;
    for (uint32_t k = 0; k < n; ++k) {
      Common& common = list.emplace_back();
      if (!ReadArgument(reader, &common.argument)) return false;
      common.value = reader->Varint();
    }
  }
  return reader->ok();
}

bool ArgumentBlock::ReadShapes(ByteReader* reader) {
  uint64_t listed = 0;
  for (uint32_t shapes = reader->Count(kMostNames); shapes > 0 && reader->ok(); --shapes) {
    const uint32_t n = reader->Count(kMostArguments);
    listed += n;
    if (listed > kMostListed) return false;
    for (Argument& argument : shapes_.emplace_back(n)) {
      if (!ReadArgument(reader, &argument)) return false;
    }
  }
  return reader->ok();
}

// The columns of values, after the shapes of all rows are known.
bool ArgumentBlock::ReadValues(ByteReader* reader) {
  std::vector<uint32_t> rows(shapes_.size());
  index_.resize(shape_.size());
  for (size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] > shapes_.size() || common_[i] > common_lists_.size()) return false;
    if (shape_[i] != 0) index_[i] = rows[shape_[i] - 1]++;
  }
  for (size_t s = 0; s < shapes_.size(); ++s) {
    for (Argument& argument : shapes_[s]) {
      Column& values = argument.values;
      values.count = rows[s];
      if (rows[s] == 0) continue;
      values.base = static_cast<uint64_t>(reader->Signed());
      values.factor = reader->Varint();
      const std::string_view width = reader->Bytes(1);
      values.width = width.empty() ? 0 : static_cast<uint8_t>(width.front());
      if (values.width > 8) return false;
      values.planes = reinterpret_cast<const uint8_t*>(
          reader->Bytes(uint64_t{values.width} * values.count).data());
      if (!reader->ok()) return false;
    }
  }
  return true;
}

std::shared_ptr<const ArgumentBlock> ArgumentBlock::Parse(std::string bytes, uint32_t rows) {
  if (rows > kArgumentRows) return nullptr;
  auto block = std::make_shared<ArgumentBlock>();
  block->bytes_ = std::move(bytes);
  ByteReader reader(block->bytes_);
  block->names_ = reader.Texts(reader.Count(kMostNames));
  block->texts_ = reader.Texts(reader.Count(kMostNames));
  if (!reader.ok() || !block->ReadCommon(&reader) || !block->ReadShapes(&reader)) return nullptr;
  std::vector<uint64_t> values(rows);
  reader.Ints(values);
  block->common_.assign(values.begin(), values.end());
  reader.Ints(values);
  block->shape_.assign(values.begin(), values.end());
  if (!reader.ok() || !block->ReadValues(&reader)) return nullptr;
  return block;
}

std::vector<Stat> ArgumentBlock::Row(uint32_t i) const {
  std::vector<Stat> stats;
  if (i >= shape_.size()) return stats;
  size_t text_bytes = 0;
  if (common_[i] != 0) {
    for (const Common& common : common_lists_[common_[i] - 1])
      Add(common.argument, common.value, &text_bytes, &stats);
  }
  if (shape_[i] == 0) return stats;
  for (const Argument& argument : shapes_[shape_[i] - 1])
    Add(argument, argument.values.At(index_[i]), &text_bytes, &stats);
  return stats;
}

size_t ArgumentBlock::bytes() const {
  return bytes_.size() + (names_.size() + texts_.size()) * sizeof(std::string_view) +
         shape_.size() * 12;
}

namespace {

constexpr uint32_t kRowsBetweenStops = 256;

// Numbers texts in the order in which they come.
class TextList {
 public:
  uint32_t Number(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    texts_.push_back(numbers_.try_emplace(std::string(text), number).first->first);
    return number;
  }
  // The same for a text that is at no other time another one.
  uint32_t NumberOfLasting(std::string_view text) {
    Seen& seen = seen_[std::hash<const char*>()(text.data()) / 8 % kSeen];
    if (seen.text.data() != text.data() || seen.text.size() != text.size())
      seen = {text, Number(text)};
    return seen.number;
  }
  std::string_view Text(uint32_t number) const { return texts_[number]; }
  void Write(ByteWriter* writer) const {
    writer->Varint(texts_.size());
    writer->Texts(texts_);
  }

 private:
  static constexpr size_t kSeen = 1024;
  struct Seen {
    std::string_view text;
    uint32_t number = 0;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;  // keys stay in place
  std::vector<std::string_view> texts_;
  std::vector<Seen> seen_ = std::vector<Seen>(kSeen);
};

// Shapes are the paths of a tree, a step of which is an argument's name and kind: rows that follow
// each other mostly take the same steps.
class BlockWriter final : public StatVisitor {
 public:
  // The arguments of a row come between the two.
  void BeginRow() {
    at_ = 0;
    values_.clear();
    common_of_row_.push_back(0);
  }
  void EndRow() {
    if (at_ == 0) {
      shape_of_row_.push_back(0);
      return;
    }
    if (steps_[at_].shape == 0) AddShape();
    Shape& shape = shapes_[steps_[at_].shape - 1];
    shape_of_row_.push_back(steps_[at_].shape);
    for (size_t i = 0; i < values_.size(); ++i) shape.values[i].push_back(values_[i]);
  }

  void TakeMetadata(std::span<const Stat> stats, uint64_t key) override {
    uint64_t unkeyed = 0;
    uint64_t& number = key == 0 ? unkeyed : common_of_key_[key];
    if (number == 0) number = Common(stats) + 1;
    common_of_row_.back() = number;
  }

  void Take(const StatView& stat) override {
    const uint8_t kind = KindOf(stat);
    const uint32_t likely = steps_[at_].next;
    const Step& step = steps_[likely];
    if (likely != 0 && step.kind == kind && step.name == stat.name) {
      at_ = likely;
    } else {
      TakeStep(stat.name, kind);
    }
    values_.push_back(Value(stat));
  }

  void Write(std::string* out) const {
    ByteWriter writer(out);
    names_.Write(&writer);
    texts_.Write(&writer);
    writer.Varint(common_lists_.size());
    for (const std::string& list : common_lists_) writer.Bytes(list);
    writer.Varint(shapes_.size());
    for (const Shape& shape : shapes_) {
      writer.Varint(shape.arguments.size());
      for (const auto& [name, kind] : shape.arguments) writer.Varint(name), writer.Varint(kind);
    }
    writer.Ints(common_of_row_);
    writer.Ints(shape_of_row_);
    for (const Shape& shape : shapes_) {
      for (const std::vector<uint64_t>& values : shape.values) writer.Ints(values);
    }
  }

 private:
  struct Step {
    std::string_view name;  // of `names_`
    uint32_t number = 0;    // of the name
    uint8_t kind = 0;
    uint32_t from = 0;   // the step before
    uint32_t next = 0;   // the last that was taken from here; 0: none
    uint32_t shape = 0;  // number + 1 of the shape that ends here; 0: none yet
  };
  struct Shape {
    std::vector<std::pair<uint32_t, uint32_t>> arguments;  // name and kind
    std::vector<std::vector<uint64_t>> values;             // by argument
  };

  static uint8_t KindOf(const StatView& stat) {
    return static_cast<uint8_t>(stat.kind | (stat.from_metadata ? kFromMetadata : 0));
  }

  uint64_t Value(const StatView& stat) {
    if (stat.kind != kText) return stat.bits;
    return stat.lasting ? texts_.NumberOfLasting(stat.text) : texts_.Number(stat.text);
  }

  void TakeStep(std::string_view name, uint8_t kind) {
    const uint32_t number = names_.Number(name);
    const auto [step, added] = steps_from_[at_].try_emplace(uint64_t{number} << 8 | kind, 0u);
    if (added) {
      step->second = static_cast<uint32_t>(steps_.size());
      steps_.push_back({names_.Text(number), number, kind, at_, 0, 0});
    }
    steps_[at_].next = step->second;
    at_ = step->second;
  }

  void AddShape() {
    Shape& shape = shapes_.emplace_back();
    for (uint32_t step = at_; step != 0; step = steps_[step].from)
      shape.arguments.emplace_back(steps_[step].number, steps_[step].kind);
    std::reverse(shape.arguments.begin(), shape.arguments.end());
    shape.values.resize(shape.arguments.size());
    steps_[at_].shape = static_cast<uint32_t>(shapes_.size());
  }

  uint64_t Common(std::span<const Stat> stats) {
    std::string list;
    ByteWriter writer(&list);
    writer.Varint(stats.size());
    for (const Stat& stat : stats) {
      const StatView view = ViewOf(stat);
      writer.Varint(names_.Number(view.name));
      writer.Varint(KindOf(view));
      writer.Varint(Value(view));
    }
    const auto [at, added] = common_numbers_.try_emplace(list, common_lists_.size());
    if (added) common_lists_.push_back(std::move(list));
    return at->second;
  }

  TextList names_, texts_;
  std::vector<Step> steps_ = std::vector<Step>(1);  // the first is where all begin
  // By step: those that go on from it, by name and kind.
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, uint32_t>> steps_from_;
  uint32_t at_ = 0;
  std::vector<uint64_t> values_;  // of the row
  std::vector<Shape> shapes_;
  std::unordered_map<std::string, uint64_t> common_numbers_;
  std::unordered_map<uint64_t, uint64_t> common_of_key_;  // number + 1
  std::vector<std::string> common_lists_;
  std::vector<uint64_t> common_of_row_, shape_of_row_;
};

}  // namespace

Status WriteArguments(const Trace& trace, uint32_t first, uint32_t count,
                      const std::stop_token& stop, std::string* out) {
  BlockWriter block;
  const std::unique_ptr<StatReader> reader = ReaderOf(trace);
  for (uint32_t i = 0; i < count; ++i) {
    if (i % kRowsBetweenStops == 0 && stop.stop_requested())
      return {ErrorCode::kCancelled, "cancelled"};
    block.BeginRow();
    if (Status status = reader->Visit(EventRow(first + i), &block); !status.ok()) return status;
    block.EndRow();
  }
  block.Write(out);
  return {};
}

}  // namespace stepscope::store
