#include <bit>
#include <utility>

#include "loaders/store/argument_kinds.h"
#include "loaders/store/arguments.h"
#include "loaders/store/byte_codec.h"

namespace stepscope::store {
namespace {

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

}  // namespace stepscope::store
