// Panel: a dockable window that reads and pushes commands, and keeps nothing but widget state.
// Adding one: viewer/panels/foo_panel.cc, a row in panels/registry.cc,
// tests/viewer/foo_panel_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "viewer/core/command.h"
#include "viewer/core/run.h"
#include "viewer/core/session_view.h"
#include "viewer/core/view_state.h"

namespace stepscope {

struct AnalysisParams;
class AnalysisCache;  // viewer/core/analysis_cache.h: results computed in the background
class JobThreads;     // model/base/latest_job.h
class KeyBindings;    // viewer/core/key_bindings.h
class NameCache;      // viewer/core/name_cache.h: colours and short labels of event names
class Settings;
struct SearchHits;  // viewer/core/search.h
struct Fonts;       // viewer/core/fonts.h
struct Theme;

// The time under the mouse, wherever it points: the part under it writes, the others show it in the
// next frame. Not state: gone when the mouse is.
struct PointedTime {
  Ps time = 0, next = 0;
  bool valid = false, has_next = false;
  void Set(Ps t) { next = t, has_next = true; }
  void NextFrame() { time = next, valid = has_next, has_next = false; }
};

struct PanelContext {
  const SessionView& session;
  const ViewState& view;
  AnalysisCache& analyses;
  JobThreads& jobs;  // for what is too slow for a frame; LatestJob starts on it
  const Settings& settings;
  const Theme& theme;
  CommandQueue& commands;
  AppServices& services;
  std::span<const Run> runs;        // all that are open
  const Run* run = nullptr;         // that the panel shows, or null
  const RunState* state = nullptr;  // of this run, or null
  TraceId pinned = {};              // the panel stays with this run; invalid: it shows the active
  const Fonts* fonts = nullptr;     // null: everything in the current font
  NameCache* names = nullptr;       // null: no colours of names (tests)
  PointedTime* pointed = nullptr;   // null: nobody shares it (tests)
  const SearchHits* search = nullptr;  // what the search has found; null: there is none (tests)
  const KeyBindings* keys = nullptr;   // null: those of the tables (tests)
};

// The keys of a command as they are bound now.
std::string_view KeysOf(const PanelContext& context, const CommandDesc& command);

// What a panel asks analyses about: the host and the range that its run is limited to.
AnalysisParams ParamsOf(const PanelContext& context);

class Panel {
 public:
  virtual ~Panel() = default;
  virtual void Draw(const PanelContext& context) = 0;  // inside its window
  virtual bool animating() const { return false; }
};

enum class DockSlot { kCentre, kBottomLeft, kBottomRight };

// A panel's source defines one of these; the registry declares it and lists it in a row.
using MakePanel = std::unique_ptr<Panel>();

struct PanelDesc {
  const char* id;     // "kernel_stats": also the analysis id, where there is one
  const char* title;  // "Kernels"
  const char* what;
  const char* key;  // default chord that opens it, "Alt+3"
  DockSlot slot;
  bool open_by_default;
  MakePanel* create;
};

std::span<const PanelDesc> Panels();
const PanelDesc* FindPanel(std::string_view id);
// "memory/lifetimes": the panel and its page; the page is empty where none is named.
std::string_view PanelOf(std::string_view text);
std::string_view PageOf(std::string_view text);

}  // namespace stepscope
