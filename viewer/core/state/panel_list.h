// PanelDesc: a panel's id, title, key and place, without what draws it. Commands and key bindings
// read the list of panels; viewer/panels/registry.cc defines it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace stepscope {

class Panel;     // viewer/core/panel.h
struct Profile;  // viewer/core/profiles/profile.h

enum class DockSlot { kCentre, kBottomLeft, kBottomRight };

// The type of the function that makes a panel. A panel's source defines one, and the registry
// declares it and lists it in a row.
using MakePanel = std::unique_ptr<Panel>();

struct PanelDesc {
  const char* id;     // "kernel_stats": also the analysis id, where there is one
  const char* title;  // "Kernels"
  const char* what;   // one sentence, for the palette
  const char* key;    // default chord that opens it, "Alt+3"
  DockSlot slot;
  bool open_by_default;
  std::function<MakePanel> create;
  // Whether the menu offers it for a profile that it has something to show of; null: for any.
  bool (*offered)(const Profile&) = nullptr;
  bool of_fleets = false;  // of a panel without an analysis: it says something of a fleet
};

// The rows of the registry, then a panel for each page that has none of its own.
std::span<const PanelDesc> Panels();
const PanelDesc* FindPanel(std::string_view id);  // null: there is none
// The two parts of "memory/lifetimes". The page is empty where none is named.
std::string_view PanelOf(std::string_view panel_and_page);
std::string_view PageOf(std::string_view panel_and_page);

}  // namespace stepscope
