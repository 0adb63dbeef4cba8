// Roofline: how near each op of XLA's programs is to the limits of the device, with the whole
// program and its steps; a chart and the table that it is of. Ops of PyTorch take their place
// where no program of XLA ran.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/analysis/xla/device_peaks.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/panels/xla/peaks_editor.h"
#include "viewer/panels/xla/torch_roofline.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"
#include "viewer/widgets/roofline_chart.h"

namespace stepscope {
namespace {

constexpr const char* kRooflineFirst[] = {"operation",
                                          "roofline_efficiency",
                                          "total_self_time",
                                          "bound_by",
                                          "bottleneck_operational_intensity",
                                          "measured_flop_rate",
                                          "compute_efficiency",
                                          "max_mem_bw_utilization",
                                          "optimal_flop_rate",
                                          "occurrences",
                                          "category",
                                          "step"};
constexpr const char* kRooflineHidden[] = {"rank",
                                           "total_time",
                                           "avg_time",
                                           "cumulative_total_self_time_percent",
                                           "model_flop_rate",
                                           "total_time_per_core",
                                           "total_time_in_percentage",
                                           "hlo_module_id",
                                           "source_stack",
                                           "cmem_read_bw",
                                           "cmem_write_bw",
                                           "vmem_read_bw",
                                           "vmem_write_bw",
                                           "cmem_read_operational_intensity",
                                           "cmem_write_operational_intensity",
                                           "vmem_read_operational_intensity",
                                           "vmem_write_operational_intensity",
                                           "dma_stall_percent"};

// Rows of rank 0 are the program and its steps.
bool IsProgram(const ResultTable& table, size_t row) {
  const int rank = table.Column("rank");
  return rank >= 0 && NumberOf(table.At(row, static_cast<size_t>(rank))) == 0;
}

struct Memory {
  const char *property, *label, *on_tpu;
};
constexpr Memory kMemories[] = {{"peak_hbm_bw", "Main memory", "HBM"},
                                {"peak_vmem_write_bw", "On chip", "VMEM"},
                                {"peak_cmem_read_bw", "CMEM", "CMEM"}};

// Pages of TPUs alone have peaks of reads.
const char* LabelOf(const AnalysisResult& result, const Memory& memory) {
  return result.Find("peak_vmem_read_bw") != nullptr ? memory.on_tpu : memory.label;
}

std::vector<Roof> RoofsOf(const AnalysisResult& result) {
  std::vector<Roof> roofs;
  const double flops = NumberIn(result, "peak_flop_rate");
  if (flops <= 0) return roofs;
  roofs.push_back({FlopRateText(flops), 0, flops});
  for (const Memory& memory : kMemories) {
    const double gib = NumberIn(result, memory.property);
    if (gib > 0)
      roofs.push_back({fmt::format("{} {}", LabelOf(result, memory), ByteRateText(gib)),
                       gib * kGBPerGiB, flops});
  }
  return roofs;
}

class RooflinePanel final : public AnalysisPanel {
 public:
  RooflinePanel() : AnalysisPanel("roofline", "Comparing ops with the device's limits") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void Update(const AnalysisResult& result, const ResultTable& table, uint64_t key);
  void DrawChart(const PanelContext& context, const ResultTable& table, uint64_t key, ImVec2 size);
  void DrawChoices(const PanelContext& context, const AnalysisResult& result);
  void DrawSide(const PanelContext& context, const AnalysisResult& result,
                const ResultTable& table);
  static std::string Tooltip(const ResultTable& table, size_t row);

