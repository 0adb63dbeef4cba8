#include "viewer/panels/xla/peaks_editor.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>

#include "model/analysis/devices/published_peaks.h"
#include "viewer/core/commands/context.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {
namespace {

constexpr const char* kForm = "peaks form";

std::string NumberText(double number) { return number > 0 ? fmt::format("{:.6g}", number) : ""; }

}  // namespace

void PeaksEditor::Draw(const PanelContext& context) {
  if (context.profile == nullptr || !context.profile->trace) return;
  if (LinkText(context, "##peaks", kLabel)) {
    Open(context, DeviceNameOf(*context.profile->trace));
    ImGui::OpenPopup(kForm);
  }
  ImGui::SetItemTooltip("States what this device can do at most. Your numbers win over others.");
  if (!ImGui::BeginPopup(kForm)) return;
  DrawForm(context);
  ImGui::EndPopup();
}

void PeaksEditor::Open(const PanelContext& context, const std::string& device) {
  const std::vector<OwnPeaks> all = OwnPeaksOf(context.settings);
  const OwnPeaks* own = FindOwnPeaks(all, device);
  device_ = own != nullptr ? own->device : device;
  replaced_ = own != nullptr ? own->device : "";
  wrong_.clear();
  numbers_.clear();
  for (const PeakField& field : PeakFields())
    numbers_.push_back(own != nullptr ? NumberText(own->numbers.*(field.number)) : "");
}

// A number that is not stated shows what is known without the user.
void PeaksEditor::DrawForm(const PanelContext& context) {
  const float em = ImGui::GetFontSize();
  SectionTitle(context, "Peaks of the device");
  const auto row = [&](const char* label, const char* hint, std::string* text, float width) {
    ImGui::AlignTextToFramePadding();
    TextIn(context, Role::kText2, label);
    ImGui::SameLine(em * 11);
    ImGui::SetNextItemWidth(em * width);
    ImGui::PushID(label);
    InputText("##value", hint, text);
    ImGui::PopID();
  };
  row("Name has", "", &device_, 14);
  const auto known = KnownPeaksOf(*context.profile->trace, {});
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const PeakField& field = PeakFields()[i];
    const std::string hint = known ? NumberText(known->numbers.*(field.number)) : "";
    row(field.label, hint.empty() ? "not known" : hint.c_str(), &numbers_[i], 7);
  }
  if (!wrong_.empty()) {
    ImGui::PushTextWrapPos(em * 25);
    WrappedIn(context, Role::kBad, wrong_);
    ImGui::PopTextWrapPos();
  }
  ImGui::Dummy({0, em * 0.2f});
  if (ImGui::Button("Save")) Save(context);
  ImGui::SetItemTooltip("Keeps them for all profiles of devices whose name has these words.");
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) ImGui::CloseCurrentPopup();
}

void PeaksEditor::Save(const PanelContext& context) {
  std::string text = device_ + ":";
  for (size_t i = 0; i < numbers_.size(); ++i) {
    std::string& number = numbers_[i];
    std::erase_if(number, [](unsigned char c) { return std::isspace(c) != 0; });
    if (!number.empty()) text += fmt::format(" {}={}", PeakFields()[i].name, number);
  }
  const bool none = std::all_of(numbers_.begin(), numbers_.end(),
                                [](const std::string& number) { return number.empty(); });
  std::vector<OwnPeaks> all = OwnPeaksOf(context.settings);
  const Result<std::vector<OwnPeaks>> stated = none ? std::vector<OwnPeaks>() : ParseOwnPeaks(text);
  if (!stated.ok()) {
    wrong_ = stated.status().message();
    return;
  }
  std::erase_if(all, [&](const OwnPeaks& own) { return own.device == replaced_; });
  all.insert(all.begin(), stated->begin(), stated->end());
  context.commands.PushSetting(&Settings::peaks, OwnPeaksText(all));
  ImGui::CloseCurrentPopup();
}

}  // namespace stepscope
