#include "model/analysis/losses.h"

namespace stepscope {

const char* IdOf(LossClass c) {
  static constexpr std::array<const char*, kLossClasses> kIds = {
      "compute", "h2d",     "d2h",    "d2d",  "collective_wait", "collective", "input",
      "sync",    "compile", "launch", "host", "between_steps",   "unknown"};
  return c < LossClass::kCount ? kIds[static_cast<size_t>(c)] : "";
}

}  // namespace stepscope
