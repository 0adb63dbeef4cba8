// RowEvents: how the timeline is filtered to the events of a table's row. By their name where no
// other event has it, so that the search box shows what is done and steps through the hits; else,
// as with the kernels of an op, by the row's list of events.
#pragma once

#include <stop_token>
#include <string>

#include "model/analysis/result_table.h"
#include "viewer/core/command.h"
#include "viewer/core/run.h"

namespace stepscope {

struct RowEvents {
  std::string query;    // a search; empty: none finds these events
  bool listed = false;  // the row links to its events; they can be shown one by one
  std::string what;     // what the filter leaves bright, in a sentence
};

// `name` is what the row is called, or empty. O(events of the trace): not for a frame. What it
// returns when stopped means nothing.
RowEvents FindRowEvents(const Run& run, const RowLink& link, const std::string& name,
                        const std::stop_token& stop = {});

// Adds what a row links to to what is to be shown; up to kMaxShownEvents in all.
void AddEvents(TraceId run, const RowLink& link, CommandArgs* args);
// Shows the events of args on the timeline; where there are none, its range.
void ShowEvents(CommandQueue& commands, CommandArgs args);

}  // namespace stepscope
