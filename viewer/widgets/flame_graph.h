// FlameGraph: a CallTree as boxes, callers above callees, each as wide as its share of the time.
// Owns widget state only: the frame that fills the width, and the text that frames are found by. A
// frame costs O(boxes of half a pixel or more). UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/query/call_tree.h"
#include "viewer/core/panel.h"

namespace stepscope {

class FlameGraph {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // `key` changes whenever the tree does; trace and tree must live through the frame. Takes what is
  // left of the window. Returns the frame that was clicked, or kNone; a double click makes one fill
  // the width, as does one on a frame above for it.
  uint32_t Draw(const PanelContext& context, const Trace& trace, const CallTree& tree,
                uint64_t key);
  uint32_t root() const { return root_; }

 private:
  struct Row {
    float left, width, top, height;
  };
  void Prepare(const Trace& trace, const CallTree& tree, uint64_t key);
  void Find(const Trace& trace, const CallTree& tree);
  void DrawToolbar(const PanelContext& context, const Trace& trace, const CallTree& tree);
  void DrawBoxes(const PanelContext& context, const Trace& trace, const CallTree& tree);
  void DrawFrame(const PanelContext& context, const Trace& trace, const CallTree& tree,
                 uint32_t frame, const Row& row);
  void DrawTooltip(const PanelContext& context, const Trace& trace, const CallTree& tree) const;
  void SetRoot(const CallTree& tree, uint32_t root);

  uint64_t key_ = 0;
  uint32_t root_ = 0;              // fills the width
  uint32_t deepest_ = 0;           // depth of the deepest frame below it
  std::vector<Ps> begin_;          // by frame: where its box begins, 0 for the first frame
  std::string text_, found_text_;  // the text in the search box, and the text that gave `found_`
  std::vector<uint8_t> found_;     // by frame; empty: nothing is looked for
  bool any_found_ = false;
  Ps found_time_ = 0;         // of the outermost frames found
  uint32_t hovered_ = kNone;  // as drawn last
};

}  // namespace stepscope
