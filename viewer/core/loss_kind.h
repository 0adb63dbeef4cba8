// The colour of a loss: the same in the overview, the verdict and the idle lanes of GPUs.
#pragma once

#include <string_view>

#include "viewer/core/theme.h"

namespace stepscope {

// By its id in the table "losses" (model/analysis/losses.h); kOther if there is none such.
Kind LossKind(std::string_view id);

}  // namespace stepscope
