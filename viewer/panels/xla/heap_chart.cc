#include "viewer/panels/xla/heap_chart.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

double Area(const HeapBox& box) {
  return static_cast<double>(box.size) * static_cast<double>(box.last - box.first + 1);
}

void AddBoxes(const std::vector<HloBlock>& blocks, HeapData* data) {
  std::vector<HeapBox> buffers;
  for (const HloBlock& block : blocks) {
    const bool container = block.buffer_id == -1;
    data->top =
        std::max(data->top, static_cast<double>(block.offset) + static_cast<double>(block.size));
    (container ? data->boxes : buffers)
        .push_back({container ? std::string() : block.name.str(), block.offset, block.size,
                    block.span.first, block.span.last});
  }
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const HeapBox& a, const HeapBox& b) { return Area(a) > Area(b); });
  const size_t kept = std::min(buffers.size(), HeapData::kMostBoxes);
  data->boxes_left_out = buffers.size() - kept;
  data->boxes.insert(data->boxes.end(), std::make_move_iterator(buffers.begin()),
                     std::make_move_iterator(buffers.begin() + static_cast<std::ptrdiff_t>(kept)));
}

// Only whole positions of instructions have a label: at the end of the program there is none, and
// no room for it.
int FormatPosition(double value, char* buffer, int size, void* end) {
  const bool whole =
      std::fabs(value - std::round(value)) < 1e-6 && value < *static_cast<const double*>(end) - 0.5;
  return std::snprintf(buffer, static_cast<size_t>(size), whole ? "%.0f" : "", value);
}

std::string Size(double bytes) { return FormatValue(Value(bytes), Unit::kBytes); }

}  // namespace

HeapData MakeHeapData(const HloMemory& memory) {
  HeapData data;
  for (const HloHeapPoint& point : memory.points) {
    data.bytes.push_back(static_cast<double>(point.bytes));
    data.unpadded.push_back(static_cast<double>(point.unpadded));
    data.instructions.push_back(point.instruction.str());
  }
  AddBoxes(memory.blocks, &data);
  data.indefinite = static_cast<double>(memory.heap.indefinite);
  data.peak = static_cast<double>(memory.heap.peak);
  data.peak_position = static_cast<int64_t>(memory.heap.peak_position);
  return data;
}

std::string ToCsv(const HeapData& data) {
  std::string csv = "position,instruction,bytes,unpadded\r\n";
  for (size_t i = 0; i < data.size(); ++i) {
    csv += fmt::format("{},{},{:.0f},{:.0f}\r\n", i, CsvField(data.instructions[i]), data.bytes[i],
                       data.unpadded[i]);
  }
  return csv;
}

std::string BoxesToCsv(const HeapData& data) {
  std::string csv = "buffer,offset,size,first,last\r\n";
  for (const HeapBox& b : data.boxes) {
    csv += fmt::format("{},{},{},{},{}\r\n", CsvField(b.name.empty() ? "allocation" : b.name),
                       b.offset, b.size, b.first, b.last);
  }
  return csv;
}

int HeapChart::FormatTick(double value, char* buffer, int size, void* self) {
  const auto& chart = *static_cast<const HeapChart*>(self);
  return std::snprintf(buffer, static_cast<size_t>(size), "%.*f %s",
                       value > 0 ? chart.tick_decimals_ : 0, value, chart.format_.header);
}

// The fullest moment of each pixel.
void HeapChart::DrawHeap(const PanelContext& context, const HeapData& data) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImPlotRect view = ImPlot::GetPlotLimits();
  const float left = ImPlot::GetPlotPos().x, width = ImPlot::GetPlotSize().x;
  const auto pixels = static_cast<size_t>(std::max(1.0f, width));
  const double step = (view.X.Max - view.X.Min) / static_cast<double>(pixels);
  const Rgba whole = context.theme[Kind::kOther], temporary = context.theme[Kind::kHeap];
  const float floor_y = ImPlot::PlotToPixels(0, 0).y;
  const float whole_y = ImPlot::PlotToPixels(0, data.indefinite * format_.scale).y;
  for (size_t p = 0; p < pixels; ++p) {
    const double from = view.X.Min + step * static_cast<double>(p);
    const auto first = static_cast<int64_t>(std::floor(from));
    const int64_t last = std::max(first, static_cast<int64_t>(std::floor(from + step)) - 1);
    if (last < 0 || first >= static_cast<int64_t>(data.size())) continue;
    const auto end =
        static_cast<size_t>(std::min<int64_t>(last + 1, static_cast<int64_t>(data.size())));
    double most = 0, unpadded = 0;
    for (auto i = static_cast<size_t>(std::max<int64_t>(first, 0)); i < end; ++i) {
      most = std::max(most, data.bytes[i]);
      unpadded = std::max(unpadded, data.unpadded[i]);
    }
    const float x = std::floor(left) + static_cast<float>(p);
    const float y = ImPlot::PlotToPixels(0, most * format_.scale).y;
    if (state_.Shown(0)) list->AddRectFilled(ImVec2(x, whole_y), ImVec2(x + 1, floor_y), whole);
    if (state_.Shown(1) && y < whole_y)
      list->AddRectFilled(ImVec2(x, y), ImVec2(x + 1, whole_y), temporary);
    if (state_.Shown(2) && unpadded < most) {
      const float u = std::floor(ImPlot::PlotToPixels(0, unpadded * format_.scale).y);
      list->AddRectFilled(ImVec2(x, u), ImVec2(x + 1, u + 1.5f), context.theme[Role::kText]);
    }
  }
}

