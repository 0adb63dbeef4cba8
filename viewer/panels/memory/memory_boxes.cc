#include "viewer/panels/memory/memory_boxes.h"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/analysis/naming/short_label.h"
#include "model/analysis/tables/in_unit.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr uint32_t kNamedOps = 6;  // the legend has one entry more, for all others
constexpr std::string_view kUnknownOp = "(no op)";

std::string_view NameOfOp(const AllocationBoxes& boxes, uint32_t op) {
  return op < boxes.ops.size() && !boxes.ops[op].empty() ? boxes.ops[op] : kUnknownOp;
}

}  // namespace

std::string ToCsv(const AllocationBoxes& boxes) {
  std::string csv = "begin_ms,end_ms,freed,bytes,op\r\n";
  for (const AllocationSpan& s : boxes.spans) {
    csv += RawValue(Value(InMs(s.begin))) + "," + RawValue(Value(InMs(s.end))) + "," +
           (s.freed ? "true" : "false") + "," + std::to_string(s.bytes) + "," +
           CsvField(s.op < boxes.ops.size() ? boxes.ops[s.op] : std::string()) + "\r\n";
  }
  return csv;
}

bool MemoryBoxes::Shown(uint32_t op) const {
  return op >= entry_.size() || state_.Shown(entry_[op]);
}

// Ops with the same short name, for example the Conv2D of every layer, share an entry.
void MemoryBoxes::Prepare(const PanelContext& context, const AllocationBoxes& boxes, uint64_t key) {
  const Rgba panel = context.theme[Role::kPanel];
  if (key == key_ && panel == panel_ && entry_.size() == boxes.ops.size()) return;
  key_ = key;
  panel_ = panel;
  legend_.clear();
  entry_.clear();
  bool others = false;
  for (uint32_t op = 0; op < boxes.ops.size(); ++op) {
    std::string label = MakeShortForms(NameOfOp(boxes, op)).middle;
    if (label.empty()) label = NameOfOp(boxes, op);
    size_t at = 0;
    while (at < legend_.size() && legend_[at].label != label) ++at;
    if (at == legend_.size() && at < kNamedOps) {
      const Rgba color = FreshColor(context.theme, label, legend_);
      legend_.push_back({std::move(label), color, {}});
    }
    others = others || at >= legend_.size();
    entry_.push_back(static_cast<uint32_t>(std::min<size_t>(at, kNamedOps)));
  }
  if (others) legend_.push_back({"others", context.theme[Kind::kOther], {}});
  colors_.clear();
  for (size_t op = 0; op < entry_.size(); ++op) colors_[boxes.ops[op]] = legend_[entry_[op]].color;
}

Rgba MemoryBoxes::ColorOf(const PanelContext& context, const std::string& op) const {
  const auto found = colors_.find(op);
  return found != colors_.end() ? found->second : context.theme[Kind::kOther];
}

void MemoryBoxes::DrawBoxes(const PanelContext& context, const AllocationBoxes& boxes,
                            const std::string& op, double scale) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const EventRef& selected = context.view.selected;
  const bool ours = context.profile != nullptr && selected.trace == context.profile->id &&
                    selected.set == 0 && selected.valid();
  for (const AllocationSpan& s : boxes.spans) {
    if (!Shown(s.op) || InMs(s.end) < plot_.first_ms() || InMs(s.begin) > plot_.last_ms()) continue;
    const auto bytes = static_cast<double>(s.offset) * scale;
    const ImVec2 low = ImPlot::PlotToPixels(std::max(InMs(s.begin), plot_.first_ms()), bytes);
    const ImVec2 high = ImPlot::PlotToPixels(std::min(InMs(s.end), plot_.last_ms()),
                                             bytes + static_cast<double>(s.bytes) * scale);
    const ImVec2 min(std::floor(low.x), std::floor(high.y));
    const ImVec2 max(std::max(std::floor(high.x), min.x + 1),
                     std::max(std::floor(low.y), min.y + 1));
    const bool dim = !op.empty() && (s.op >= boxes.ops.size() || boxes.ops[s.op] != op);
    list->AddRectFilled(min, max, WithAlpha(legend_[entry_[s.op]].color, dim ? 0.2f : 0.9f));
    // An edge tells boxes of one op apart; there is no room for it in small ones.
    if (max.y - min.y > 3 && max.x - min.x > 3)
      list->AddRect(min, max, context.theme[Role::kPanel]);
    if (ours && selected.row.value == s.row)
      list->AddRect(min, max, context.theme[Role::kText], 0, 2.0f);
  }
}

