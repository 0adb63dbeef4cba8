#include "viewer/panels/memory/stack_views.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/base/digits.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr float kIndent = 1.2f;  // of a depth, in em

void Number(const std::string& text) {
  ImGui::TableNextColumn();
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float room = ImGui::GetContentRegionAvail().x - width;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::TextUnformatted(text.c_str());
}

// Whether the node's children are shown.
bool DrawNode(const AllocatorHistory& history, const StackTree& tree, uint32_t n) {
  const StackNode& node = tree.nodes[n];
  const float indent = ImGui::GetFontSize() * kIndent * static_cast<float>(node.depth);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (indent > 0) ImGui::Indent(indent);
  ImGuiTreeNodeFlags flags =
      ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth;
  const bool leaf = node.end == n + 1;
  if (leaf) flags |= ImGuiTreeNodeFlags_Leaf | ImGuiTreeNodeFlags_Bullet;
  ImGui::PushID(static_cast<int>(n));
  const std::string label = LabelOf(history, node);
  const bool open = ImGui::TreeNodeEx("##node", flags, "%s", label.c_str());
  ImGui::PopID();
  if (indent > 0) ImGui::Unindent(indent);
  Number(FormatValue(Value(node.bytes), Unit::kBytes));
  Number(PercentText(PercentOf(tree, node), 1));
  Number(GroupDigits(static_cast<uint64_t>(node.count)));
  return open && !leaf;
}

}  // namespace

void DrawStackTree(const PanelContext& context, const AllocatorHistory& history,
                   const StackTree& tree) {
  if (tree.nodes.empty()) {
    TextIn(context, Role::kText2, "Nothing was allocated.");
    return;
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings;
  const FaceScope small(context, Face::kUi);
  if (!ImGui::BeginTable("##tree", 4, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Allocated by (callers below)", ImGuiTableColumnFlags_WidthStretch);
  for (const char* label : {"Bytes", "Percent", "Allocations"})
    ImGui::TableSetupColumn(label, ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 7);
  ImGui::TableHeadersRow();
  size_t rows = 0;
  for (uint32_t n = 0; n < tree.nodes.size() && rows < kMostTreeRows; ++rows)
    n = DrawNode(history, tree, n) ? n + 1 : tree.nodes[n].end;
  ImGui::EndTable();
}

namespace {

std::string TextOf(int64_t bytes) { return FormatValue(Value(bytes), Unit::kBytes); }

void FlameTooltip(const StackTree& tree, const StackNode& node, const std::string& label) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::TextUnformatted(label.c_str());
  ImGui::Text("%s, %.1f %%, %s", TextOf(node.bytes).c_str(), PercentOf(tree, node),
              Counted(static_cast<uint64_t>(node.count), "allocations").c_str());
  ImGui::EndTooltip();
}

}  // namespace

std::vector<FlameBox> LayFlames(const StackTree& tree, uint32_t root, float width, float least) {
  std::vector<FlameBox> boxes;
  const bool all = root >= tree.nodes.size();
  const uint32_t first = all ? 0 : root;
  const auto end = all ? static_cast<uint32_t>(tree.nodes.size()) : tree.nodes[root].end;
  const auto whole = static_cast<double>(all ? tree.bytes : tree.nodes[root].bytes);
  if (whole <= 0) return boxes;
  const uint32_t top = all ? 0 : tree.nodes[root].depth;
  // By row: where the next box begins. A box's first child begins where it does.
  std::vector<double> next(StackTree::kDeepest + 2, 0.0);
  for (uint32_t n = first; n < end;) {
    const StackNode& node = tree.nodes[n];
    const uint32_t row = std::min(node.depth - top, StackTree::kDeepest);
    const double left = next[row], w = static_cast<double>(node.bytes) / whole * width;
    next[row] = left + w;
    next[row + 1] = left;
    const bool shown = w >= least;
    if (shown) boxes.push_back({n, row, static_cast<float>(left), static_cast<float>(w)});
    n = shown ? n + 1 : node.end;
  }
  return boxes;
}

void DrawStackFlames(const PanelContext& context, const AllocatorHistory& history,
                     const StackTree& tree, uint32_t* root,
                     const std::function<Rgba(const std::string&)>& maker_color) {
  if (*root >= tree.nodes.size()) *root = kNoNode;
  const FaceScope small(context, Face::kUi, TypeSize::kSlice);
  const float width = ImGui::GetContentRegionAvail().x;
  const std::vector<FlameBox> boxes = LayFlames(tree, *root, width, 1);
  if (boxes.empty()) {
    TextIn(context, Role::kText2, "Nothing was allocated.");
    return;
  }
  const float line = ImGui::GetTextLineHeight(), height = std::floor(line * 1.4f);
  uint32_t rows = 0;
  for (const FlameBox& box : boxes) rows = std::max(rows, box.row + 2);
  ImGui::BeginChild("flames");
  const ImVec2 origin = ImGui::GetCursorScreenPos(), mouse = ImGui::GetMousePos();
  const bool clicked =
      ImGui::InvisibleButton("##flames", {width, height * static_cast<float>(rows)});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto draw = [&](float left, float w, uint32_t row, Rgba color, const std::string& label) {
    const float x = std::floor(origin.x + left), y = origin.y + height * static_cast<float>(row);
    const float right = std::max(x + 1, std::floor(origin.x + left + w) - 1);
    DrawBox(list, x, y, right - x, height - 1, color, 2);
    if (right - x > line * 1.5f)
      DrawCut(list, {x + line * 0.3f, y + std::floor((height - 1 - line) / 2)}, right - 2,
              context.theme.TextOn(color), label);
    return hovered && mouse.x >= x && mouse.x < right && mouse.y >= y && mouse.y < y + height;
  };
  const bool whole = *root == kNoNode;
  const std::string up = whole ? "All that was live: " : "Back to all that was live: ";
  if (draw(0, width, 0, context.theme[Kind::kOther], up + TextOf(tree.bytes)) && clicked)
    *root = kNoNode;
  for (const FlameBox& box : boxes) {
    const StackNode& node = tree.nodes[box.node];
    const std::string label = LabelOf(history, node);
    const bool maker = node.depth == 0 && maker_color;
    const Rgba color = maker ? maker_color(label) : context.theme.NameColor(label);
    if (!draw(box.left, box.width, box.row + 1, color, label)) continue;
    FlameTooltip(tree, node, label);
    if (clicked) *root = box.node;
  }
  ImGui::EndChild();
}

}  // namespace stepscope
