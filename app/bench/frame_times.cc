#include "app/bench/frame_times.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/system/process.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/panel.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr float kWheelNotch = 1.5f;

void Push(Gui& gui, CommandId command, std::string text = {}) {
  gui.viewer().commands().Push(command, {.text = std::move(text)});
}

// Draws a frame and returns the milliseconds until its pixels are there.
double DrawTimed(Gui& gui) {
  const Stopwatch watch;
  gui.DrawFrame();
  glFinish();  // a window's frame ends with the swap, which need not wait for the drawing
  return watch.Ms();
}

bool IsInside(const ImGuiWindow* window, const ImGuiWindow* panel) {
  for (; window != nullptr; window = window->ParentWindow) {
    if (window == panel) return true;
  }
  return false;
}

// Returns the part of a panel that has most to scroll: its table, or the panel itself if it has
// none.
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

// Whether the last frame showed the panel without its data.
bool WaitsFor(const char* panel, Gui& gui) {
  const std::string busy = gui.viewer().BusyWith();
  return busy.find(std::string("panel ") + panel) != std::string::npos ||
         busy.find("analyses") != std::string::npos;
}

// Times from the request of a panel.
struct ShownMs {
  double first = 0;  // to the frame that has its data
  double whole = 0;  // to the end of all computing and moving
};

Result<ShownMs> TimeUntilShown(Gui& gui, const char* panel) {
  constexpr double kMostSeconds = 120, kWait = 0.1;
  constexpr int kOpens = 1;  // the frame that takes the command does not show the panel
  ShownMs ms;
  const Stopwatch watch;
  Push(gui, "panel.show", panel);
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
  for (const PanelDesc& desc : Panels()) Push(gui, "panel.toggle", desc.id);
  return gui.DrawUntilIdle();
}

// Times the frames of one gesture, and the work of the window after each part of the gesture.
class Timed {
 public:
  explicit Timed(Gui& gui) : gui_(gui) {}

  void Draw() { frames_.push_back(DrawTimed(gui_)); }
  void Settle() {
    const Stopwatch watch;
    do Draw();
    while (gui_.busy() && watch.Ms() < kIdleLimitSeconds * 1e3);
    settled_.push_back(watch.Ms());
  }
  size_t frames() const { return frames_.size(); }
  Json Times() {
    Json times = FrameTimesJson(std::move(frames_));
    const FrameTimes rest = FrameTimesOf(std::move(settled_));
    times["settle_median_ms"] = rest.median_ms;
    times["settle_max_ms"] = rest.max_ms;
    return times;
  }

 private:
  Gui& gui_;
  std::vector<double> frames_, settled_;
};

// The contents of the search box after each key: a name is typed letter by letter and deleted
// again.
std::vector<std::string> TypedTexts(const std::string& name, int keys) {
  std::vector<std::string> texts;
  const int length = static_cast<int>(name.size());
  for (int i = 0; i < keys && length > 0; ++i) {
    const int at = i % (2 * length);
    texts.push_back(name.substr(0, static_cast<size_t>(std::min(at + 1, 2 * length - at))));
  }
  return texts;
}

// Times from a key to the end of the frame that shows all its hits. The window draws by its own
// loop, only when it has a reason to.
Json TimeKeys(Gui& gui, const std::vector<std::string>& texts) {
  std::vector<double> shown;
  for (const std::string& text : texts) {
    Push(gui, "search.set", text);
    const Stopwatch watch;
    do gui.Step();
    while ((gui.viewer().searching() || !gui.viewer().commands().empty()) &&
           watch.Ms() < kIdleLimitSeconds * 1e3);
    glFinish();
    shown.push_back(watch.Ms());
    Timed(gui).Settle();
  }
  Json times = FrameTimesJson(std::move(shown));
  times.erase("count");
  return times;
}

Json TimeSearch(Gui& gui, const std::string& name, int keys) {
  const std::vector<std::string> texts = TypedTexts(name, keys);
  Timed timed(gui);
  for (const std::string& text : texts) {
    Push(gui, "search.set", text);
    timed.Settle();
  }
  Push(gui, "search.set");
  timed.Settle();
  Json result = timed.Times();
  result["hits_of_a_key"] = TimeKeys(gui, texts);
  Push(gui, "search.set");
  Timed(gui).Settle();
  return result;
}

Json TimeBox(Gui& gui, int frames) {
  const ImGuiWindow* window = ImGui::FindWindowByName(kTimelineWindow);
  if (window == nullptr) return {};
  Push(gui, "tool.select");
  Push(gui, "view.zoom_all");
  Timed(gui).Settle();
  Timed timed(gui);
  ImGuiIO& io = ImGui::GetIO();
  // The box begins right of the labels and below the steps, and ends at the last row.
  const ImRect area(window->InnerRect.GetTL() + window->InnerRect.GetSize() * ImVec2(0.3f, 0.4f),
                    window->InnerRect.GetBR() - ImVec2(20, 4));
  io.AddMousePosEvent(area.Min.x, area.Min.y);
  timed.Draw();
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  for (int i = 1; i <= frames; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(frames);
    io.AddMousePosEvent(std::floor(area.Min.x + area.GetWidth() * t),
                        std::floor(area.Min.y + area.GetHeight() * t));
    timed.Draw();
  }
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  timed.Settle();
  io.AddMousePosEvent(-1, -1);
  Push(gui, "select.clear");
  Push(gui, "tool.pan");
  Timed(gui).Settle();
  return timed.Times();
}