int MemoryBoxes::Hit(const AllocationBoxes& boxes, double scale) const {
  const ImPlotPoint at = ImPlot::GetPlotMousePos();
  const double pixel = (plot_.last_ms() - plot_.first_ms()) /
                       static_cast<double>(std::max(1.0f, ImPlot::GetPlotSize().x));
  const double bytes = at.y / scale;
  for (size_t i = boxes.spans.size(); i-- > 0;) {  // the last drawn lies on top
    const AllocationSpan& s = boxes.spans[i];
    if (!Shown(s.op) || at.x < InMs(s.begin) || at.x > std::max(InMs(s.end), InMs(s.begin) + pixel))
      continue;
    const auto bottom = static_cast<double>(s.offset);
    if (bytes >= bottom && bytes <= bottom + static_cast<double>(s.bytes))
      return static_cast<int>(i);
  }
  return -1;
}

void MemoryBoxes::DrawTooltip(const PanelContext& context, const AllocationBoxes& boxes,
                              int index) {
  if (!ImGui::BeginTooltip()) return;
  const AllocationSpan& s = boxes.spans[static_cast<size_t>(index)];
  ImGui::PushTextWrapPos(Em() * 40);
  const std::string_view op = NameOfOp(boxes, s.op);
  ImGui::TextUnformatted(op.data(), op.data() + op.size());
  ImGui::PopTextWrapPos();
  ImGui::Text("%s for %s%s", FormatValue(Value(s.bytes), Unit::kBytes).c_str(),
              WithoutZeros(FormatDuration(s.end - s.begin, 4)).c_str(),
              s.freed ? "" : " or longer: not freed while recording");
  ImGui::Text("from %s to %s", WithoutZeros(FormatDuration(s.begin, 7)).c_str(),
              s.freed ? WithoutZeros(FormatDuration(s.end, 7)).c_str() : "the end");
  TextIn(context, Role::kText3, "Click selects the allocation on the timeline");
  ImGui::EndTooltip();
}

int MemoryBoxes::Draw(const PanelContext& context, const AllocationBoxes& boxes, uint64_t key,
                      const std::string& op, const NumberFormat& format, ImVec2 size) {
  if (boxes.spans.empty()) {
    TextIn(context, Role::kText2, "No allocation began while the profile was recorded.");
    return -1;
  }
  const float top_y = ImGui::GetCursorPosY();
  const ImVec2 top_left = ImGui::GetCursorScreenPos();
  Prepare(context, boxes, key);
  DrawLegend(context, legend_, &state_, false);
  const float height = std::max(size.y - (ImGui::GetCursorPosY() - top_y), BaseEm() * 6);
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  const TimeRange all{boxes.spans.front().begin, boxes.spans.back().end + 1};
  // Room for half of the last time, which stands under the plot's right edge.
  const float width = size.x - Em() * 2.5f;
  if (!plot_.Begin(context, "##lifetimes", ImVec2(width, height), all)) return -1;
  plot_.SetupY(format, static_cast<double>(boxes.top) * 1.05);
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  DrawBoxes(context, boxes, op, format.scale);
  TimePlot::DrawMarks(context);
  ImPlot::PopPlotClipRect();
  int clicked = -1;
  if (ImPlot::IsPlotHovered()) {
    TimePlot::Point(context);
    const int hit = Hit(boxes, format.scale);
    if (hit >= 0) DrawTooltip(context, boxes, hit);
    if (TimePlot::Clicked()) clicked = hit;
  }
  plot_.End(context, "##lifetimes");
  const ChartBox box{"lifetimes", top_left, {top_left.x + size.x, top_left.y + size.y}};
  ChartMenu(context, "##lifetimes", box, [&] { return ToCsv(boxes); });
  return clicked;
}

}  // namespace stepscope
