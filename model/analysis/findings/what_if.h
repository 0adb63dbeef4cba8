// What a step would be if one class of loss were gone (docs/findings.md#what-if).
#pragma once

#include "model/analysis/findings/input.h"

namespace stepscope {

ResultTable WhatIfTable(const FindingInput& input);

}  // namespace stepscope
