#include "viewer/panels/xla/torch_roofline.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <map>

#include "model/analysis/tables/cells.h"
#include "model/analysis/xla/device_peaks.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr double kGflopsPerTflops = 1000;
constexpr const char* kHiddenColumns[] = {"flops_unmasked", "peak_tflops", "peak_of",
                                          "peak_gb_per_s", "estimate"};

std::string Tooltip(const ResultTable& table, size_t row) {
  std::string text =
      fmt::format("{}\n{}", TextAt(table, row, "operation"), TextAt(table, row, "input_dims"));
  text += fmt::format("\n{}\n{:.3g} FLOP/byte, {}",
                      MicrosText(NumberAt(table, row, "total_device_time_us")),
                      NumberAt(table, row, "intensity"),
                      FlopRateText(kGflopsPerTflops * NumberAt(table, row, "tflops_per_s")));
  if (const double of_limit = NumberAt(table, row, "of_limit"); of_limit > 0)
    text +=
        fmt::format("\n{:.1f} % of the limit: {}", 100 * of_limit, TextAt(table, row, "bound_by"));
  return text;
}

// Says what the chart's limits belong to, and how much of the time has no point.
std::string SaidOf(const AnalysisResult& result, bool limits) {
  std::string said = TextOf(result, "torch_device");
  said += limits ? ": peaks of " + TextOf(result, "peaks_of")
                 : ": the peaks of this device are not known, so rates have no limits";
  if (const double unknown = NumberIn(result, "unknown_cost_percent"); unknown > 0)
    said += fmt::format("  \u00b7  {:.1f} % of the time has no known operations", unknown);
  return said;
}

}  // namespace

std::vector<Roof> TorchRoofs(const ResultTable& table) {
  std::map<double, std::string> arithmetic;  // GFLOP/s to its name
  double memory = 0;
  for (size_t row = 0; row < table.size(); ++row) {
    memory = std::max(memory, NumberAt(table, row, "peak_gb_per_s"));
    const double peak = kGflopsPerTflops * NumberAt(table, row, "peak_tflops");
    if (peak > 0) arithmetic.try_emplace(peak, TextAt(table, row, "peak_of"));
  }
  std::vector<Roof> roofs;
  if (arithmetic.empty()) return roofs;
  for (const auto& [peak, name] : arithmetic)
    roofs.push_back({name + " " + FlopRateText(peak), 0, peak});
  if (memory > 0) {
    roofs.push_back(
        {"Main memory " + ByteRateText(memory / kGBPerGiB), memory, arithmetic.rbegin()->first});
  }
  return roofs;
}

void TorchRoofline::Update(const ResultTable& table, uint64_t key) {
  if (key == key_) return;
  key_ = key;
  data_ = MakeRoofline(table, {.intensity = "intensity",
                               .gflops = "tflops_per_s",
                               .time = "total_device_time_us",
                               .group = "bound_by"});
  for (RooflinePoint& point : data_.points) point.gflops *= kGflopsPerTflops;
  data_.roofs = TorchRoofs(table);
}

void TorchRoofline::Draw(const PanelContext& context, const AnalysisResult& result,
                         const ResultTable& table, uint64_t key) {
  Update(table, key);
  WrappedIn(context, Role::kText2, SaidOf(result, !data_.roofs.empty()));
  if (ImGui::GetContentRegionAvail().x >
      ImGui::GetItemRectSize().x + TextWidth(PeaksEditor::kLabel) + Em())
    ImGui::SameLine(0, Em());
  peaks_.Draw(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  if (data_.points.empty()) {
    WrappedIn(context, Role::kText2,
              "No op has known operations and bytes, so there is no point to draw. Record shapes "
              "with record_shapes=True.");
  } else {
    const int clicked = chart_.Draw(
        context, data_, key, table_.current(), shown_,
        [&](uint32_t row) { return Tooltip(table, row); },
        ImVec2(room.x, std::max(em * 12, std::min(room.y * 0.62f, room.y - em * 11))));
    if (clicked >= 0) table_.Select(table, clicked);
  }
  table_.Draw(context, table, key,
              {.id = "torch_ops",
               .noun = "ops",
               .name_column = "operation",
               .hidden_columns = kHiddenColumns,
               .total_row = false});
  shown_.assign(table_.order().size() == table.size() ? 0 : table.size(), false);
  if (!shown_.empty())
    for (const uint32_t row : table_.order()) shown_[row] = true;
}

}  // namespace stepscope
