// Writes blocks of arguments.
#include <bit>
#include <unordered_map>
#include <utility>
#include <variant>

#include "loaders/store/argument_kinds.h"
#include "loaders/store/arguments.h"
#include "loaders/store/byte_codec.h"
#include "model/stat_reader.h"

namespace stepscope::store {
namespace {

constexpr uint32_t kRowsBetweenStops = 256;

// Numbers texts in the order in which they come.
class TextList {
 public:
  uint32_t Number(const std::string& text) {
    const auto [at, added] = numbers_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(at->first);
    return at->second;
  }
  void Write(ByteWriter* writer) const {
    writer->Varint(texts_.size());
    writer->Texts(texts_);
  }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;  // its keys stay where they are
  std::vector<std::string_view> texts_;
};

class BlockWriter {
 public:
  void Add(const std::vector<Stat>& stats) {
    size_t common = 0;
    while (common < stats.size() && stats[common].from_metadata) ++common;
    common_of_row_.push_back(common == 0 ? 0 : Common(stats, common) + 1);
    key_.clear();
    for (size_t i = common; i < stats.size(); ++i) {
      key_.push_back(names_.Number(stats[i].name));
      key_.push_back(KindOf(stats[i]));
    }
    if (key_.empty()) {
      shape_of_row_.push_back(0);
      return;
    }
    Shape& shape = ShapeOf(key_);
    shape_of_row_.push_back(shape.number + 1);
    for (size_t i = common; i < stats.size(); ++i)
      shape.values[i - common].push_back(Value(stats[i]));
  }

  void Write(std::string* out) const {
    ByteWriter writer(out);
    names_.Write(&writer);
    texts_.Write(&writer);
    writer.Varint(common_lists_.size());
    for (const std::string& list : common_lists_) writer.Bytes(list);
    writer.Varint(shapes_.size());
    for (const Shape* shape : shapes_) {
      writer.Varint(shape->key.size() / 2);
      for (const uint32_t part : shape->key) writer.Varint(part);
    }
    writer.Ints(common_of_row_);
    writer.Ints(shape_of_row_);
    for (const Shape* shape : shapes_) {
      for (const std::vector<uint64_t>& values : shape->values) writer.Ints(values);
    }
  }

 private:
  using Key = std::vector<uint32_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const {
      size_t h = 0;
      for (const uint32_t part : key) h = (h ^ part) * 0x9e3779b97f4a7c15ull;
      return h;
    }
  };
  struct Shape {
    uint64_t number = 0;
    Key key;
    std::vector<std::vector<uint64_t>> values;  // by argument
  };

  static uint32_t KindOf(const Stat& stat) {
    return static_cast<uint32_t>(stat.value.index()) | (stat.from_metadata ? kFromMetadata : 0);
  }

  uint64_t Value(const Stat& stat) {
    if (const auto* i = std::get_if<int64_t>(&stat.value)) return static_cast<uint64_t>(*i);
    if (const auto* u = std::get_if<uint64_t>(&stat.value)) return *u;
    if (const auto* d = std::get_if<double>(&stat.value)) return std::bit_cast<uint64_t>(*d);
    return texts_.Number(std::get<std::string>(stat.value));
  }

  uint64_t Common(const std::vector<Stat>& stats, size_t count) {
    std::string list;
    ByteWriter writer(&list);
    writer.Varint(count);
    for (size_t i = 0; i < count; ++i) {
      writer.Varint(names_.Number(stats[i].name));
      writer.Varint(KindOf(stats[i]));
      writer.Varint(Value(stats[i]));
    }
    const auto [at, added] = common_numbers_.try_emplace(list, common_lists_.size());
    if (added) common_lists_.push_back(std::move(list));
    return at->second;
  }

  Shape& ShapeOf(const Key& key) {
    const auto [at, added] = shape_by_key_.try_emplace(key);
    Shape& shape = at->second;
    if (added) {
      shape.number = shapes_.size();
      shape.key = key;
      shape.values.resize(key.size() / 2);
      shapes_.push_back(&shape);
    }
    return shape;
  }

  TextList names_, texts_;
  Key key_;
  std::unordered_map<Key, Shape, KeyHash> shape_by_key_;
  std::vector<const Shape*> shapes_;
  std::unordered_map<std::string, uint64_t> common_numbers_;
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
    const Result<std::vector<Stat>> stats = reader->Read(EventRow(first + i));
    if (!stats.ok()) return stats.status();
    block.Add(*stats);
  }
  block.Write(out);
  return {};
}

}  // namespace stepscope::store
