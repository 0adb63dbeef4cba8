#include "tests/viewer/viewer_fixture.h"

#include <implot.h>

#include <chrono>
#include <thread>

#include "model/analysis/grouping/flow_index.h"
#include "viewer/core/commands/keys.h"

namespace stepscope::test {

TraceMaker::TraceMaker(int hosts) {
  for (int i = 0; i < hosts; ++i) {
    Host host;
    host.name = builder_.strings().Intern("host-" + std::to_string(i));
    hosts_.push_back(builder_.AddHost(host));
  }
}

PlaneId TraceMaker::Plane(const std::string& name, PlaneKind kind, int host) {
  stepscope::Plane plane;
  plane.host = hosts_[static_cast<size_t>(host)];
  plane.name = builder_.strings().Intern(name);
  plane.display_name = name;
  plane.kind = kind;
  return builder_.AddPlane(plane);
}

MetaId TraceMaker::Meta(const std::string& name) {
  const StringId id = builder_.strings().Intern(name);
  const auto& metas = builder_.names().metas;
  for (uint32_t i = 0; i < metas.size(); ++i) {
    if (metas[i].name == id) return MetaId(i);
  }
  EventMeta meta;
  meta.name = id;
  return builder_.AddMeta(meta);
}

TrackId TraceMaker::Track(PlaneId plane, const std::string& name, TrackKind kind,
                          const std::vector<SimpleEvent>& events) {
  TrackData data;
  data.track.plane = plane;
  data.track.name = builder_.strings().Intern(name);
  data.track.kind = kind;
  for (const SimpleEvent& event : events) {
    RawEvents& raw = event.dur < 0 ? data.instants : data.slices;
    raw.Add(event.start, std::max<Ps>(0, event.dur), Meta(event.name).value, Lane::kNoRef);
  }
  return builder_.AddTrack(std::move(data));
}

TrackId TraceMaker::Counter(PlaneId plane, const std::string& name,
                            const std::vector<double>& values) {
  TrackData data;
  data.track.plane = plane;
  data.track.name = builder_.strings().Intern(name);
  data.track.kind = TrackKind::kCounter;
  CounterSeries series;
  for (size_t i = 0; i < values.size(); ++i) {
    series.time.push_back(static_cast<Ps>(i) * kPsPerMs);
    series.value.push_back(values[i]);
    series.min = std::min(series.min, values[i]);
    series.max = std::max(series.max, values[i]);
  }
  data.track.counters.push_back(std::move(series));
  return builder_.AddTrack(std::move(data));
}

void TraceMaker::Flow(TrackId from, uint32_t from_slice, TrackId to, uint32_t to_slice) {
  builder_.AddFlow(from, from_slice, to, to_slice, 1, StringId(0));
}

std::shared_ptr<const Trace> TraceMaker::Finish() { return builder_.Finish().value(); }

std::shared_ptr<const Trace> TrainingTrace() {
  TraceMaker maker;
  TrackId launches, kernels;
  for (int gpu = 0; gpu < 2; ++gpu) {
    const PlaneId plane = maker.Plane("/device:GPU:" + std::to_string(gpu), PlaneKind::kGpu);
    std::vector<SimpleEvent> compute, copies;
    for (Ps step = 0; step < 10; ++step) {
      for (Ps i = 0; i < 8; ++i) {
        const char* name = i % 2 == 0 ? "sgemm_128x64" : "bn_fw_tr";
        compute.push_back({name, step * kPsPerMs + i * 100 * kPsPerUs, 90 * kPsPerUs});
      }
      copies.push_back({"MemcpyH2D", step * kPsPerMs, 20 * kPsPerUs});
    }
    kernels = maker.Track(plane, "Stream #14", TrackKind::kStream, compute);
    maker.Track(plane, "Stream #15", TrackKind::kStream, copies);
  }
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  std::vector<SimpleEvent> python;
  for (Ps step = 0; step < 10; ++step) {
    const Ps t = step * kPsPerMs;
    python.push_back({"train " + std::to_string(step), t, 950 * kPsPerUs});
    python.push_back({"FunctionRun", t + 50 * kPsPerUs, 600 * kPsPerUs});
    python.push_back({"cudaLaunchKernel", t + 100 * kPsPerUs, 10 * kPsPerUs});
    python.push_back({"marker", t + 700 * kPsPerUs, -1});
  }
  launches = maker.Track(host, "python3", TrackKind::kThread, python);
  maker.Flow(launches, 2, kernels, 1);
  return maker.Finish();
}

ViewerFixture::ViewerFixture(ImVec2 size, const std::string& settings) {
  imgui_ = ImGui::CreateContext();
  implot_ = ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = size;
  io.DeltaTime = 1.0f / 60.0f;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  ViewerConfig config;
  config.animate = false;
  config.settings = ParseSettings(settings);
  viewer = std::make_unique<Viewer>(services, &sink, config);
}

ViewerFixture::~ViewerFixture() {
  viewer.reset();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
  ImPlot::DestroyContext(implot_);
  ImGui::DestroyContext(imgui_);
}

void ViewerFixture::Open(std::shared_ptr<const Trace> trace) {
  Profile profile;
  profile.id = ProfileId(static_cast<uint32_t>(session.profiles.size()));
  profile.label = "run";
  profile.trace = std::move(trace);
  profile.fingerprint = content;
  profile.flows = std::make_shared<const FlowIndex>(BuildFlowIndex(*profile.trace, nullptr));
  session.profiles.push_back(std::move(profile));
  ++session.generation;
  Frame(4);
  WaitIdle();
}

void ViewerFixture::WaitIdle() {
  const auto longest = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  // A job may end after a frame has asked for its result: only the next frame takes it, and may
  // start another job.
  for (int idle = 0; idle < 2 && std::chrono::steady_clock::now() < longest;) {
    Frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    idle = viewer->animating() || viewer->stopping() ? 0 : idle + 1;
  }
}

void ViewerFixture::Frame(int n) {
  for (int i = 0; i < n; ++i) {
    NewFrameKeepingChords();
    viewer->Frame(session);
    ImGui::Render();
    for (ImTextureData* texture :
         ImGui::GetPlatformIO().Textures) {  // a renderer that keeps nothing
      if (texture->Status == ImTextureStatus_WantDestroy) {
        texture->SetTexID(ImTextureID_Invalid);
        texture->SetStatus(ImTextureStatus_Destroyed);
      } else if (texture->Status != ImTextureStatus_OK) {
        texture->SetTexID(1);
        texture->SetStatus(ImTextureStatus_OK);
      }
    }
  }
}

void ViewerFixture::Key(ImGuiKey key, int mods) {
  ImGuiIO& io = ImGui::GetIO();
  const auto set = [&](bool down) {
    if ((mods & ImGuiMod_Ctrl) != 0) io.AddKeyEvent(ImGuiMod_Ctrl, down);
    if ((mods & ImGuiMod_Shift) != 0) io.AddKeyEvent(ImGuiMod_Shift, down);
    if ((mods & ImGuiMod_Alt) != 0) io.AddKeyEvent(ImGuiMod_Alt, down);
  };
  set(true);
  Frame();
  io.AddKeyEvent(key, true);
  Frame();
  io.AddKeyEvent(key, false);
  set(false);
  Frame();
}

void ViewerFixture::Type(const std::string& text) {
  for (char c : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
  Frame(2);
}

void ViewerFixture::MoveTo(float x, float y) {
  ImGui::GetIO().AddMousePosEvent(x, y);
  Frame(2);
}

void ViewerFixture::Click(float x, float y) {
  MoveTo(x, y);
  ImGui::GetIO().AddMouseButtonEvent(0, true);
  Frame();
  ImGui::GetIO().AddMouseButtonEvent(0, false);
  Frame(2);
}

void ViewerFixture::Drag(float x0, float y0, float x1, float y1, int mods) {
  ImGuiIO& io = ImGui::GetIO();
  MoveTo(x0, y0);
  if ((mods & ImGuiMod_Shift) != 0) io.AddKeyEvent(ImGuiMod_Shift, true);
  Frame();
  io.AddMouseButtonEvent(0, true);
  Frame();
  for (int i = 1; i <= 4; ++i) {
    const float t = static_cast<float>(i) / 4.0f;
    io.AddMousePosEvent(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t);
    Frame();
  }
  io.AddMouseButtonEvent(0, false);
  if ((mods & ImGuiMod_Shift) != 0) io.AddKeyEvent(ImGuiMod_Shift, false);
  Frame(2);
}

void ViewerFixture::Wheel(float x, float y, float amount, int mods) {
  ImGuiIO& io = ImGui::GetIO();
  MoveTo(x, y);
  if ((mods & ImGuiMod_Ctrl) != 0) io.AddKeyEvent(ImGuiMod_Ctrl, true);
  if ((mods & ImGuiMod_Shift) != 0) io.AddKeyEvent(ImGuiMod_Shift, true);
  Frame();
  io.AddMouseWheelEvent(0, amount);
  Frame();
  if ((mods & ImGuiMod_Ctrl) != 0) io.AddKeyEvent(ImGuiMod_Ctrl, false);
  if ((mods & ImGuiMod_Shift) != 0) io.AddKeyEvent(ImGuiMod_Shift, false);
  Frame(2);
}

void ViewerFixture::Push(CommandId id, CommandArgs args) {
  viewer->commands().Push(id, std::move(args));
  Frame(2);
}

TimeRange ViewerFixture::visible() const { return viewer->view().visible; }

}  // namespace stepscope::test
