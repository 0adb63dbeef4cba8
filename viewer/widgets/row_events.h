// RowEvents says how the timeline is filtered to the events of a table's row. If no other event has
// their name, the name is searched for, so that the search box shows it and steps through the hits.
// Otherwise, as with the kernels of an op, the row's list of events is used.
#pragma once

#include <string>

#include "model/analysis/tables/result_table.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

struct RowEvents {
  std::string query;    // a search; empty: none finds these events
  bool listed = false;  // the row links to its events; they can be shown one by one
  std::string what;     // what the filter leaves bright, in a sentence
};

// `name` is what the row is called, or empty. O(events of the trace): not for a frame.
RowEvents FindRowEvents(const Profile& profile, const RowLink& link, const std::string& name);

// Adds what a row links to to what is to be shown; up to kMaxHighlightedEvents in all.
void AddEvents(ProfileId profile, const RowLink& link, CommandArgs* args);
// Shows the events of args on the timeline; where there are none, its range.
void ShowEvents(CommandQueue& commands, CommandArgs args);

}  // namespace stepscope
