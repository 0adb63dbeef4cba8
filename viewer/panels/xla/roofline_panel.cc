// Roofline: how near each op of XLA's programs is to the limits of the device, with the whole
// program and its steps; a chart and the table that it is of. Ops of PyTorch take their place
// where no program of XLA ran.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/panels/xla/peaks_editor.h"
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

struct Memory {
  const char *label, *on_tpu;
  double gib_per_s = 0;  // 0: not known
};

std::array<Memory, 3> MemoriesOf(const Roofline& roofline) {
  const DevicePeaks& peaks = roofline.ops->peaks;
  const bool tpu = roofline.ops->kind == DeviceKind::kTpu;
  return {{{"Main memory", "HBM", peaks.hbm},
           {"On chip", "VMEM", roofline.peak_on_chip},
           {"CMEM", "CMEM", tpu ? peaks.cmem_read : 0}}};
}

const char* LabelOf(const Roofline& roofline, const Memory& memory) {
  return roofline.ops->kind == DeviceKind::kTpu ? memory.on_tpu : memory.label;
}

std::vector<Roof> RoofsOf(const Roofline& roofline) {
  std::vector<Roof> roofs;
  const double flops = roofline.ops->peaks.flops;
  if (flops <= 0) return roofs;
  roofs.push_back({FlopRateText(flops), 0, flops});
  for (const Memory& memory : MemoriesOf(roofline)) {
    if (memory.gib_per_s > 0)
      roofs.push_back(
          {fmt::format("{} {}", LabelOf(roofline, memory), ByteRateText(memory.gib_per_s)),
           memory.gib_per_s * kGBPerGiB, flops});
  }
  return roofs;
}

// Rows that the filter of a table leaves; empty: all.
std::vector<bool> ShownRows(const ResultTableView& view, size_t rows) {
  std::vector<bool> shown(view.order().size() == rows ? 0 : rows, false);
  if (!shown.empty())
    for (const uint32_t row : view.order()) shown[row] = true;
  return shown;
}

// --- PyTorch's ops
constexpr double kGflopsPerTflops = 1000;
constexpr const char* kHiddenTorch[] = {"flops_unmasked", "peak_tflops", "peak_of", "peak_gb_per_s",
                                        "estimate"};

// How near PyTorch's ops are to the limits of their device, where no program of XLA ran.
class TorchRoofline {
 public:
  // `table` has a row for each of `ops`. `key` changes with the result.
  void Draw(const PanelContext& context, const TorchOps& ops, const ResultTable& table,
            uint64_t key);

 private:
  void Update(const TorchOps& ops, uint64_t key);

  RooflineData data_;
  RooflineChart chart_;
  ResultTableView table_;
  PeaksEditor peaks_;
  std::vector<bool> shown_;  // rows that the filter leaves; empty: all
  uint64_t key_ = 0;
};

std::string TorchTooltip(const TorchOps& ops, const TorchOp& op) {
  const TorchRates rates = ops.RatesOf(op);
  std::string text = fmt::format("{}\n{}\n{}\n{:.3g} FLOP/byte, {}", op.operation, op.dims,
                                 MicrosText(InUs(op.time)), op.bytes > 0 ? op.intensity() : 0,
                                 FlopRateText(kGflopsPerTflops * rates.tflops));
  if (rates.of_limit.value_or(0) > 0)
    text +=
        fmt::format("\n{} of the limit: {}", PercentText(100 * *rates.of_limit, 1), rates.bound_by);
  return text;
}

// Says what the chart's limits belong to, and how much of the time has no point.
std::string SaidOf(const TorchOps& ops, bool limits) {
  std::string said = ops.shown_device();
  said += limits ? ": peaks of " + ops.peaks->name
                 : ": the peaks of this device are not known, so rates have no limits";
  if (ops.unknown_percent() > 0)
    said += "  \u00b7  " + PercentText(ops.unknown_percent(), 1) +
            " of the time has no known operations";
  return said;
}

// The limits that ops name: each type's arithmetic, and the memory below the fastest of them. Empty
// where the device's peaks are not known. O(ops).
std::vector<Roof> TorchRoofs(const TorchOps& ops) {
  std::map<double, std::string_view> arithmetic;  // GFLOP/s to its name
  double memory = 0;
  for (const TorchOp& op : ops.ops) {
    memory = std::max(memory, ops.RatesOf(op).peak_gbps);
    if (op.peak_tflops > 0) arithmetic.try_emplace(kGflopsPerTflops * op.peak_tflops, op.peak_of);
  }
  std::vector<Roof> roofs;
  if (arithmetic.empty()) return roofs;
  for (const auto& [peak, name] : arithmetic)
    roofs.push_back({fmt::format("{} {}", name, FlopRateText(peak)), 0, peak});
  if (memory > 0) {
    roofs.push_back(
        {"Main memory " + ByteRateText(memory / kGBPerGiB), memory, arithmetic.rbegin()->first});
  }
  return roofs;
}

