// Options of `stepscope events`: the events that match, or their statistics.
#pragma once

#include <string>

#include "app/command_line/shared_options.h"
#include "model/query/stats_question.h"

namespace stepscope {

struct EventsOptions : PartOptions {
  std::string query;  // empty: all
  bool stats = false;
  GroupBy group = GroupBy::kName;  // with `stats`
  bool args = false;               // without `stats`: all arguments of each event
  bool wide = false;               // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

}  // namespace stepscope
