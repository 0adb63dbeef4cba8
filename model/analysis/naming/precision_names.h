// The size of the numbers that device work computes with, in bits, by names and types
// (docs/rules.md#precision). Pure; any thread; O(length).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope {

// Types of 16 bits and fewer.
enum class NarrowType : uint8_t { kUnknown, kFp4, kFp8, kBf16, kFp16, kCount };
inline constexpr size_t kNarrowTypes = static_cast<size_t>(NarrowType::kCount);

// 4, 8, 16, 32 or 64: the smallest size that the kernel's name has a word for; 0 if it has none.
int BitsOfKernel(std::string_view kernel);
// The size of the floating-point tensors in PyTorch's `Input type`; 0 if
// there is none, or sizes differ.
int BitsOfInputTypes(std::string_view input_types);
// The first of these types that a kernel's name or PyTorch's `Input type` has a word for, the
// fewest bits first. A kernel's name may have another type's word too, so that input types say
// more.
NarrowType NarrowTypeOf(std::string_view text);
// Whether the event of a device is a graph that Nsight Systems recorded as a whole: "CUDA graph 5".
bool IsWholeGraph(std::string_view kernel);
// "bf16"; empty for kUnknown.
const char* NameOf(NarrowType type);

}  // namespace stepscope
