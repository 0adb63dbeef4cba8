#include "viewer/panels/xla/graph_view.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/digits.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr float kLeastZoom = 0.12f, kMostZoom = 2.5f, kReadableZoom = 0.5f;

bool Overlap(ImVec2 a_min, ImVec2 a_max, ImVec2 b_min, ImVec2 b_max) {
  return a_min.x < b_max.x && b_min.x < a_max.x && a_min.y < b_max.y && b_min.y < a_max.y;
}

bool Inside(ImVec2 p, ImVec2 min, ImVec2 max) {
  return p.x >= min.x && p.x < max.x && p.y >= min.y && p.y < max.y;
}

// Thicker for more bytes: 1 pixel for a scalar, 3 for a gigabyte.
float Thickness(int64_t bytes) {
  return 1 + std::clamp(
                 static_cast<float>(std::log10(static_cast<double>(std::max<int64_t>(bytes, 1)))) /
                     4.5f,
                 0.0f, 2.0f);
}

}  // namespace

ImVec2 GraphView::ToScreen(GraphPoint p) const {
  const float scale = zoom_ * unit_;
  return {origin_.x + pan_.x + p.x * scale, origin_.y + pan_.y + p.y * scale};
}

GraphView::Box GraphView::BoxOf(const HloGraphScene& scene, size_t node) const {
  const ImVec2 at = ToScreen(scene.layout.nodes[node]);
  const float w = scene.sizes[node].width * zoom_ * unit_,
              h = scene.sizes[node].height * zoom_ * unit_;
  return {{std::floor(at.x - w / 2), std::floor(at.y - h / 2)},
          {std::floor(at.x + w / 2), std::floor(at.y + h / 2)}};
}

// All of the graph if its texts can be read then, else the centre in the middle.
void GraphView::FitTo(const HloGraphScene& scene, ImVec2 size) {
  const float margin = 2.5f;
  const float x = size.x / ((scene.layout.width + 2 * margin) * unit_);
  const float y = size.y / ((scene.layout.height + 2 * margin) * unit_);
  zoom_ = std::clamp(std::min({x, y, 1.0f}), kReadableZoom, 1.0f);
  const bool all = std::min(x, y) >= kReadableZoom;
  const GraphPoint middle =
      all ? GraphPoint{scene.layout.width / 2, scene.layout.height / 2} : scene.layout.nodes[0];
  if (!all) zoom_ = 0.85f;
  moved_ = false;
  const float scale = zoom_ * unit_;
  pan_ = {std::floor(size.x / 2 - middle.x * scale), std::floor(size.y / 2 - middle.y * scale)};
}

void GraphView::TakeScene(const HloGraphScene& scene, uint64_t key, ImVec2 size) {
  const auto place = std::find_if(scene.nodes.begin(), scene.nodes.end(),
                                  [&](const HloGraphNode& n) { return n.instruction == kept_; });
  const bool keep = place != scene.nodes.end();
  const ImVec2 at =
      keep ? ToScreen(scene.layout.nodes[static_cast<size_t>(place - scene.nodes.begin())])
           : ImVec2();
  if (key != key_ && keep) {
    pan_.x += kept_at_.x - at.x;
    pan_.y += kept_at_.y - at.y;
    kept_ = xla::kNone;
  } else if (key != key_ || fit_ || (!moved_ && (size.x != size_.x || size.y != size_.y))) {
    FitTo(scene, size);
  }
  size_ = size;
  kept_at_ = at;
  if (key != key_) tip_of_ = xla::kNone;
  key_ = key;
  fit_ = false;
}

// Drag and wheel of the item drawn last.
void GraphView::Navigate() {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    moved_ = true;
    pan_.x += io.MouseDelta.x;
    pan_.y += io.MouseDelta.y;
  }
  if (!ImGui::IsItemHovered()) return;
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  if (io.MouseWheel == 0) return;
  const float to = std::clamp(zoom_ * std::pow(1.15f, io.MouseWheel), kLeastZoom, kMostZoom);
  const ImVec2 at(io.MousePos.x - origin_.x, io.MousePos.y - origin_.y);
  pan_.x = at.x - (at.x - pan_.x) * to / zoom_;
  pan_.y = at.y - (at.y - pan_.y) * to / zoom_;
  zoom_ = to;
  moved_ = true;
}

