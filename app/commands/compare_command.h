// Options of `stepscope compare`: what changed from profile A to profile B.
#pragma once

#include "app/command_line/shared_options.h"

namespace stepscope {

struct CompareOptions : PartOptions, ReportForm {};

}  // namespace stepscope
