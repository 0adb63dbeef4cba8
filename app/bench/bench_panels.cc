#include "app/bench/bench_panels.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/bench_frames.h"
#include "app/system/process.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/panel.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr float kWheelNotch = 1.5f;

bool IsInside(const ImGuiWindow* window, const ImGuiWindow* panel) {
  for (; window != nullptr; window = window->ParentWindow) {
    if (window == panel) return true;
  }
  return false;
}

// The part of a panel that has most to scroll: its table, or the panel itself where it has none.
const ImGuiWindow* ScrolledPart(const PanelDesc& desc) {
  const ImGuiWindow* panel = ImGui::FindWindowByName(PanelWindowName(desc).c_str());
  const ImGuiWindow* best = panel;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (panel == nullptr || !window->WasActive || !IsInside(window, panel)) continue;
    if (window->ScrollMax.y > best->ScrollMax.y) best = window;
  }
  return best;
}

// Scrolls down during the first half of the frames and up again during the second.
void Scroll(const ImGuiWindow* part, int frame, int frames) {
  if (part == nullptr) return;
  ImGuiIO& io = ImGui::GetIO();
  // The mouse moves too, so that the rows under it are highlighted and show tooltips.
  const ImVec2 at = part->InnerRect.GetCenter();
  io.AddMousePosEvent(std::floor(at.x) + static_cast<float>(frame % 3), std::floor(at.y));
  io.AddMouseWheelEvent(0, frame * 2 < frames ? -kWheelNotch : kWheelNotch);
}

void PushPanel(Gui& gui, CommandId command, const char* panel) {
  gui.viewer().commands().Push(command, {.text = panel});
}

// Whether the last frame had the panel without its data.
bool WaitsFor(const char* panel, Gui& gui) {
  const std::string busy = gui.viewer().BusyWith();
  return busy.find(std::string("panel ") + panel) != std::string::npos ||
         busy.find("analyses") != std::string::npos;
}

// From asking for a panel.
struct ShownMs {
  double first = 0;  // to the frame that has its data
  double whole = 0;  // until nothing is computed and nothing moves any more
};

Result<ShownMs> TimeUntilShown(Gui& gui, const char* panel) {
  constexpr double kMostSeconds = 120, kWait = 0.1;
  constexpr int kOpens = 1;  // the frame that takes the command, and does not have the panel yet
  ShownMs ms;
  const Stopwatch watch;
  PushPanel(gui, "panel.show", panel);
  int frames = 0;
  do {
    frames += gui.Step(kWait) ? 1 : 0;
    if (ms.first <= 0 && frames > kOpens && !WaitsFor(panel, gui)) {
      glFinish();
      ms.first = watch.Ms();
    }
    if (watch.Seconds() > kMostSeconds)
      return Status(ErrorCode::kLimit, std::string(panel) + " was not shown within 120 s");
  } while (gui.busy());
  glFinish();
  ms.whole = watch.Ms();
  return ms;
}

Status ToggleAll(Gui& gui) {
  for (const PanelDesc& desc : Panels()) PushPanel(gui, "panel.toggle", desc.id);
  return gui.DrawUntilIdle();
}

}  // namespace

Json TimeFrames(Gui& gui, const Trace& trace, int frames, const std::function<void(int)>& input) {
  std::vector<double> ms;
  const double cpu = CpuMs();
  for (const TimeRange& range : ZoomScript(trace.first_view, DeepestView(trace), frames)) {
    if (input) input(static_cast<int>(ms.size()));
    gui.viewer().commands().Push("view.set_range", {.range = range});
    const Stopwatch watch;
    gui.DrawFrame();
    glFinish();  // a window's frame ends with the swap, which need not wait for the drawing
    ms.push_back(watch.Ms());
  }
  const double drawn = static_cast<double>(std::max<size_t>(ms.size(), 1));
  const double cpu_ms = (CpuMs() - cpu) / drawn;
  Json times = FrameTimesJson(std::move(ms));
  times["cpu_ms"] = cpu_ms;
  return times;
}

Result<Json> TimeSomePanels(Gui& gui, const Trace& trace, int frames,
                            std::span<const std::string> ids) {
  Json json = Json::object();
  // With a selected event the Details panel draws arguments; else it would draw one sentence.
  gui.viewer().SelectByName({});
  for (const std::string& id : ids) {
    const auto panels = Panels();
    const auto desc = std::find_if(panels.begin(), panels.end(),
                                   [&id](const PanelDesc& panel) { return panel.id == id; });
    if (desc == panels.end()) continue;
    const Result<ShownMs> shown = TimeUntilShown(gui, desc->id);
    const Status status = shown.ok() ? gui.DrawUntilIdle() : shown.status();
    if (!status.ok()) return status;
    const ImGuiWindow* part = ScrolledPart(*desc);
    Json& panel = json[id];
    panel = TimeFrames(gui, trace, frames, [part, frames](int i) { Scroll(part, i, frames); });
    panel["first_ms"] = shown->first;
    panel["shown_ms"] = shown->whole;
    ImGui::GetIO().AddMousePosEvent(-1, -1);
  }
  return json;
}

Result<Json> TimePanels(Gui& gui, const Trace& trace, int frames) {
  std::vector<std::string> ids;
  for (const PanelDesc& desc : Panels()) ids.emplace_back(desc.id);
  Json json = {{"timeline", Json()}};
  Result<Json> panels = TimeSomePanels(gui, trace, frames, ids);
  if (!panels.ok()) return panels.status();
  json.update(*panels);
  if (Status status = ToggleAll(gui); !status.ok()) return status;
  json["timeline"] = TimeFrames(gui, trace, frames);
  const double alone = json["timeline"]["median_ms"].get<double>();
  for (const PanelDesc& desc : Panels()) {
    json[desc.id]["ratio"] = json[desc.id]["median_ms"].get<double>() / std::max(alone, 1e-6);
  }
  if (Status status = ToggleAll(gui); !status.ok()) return status;
  return json;
}

}  // namespace stepscope
