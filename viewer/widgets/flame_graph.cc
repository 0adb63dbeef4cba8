#include "viewer/widgets/flame_graph.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "model/base/digits.h"
#include "viewer/core/search/search.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {
namespace {

constexpr float kLeastWidth = 0.5f;  // pixels; narrower boxes are left out

std::string Percent(Ps part, Ps whole) {
  return whole <= 0 ? std::string()
                    : PercentText(100 * static_cast<double>(part) / static_cast<double>(whole), 1);
}

std::string TimeText(Ps time) { return WithoutZeros(FormatDuration(time, 4)); }

}  // namespace

// Frames of one parent lie side by side, in their order.
void FlameGraph::Prepare(const Trace& trace, const CallTree& tree, uint64_t key) {
  if (key == key_ && begin_.size() == tree.frames.size()) return;
  key_ = key;
  SetRoot(tree, 0);
  begin_.assign(tree.frames.size(), 0);
  std::vector<Ps> next(tree.frames.size(), 0);  // by frame: where its next child begins
  for (uint32_t f = 1; f < tree.frames.size(); ++f) {
    const CallFrame& frame = tree.frames[f];
    begin_[f] = next[f] = next[frame.parent];
    next[frame.parent] = SaturatingAdd(next[frame.parent], frame.total);
  }
  Find(trace, tree);
}

void FlameGraph::Find(const Trace& trace, const CallTree& tree) {
  found_text_ = text_;
  found_.clear();
  found_time_ = 0;
  any_found_ = false;
  if (text_.empty()) return;
  const NameQuery query(text_);
  std::unordered_map<uint32_t, bool> names;
  found_.resize(tree.frames.size());
  uint32_t inside = 0;  // frames before this one are inside a found one
  for (uint32_t f = 1; f < tree.frames.size(); ++f) {
    const CallFrame& frame = tree.frames[f];
    const auto [known, added] = names.try_emplace(frame.name.value, false);
    if (added) known->second = query.Matches(NameOf(frame, trace.names()));
    found_[f] = known->second ? 1 : 0;
    if (!known->second || f < inside) continue;
    any_found_ = true;
    found_time_ = SaturatingAdd(found_time_, frame.total);
    inside = frame.end;
  }
}

void FlameGraph::DrawToolbar(const PanelContext& context, const Trace& trace,
                             const CallTree& tree) {
  const FaceScope small(context, Face::kUi);
  ImGui::SetNextItemWidth(std::min(BaseEm() * 14, ImGui::GetContentRegionAvail().x));
  InputText("##find", "Find frames", &text_);
  if (text_ != found_text_) Find(trace, tree);
  if (!text_.empty()) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    TextIn(context, any_found_ ? Role::kText : Role::kText2,
           any_found_ ? fmt::format("{}, {} of the time", TimeText(found_time_),
                                    Percent(found_time_, tree.frames[0].total))
                      : "No frame has this name");
  }
  if (root_ == 0) return;
  ImGui::SameLine();
  if (ImGui::SmallButton("Show all")) SetRoot(tree, 0);
}

void FlameGraph::SetRoot(const CallTree& tree, uint32_t root) {
  root_ = root;
  deepest_ = tree.frames[root].depth;
  for (uint32_t f = root; f < tree.frames[root].end; ++f)
    deepest_ = std::max(deepest_, tree.frames[f].depth);
}

void FlameGraph::DrawFrame(const PanelContext& context, const Trace& trace, const CallTree& tree,
                           uint32_t frame, const Row& row) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const CallFrame& f = tree.frames[frame];
  const std::string_view name = NameOf(f, trace.names());
  const bool above = frame != root_ && f.end >= tree.frames[root_].end && frame < root_;
  Rgba fill = frame == 0 ? theme[Role::kRaised] : theme.NameColor(name);
  Rgba ink = frame == 0 ? theme[Role::kText] : theme.TextOn(fill);
  const bool dim = above || (!found_.empty() && frame != 0 && found_[frame] == 0);
  if (dim) {
    fill = WithAlpha(fill, 0.3f);
    ink = theme[Role::kText2];
  }
  const float right = row.left + std::max(1.0f, row.width - 1);
  list->AddRectFilled({row.left, row.top}, {right, row.top + row.height - 1}, fill);
  if (frame == hovered_)
    list->AddRect({row.left, row.top}, {right, row.top + row.height - 1}, theme[Role::kText]);
  const float pad = std::floor(Em() * 0.3f);
  if (row.width < Em() * 1.6f) return;
  const std::string text = frame == 0 ? "All: " + TimeText(f.total) : std::string(name);
  const float y = std::floor(row.top + (row.height - 1 - ImGui::GetTextLineHeight()) * 0.5f);
  DrawCut(list, {row.left + pad, y}, right - pad, ink, text);
}