  RooflineData data_;
  RooflineChart chart_;
  ResultTableView table_;
  HloCard card_;
  TorchRoofline torch_;
  PeaksEditor peaks_;
  PageRequest page_;
  std::vector<bool> shown_;  // rows that the filter leaves; empty: all
  uint64_t key_ = 0;
  bool feeds_ = true, choose_first_ = false;
};

void RooflinePanel::Update(const AnalysisResult& result, const ResultTable& table, uint64_t key) {
  if (key == key_) return;
  key_ = key;
  data_ = MakeRoofline(table, {.intensity = "bottleneck_operational_intensity",
                               .gflops = "measured_flop_rate",
                               .time = "total_self_time",
                               .group = "category",
                               .is_sum = IsProgram});
  data_.roofs = RoofsOf(result);
  data_.sums = "program, steps";
}

std::string RooflinePanel::Tooltip(const ResultTable& table, size_t row) {
  const auto number = [&](const char* column) {
    const int c = table.Column(column);
    return c < 0 ? 0 : NumberOf(table.At(row, static_cast<size_t>(c)));
  };
  const bool program = IsProgram(table, row);
  const std::string_view step = TextAt(table, row, table.Column("step"));
  std::string text(TextAt(table, row, table.Column("operation")));
  if (program) text = step == "Total" ? "The whole program" : "Step " + std::string(step);
  text += fmt::format(
      "\n{}\n{:.3g} FLOP/byte, {}", MicrosText(number(program ? "total_time" : "total_self_time")),
      number("bottleneck_operational_intensity"), FlopRateText(number("measured_flop_rate")));
  if (number("roofline_efficiency") > 0) {
    text += fmt::format("\n{:.1f} % of the limit: {}", 100 * number("roofline_efficiency"),
                        TextAt(table, row, table.Column("bound_by")));
  }
  return text;
}

void RooflinePanel::DrawChart(const PanelContext& context, const ResultTable& table, uint64_t key,
                              ImVec2 size) {
  if (data_.points.empty()) {
    WrappedIn(context, Role::kText2,
              "No op has known operations and bytes, so there is no point to draw.");
    return;
  }
  const int clicked = chart_.Draw(
      context, data_, key, table_.current(), shown_,
      [&](uint32_t row) { return Tooltip(table, row); }, size);
  if (clicked >= 0) table_.Select(table, clicked);
}

void RooflinePanel::DrawChoices(const PanelContext& context, const AnalysisResult& result) {
  const FaceScope small(context, Face::kUi);
  std::string said = PeaksText(result);
  if (said.empty()) said = "The peaks of this device are not known: rates without limits";
  if (data_.left_out > 0) {
    said += fmt::format("  \u00b7  {} {} no point: no operations or no bytes", data_.left_out,
                        data_.left_out == 1 ? "row has" : "rows have");
  }
  if (result.Table("roofline_without_infeed") != nullptr) {
    if (ChoiceButton(context, "Infeed and outfeed", feeds_)) feeds_ = !feeds_;
    ImGui::SetItemTooltip("Counts the ops that wait for the host.");
    ImGui::SameLine(0, Em());
  }
  ImGui::AlignTextToFramePadding();
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float link = TextWidth(PeaksEditor::kLabel) + Em();
  const float right =
      std::min(p.x + ImGui::GetContentRegionAvail().x - link, p.x + TextWidth(said));
  const bool cut =
      DrawCut(ImGui::GetWindowDrawList(), p, right + 1, context.theme[Role::kText2], said);
  ImGui::Dummy(ImVec2(right - p.x, ImGui::GetTextLineHeight()));
  if (cut && ImGui::IsItemHovered()) WrappedTooltip(said);
  ImGui::SameLine(0, Em());
  peaks_.Draw(context);
}

void RooflinePanel::DrawSide(const PanelContext& context, const AnalysisResult& result,
                             const ResultTable& table) {
  const int row = table_.current();
  if (row >= 0 && !IsProgram(table, static_cast<size_t>(row))) {
    card_.Draw(context,
               HloRefIn(table, static_cast<size_t>(row), table.Column("hlo_module_id"),
                        table.Column("operation")),
               "roofline");
    return;
  }
  SectionTitle(context, "Limits");
  const FaceScope small(context, Face::kUi);
  const float x = BaseEm() * 6.2f;
  const auto add = [&](const char* label, const std::string& text, const char* property) {
    if (text.empty()) return;
    KeyValue(context, label, text, x, true);
    const Property* p = result.Find(property);
    if (p != nullptr && !p->how.empty()) ImGui::SetItemTooltip("%s", p->how.c_str());
  };
  WrappedIn(context, Role::kText, TextOf(result, "device_type"));
  add("Compute", FlopRateText(NumberIn(result, "peak_flop_rate")), "peak_flop_rate");
  for (const Memory& memory : kMemories)
    add(LabelOf(result, memory), ByteRateText(NumberIn(result, memory.property)), memory.property);
  const double ridge = NumberIn(result, "hbm_ridge_point");
  if (ridge > 0) add("Ridge point", fmt::format("{:.4g} FLOP/byte", ridge), "hbm_ridge_point");
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.4f));
  WrappedIn(context, Role::kText2,
            "Left of a ridge point the memory limits an op, right of it the arithmetic. Rings are "
            "the whole program and its steps. Click a point or a row to see the op.");
}

void RooflinePanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  if (const ResultTable* ops = result.Table("torch_ops")) {
    torch_.Draw(context, result, *ops, key);
    return;
  }
  const auto table_of = [&] {
    const ResultTable* without = feeds_ ? nullptr : result.Table("roofline_without_infeed");
    return without != nullptr ? without : result.Table("roofline");
  };
  const ResultTable* table = table_of();
  if (table == nullptr) return;
  if (const auto page = page_.Take(context, "roofline")) {
    table_.SetFilter(*page);
    choose_first_ = true;
  }
  uint64_t shown_key = key * 2 + (feeds_ ? 1 : 0);
  Update(result, *table, shown_key);
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  if (width > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(width * 0.24f, em * 15, em * 30), 0));
    DrawSide(context, result, *table);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("data");
  DrawChoices(context, result);
  table = table_of();  // a choice may have changed just now
  shown_key = key * 2 + (feeds_ ? 1 : 0);
  Update(result, *table, shown_key);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = room.y < em * 26 && room.x > em * 70;  // low and wide
  if (beside) {
    ImGui::BeginChild("chart", ImVec2(std::floor(room.x * 0.5f), 0));
    DrawChart(context, *table, shown_key, ImGui::GetContentRegionAvail());
    ImGui::EndChild();
    ImGui::SameLine(0, em);
    ImGui::BeginChild("table");
  } else {
    const float least = em * 11;  // of the table
    DrawChart(context, *table, shown_key,
              ImVec2(room.x, std::max(em * 12, std::min(room.y * 0.62f, room.y - least))));
  }
  table_.Draw(context, *table, shown_key,
              {.id = "roofline",
               .noun = "rows",
               .name_column = "operation",
               .first_columns = kRooflineFirst,
               .hidden_columns = kRooflineHidden,
               .total_row = false});
  if (choose_first_ && !table_.order().empty())
    table_.Select(*table, static_cast<int>(table_.order().front()));
  choose_first_ = false;
  shown_.assign(table_.order().size() == table->size() ? 0 : table->size(), false);
  if (!shown_.empty())
    for (const uint32_t row : table_.order()) shown_[row] = true;
  if (beside) ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeRooflinePanel() { return std::make_unique<RooflinePanel>(); }

}  // namespace stepscope
