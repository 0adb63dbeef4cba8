// Shape: the type of a value of an HLO program: an array, or a tuple of shapes. A value. Sizes come
// from untrusted files: counts saturate at kMostElements, and a negative dimension counts as 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::xla {

// The types of elements of arrays, by their numbers in ShapeProto.
enum class ElementType : uint8_t {
  kInvalid = 0,
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kTuple = 13,
  kOpaque = 14,
  kC64 = 15,
  kBf16 = 16,
  kToken = 17,
  kC128 = 18,
  kF4E2M1 = 32,
};

// The bits of an element in memory: 8 for PRED, 4 for S4. 0 for tuples, tokens and unknown types.
int BitsOf(ElementType type);
// "bf16"; "invalid" for an unknown number.
std::string_view NameOf(ElementType type);

// Sums of a few counts still fit into an int64.
inline constexpr int64_t kMostElements = int64_t{1} << 60;

struct Shape {
  ElementType type = ElementType::kInvalid;
  bool has_layout = false;
  int32_t element_bits = 0;  // of the layout; 0: those of the type
  int64_t memory_space = 0;  // of the layout: "S(5)"
  std::vector<int64_t> dimensions;
  std::vector<bool> dynamic;            // by dimension; empty: none is
  std::vector<int64_t> minor_to_major;  // of the layout
  std::vector<std::vector<int64_t>> tiles;
  std::vector<Shape> members;  // of a tuple

  bool is_tuple() const { return type == ElementType::kTuple; }
  bool is_array() const { return BitsOf(type) > 0; }
};

// a * b, at most kMostElements; both must not be negative.
int64_t SaturatingProduct(int64_t a, int64_t b);
// Elements of an array: 1 for a scalar. 0 for what is no array.
int64_t Elements(const Shape& shape);
inline double ElementsOf(const Shape& shape) { return static_cast<double>(Elements(shape)); }
// The bytes that a value takes with its default layout: an array's elements packed, 8 for an opaque
// value, 0 for a token, and for a tuple `pointer_bytes` a member.
int64_t BytesOf(const Shape& shape, int64_t pointer_bytes = 8);
// The array itself, or the first member of a tuple; the empty shape where that has none.
const Shape& FirstArray(const Shape& shape);
// Sums over the leaves of nested tuples. O(leaves).
int64_t LeafElements(const Shape& shape);
int64_t LeafBytes(const Shape& shape);

// As XLA writes it: "f32[5,1024]{1,0:T(8,128)S(5)}", "(f32[], /*index=5*/...)".
std::string ToText(const Shape& shape, bool with_layout = true);

}  // namespace stepscope::xla