void TorchRoofline::Update(const TorchOps& ops, uint64_t key) {
  if (key == key_) return;
  key_ = key;
  std::vector<GroupedPoint> points;
  points.reserve(ops.ops.size());
  for (const TorchOp& op : ops.ops) {
    const TorchRates rates = ops.RatesOf(op);
    points.push_back({{.intensity = op.bytes > 0 ? op.intensity() : 0,
                       .gflops = op.cost ? kGflopsPerTflops * rates.tflops : 0,
                       .time = InUs(op.time),
                       .row = static_cast<uint32_t>(points.size())},
                      rates.bound_by});
  }
  data_ = MakeRoofline(points);
  data_.roofs = TorchRoofs(ops);
}

void TorchRoofline::Draw(const PanelContext& context, const TorchOps& ops, const ResultTable& table,
                         uint64_t key) {
  Update(ops, key);
  WrappedIn(context, Role::kText2, SaidOf(ops, !data_.roofs.empty()));
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
        [&](uint32_t row) { return TorchTooltip(ops, ops.ops[row]); },
        ImVec2(room.x, std::max(em * 12, std::min(room.y * 0.62f, room.y - em * 11))));
    if (clicked >= 0) table_.Select(table, clicked);
  }
  table_.Draw(context, table, key,
              {.id = "torch_ops",
               .noun = "ops",
               .name_column = "operation",
               .hidden_columns = kHiddenTorch,
               .total_row = false});
  shown_ = ShownRows(table_, table.size());
}

