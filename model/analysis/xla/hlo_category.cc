#include "model/analysis/xla/hlo_category.h"

#include <algorithm>

namespace stepscope {
namespace {

std::string DilationOf(const xla::InstructionDetails& details) {
  std::string text;
  const auto any = [&](auto dilation) {
    return std::any_of(details.window.begin(), details.window.end(),
                       [&](const xla::WindowDimension& w) { return w.*dilation > 1; });
  };
  if (any(&xla::WindowDimension::base_dilation)) text += " base-dilated";
  if (any(&xla::WindowDimension::window_dilation)) text += " window-dilated";
  return text;
}

std::string FusionCategory(std::string_view kind) {
  if (kind == "kLoop") return "loop fusion";
  if (kind == "kInput") return "input fusion";
  if (kind == "kOutput") return "output fusion";
  return kind == "kCustom" ? "custom fusion" : "fusion";
}

}  // namespace

std::string HloCategoryOf(const xla::HloModule& module, const xla::Instruction& i) {
  using xla::Op;
  switch (i.opcode) {
    case Op("fusion"):
      return FusionCategory(module.DetailsOf(i).fusion_kind);
    case Op("convolution"):
      return "convolution" + DilationOf(module.DetailsOf(i));
    case Op("transpose"):
    case Op("copy"):
    case Op("reshape"):
    case Op("dynamic-reshape"):
      return "data formatting";
    case Op("constant"):
      return "non-fusion elementwise";
    default:
      break;
  }
  const bool elementwise = xla::ElementwiseOf(i.opcode) != xla::ElementwiseKind::kNone;
  return elementwise ? "non-fusion elementwise" : std::string(i.opcode_name);
}

std::string ProvenanceOf(const xla::OpMetadata& metadata) {
  if (metadata.op_name.empty() && metadata.op_type.empty()) return {};
  return std::string(metadata.op_name) + ":" + std::string(metadata.op_type);
}

}  // namespace stepscope