constexpr const char* kQuery =
    "query/SELECT name, count(*), sum(dur_ps), sum(self_ps), max(depth) FROM events GROUP BY name";

bool RunsQuery(Gui& gui) {
  return gui.viewer().BusyWith().find("panel query") != std::string::npos;
}

// The view zooms in and out until the query has its answer.
Json TimeQuery(Gui& gui, const Trace& trace, int frames) {
  const std::vector<TimeRange> script = ZoomScript(trace.first_view, DeepestView(trace), frames);
  Push(gui, "panel.show", "query");
  Timed(gui).Settle();
  Push(gui, "panel.show", kQuery);
  Timed timed(gui);
  const Stopwatch watch;
  do {
    gui.viewer().commands().Push("view.set_range",
                                 {.range = script[timed.frames() % script.size()]});
    timed.Draw();
  } while (RunsQuery(gui) && watch.Ms() < kIdleLimitSeconds * 1e3);
  const double seconds = watch.Seconds();
  timed.Settle();
  Json times = timed.Times();
  times["query_s"] = seconds;
  return times;
}

}  // namespace

TimeRange DeepestView(const Trace& trace) {
  const Track* best = nullptr;
  bool best_on_gpu = false;
  for (const Plane& plane : trace.planes) {
    const bool gpu = plane.kind == PlaneKind::kGpu;
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (track.lane_count == 0 || trace.set.LanesOf(track)[0].size() == 0) continue;
      const bool better =
          !best || (gpu && !best_on_gpu) || (gpu == best_on_gpu && track.events > best->events);
      if (!better) continue;
      best = &track;
      best_on_gpu = gpu;
    }
  }
  if (!best) return {};
  // The innermost lane that has events holds kernels, not their enclosing ranges.
  const Lane* lane = nullptr;
  for (const Lane& l : trace.set.LanesOf(*best)) {
    if (l.kind == LaneKind::kNested && l.size() > 0) lane = &l;
  }
  if (!lane) lane = &trace.set.LanesOf(*best)[0];
  const size_t middle = lane->size() / 2;
  const Ps duration = std::max<Ps>(lane->dur[middle], kPsPerNs);
  return {SaturatingSub(lane->start[middle], duration),
          SaturatingAdd(lane->start[middle], SaturatingMul(duration, 2))};
}

std::vector<TimeRange> ZoomScript(TimeRange whole, TimeRange detail, int count) {
  std::vector<TimeRange> script;
  if (count <= 0 || whole.empty()) return script;
  if (detail.empty()) detail = whole;
  const auto w0 = static_cast<double>(whole.length());
  const double ratio = static_cast<double>(detail.length()) / w0;
  for (int i = 0; i < count; ++i) {
    // The depth is 0 at both ends of the script and 1 in the middle.
    const double phase = count == 1 ? 0 : static_cast<double>(i) / (count - 1);
    const double depth = 1 - std::fabs(2 * phase - 1);
    const double width = w0 * std::pow(ratio, depth);
    // The detail keeps its place on the screen as the view closes in on it: its distance from the
    // left edge shrinks with the width.
    const double closed = ratio < 1 ? (w0 - width) / (w0 * (1 - ratio)) : 0;
    const double begin = static_cast<double>(whole.begin) +
                         static_cast<double>(SaturatingSub(detail.begin, whole.begin)) * closed;
    const Ps first = static_cast<Ps>(begin);
    script.push_back({first, SaturatingAdd(first, std::max<Ps>(static_cast<Ps>(width), 1))});
  }
  return script;
}

FrameTimes FrameTimesOf(std::vector<double> ms) {
  FrameTimes times;
  if (ms.empty()) return times;
  std::sort(ms.begin(), ms.end());
  const size_t n = ms.size();
  times.median_ms = n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
  // Percentile by nearest rank: the smallest value that at least 99 % of the frames do not
  // exceed.
  const auto rank = static_cast<size_t>(std::ceil(0.99 * static_cast<double>(n)));
  times.p99_ms = ms[std::max<size_t>(rank, 1) - 1];
  times.max_ms = ms.back();
  return times;
}

nlohmann::ordered_json FrameTimesJson(std::vector<double> ms) {
  const size_t count = ms.size();
  const FrameTimes times = FrameTimesOf(std::move(ms));
  return {{"count", count},
          {"median_ms", times.median_ms},
          {"p99_ms", times.p99_ms},
          {"max_ms", times.max_ms}};
}

Json TimeFrames(Gui& gui, const Trace& trace, int frames, const std::function<void(int)>& input) {
  std::vector<double> ms;
  const double cpu = CpuMs();
  for (const TimeRange& range : ZoomScript(trace.first_view, DeepestView(trace), frames)) {
    if (input) input(static_cast<int>(ms.size()));
    gui.viewer().commands().Push("view.set_range", {.range = range});
    ms.push_back(DrawTimed(gui));
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

Json TimeTools(Gui& gui, const Trace& trace, int frames) {
  const TimeRange detail = DeepestView(trace);
  std::string name;
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size() && name.empty() && lane.start[i] < detail.end; ++i)
      if (lane.start[i] > detail.begin) name = trace.set.Name(EventRow(lane.first_row + i));
  }
  return {{"search", TimeSearch(gui, name, frames)},
          {"box", TimeBox(gui, frames)},
          {"query", TimeQuery(gui, trace, frames)}};
}

}  // namespace stepscope
