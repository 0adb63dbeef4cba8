// RowEvents: how the timeline is filtered to the events of a table's row. By their name where no
// other event has it, so that the search box shows what is done and steps through the hits; else,
// as with the kernels of an op, by the row's list of events.
#pragma once

#include <string>

#include "viewer/core/panel.h"

namespace stepscope {

struct RowEvents {
  std::string query;    // a search; empty: none finds these events
  bool listed = false;  // the row links to its events; they can be shown one by one
  std::string what;     // what the filter leaves bright, in a sentence
};

// `name` is what the row is called, or null. O(events of the trace).
RowEvents FindRowEvents(const PanelContext& context, const ResultTable& table,
                        const std::string* name, size_t row);

}  // namespace stepscope
