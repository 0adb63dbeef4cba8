#include "loaders/xla/shape_decoder.h"

#include <vector>

namespace stepscope::xla {

using namespace proto;

namespace {

void DecodeLayout(const Field& layout, Shape* shape) {
  const auto tile = [shape](const Field& f) {
    ReadFields(f, Numbers(1, &shape->tiles.emplace_back()));
  };
  shape->has_layout = true;
  ReadFields(layout, Numbers(1, &shape->minor_to_major), Message(6, tile),
             Number(7, &shape->element_bits), Number(8, &shape->memory_space));
}

Shape DecodeShapeAt(const Field& message, int depth) {
  Shape shape;
  uint64_t type = 0;
  std::vector<int64_t> dynamic;
  const auto member = [&](const Field& f) {
    if (depth < kMaxShapeDepth) shape.members.push_back(DecodeShapeAt(f, depth + 1));
  };
  const auto layout = [&](const Field& f) { DecodeLayout(f, &shape); };
  ReadFields(message, Number(2, &type), Numbers(3, &shape.dimensions), Message(4, member),
             Message(5, layout), Numbers(6, &dynamic));
  if (type < 256) shape.type = static_cast<ElementType>(type);
  shape.dynamic.assign(dynamic.begin(), dynamic.end());
  return shape;
}

}  // namespace

Shape DecodeShape(const Field& shape) { return DecodeShapeAt(shape, 0); }

}  // namespace stepscope::xla
