#include "viewer/shell/capture_dialog.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/ascii.h"
#include "viewer/core/state/settings.h"
#include "viewer/shell/shell.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr const char kCaptureWindow[] = "Capture###capture_dialog";
constexpr double kMostSeconds = 3600;
constexpr float kDialogWidth = 560, kLabelWidth = 108;

struct HostLevel {
  const char* name;
  const char* what;
};
constexpr std::array<HostLevel, 4> kHostLevels = {
    {{"None", "Records no events of the host."},
     {"Annotations", "Records the steps and annotations that the program makes itself."},
     {"Ops", "Records steps, annotations, ops and the work of the runtime."},
     {"All", "Records cheap ops too; the recording grows fast."}}};

// Seconds as typed, in milliseconds; nullopt: no time from `least` milliseconds to an hour.
std::optional<int> MillisecondsOf(std::string_view text, int least) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == 's')) text.remove_suffix(1);
  double seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if (!(seconds >= 0 && seconds <= kMostSeconds)) return std::nullopt;
  const int ms = static_cast<int>(std::lround(seconds * 1e3));
  return ms >= least ? std::optional(ms) : std::nullopt;
}

std::string SecondsText(int ms) { return fmt::format("{:.6g}", ms / 1e3); }

// Begins a row: its label, and the cursor where its value goes.
void RowLabel(const ShellInput& input, const char* label) {
  ImGui::AlignTextToFramePadding();
  TextIn(input.panel, Role::kText2, label);
  ImGui::SameLine(ScaledSize(kLabelWidth));
}

// One sentence below the value of a row.
void RowNote(const ShellInput& input, std::string_view text, Role role = Role::kText3) {
  ImGui::SetCursorPos({ScaledSize(kLabelWidth), ImGui::GetCursorPosY() - ScaledSize(1)});
  ImGui::PushFont(nullptr, ScaledSize(TypeSize::kSmall));
  ImGui::PushTextWrapPos(0);
  WrappedIn(input.panel, role, text);
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ImGui::Dummy({0, ScaledSize(1)});
}

template <typename T>
void ChangeSetting(const ShellInput& input, T Settings::*member, std::type_identity_t<T> value) {
  if (input.panel.settings.*member != value)
    input.panel.commands.PushSetting(member, std::move(value));
}

bool AccentButton(const ShellInput& input, const char* label, float width) {
  const Rgba fill = input.panel.theme[Role::kAccent];
  ImGui::PushStyleColor(ImGuiCol_Button, fill);
  ImGui::PushStyleColor(ImGuiCol_Text, input.panel.theme.TextOn(fill));
  const bool pressed = ImGui::Button(label, {width, 0});
  ImGui::PopStyleColor(2);
  return pressed;
}

}  // namespace

void CaptureDialog::Begin(const ShellInput& input) {
  const Settings& settings = input.panel.settings;
  const std::vector<std::string>& recent = settings.capture_addresses;
  address_ = {};
  address_.text = recent.empty() ? "" : recent.front();
  address_.Focus("", true);
  duration_ = SecondsText(settings.capture_duration_ms);
  delay_ = SecondsText(settings.capture_delay_ms);
  host_level_ = settings.capture_host_level;
  device_ = settings.capture_device_level > 0;
  python_ = settings.capture_python_level > 0;
  folder_ = settings.capture_folder;
}

bool CaptureDialog::Ready() const {
  return !Trimmed(address_.text).empty() && MillisecondsOf(duration_, 1) &&
         MillisecondsOf(delay_, 0);
}