// --- XLA's ops
class RooflinePanel final : public AnalysisPanel {
 public:
  RooflinePanel() : AnalysisPanel("roofline", "Comparing ops with the device's limits") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  // The rows and the table that are shown, with infeed and outfeed or without them.
  struct Shown {
    const std::vector<RooflineRow>& rows;
    const ResultTable& table;
    uint64_t key;
  };
  Shown Choose(const AnalysisResult& result, const Roofline& roofline, uint64_t key) const;
  void Update(const Roofline& roofline, const Shown& shown);
  void DrawChart(const PanelContext& context, const Shown& shown, ImVec2 size);
  void DrawChoices(const PanelContext& context, const Roofline& roofline);
  void DrawSide(const PanelContext& context, const Roofline& roofline, const Shown& shown);
  static std::string Tooltip(const RooflineRow& row);

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

RooflinePanel::Shown RooflinePanel::Choose(const AnalysisResult& result, const Roofline& roofline,
                                           uint64_t key) const {
  const bool all = feeds_ || roofline.without_feeds.empty();
  return {all ? roofline.rows : roofline.without_feeds, result.tables[all ? 0 : 1],
          key * 2 + (feeds_ ? 1 : 0)};
}

void RooflinePanel::Update(const Roofline& roofline, const Shown& shown) {
  if (shown.key == key_) return;
  key_ = shown.key;
  std::vector<GroupedPoint> points;
  points.reserve(shown.rows.size());
  for (const RooflineRow& row : shown.rows) {
    points.push_back({{.intensity = row.rates.bound_intensity,
                       .gflops = row.rates.flops,
                       .time = InUs(row.op->self),
                       .row = static_cast<uint32_t>(points.size()),
                       .ring = row.is_program()},
                      row.op->category});
  }
  data_ = MakeRoofline(points);
  data_.roofs = RoofsOf(roofline);
  data_.sums = "program, steps";
}

std::string RooflinePanel::Tooltip(const RooflineRow& row) {
  const HloOp& op = *row.op;
  std::string text = !row.is_program()     ? op.name
                     : row.step == "Total" ? "The whole program"
                                           : "Step " + row.step;
  text += fmt::format("\n{}\n{:.3g} FLOP/byte, {}",
                      MicrosText(InUs(row.is_program() ? op.time : op.self)),
                      row.rates.bound_intensity, FlopRateText(row.rates.flops));
  if (row.rates.efficiency > 0) {
    text += fmt::format("\n{} of the limit: {}", PercentText(100 * row.rates.efficiency, 1),
                        row.rates.bound_by);
  }
  return text;
}

void RooflinePanel::DrawChart(const PanelContext& context, const Shown& shown, ImVec2 size) {
  if (data_.points.empty()) {
    WrappedIn(context, Role::kText2,
              "No op has known operations and bytes, so there is no point to draw.");
    return;
  }
  const int clicked = chart_.Draw(
      context, data_, shown.key, table_.current(), shown_,
      [&](uint32_t row) { return Tooltip(shown.rows[row]); }, size);
  if (clicked >= 0) table_.Select(shown.table, clicked);
}

void RooflinePanel::DrawChoices(const PanelContext& context, const Roofline& roofline) {
  const FaceScope small(context, Face::kUi);
  std::string said = PeaksText(roofline.ops->peaks);
  if (said.empty()) said = "The peaks of this device are not known: rates without limits";
  if (data_.left_out > 0) {
    said += fmt::format("  \u00b7  {} {} no point: no operations or no bytes", data_.left_out,
                        data_.left_out == 1 ? "row has" : "rows have");
  }
  if (!roofline.without_feeds.empty()) {
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

void RooflinePanel::DrawSide(const PanelContext& context, const Roofline& roofline,
                             const Shown& shown) {
  const auto row = static_cast<size_t>(table_.current());  // -1: none
  if (row < shown.rows.size() && !shown.rows[row].is_program())
    return card_.Draw(context, RefOf(*shown.rows[row].op), "roofline");
  SectionTitle(context, "Limits");
  const FaceScope small(context, Face::kUi);
  const float x = BaseEm() * 6.2f;
  const DevicePeaks& peaks = roofline.ops->peaks;
  const auto add = [&](const char* label, const std::string& text, const char* how) {
    if (text.empty()) return;
    KeyValue(context, label, text, x, true);
    if (how[0] != 0) ImGui::SetItemTooltip("%s", how);
  };
  WrappedIn(context, Role::kText, peaks.device);
  add("Compute", FlopRateText(peaks.flops), peaks.source.c_str());
  for (const Memory& memory : MemoriesOf(roofline))
    add(LabelOf(roofline, memory), ByteRateText(memory.gib_per_s), peaks.source.c_str());
  const double ridge = RidgePoint(peaks.flops, peaks.hbm);
  if (ridge > 0) add("Ridge point", fmt::format("{:.4g} FLOP/byte", ridge), kRidgeHow);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.4f));
  WrappedIn(context, Role::kText2,
            "Left of a ridge point the memory limits an op, right of it the arithmetic. Rings are "
            "the whole program and its steps. Click a point or a row to see the op.");
}

void RooflinePanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  if (const TorchOps* ops = result.As<TorchOps>())
    return torch_.Draw(context, *ops, result.tables.front(), key);
  const Roofline* roofline = result.As<Roofline>();
  if (roofline == nullptr) return;
  if (const auto page = page_.Take(context, "roofline")) {
    table_.SetFilter(*page);
    choose_first_ = true;
  }
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  if (width > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(width * 0.24f, em * 15, em * 30), 0));
    DrawSide(context, *roofline, Choose(result, *roofline, key));
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("data");
  DrawChoices(context, *roofline);
  const Shown shown = Choose(result, *roofline, key);
  Update(*roofline, shown);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = room.y < em * 26 && room.x > em * 70;  // low and wide
  if (beside) {
    ImGui::BeginChild("chart", ImVec2(std::floor(room.x * 0.5f), 0));
    DrawChart(context, shown, ImGui::GetContentRegionAvail());
    ImGui::EndChild();
    ImGui::SameLine(0, em);
    ImGui::BeginChild("table");
  } else {
    const float least = em * 11;  // of the table
    DrawChart(context, shown,
              ImVec2(room.x, std::max(em * 12, std::min(room.y * 0.62f, room.y - least))));
  }
  table_.Draw(context, shown.table, shown.key,
              {.id = "roofline",
               .noun = "rows",
               .name_column = "operation",
               .first_columns = kRooflineFirst,
               .hidden_columns = kRooflineHidden,
               .total_row = false});
  if (choose_first_ && !table_.order().empty())
    table_.Select(shown.table, static_cast<int>(table_.order().front()));
  choose_first_ = false;
  shown_ = ShownRows(table_, shown.rows.size());
  if (beside) ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeRooflinePanel() { return std::make_unique<RooflinePanel>(); }

}  // namespace stepscope
