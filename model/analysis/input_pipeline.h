// The input-pipeline analyzer (docs/rules.md#input-pipeline): what the host spends on reading and
// preparing input.
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