void CaptureDialog::DrawAddress(const ShellInput& input) {
  const std::vector<std::string>& recent = input.panel.settings.capture_addresses;
  RowLabel(input, "Address");
  const float arrow = recent.empty() ? 0 : ImGui::GetFrameHeight();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - arrow);
  address_.Draw("##address", "HOST:PORT, HOST:PORT");
  if (!recent.empty()) {
    ImGui::SameLine(0, 0);
    if (ImGui::BeginCombo("##recent", "",
                          ImGuiComboFlags_NoPreview | ImGuiComboFlags_PopupAlignLeft)) {
      for (const std::string& text : recent) {
        if (!ImGui::Selectable(ItemLabel(text).c_str(), text == address_.text)) continue;
        address_.text = text;
        address_.Focus("", true);
      }
      ImGui::EndCombo();
    }
    ImGui::SetItemTooltip("Programs that were recorded before");
  }
  RowNote(input,
          "The program runs a profiler server on this port. Several programs, with commas between, "
          "are recorded at the same moment as one run.");
}

void CaptureDialog::DrawTimes(const ShellInput& input) {
  const auto seconds = [&](const char* label, const char* id, std::string* text, int least) {
    RowLabel(input, label);
    ImGui::SetNextItemWidth(ScaledSize(80));
    InputText(id, "2", text, ImGuiInputTextFlags_AutoSelectAll);
    ImGui::SameLine();
    TextIn(input.panel, Role::kText2, "s");
    return MillisecondsOf(*text, least).has_value();
  };
  const bool duration = seconds("Duration", "##duration", &duration_, 1);
  RowNote(input,
          duration ? "A few steps are enough: the recording grows with the time."
                   : "Write a time from 0.001 to 3600 seconds.",
          duration ? Role::kText3 : Role::kBad);
  const bool delay = seconds("Delay", "##delay", &delay_, 0);
  RowNote(
      input,
      delay ? "Waits so long before the recording begins." : "Write a time from 0 to 3600 seconds.",
      delay ? Role::kText3 : Role::kBad);
}

void CaptureDialog::DrawLevels(const ShellInput& input) {
  RowLabel(input, "Host");
  for (int i = 0; i < static_cast<int>(kHostLevels.size()); ++i) {
    if (i > 0) ImGui::SameLine();
    if (ChoiceButton(input.panel, kHostLevels[static_cast<size_t>(i)].name, i == host_level_))
      host_level_ = i;
  }
  RowNote(input, kHostLevels[static_cast<size_t>(host_level_)].what);
  RowLabel(input, "Devices");
  ImGui::Checkbox("Kernels and copies##device", &device_);
  RowNote(input, "Records what GPUs and TPUs run.");
  RowLabel(input, "Python");
  ImGui::Checkbox("Calls of functions##python", &python_);
  RowNote(input, "Records each call of a Python function, which slows the program down.");
}

void CaptureDialog::DrawFolder(const ShellInput& input) {
  RowLabel(input, "Folder");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const std::string& standard = input.panel.session.capture.default_folder;
  InputText("##folder", standard.empty() ? "log directory" : standard.c_str(), &folder_);
  RowNote(input, "The log directory that gets plugins/profile/RUN/HOST.xplane.pb.");
}

void CaptureDialog::Record(const ShellInput& input) const {
  ChangeSetting(input, &Settings::capture_duration_ms, *MillisecondsOf(duration_, 1));
  ChangeSetting(input, &Settings::capture_delay_ms, *MillisecondsOf(delay_, 0));
  ChangeSetting(input, &Settings::capture_host_level, host_level_);
  ChangeSetting(input, &Settings::capture_device_level, device_ ? 1 : 0);
  ChangeSetting(input, &Settings::capture_python_level, python_ ? 1 : 0);
  ChangeSetting(input, &Settings::capture_folder, folder_);
  input.panel.commands.Push("file.record", {.text = std::string(Trimmed(address_.text))});
}

