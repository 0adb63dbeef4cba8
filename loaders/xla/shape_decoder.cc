#include "loaders/xla/shape_decoder.h"

#include "loaders/xla/limits.h"
#include "loaders/xla/packed_ints.h"

namespace stepscope::xla {

using namespace proto;

namespace {

void DecodeLayout(const Field& layout, Shape* shape) {
  shape->has_layout = true;
  ForFields(layout.begin, layout.end, [&](const Field& f) {
    if (f.number == 1) AppendInts(f, &shape->minor_to_major);
    if (f.number == 7 && f.wire == kVarint) shape->element_bits = static_cast<int32_t>(f.value);
    if (f.number == 8 && f.wire == kVarint) shape->memory_space = f.Int();
    if (f.number != 6 || f.wire != kLen) return;
    std::vector<int64_t>& tile = shape->tiles.emplace_back();
    ForFields(f.begin, f.end, [&](const Field& t) {
      if (t.number == 1) AppendInts(t, &tile);
    });
  });
}

Shape Decode(Bytes begin, Bytes end, int depth) {
  Shape shape;
  std::vector<int64_t> dynamic;
  ForFields(begin, end, [&](const Field& f) {
    if (f.number == 2 && f.wire == kVarint && f.value < 256)
      shape.type = static_cast<ElementType>(f.value);
    if (f.number == 3) AppendInts(f, &shape.dimensions);
    if (f.number == 4 && f.wire == kLen && depth < kMaxShapeDepth)
      shape.members.push_back(Decode(f.begin, f.end, depth + 1));
    if (f.number == 5 && f.wire == kLen) DecodeLayout(f, &shape);
    if (f.number == 6) AppendInts(f, &dynamic);
  });
  shape.dynamic.assign(dynamic.begin(), dynamic.end());
  return shape;
}

}  // namespace

uint32_t ShapeDecoder::Add(std::string_view bytes) {
  const auto [it, added] = known_.try_emplace(bytes, 0);
  if (added) {
    const Bytes begin = reinterpret_cast<Bytes>(bytes.data());
    it->second = builder_.AddShape(DecodeShape(begin, begin + bytes.size()));
  }
  return it->second;
}

Shape DecodeShape(Bytes begin, Bytes end) { return Decode(begin, end, 0); }

}  // namespace stepscope::xla
