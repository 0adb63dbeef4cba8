// GraphView: draws the neighbourhood of an instruction: boxes with their operands above and their
// users below. The wheel zooms, a drag moves, a click chooses a box, a double click asks for its
// own neighbourhood, a click on "+3" shows what is left out around a box. O(visible boxes and
// edges) a frame. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "viewer/core/panel.h"
#include "viewer/panels/xla/hlo_program_view.h"

namespace stepscope {

class GraphView {
 public:
  struct Action {
    uint32_t choose = xla::kNone, centre = xla::kNone, expand = xla::kNone;  // instructions
  };
  // `key` changes with the scene.
  Action Draw(const PanelContext& context, const HloProgramView& program,
              const HloGraphScene& scene, uint64_t key, uint32_t chosen, ImVec2 size);
  // Shows all of it in the next frame, or the centre in its own size where that is too small.
  void Fit() { fit_ = true, moved_ = false; }
  // The instruction stays where it is on the screen when the next scene comes. Else that is fitted.
  void KeepInPlace(uint32_t instruction) { kept_ = instruction; }

 private:
  struct Box {
    ImVec2 min, max;
  };
  void TakeScene(const HloGraphScene& scene, uint64_t key, ImVec2 size);
  void FitTo(const HloGraphScene& scene, ImVec2 size);
  ImVec2 ToScreen(GraphPoint p) const;
  Box BoxOf(const HloGraphScene& scene, size_t node) const;
  void Navigate();
  void DrawEdges(const PanelContext& context, const HloGraphScene& scene, uint32_t chosen) const;
  void DrawNode(const PanelContext& context, const HloProgramView& program,
                const HloGraphScene& scene, size_t node, uint32_t chosen, bool hovered) const;
  // Draws "+3" above or below the box; true when clicked.
  bool DrawMore(const PanelContext& context, const Box& box, size_t count, bool above,
                bool clicked) const;
  void DrawTooltip(const PanelContext& context, const HloProgramView& program,
                   const HloGraphNode& node);

  ImVec2 origin_, pan_;         // screen; of the graph's (0, 0) from there, in pixels
  float zoom_ = 1, unit_ = 14;  // pixels of an em are zoom_ * unit_
  uint32_t tip_of_ = xla::kNone;
  std::string tip_;  // the expression of that instruction
  uint64_t key_ = 0;
  uint32_t kept_ = xla::kNone;  // stays at kept_at_
  ImVec2 kept_at_;
  ImVec2 size_;                      // that it was fitted to
  bool fit_ = true, moved_ = false;  // moved_: by the user, so that a new size changes nothing
};

}  // namespace stepscope