void HeapChart::DrawBoxes(const PanelContext& context, const HeapData& data,
                          const Marks& marks) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImPlotRect view = ImPlot::GetPlotLimits();
  for (const HeapBox& box : data.boxes) {
    const auto first = static_cast<double>(box.first), last = static_cast<double>(box.last) + 1;
    if (last < view.X.Min || first > view.X.Max) continue;
    const ImVec2 low = ImPlot::PlotToPixels(first, static_cast<double>(box.offset) * format_.scale);
    const ImVec2 high = ImPlot::PlotToPixels(
        last, (static_cast<double>(box.offset) + static_cast<double>(box.size)) * format_.scale);
    const ImVec2 min(std::floor(low.x), std::floor(high.y));
    const ImVec2 max(std::max(std::floor(high.x), min.x + 1),
                     std::max(std::floor(low.y), min.y + 1));
    if (box.name.empty()) {
      list->AddRect(min, max, context.theme[Role::kLine]);
      continue;
    }
    const bool chosen = box.name == marks.buffer;
    const bool dim = !marks.buffer.empty() && !chosen;
    const Rgba fill = context.theme.NameColor(box.name);
    list->AddRectFilled(min, max, WithAlpha(fill, dim ? 0.3f : 0.9f));
    if (max.y - min.y > 3 && max.x - min.x > 3)
      list->AddRect(min, max, context.theme[Role::kPanel]);
    if (chosen) list->AddRect(min, max, context.theme[Role::kText], 0, 2.0f);
    const float line = ImGui::GetTextLineHeight();
    if (max.y - min.y > line && max.x - min.x > Em() * 4) {
      DrawCut(list,
              ImVec2(std::max(min.x, ImPlot::GetPlotPos().x) + Em() * 0.3f,
                     std::floor((min.y + max.y - line) * 0.5f)),
              max.x - Em() * 0.2f, context.theme.TextOn(fill), box.name);
    }
  }
}

void HeapChart::DrawMarks(const PanelContext& context, const HeapData& data,
                          const Marks& marks) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImVec2 pos = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const auto line = [&](double x, Rgba color, const std::string& label) {
    const float at = std::floor(ImPlot::PlotToPixels(x, 0).x);
    list->AddLine(ImVec2(at, pos.y), ImVec2(at, pos.y + size.y), color, 1.5f);
    const float width = TextWidth(label);
    const bool right = at + width + Em() < pos.x + size.x;
    const float x0 = right ? at + Em() * 0.4f : at - width - Em() * 0.4f;
    DrawBox(list, x0 - Em() * 0.2f, pos.y + Em() * 0.2f, width + Em() * 0.4f, Em() * 1.2f,
            context.theme.Alpha(Role::kPanel, 0.8f), 2);
    list->AddText(ImVec2(std::floor(x0), pos.y + Em() * 0.3f), color, label.c_str());
  };
  if (marks.first >= 0 && !boxes) {
    const float x0 = ImPlot::PlotToPixels(static_cast<double>(marks.first), 0).x;
    const float x1 = ImPlot::PlotToPixels(static_cast<double>(marks.last) + 1, 0).x;
    list->AddRectFilled(ImVec2(std::floor(x0), pos.y),
                        ImVec2(std::max(std::floor(x1), std::floor(x0) + 2), pos.y + size.y),
                        context.theme.Alpha(Role::kAccent, 0.25f));
  }
  if (data.size() > 0)
    line(static_cast<double>(data.peak_position) + 1, context.theme[Role::kText2],
         "peak " + Size(data.peak));
  if (marks.position >= 0)
    line(static_cast<double>(marks.position), context.theme[Role::kAccent],
         GroupDigits(static_cast<uint64_t>(marks.position)));
}

