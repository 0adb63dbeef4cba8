// TorchCall: the recorded arguments of an op of PyTorch (record_shapes). This folder says what ops
// of PyTorch cost: torch_cost.h has the formulas, torch_ops.h joins them with the time of kernels
// (docs/rules.md#pytorch-ops). Values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

using TorchDims = std::vector<int64_t>;

struct TorchArg {
  std::vector<TorchDims> tensors;  // one; several of a list; none of a scalar or a missing tensor
  std::string type;                // "c10::BFloat16", "Scalar", "TensorList"; empty: none
  std::string concrete;            // "[16, 16]", "False"; empty: not recorded

  bool tensor() const { return tensors.size() == 1; }
  const TorchDims& dims() const { return tensors.front(); }
};

struct TorchCall {
  std::string_view name;  // "aten::mm"
  std::vector<TorchArg> args;

  // Whether the argument is a tensor of at least `rank` dimensions.
  bool Has(size_t i, size_t rank = 0) const;
  // Its bytes; 0 if it is no tensor or has a type of unknown size.
  double BytesOf(size_t i) const;
};

// Reads `Input Dims` ("[[128, 63], [], [[2], [3]]]"), `Input type` ("[\"float\", \"Scalar\"]") and
// `Concrete Inputs`. Broken texts give what was read until then. O(length).
TorchCall ParseTorchCall(std::string_view name, std::string_view dims, std::string_view types,
                         std::string_view concrete);

double ElementsOf(const TorchDims& dims);
double BytesOfType(std::string_view type);  // of one element; 0: unknown
// Whether an element holds two numbers: PyTorch packs two of FP4 into a byte.
bool IsPacked(std::string_view type);
// The numbers of "[16, 16]" or "2".
std::vector<int64_t> NumbersIn(std::string_view text);

}  // namespace stepscope
