#include "viewer/panels/xla/program_text_view.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr size_t kMostLineLetters =
    4000;                           // of a line: a tuple may have a hundred thousand operands
constexpr size_t kMostKept = 2000;  // lines

// Measures many letters of the mono face: the width of one alone is rounded up.
float LetterWidth() {
  constexpr std::string_view kMany =
      "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
  return TextWidth(kMany) / static_cast<float>(kMany.size());
}

}  // namespace

// Lets go of what is known of another program.
void ProgramTextView::Take(const PanelContext& context,
                           const std::shared_ptr<const HloProgramView>& program) {
  if (program != program_) {
    program_ = program;
    lines_.clear();
    width_ = 0;
    asked_.clear();
    found_.clear();
    search_.Stop();
  }
  Search(context, program);
  if (auto found = search_.Take()) {
    found_ = *std::move(found);
    at_ = 0;
    if (!found_.empty()) scroll_to_ = found_[0];
  }
  if (const uint32_t wanted = std::exchange(go_to_, xla::kNone); wanted != xla::kNone)
    scroll_to_ = static_cast<int64_t>(program->text.LineOf(wanted));
}

void ProgramTextView::Search(const PanelContext& context,
                             const std::shared_ptr<const HloProgramView>& program) {
  if (asked_ == query_.data()) return;
  asked_ = query_.data();
  found_.clear();
  search_.Stop();
  if (asked_.empty()) return;
  search_.Start(context.jobs,
                [program, text = asked_](Progress&) { return FindLines(*program, text); });
}

void ProgramTextView::Step(int direction) {
  if (found_.empty()) return;
  const size_t n = found_.size();
  at_ = direction > 0 ? (at_ + 1) % n : (at_ + n - 1) % n;
  scroll_to_ = found_[at_];
}

