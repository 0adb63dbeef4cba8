// Options of `stepscope sql`: SQL over one profile or several.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command_line.h"
#include "sql/question.h"

namespace stepscope {

struct SqlOptions {
  std::string file;  // with the script; "-": standard input; empty: the last PATH is the query
  std::vector<SqlParameter> parameters;
  int rows = -1;      // at most so many; 0: all; -1: 1000 as text, else all
  int seconds = 300;  // that the query may take; 0: no limit
  bool wide = false;  // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

}  // namespace stepscope
