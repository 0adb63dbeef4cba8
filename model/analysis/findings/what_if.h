// How long a step would be if one class of loss were gone (docs/findings.md#what-if).
#pragma once

#include "model/analysis/findings/finding_context.h"

namespace stepscope {

ResultTable WhatIfTable(const FindingContext& input);

}  // namespace stepscope
