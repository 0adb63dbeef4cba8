// A Viewer without a window: an ImGui context whose textures go nowhere, app services that write
// down what was asked, and simulated frames, mouse and keys.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <vector>

#include "model/trace_builder.h"
#include "tests/viewer/recording_services.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/state/view_state.h"
#include "viewer/viewer.h"

struct ImPlotContext;

namespace stepscope::test {

struct SimpleEvent {
  std::string name;
  Ps start = 0, dur = 0;  // dur < 0: an instant
};

// Builds traces of one host: planes in the order of Plane(), tracks in that of Track().
class TraceMaker {
 public:
  explicit TraceMaker(int hosts = 1);
  PlaneId Plane(const std::string& name, PlaneKind kind, int host = 0);
  TrackId Track(PlaneId plane, const std::string& name, TrackKind kind,
                const std::vector<SimpleEvent>& events);
  TrackId Counter(PlaneId plane, const std::string& name, const std::vector<double>& values);
  void Flow(TrackId from, uint32_t from_slice, TrackId to, uint32_t to_slice);
  Trace& trace() { return builder_.trace(); }
  std::shared_ptr<const Trace> Finish();

 private:
  MetaId Meta(const std::string& name);
  TraceBuilder builder_;
  std::vector<HostId> hosts_;
};

// Two GPUs with two streams each, a host with nested threads, steps "train 0".."train 9" of 1 ms;
// 10 ms in all.
std::shared_ptr<const Trace> TrainingTrace();

// Writes down the last frame of each slot.
class RecordingSink : public TexelSink {
 public:
  void Draw(const TexelFrame& frame, ImDrawList*) override {
    if (frame.slot < kSlots) frames[frame.slot] = frame;
    ++draws;
  }
  TexelFrame frames[kSlots];
  int draws = 0;
};

class ViewerFixture {
 public:
  // `settings`: as ParseSettings reads them.
  explicit ViewerFixture(ImVec2 size = {1920, 1080}, const std::string& settings = {});
  ~ViewerFixture();

  void Open(std::shared_ptr<const Trace> trace);
  void Frame(int n = 1);
  void WaitIdle();  // draws frames until nothing moves and no job runs at the end of two
  void Key(ImGuiKey key, int mods = 0);  // press and release, with frames between
  void Type(const std::string& text);
  void MoveTo(float x, float y);
  void Click(float x, float y);
  void Drag(float x0, float y0, float x1, float y1, int mods = 0);
  void Wheel(float x, float y, float amount, int mods = 0);
  void Push(CommandId id, CommandArgs args = {});
  TimeRange visible() const;
  // A point in the middle of the timeline's rows, and the canvas as the sink saw it.
  const TexelFrame& canvas() const { return sink.frames[0]; }

  RecordingServices services;
  RecordingSink sink;
  SessionView session;
  std::string content;  // fingerprint of the profile that is opened next
  std::unique_ptr<Viewer> viewer;

 private:
  ImGuiContext* imgui_ = nullptr;
  ImPlotContext* implot_ = nullptr;
};

}  // namespace stepscope::test