void GraphView::DrawEdges(const PanelContext& context, const HloGraphScene& scene,
                          uint32_t chosen) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float arrow = std::max(3.0f, 0.38f * zoom_ * unit_);
  for (const bool bright : {false, true}) {  // those of the chosen node lie on top
    for (size_t e = 0; e < scene.edges.size(); ++e) {
      const LayoutEdge& edge = scene.edges[e];
      const bool of_chosen = scene.nodes[edge.from].instruction == chosen ||
                             scene.nodes[edge.to].instruction == chosen;
      if (of_chosen != bright) continue;
      const Rgba color =
          bright ? context.theme[Role::kAccent] : context.theme.Alpha(Role::kText3, 0.8f);
      const auto& path = scene.layout.edges[e];
      const float thick = Thickness(scene.edge_bytes[e]) * std::clamp(zoom_, 0.5f, 1.2f);
      for (size_t k = 0; k + 1 < path.size(); ++k) {
        const ImVec2 a = ToScreen(path[k]);
        ImVec2 b = ToScreen(path[k + 1]);
        if (k + 2 == path.size()) b.y -= arrow * 0.8f;
        const float bend = (b.y - a.y) * 0.45f;
        list->AddBezierCubic(a, ImVec2(a.x, a.y + bend), ImVec2(b.x, b.y - bend), b, color, thick);
      }
      const ImVec2 end = ToScreen(path.back());
      list->AddTriangleFilled(ImVec2(end.x - arrow * 0.5f, end.y - arrow),
                              ImVec2(end.x + arrow * 0.5f, end.y - arrow), end, color);
    }
  }
}

void GraphView::DrawNode(const PanelContext& context, const HloProgramView& program,
                         const HloGraphScene& scene, size_t n, uint32_t chosen,
                         bool hovered) const {
  const HloGraphNode& node = scene.nodes[n];
  const xla::Instruction& instruction = program.At(node.instruction);
  const Box box = BoxOf(scene, n);
  Pen pen = MakePen(context.theme, context.fonts);
  pen.unit *= zoom_;
  const float em = zoom_ * unit_, w = box.max.x - box.min.x, h = box.max.y - box.min.y;
  const bool centre = n == 0, is_chosen = node.instruction == chosen;
  pen.Box(box.min.x, box.min.y, w, h, context.theme[hovered ? Role::kHover : Role::kRaised], 4);
  pen.list->AddRectFilled(box.min, ImVec2(box.min.x + em * 0.35f, box.max.y),
                          context.theme.NameColor(instruction.opcode_name), 4,
                          ImDrawFlags_RoundCornersLeft);
  const Role edge = is_chosen ? Role::kAccent : centre ? Role::kText2 : Role::kLine;
  pen.list->AddRect(box.min, box.max, context.theme[edge], 4, is_chosen || centre ? 2.0f : 1.0f);
  if (zoom_ < 0.3f) return;
  const float left = box.min.x + em * 0.75f, right = box.max.x - em * 0.5f;
  const float top = box.min.y + em * 0.42f, line = em * 1.2f;
  pen.TextFit(context.fonts.bold, TypeSize::kSmall, left, right, top, context.theme[Role::kText],
              instruction.name);
  const bool same = instruction.name.starts_with(instruction.opcode_name);
  const std::string what =
      same ? node.shape : std::string(instruction.opcode_name) + "  " + node.shape;
  pen.TextFit(context.fonts.ui, TypeSize::kSlice, left, right, top + line,
              context.theme[Role::kText2], what);
  if (node.time.empty()) return;
  const std::string time =
      node.share >= 0.0005 ? node.time + ", " + PercentText(100 * node.share, 1) : node.time;
  pen.TextFit(context.fonts.mono, TypeSize::kSlice, left, right, top + 2 * line,
              context.theme[Role::kText], time);
  const float bar = std::max(1.0f, em * 0.2f), full = right - left;
  pen.Box(left, box.max.y - bar * 2, full, bar, context.theme[Role::kHover], 1);
  pen.Box(left, box.max.y - bar * 2, std::max(1.0f, full * static_cast<float>(node.share)), bar,
          context.theme[Role::kWarning], 1);
}

