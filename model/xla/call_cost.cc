// Costs of collectives and of the custom calls whose meaning is known.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "model/xla/cost_context.h"

namespace stepscope::xla {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostGemmConfigBytes = 1 << 20;

// A number of a backend_config, which protobuf writes as text.
int64_t NumberOf(const Json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  int64_t number = -1;
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

// Null where the path is not there.
const Json* Find(const Json& from, std::initializer_list<const char*> path) {
  const Json* at = &from;
  for (const char* key : path) {
    if (!at->is_object()) return nullptr;
    const auto it = at->find(key);
    if (it == at->end()) return nullptr;
    at = &*it;
  }
  return at;
}

std::vector<int64_t> ContractingOf(std::string_view config) {
  std::vector<int64_t> dimensions;
  if (config.size() > kMostGemmConfigBytes) return dimensions;
  const Json json = Json::parse(config, nullptr, false);
  const Json* list =
      Find(json, {"gemm_backend_config", "dot_dimension_numbers", "lhs_contracting_dimensions"});
  if (list == nullptr || !list->is_array()) return dimensions;
  for (const Json& d : *list) dimensions.push_back(NumberOf(d));
  return dimensions;
}

// Bytes of the operands and of the first output: the others are workspaces.
Cost OperandsAndFirstOutput(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  const Shape& out = c.module.ShapeOf(i);
  if (out.is_tuple()) cost.bytes += c.Bytes(FirstArray(out)) - static_cast<double>(LeafBytes(out));
  return cost;
}

bool IsMatmul(std::string_view target) {
  return target.starts_with("__cublas$lt$matmul") || target == "__cublas$lt$groupedMatmul" ||
         target == "__cublas$gemm";
}

bool IsConvolution(std::string_view target) { return target.starts_with("__cudnn$conv"); }

double Ranks(const CostContext& c, const Instruction& i) {
  return static_cast<double>(
      std::max<int64_t>(1, c.module.DetailsOf(i).communication->largest_group));
}

// Operations of the reducer for one element.
double ReducerFlops(const CostContext& c, const Instruction& i) {
  const Computation* called = c.module.FirstCalled(i);
  const Instruction* root = called == nullptr ? nullptr : c.module.RootOf(*called);
  if (!c.gpu()) return c.Called(i).flops;
  return root == nullptr ? 0 : GpuCycles(root->opcode, c.module.ShapeOf(*root).type);
}

double OperandsBytes(const CostContext& c, const Instruction& i) {
  double bytes = 0;
  for (size_t k = 0; k < i.operands.count; ++k) bytes += c.OperandBytes(i, k);
  return bytes;
}

}  // namespace

std::optional<Cost> CustomCallCost(const CostContext& c, const Instruction& i) {
  const InstructionDetails& details = c.module.DetailsOf(i);
  if (!c.gpu()) return std::nullopt;
  const bool matmul = IsMatmul(details.custom_call_target);
  if (!matmul && !IsConvolution(details.custom_call_target)) return std::nullopt;
  Cost cost = OperandsAndFirstOutput(c, i);
  cost.flops = matmul ? DotFlops(c.module.OperandShape(i, 0), FirstArray(c.module.ShapeOf(i)),
                                 ContractingOf(details.backend_config))
                      : ConvolutionFlops(c.module, i);
  return cost;
}

std::optional<Cost> CollectiveCost(const CostContext& c, const Instruction& i) {
  const Shape& out = c.module.ShapeOf(i);
  Cost cost = DefaultCost(c, i);
  const double n = Ranks(c, i);
  switch (i.opcode) {
    case Op("all-reduce"):
    case Op("all-reduce-start"):
      cost.flops = static_cast<double>(LeafElements(out)) * (c.gpu() ? ReducerFlops(c, i) : 1);
      if (c.gpu() && i.opcode == Op("all-reduce-start"))
        cost.bytes = static_cast<double>(LeafBytes(out));
      return cost;
    case Op("all-gather"):
    case Op("all-gather-start"):
      if (c.gpu()) cost.bytes = static_cast<double>(LeafBytes(out)) / n * (3 * n - 1);
      return cost;
    case Op("reduce-scatter"):
      cost.flops = static_cast<double>(LeafElements(out)) * ReducerFlops(c, i);
      if (c.gpu()) cost.bytes = OperandsBytes(c, i) / n * (3 * n - 1);
      return cost;
    default:
      return std::nullopt;
  }
}

}  // namespace stepscope::xla