void FlameGraph::DrawBoxes(const PanelContext& context, const Trace& trace, const CallTree& tree) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = std::floor(Em() * 1.5f);
  const ImVec2 clip_min = ImGui::GetWindowDrawList()->GetClipRectMin();
  const ImVec2 clip_max = ImGui::GetWindowDrawList()->GetClipRectMax();
  const bool over = ImGui::IsWindowHovered();
  const ImVec2 mouse = ImGui::GetMousePos();
  uint32_t under = kNone;
  const auto draw = [&](uint32_t frame, float left, float box) {
    const float top = corner.y + static_cast<float>(tree.frames[frame].depth) * height;
    if (top + height < clip_min.y || top > clip_max.y) return;
    DrawFrame(context, trace, tree, frame, {left, box, top, height});
    if (over && mouse.x >= left && mouse.x < left + box && mouse.y >= top && mouse.y < top + height)
      under = frame;
  };
  for (uint32_t f = root_; f != 0;) draw(f = tree.frames[f].parent, corner.x, width);
  const auto whole = static_cast<double>(std::max<Ps>(1, tree.frames[root_].total));
  const double scale = static_cast<double>(width) / whole;
  for (uint32_t f = root_; f < tree.frames[root_].end;) {
    const CallFrame& frame = tree.frames[f];
    const auto box = static_cast<float>(static_cast<double>(frame.total) * scale);
    const float top = corner.y + static_cast<float>(frame.depth) * height;
    if (f != root_ && box < kLeastWidth) {
      f = tree.frames[frame.parent].end;  // frames that follow below this parent are not wider
      continue;
    }
    const auto offset = static_cast<double>(begin_[f] - begin_[root_]) * scale;
    draw(f, corner.x + static_cast<float>(offset), f == root_ ? width : box);
    f = top > clip_max.y ? frame.end : f + 1;
  }
  hovered_ = under;
  ImGui::Dummy({width, static_cast<float>(deepest_ + 1) * height});
}

void FlameGraph::DrawTooltip(const PanelContext& context, const Trace& trace,
                             const CallTree& tree) const {
  const CallFrame& frame = tree.frames[hovered_];
  const CallFrame& above = tree.frames[frame.parent];
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(BaseEm() * 40);
  const std::string_view name = NameOf(frame, trace.names());
  const std::string title(frame.depth == 0 ? "All selected events" : name);
  ImGui::TextUnformatted(title.data(), title.data() + title.size());
  ImGui::PopTextWrapPos();
  {
    const FaceScope small(context, Face::kUi);
    const float x = BaseEm() * 7;
    const auto line = [&](const char* key, const std::string& value) {
      KeyValue(context, key, value, x, true);
    };
    line("Total", TimeText(frame.total) + "  " + Percent(frame.total, tree.frames[0].total));
    if (frame.depth > 1) line("Of its caller", Percent(frame.total, above.total));
    if (frame.depth > 0) {
      line("Self", TimeText(frame.self) + "  " + Percent(frame.self, tree.frames[0].total));
      line("Events", frame.count == 0 ? "around selected ones" : Counted(frame.count, "selected"));
    }
    TextIn(context, Role::kText3, "Click shows its events, double click fills the width");
  }
  ImGui::EndTooltip();
}

uint32_t FlameGraph::Draw(const PanelContext& context, const Trace& trace, const CallTree& tree,
                          uint64_t key) {
  Prepare(trace, tree, key);
  DrawToolbar(context, trace, tree);
  const bool was_hovered = hovered_ != kNone;
  uint32_t clicked = kNone;
  if (ImGui::BeginChild("##frames")) {
    const FaceScope small(context, Face::kUi, TypeSize::kSlice);
    DrawBoxes(context, trace, tree);
    if (hovered_ != kNone) {
      DrawTooltip(context, trace, tree);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        SetRoot(tree, hovered_);
      } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && hovered_ != 0) {
        clicked = hovered_;
      }
    }
  }
  ImGui::EndChild();
  if (!was_hovered && hovered_ != kNone) context.services.RequestFrame();
  return clicked;
}

}  // namespace stepscope
