#include "app/bench/bench_tools.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/bench_frames.h"
#include "app/system/process.h"
#include "viewer/core/commands/command.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

void Push(Gui& gui, CommandId command, std::string text = {}) {
  gui.viewer().commands().Push(command, {.text = std::move(text)});
}

// Times the frames of one gesture, and how long the window works on after each part of it.
class Timed {
 public:
  explicit Timed(Gui& gui) : gui_(gui) {}

  void Draw() {
    const Stopwatch watch;
    gui_.DrawFrame();
    glFinish();
    frames_.push_back(watch.Ms());
  }
  void Settle() {
    const Stopwatch watch;
    do Draw();
    while (gui_.busy() && watch.Ms() < kIdleLimitSeconds * 1e3);
    settled_.push_back(watch.Ms());
  }
  size_t frames() const { return frames_.size(); }
  Json Times() {
    Json times = FrameTimesJson(std::move(frames_));
    const FrameTimes rest = Summarise(std::move(settled_));
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
