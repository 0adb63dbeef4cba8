// PageRequest: lets a panel follow commands that name one of its pages ("memory/lifetimes"). A
// request is taken once, also if the same page is asked for again. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "viewer/core/panel.h"

namespace stepscope {

class PageRequest {
 public:
  // The page that a command has asked this panel for since the last call; nothing if none has, or
  // if it named the panel alone.
  std::optional<std::string> Take(const PanelContext& context, std::string_view panel) {
    const ViewState& view = context.view;
    if (view.panel_profile != context.pinned || view.panel_asked == taken_) return {};
    if (PanelOf(view.panel) != panel) return {};
    taken_ = view.panel_asked;
    if (PageOf(view.panel).empty()) return {};
    return std::string(PageOf(view.panel));
  }

 private:
  uint64_t taken_ = 0;
};

}  // namespace stepscope
