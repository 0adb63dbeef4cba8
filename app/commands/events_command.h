// Options of `stepscope events`: the events that match, their statistics or their stacks.
#pragma once

#include <cstdint>
#include <string>

#include "app/command_line/shared_options.h"
#include "model/query/stats_question.h"

namespace stepscope {

// How stacks are merged: from callers to callees, or the other way.
enum class StackOrder : uint8_t { kNone, kTopDown, kBottomUp };

struct EventsOptions : PartOptions {
  std::string query;  // empty: all
  bool stats = false;
  GroupBy group = GroupBy::kName;         // with `stats`
  StackOrder stacks = StackOrder::kNone;  // instead of a list
  bool args = false;                      // without `stats`: all arguments of each event
  bool wide = false;                      // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

}  // namespace stepscope