bool GraphView::DrawMore(const PanelContext& context, const Box& box, size_t count, bool above,
                         bool clicked) const {
  if (count == 0 || zoom_ < 0.3f) return false;
  const std::string text = fmt::format("+{}", count);
  Pen pen = MakePen(context.theme, context.fonts);
  pen.unit *= zoom_;
  const float em = zoom_ * unit_;
  const float w = pen.Width(context.fonts.ui, TypeSize::kSlice, text) + em * 0.7f, h = em * 1.15f;
  const float x = std::floor(above ? box.min.x + em * 0.4f : box.max.x - w - em * 0.4f);
  const float y = std::floor(above ? box.min.y - h - 1 : box.max.y + 1);
  const bool hovered =
      ImGui::IsWindowHovered() && Inside(ImGui::GetMousePos(), ImVec2(x, y), ImVec2(x + w, y + h));
  pen.Box(x, y, w, h, context.theme[hovered ? Role::kAccentBg : Role::kHover], 3);
  pen.Text(context.fonts.ui, TypeSize::kSlice, x + em * 0.35f, y + em * 0.1f,
           context.theme[hovered ? Role::kAccent : Role::kText2], text);
  if (hovered)
    ImGui::SetTooltip("%s",
                      fmt::format("Show {} more {}", count, above ? "operands" : "users").c_str());
  return hovered && clicked;
}

void GraphView::DrawTooltip(const PanelContext& context, const HloProgramView& program,
                            const HloGraphNode& node) {
  if (!ImGui::BeginTooltip()) return;
  if (tip_of_ != node.instruction) {
    constexpr size_t kMost = 600;  // letters
    tip_of_ = node.instruction;
    tip_ = program.FactsOf(node.instruction).expression;
    if (tip_.size() > kMost) tip_ = tip_.substr(0, kMost) + kEllipsis;
  }
  ImGui::PushTextWrapPos(BaseEm() * 44);
  const xla::Instruction& i = program.At(node.instruction);
  ImGui::TextUnformatted(i.name.data(), i.name.data() + i.name.size());
  TextIn(context, Role::kText2, tip_);
  const std::string_view op = program.module->MetadataOf(i).op_name;
  if (!op.empty()) TextIn(context, Role::kText2, op);
  TextIn(context, Role::kText3, "Click: choose    Double click: its own neighbourhood");
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

GraphView::Action GraphView::Draw(const PanelContext& context, const HloProgramView& program,
                                  const HloGraphScene& scene, uint64_t key, uint32_t chosen,
                                  ImVec2 size) {
  Action action;
  origin_ = ImGui::GetCursorScreenPos();
  unit_ = BaseEm();
  if (scene.nodes.empty()) return action;
  TakeScene(scene, key, size);
  ImGui::InvisibleButton("##graph", size);
  const bool hovered = ImGui::IsItemHovered();
  Navigate();
  const bool clicked = hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                       !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left);
  const bool twice = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(origin_.x + size.x, origin_.y + size.y);
  list->PushClipRect(origin_, end, true);
  list->AddRectFilled(origin_, end, context.theme[Role::kWindow], 4);
  DrawEdges(context, scene, chosen);
  int under = -1;
  for (size_t n = 0; n < scene.nodes.size(); ++n) {
    const Box box = BoxOf(scene, n);
    const float margin = 1.3f * unit_ * zoom_;
    if (!Overlap(box.min, box.max, ImVec2(origin_.x, origin_.y - margin),
                 ImVec2(end.x, end.y + margin)))
      continue;
    const bool over = hovered && Inside(ImGui::GetMousePos(), box.min, box.max);
    if (over) under = static_cast<int>(n);
    DrawNode(context, program, scene, n, chosen, over);
    const HloGraphNode& node = scene.nodes[n];
    const bool above = DrawMore(context, box, node.operands_left_out, true, clicked);
    if (DrawMore(context, box, node.users_left_out, false, clicked) || above)
      action.expand = node.instruction;
  }
  list->PopClipRect();
  if (under < 0) return action;
  const HloGraphNode& node = scene.nodes[static_cast<size_t>(under)];
  if (clicked) action.choose = node.instruction;
  if (twice) action.centre = node.instruction;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) DrawTooltip(context, program, node);
  return action;
}

}  // namespace stepscope
