// Categories of input operations (docs/rules.md#input-pipeline). This folder holds the analyses
// that the registry lists: each source has a function that makes an AnalysisResult of the
// context's steps, ops, kernels or memory. In: AnalysisContext. Out: properties, findings and
// tables. Start with overview.cc.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class InputCategory : uint8_t {
  kNotInput,
  kEnqueue,
  kDemandedRead,
  kAdvancedRead,
  kPreprocessing,
  kUnknown
};
InputCategory CategoryOfInput(std::string_view op_name, std::string_view op_type);
const char* InputCategoryName(InputCategory category);

}  // namespace stepscope
