// Options of `stepscope report`: the pages as text or data.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/shared_options.h"

namespace stepscope {

struct ReportOptions : PartOptions, ReportForm {
  bool compat_xprof = false;            // definitions of XProf 2.24
  std::vector<std::string> thresholds;  // of findings, "RULE=VALUE", each known
};

}  // namespace stepscope
