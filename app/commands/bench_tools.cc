#include "app/commands/bench_tools.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/bench_frames.h"
#include "viewer/core/command.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void Push(Stage& stage, const char* command, std::string text = {}) {
  CommandArgs args;
  args.text = std::move(text);
  stage.gui().viewer().commands().Push(command, std::move(args));
}

// Frames of one gesture, and how long each of its parts takes to come to rest.
class Timed {
 public:
  explicit Timed(Stage& stage) : gui_(stage.gui()) {}

  void Draw() {
    const auto begin = Clock::now();
    gui_.DrawFrame();
    glFinish();
    frames_.push_back(MsSince(begin));
  }
  void Settle() {
    const auto begin = Clock::now();
    do Draw();
    while (gui_.busy() && MsSince(begin) < kIdleLimitSeconds * 1e3);
    settled_.push_back(MsSince(begin));
  }
  Json Times() {
    const size_t count = frames_.size();
    const FrameTimes frames = Summarise(std::move(frames_)), rest = Summarise(std::move(settled_));
    return {{"count", count},
            {"median_ms", frames.median_ms},
            {"p99_ms", frames.p99_ms},
            {"max_ms", frames.max_ms},
            {"settle_median_ms", rest.median_ms},
            {"settle_max_ms", rest.max_ms}};
  }

 private:
  Gui& gui_;
  std::vector<double> frames_, settled_;
};

// What the search box holds after each key: a name, letter by letter, and back again.
std::vector<std::string> TypedTexts(const std::string& name, int keys) {
  std::vector<std::string> texts;
  const int length = static_cast<int>(name.size());
  for (int i = 0; i < keys && length > 0; ++i) {
    const int at = i % (2 * length);
    texts.push_back(name.substr(0, static_cast<size_t>(std::min(at + 1, 2 * length - at))));
  }
  return texts;
}

// From a key to the end of the frame that shows all its hits, in a window that draws when there is
// a reason to.
Json TimeKeys(Stage& stage, const std::vector<std::string>& texts) {
  Gui& gui = stage.gui();
  std::vector<double> shown;
  for (const std::string& text : texts) {
    Push(stage, "search.set", text);
    const auto begin = Clock::now();
    do gui.Step();
    while ((gui.viewer().searching() || !gui.viewer().commands().empty()) &&
           MsSince(begin) < kIdleLimitSeconds * 1e3);
    glFinish();
    shown.push_back(MsSince(begin));
    Timed(stage).Settle();
  }
  const FrameTimes times = Summarise(std::move(shown));
  return {{"median_ms", times.median_ms}, {"p99_ms", times.p99_ms}, {"max_ms", times.max_ms}};
}

Json TimeSearch(Stage& stage, const std::string& name, int keys) {
  const std::vector<std::string> texts = TypedTexts(name, keys);
  Timed timed(stage);
  for (const std::string& text : texts) {
    Push(stage, "search.set", text);
    timed.Settle();
  }
  Push(stage, "search.set");
  timed.Settle();
  Json result = timed.Times();
  result["hits_of_a_key"] = TimeKeys(stage, texts);
  Push(stage, "search.set");
  Timed(stage).Settle();
  return result;
}

Json TimeBox(Stage& stage, int frames) {
  const ImGuiWindow* window = ImGui::FindWindowByName(kTimelineWindow);
  if (window == nullptr) return {};
  Push(stage, "tool.select");
  Push(stage, "view.zoom_all");
  Timed(stage).Settle();
  Timed timed(stage);
  ImGuiIO& io = ImGui::GetIO();
  // Right of the labels and below the steps, down to the last row.
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
  Push(stage, "select.clear");
  Push(stage, "tool.pan");
  Timed(stage).Settle();
  return timed.Times();
}

}  // namespace

Json TimeTools(Stage& stage, const Trace& trace, int frames) {
  const TimeRange detail = DeepestView(trace);
  std::string name;
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size() && name.empty() && lane.start[i] < detail.end; ++i)
      if (lane.start[i] > detail.begin) name = trace.set.Name(EventRow(lane.first_row + i));
  }
  return {{"search", TimeSearch(stage, name, frames)}, {"box", TimeBox(stage, frames)}};
}

}  // namespace stepscope
