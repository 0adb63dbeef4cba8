// StackView: the stacks of the selected events as a flame graph, and as tables from callers to
// callees and the other way. A part of the selection panel. UI thread only.
#pragma once

#include <cstdint>

#include "viewer/core/panel.h"
#include "viewer/core/search/selection_stats.h"
#include "viewer/core/state/view_state.h"
#include "viewer/widgets/flame_graph.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {

class StackView {
 public:
  // `key` changes whenever the stacks do.
  void Draw(const PanelContext& context, const SelectionStacks& stacks, uint64_t key);
  // Whether these events were shown from here, by a click on a frame or a row. Call it in the
  // panel's window, once a frame.
  bool Shows(const HighlightedEvents& shown);

 private:
  enum class Page { kFlame, kTopDown, kBottomUp };
  void DrawFlame(const PanelContext& context, const CallTree& tree, uint64_t key);
  void ShowEvents(const PanelContext& context, const CallTree& tree, uint32_t frame);

  Page page_ = Page::kFlame;
  FlameGraph flame_;
  ResultTableView top_down_, bottom_up_;
  uint64_t seen_ = 0, own_ = 0;  // versions of the shown events: the last one, and that from here
};

}  // namespace stepscope