void ProgramTextView::DrawToolbar(const PanelContext& context,
                                  const std::shared_ptr<const HloProgramView>& program) {
  const FaceScope small(context, Face::kUi);
  ImGui::SetNextItemWidth(std::clamp(ImGui::GetContentRegionAvail().x * 0.4f, Em() * 8, Em() * 22));
  const bool enter = ImGui::InputTextWithHint("##find", "Find in the text", query_.data(),
                                              query_.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  if (enter) {
    Step(ImGui::GetIO().KeyShift ? -1 : 1);
    ImGui::SetKeyboardFocusHere(-1);
  }
  ImGui::SetItemTooltip("Enter: the next line, Shift+Enter: the one before");
  ImGui::SameLine(0, Em() * 0.6f);
  ImGui::AlignTextToFramePadding();
  std::string note = GroupDigits(program->text.size()) + " lines";
  if (search_.busy()) note = "searching\u2026";
  if (!asked_.empty() && !search_.active())
    note = found_.empty() ? "not found"
                          : GroupDigits(at_ + 1) + " of " + GroupDigits(found_.size()) + " lines";
  TextIn(context,
         found_.empty() && !asked_.empty() && !search_.active() ? Role::kWarning : Role::kText2,
         note);
}

const ProgramTextView::Line& ProgramTextView::LineOf(size_t number) {
  if (lines_.size() > kMostKept) lines_.clear();
  const auto [it, added] = lines_.try_emplace(number);
  Line& line = it->second;
  if (!added) return line;
  line.text = program_->text.Line(number).text;
  const uint32_t i = program_->text.InstructionAt(number);
  const size_t equals = i == xla::kNone ? std::string::npos : line.text.find(" = ");
  if (equals != std::string::npos) {
    const xla::Instruction& instruction = program_->At(i);
    line.equals = equals;
    line.opcode = equals + 4 + ToText(program_->module->ShapeOf(instruction)).size();
    line.rest = line.opcode + instruction.opcode_name.size();
  }
  if (line.text.size() > kMostLineLetters) {
    line.text.resize(kMostLineLetters);
    line.text += "\u2026";
  }
  for (size_t* part : {&line.equals, &line.opcode, &line.rest})
    *part = std::min(*part, line.text.size());
  return line;
}

// Draws a line in the colours of its parts: name, shape, opcode, and what is searched.
void ProgramTextView::DrawLine(const PanelContext& context, size_t line, float x, bool marked) {
  const Line& parts = LineOf(line);
  const std::string& text = parts.text;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = ImGui::GetCursorScreenPos().y, letter = LetterWidth();
  const auto put = [&](size_t from, size_t to, Role role) {
    if (from >= to) return;
    list->AddText(ImVec2(x + letter * static_cast<float>(from), y), context.theme[role],
                  text.data() + from, text.data() + to);
  };
  const float height = ImGui::GetTextLineHeight();
  if (!asked_.empty() && std::binary_search(found_.begin(), found_.end(), line)) {
    const std::string lower = Lower(asked_), whole = Lower(text);
    for (size_t at = whole.find(lower); at != whole.npos;
         at = whole.find(lower, at + lower.size())) {
      DrawBox(list, x + letter * static_cast<float>(at), y,
              letter * static_cast<float>(lower.size()), height,
              context.theme.Alpha(Role::kWarning, 0.4f));
    }
  }
  if (parts.rest == 0) {
    put(0, text.size(), Role::kText2);
  } else {
    put(0, parts.equals, marked ? Role::kAccent : Role::kText);
    put(parts.equals, parts.opcode, Role::kText3);
    put(parts.opcode, parts.rest, Role::kAccent);
    put(parts.rest, text.size(), Role::kText2);
  }
  width_ = std::max(width_, letter * static_cast<float>(text.size() + 2));
}

ProgramTextView::Action ProgramTextView::Draw(const PanelContext& context,
                                              const std::shared_ptr<const HloProgramView>& program,
                                              uint32_t chosen) {
  Action action;
  DrawToolbar(context, program);
  Take(context, program);
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.theme[Role::kWindow]);
  ImGui::BeginChild("text", ImVec2(0, 0), ImGuiChildFlags_None,
                    ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const float height = ImGui::GetTextLineHeight() + std::floor(Em() * 0.25f);
  if (const int64_t line = std::exchange(scroll_to_, -1); line >= 0) {
    const float top = static_cast<float>(line) * height, room = ImGui::GetWindowHeight();
    if (top < ImGui::GetScrollY() + height || top > ImGui::GetScrollY() + room - 3 * height)
      ImGui::SetScrollY(std::max(0.0f, top - room * 0.35f));
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min<size_t>(program->text.size(), INT32_MAX)), height);
  const float room = std::max(width_, ImGui::GetContentRegionAvail().x);
  while (clipper.Step()) {
    for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
      const auto line = static_cast<size_t>(n);
      const uint32_t i = program->text.InstructionAt(line);
      const bool marked = i != xla::kNone && i == chosen;
      ImGui::PushID(n);
      const ImVec2 p = ImGui::GetCursorScreenPos();
      const bool current = !found_.empty() && found_[at_] == line;
      if (marked || current)
        DrawBox(ImGui::GetWindowDrawList(), p.x, p.y, room, height,
                context.theme[marked ? Role::kAccentBg : Role::kHover]);
      DrawLine(context, line, p.x + Em() * 0.4f, marked);
      ImGui::InvisibleButton("##line", ImVec2(room, height));
      if (ImGui::IsItemClicked() && i != xla::kNone) action.choose = i;
      if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
        action.centre = i;
      if (ImGui::BeginPopupContextItem("##menu")) {
        if (ImGui::MenuItem("Copy line"))
          context.commands.Push("copy.text", {.text = program->text.Line(line).text});
        if (i != xla::kNone && ImGui::MenuItem("Show in the graph")) action.centre = i;
        ImGui::EndPopup();
      }
      ImGui::PopID();
    }
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ImGui::PopStyleColor();
  return action;
}

}  // namespace stepscope
