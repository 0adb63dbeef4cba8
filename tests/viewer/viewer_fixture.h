// A Viewer without a window: an ImGui context whose textures go nowhere, app services that write
// down what was asked, and simulated frames, mouse and keys.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/trace_builder.h"
#include "viewer/core/command.h"
#include "viewer/core/texel_sink.h"
#include "viewer/core/view_state.h"
#include "viewer/viewer.h"

struct ImPlotContext;

namespace stepscope::testing {

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

class FakeServices : public AppServices {
 public:
  void Open(const std::vector<std::string>& paths, bool add) override {
    opened = paths;
    added = add;
  }
  void OpenRun(TraceId, const std::string& run) override { opened_run = run; }
  void CloseRun(TraceId) override { ++closed; }
  void Answer(OpenAnswer answer) override { answered = answer; }
  void CancelLoading() override { ++cancelled; }
  void SetDefinitions(Definitions to) override { definitions = to; }
  void DismissError() override { ++dismissed; }
  std::string FormatOfFile(const std::string& name) const override {
    return name.ends_with(".xplane.pb") ? "XSpace" : "";
  }
  void NativeOpenDialog(bool) override {}
  bool has_native_dialog() const override { return false; }
  void Quit() override { ++quits; }
  void ToggleFullscreen() override {}
  void SetClipboard(const std::string& text) override { clipboard = text; }
  bool SaveFile(const std::string& path, const std::string& contents, bool replace,
                std::string* where) override {
    saved_path = *where = path;
    saved = contents;
    replaced = replace;
    return true;
  }
  std::string ReadNotes(const std::string&) override { return notes; }
  bool WriteNotes(const std::string&, const std::string& text) override {
    notes = text;
    return true;
  }
  std::string SetNotesAside(const std::string&) override { return std::exchange(aside, ""); }
  void RequestFrame() override {}
  void ClearRecent() override {}

  std::vector<std::string> opened;
  bool added = false;
  std::optional<OpenAnswer> answered;
  std::optional<Definitions> definitions;
  bool replaced = false;
  std::string notes, aside = "aside";
  std::string opened_run, clipboard, saved_path, saved;
  int closed = 0, cancelled = 0, dismissed = 0, quits = 0;
};

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
  explicit ViewerFixture(ImVec2 size = {1920, 1080}, const std::string& settings = {});
  ~ViewerFixture();

  void Open(std::shared_ptr<const Trace> trace);
  void Frame(int n = 1);
  void WaitIdle();                       // until nothing moves and nothing is computed any more
  void Key(ImGuiKey key, int mods = 0);  // press and release, with frames between
  void Type(const std::string& text);
  void MoveTo(float x, float y);
  void Click(float x, float y);
  void Drag(float x0, float y0, float x1, float y1, int mods = 0);
  void Wheel(float x, float y, float amount, int mods = 0);
  void Push(const char* id, CommandArgs args = {});
  TimeRange visible() const;
  // A point in the middle of the timeline's rows, and the canvas as the sink saw it.
  const TexelFrame& canvas() const { return sink.frames[0]; }

  FakeServices services;
  RecordingSink sink;
  SessionView session;
  std::string content;  // of what is opened next
  std::unique_ptr<Viewer> viewer;

 private:
  ImGuiContext* imgui_ = nullptr;
  ImPlotContext* implot_ = nullptr;
};

}  // namespace stepscope::testing
