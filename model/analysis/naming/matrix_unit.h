// What names say of a kernel and the matrix unit (Tensor Cores, Matrix Cores): whether the unit
// could do its work, and whether it does (docs/rules.md#kernels). Pure; O(length).
#pragma once

#include <cstdint>
#include <string_view>

#include "model/analysis/naming/kernel_category.h"

namespace stepscope {

enum class MatrixUnit : uint8_t {
  kNoWork,   // no work for it: sums, copies, products with a vector, 64-bit products
  kUsed,     //
  kWithout,  // the name says that single numbers are multiplied: sgemm, simt
  kUnknown,  // a product, convolution or attention whose name does not say how
};

// `uses`: what UsesMatrixUnit says; `eligible`: whether the kernel's op could run on the unit. The
// kernel's name must outlive `categories`.
MatrixUnit MatrixUnitOf(std::string_view kernel, bool uses, bool eligible,
                        KernelCategories* categories);

}  // namespace stepscope
