// The colour of a loss: the same in the overview, the verdict and the idle lanes of GPUs.
#pragma once

#include <string_view>

#include "viewer/core/look/theme.h"

namespace stepscope {

// `loss` is an id in the table "losses" (model/analysis/steps/losses.h); kOther for any other text.
Kind LossKind(std::string_view id);

}  // namespace stepscope
