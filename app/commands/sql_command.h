// Options of `stepscope sql`: SQL over one profile or several.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/shared_options.h"
#include "sql/question.h"

namespace stepscope {

struct SqlOptions {
  std::string file;  // of the script; empty: the last PATH is the query; "-": standard input
  std::vector<SqlParameter> parameters;
  int rows = -1;      // of the result; 0: all; -1: as the format wants it
  int seconds = 300;  // 0: as long as it takes
  bool wide = false;  // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

}  // namespace stepscope
