#include "viewer/panels/memory/stack_tree_view.h"

#include <imgui.h>

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
  Number(NumberText(PercentOf(tree, node), {1, 1, "", " %"}));
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

}  // namespace stepscope