bool CaptureDialog::DrawButtons(const ShellInput& input) {
  const float width = ScaledSize(104);
  ImGui::Dummy({0, ScaledSize(4)});
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - 2 * width -
                       ImGui::GetStyle().ItemSpacing.x);
  const bool cancel =
      ImGui::Button("Cancel", {width, 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  ImGui::SetItemTooltip("Escape");
  ImGui::SameLine();
  ImGui::BeginDisabled(!Ready());
  bool record = AccentButton(input, "Record", width);
  ImGui::EndDisabled();
  ImGui::SetItemTooltip("Enter");
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                     ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
  record = record || (enter && Ready());
  if (record && !cancel) Record(input);
  return record || cancel;
}

void CaptureDialog::Draw(const ShellInput& input, bool* open) {
  // One dialog at a time: two would take the place of each other in every frame.
  if (input.windows.file_dialog || input.panel.session.question) *open = false;
  if (!*open) return;
  if (!ImGui::IsPopupOpen(kCaptureWindow)) {
    Begin(input);
    ImGui::OpenPopup(kCaptureWindow);
  }
  ImGui::SetNextWindowSize({RaisedWidth(kDialogWidth), 0});
  if (!BeginDialog(input.panel.theme, kCaptureWindow)) {
    *open = false;
    return;
  }
  SectionTitle(input.panel, "Capture a running program");
  ImGui::Dummy({0, ScaledSize(4)});
  DrawAddress(input);
  DrawTimes(input);
  DrawLevels(input);
  DrawFolder(input);
  if (DrawButtons(input)) {
    *open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

namespace {

void DrawRunning(const ShellInput& input, const CaptureStatus& capture) {
  std::array<char, 1024> buffer{};
  const float inner = ImGui::GetContentRegionAvail().x;
  SectionTitle(input.panel, capture.stage.empty() ? "Connecting" : capture.stage);
  const std::string_view shown = MiddleCut(capture.addresses, inner, buffer.data(), buffer.size());
  TextIn(input.panel, Role::kText2, shown);
  const float done = capture.done < 0 ? -0.6f * static_cast<float>(ImGui::GetTime())
                                      : static_cast<float>(std::min(capture.done, 1.0));
  ImGui::ProgressBar(done, {inner, ScaledSize(6)}, "");
  const float button = ScaledSize(96);
  ImGui::AlignTextToFramePadding();
  {
    const FaceScope mono(input.panel, Face::kMono);
    TextIn(input.panel, Role::kText2, capture.amount.empty() ? " " : capture.amount);
  }
  ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + inner - button);
  if (ImGui::Button("Cancel", {button, 0})) input.panel.commands.Push("file.stop_recording");
  ImGui::SetItemTooltip("Keeps nothing of this recording");
}

void DrawProblem(const ShellInput& input, const CaptureStatus& capture) {
  {
    const FaceScope bold(input.panel, Face::kBold, TypeSize::kTitle);
    TextIn(input.panel, Role::kBad,
           capture.some_recorded ? "Not every program was recorded" : "Nothing was recorded");
  }
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(capture.problem.c_str());
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0, ScaledSize(4)});
  const float button = ScaledSize(120);
  const auto dismiss = [&](bool pressed) {
    if (pressed) input.panel.services.DismissCaptureProblem();
    return pressed;
  };
  if (dismiss(AccentButton(input, "Record again", button)))
    input.panel.commands.Push("file.record");
  ImGui::SameLine();
  if (dismiss(ImGui::Button("Change\u2026", {button, 0})))
    input.panel.commands.Push("file.capture");
  ImGui::SameLine();
  if (ImGui::Button("Copy", {button, 0})) input.panel.services.SetClipboard(capture.problem);
  ImGui::SameLine();
  dismiss(ImGui::Button("Close", {button, 0}));
}

}  // namespace

void DrawCapture(const ShellInput& input) {
  const CaptureStatus& capture = input.panel.session.capture;
  if (!capture.running && capture.problem.empty()) return;
  PlaceBelowMenu(24);
  const Role border = capture.running ? Role::kAccent : Role::kBad;
  const RaisedWindow window(input.panel.theme, "##capture", kDialogWidth, border,
                            ImGuiWindowFlags_NoFocusOnAppearing);
  if (!window) return;
  if (capture.running) {
    DrawRunning(input, capture);
  } else {
    DrawProblem(input, capture);
  }
}

}  // namespace stepscope