int HeapChart::Hit(const HeapData& data) const {
  const ImPlotPoint at = ImPlot::GetPlotMousePos();
  const double bytes = at.y / format_.scale;
  for (size_t i = data.boxes.size(); i-- > 0;) {
    const HeapBox& box = data.boxes[i];
    if (box.name.empty() || at.x < static_cast<double>(box.first) ||
        at.x > static_cast<double>(box.last) + 1)
      continue;
    const auto offset = static_cast<double>(box.offset);
    if (bytes >= offset && bytes <= offset + static_cast<double>(box.size))
      return static_cast<int>(i);
  }
  return -1;
}

void HeapChart::DrawTooltip(const PanelContext& context, const HeapData& data, int64_t position,
                            int box) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(BaseEm() * 40);
  if (box >= 0) {
    const HeapBox& b = data.boxes[static_cast<size_t>(box)];
    ImGui::TextUnformatted(b.name.c_str());
    ImGui::TextUnformatted(fmt::format("{} at {}", Size(static_cast<double>(b.size)),
                                       Size(static_cast<double>(b.offset)))
                               .c_str());
    ImGui::TextUnformatted(fmt::format("live from {} to {}", b.first, b.last).c_str());
  } else {
    const auto i = static_cast<size_t>(position);
    const std::string& name = data.instructions[i];
    ImGui::TextUnformatted(
        fmt::format("{}: {}", position, name.empty() ? "the end of the program" : name).c_str());
    ImGui::TextUnformatted(fmt::format("{} live, {} of it temporary", Size(data.bytes[i]),
                                       Size(std::max(0.0, data.bytes[i] - data.indefinite)))
                               .c_str());
  }
  TextIn(context, Role::kText3, box >= 0 ? "Click: choose the buffer" : "Click: list what is live");
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

HeapChart::Clicked HeapChart::Draw(const PanelContext& context, const HeapData& data, uint64_t key,
                                   const Marks& marks, ImVec2 size) {
  Clicked clicked;
  const double most = std::max(1.0, boxes ? data.top : std::max(data.peak, data.indefinite)) * 1.08;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float top_y = ImGui::GetCursorPosY();
  fit_ = fit_ || key != key_;
  key_ = key;
  format_ = FormatFor(Unit::kBytes, ValueType::kInt, most);
  tick_decimals_ = std::max(
      0, static_cast<int>(std::ceil(-std::log10(std::max(most * format_.scale / 8, 1e-9)))));
  if (!boxes) {
    const std::array<ChartSeries, 3> legend{{{"whole time", context.theme[Kind::kOther], {}},
                                             {"temporary", context.theme[Kind::kHeap], {}},
                                             {"without padding", context.theme[Role::kText], {}}}};
    DrawLegend(context, legend, &state_, false);
  }
  size.y = std::max(size.y - (ImGui::GetCursorPosY() - top_y), BaseEm() * 6);
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText |
                                 ImPlotFlags_NoMenus | ImPlotFlags_NoTitle |
                                 ImPlotFlags_NoBoxSelect;
  if (!ImPlot::BeginPlot("##heap", size, kFlags)) return clicked;
  double end = std::max<double>(1, static_cast<double>(data.size()));
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisFormat(ImAxis_X1, FormatPosition, &end);
  ImPlot::SetupAxisLimits(ImAxis_X1, 0, end,
                          std::exchange(fit_, false) ? ImPlotCond_Always : ImPlotCond_Once);
  ImPlot::SetupAxisLimitsConstraints(ImAxis_X1, -end * 0.02, end * 1.02);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_Lock);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, most * format_.scale, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, FormatTick, this);
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  if (boxes) {
    DrawBoxes(context, data, marks);
  } else {
    DrawHeap(context, data);
  }
  DrawMarks(context, data, marks);
  ImPlot::PopPlotClipRect();
  bool menu = false;
  if (ImPlot::IsPlotHovered()) {
    const auto position = static_cast<int64_t>(std::floor(ImPlot::GetPlotMousePos().x));
    const bool inside = position >= 0 && position < static_cast<int64_t>(data.size());
    const int box = boxes ? Hit(data) : -1;
    if (box >= 0 || (inside && !boxes)) DrawTooltip(context, data, position, box);
    if (inside && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
        !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left)) {
      if (!boxes) clicked.position = position;
      if (box >= 0) clicked.buffer = data.boxes[static_cast<size_t>(box)].name;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) fit_ = true;
    menu = ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
           !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Right);
  }
  ImPlot::EndPlot();
  if (menu) OpenChartMenu("##heap");
  const ChartBox box{boxes ? "buffers" : "heap", top, {top.x + size.x, ImGui::GetItemRectMax().y}};
  ChartMenu(context, "##heap", box, [&] { return boxes ? BoxesToCsv(data) : ToCsv(data); });
  return clicked;
}

}  // namespace stepscope
