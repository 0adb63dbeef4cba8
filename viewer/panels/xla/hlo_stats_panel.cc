// HLO ops: a row for each op of XLA's programs, with rates and limits; rings by category and by
// limit, or what is known of the chosen op, beside it.
#include <imgui.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "model/analysis/tables/in_unit.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kHloStatsFirst[] = {
    "rank",        "hlo_op_name",          "total_self_time",    "total_self_time_percent",
    "occurrences", "avg_self_time",        "bound_by",           "flop_percent",
    "hbm_percent", "normalized_flop_rate", "measured_memory_bw", "operational_intensity",
    "category",    "tf_op_name",           "source_info"};
constexpr const char* kHloStatsHidden[] = {"hlo_op_expression",
                                           "total_time",
                                           "avg_time",
                                           "cumulative_total_self_time_percent",
                                           "model_flop_rate",
                                           "hbm_bw",
                                           "outside_compilation",
                                           "autotuned",
                                           "source_stack",
                                           "core_type",
                                           "dma_stall_percent",
                                           "cmem_read_bw",
                                           "cmem_write_bw",
                                           "parent_op_name",
                                           "vdd_energy"};

std::string_view CategoryOf(const HloOp& op, const HloOpTable&) { return op.category; }

std::string_view LimitOf(const HloOp& op, const HloOpTable& ops) {
  return RatesOf(op, ops.peaks, op.peak_flops, ops.kind).bound_by;
}

class HloStatsPanel final : public AnalysisPanel {
 public:
  HloStatsPanel() : AnalysisPanel("hlo_stats", "Adding up the ops of XLA's programs") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  struct Part {
    const char *title, *column, *name;
    std::string_view (*group)(const HloOp& op, const HloOpTable& ops);
    Ring ring = {};
  };
  void UpdateRings(const PanelContext& context, const HloOpTable& ops, uint64_t key);
  void DrawRings(const PanelContext& context);
  void TakePage(const PanelContext& context);
  const HloOp* Chosen(const HloOpTable& ops) const;

  Part parts_[2] = {{"By category", "category", "ops_by_category", CategoryOf},
                    {"By limit", "bound_by", "ops_by_bound_by", LimitOf}};
  ResultTableView table_;
  HloCard card_;
  PageRequest page_;
  bool choose_first_ = false;  // the page names an op: choose the first row that it leaves
  uint64_t key_ = 0;
};

void HloStatsPanel::UpdateRings(const PanelContext& context, const HloOpTable& ops, uint64_t key) {
  key = key * 2 + (context.theme.light() ? 1 : 0);
  if (key == key_) return;
  key_ = key;
  for (Part& part : parts_) {
    std::map<std::string_view, double> times;
    for (const HloOp& op : ops.ops) times[part.group(op, ops)] += InUs(op.self);
    part.ring = MakeRing(context, part.name, std::vector<RingRow>(times.begin(), times.end()));
    for (RingSlice& slice : part.ring.slices) slice.row = -1;
    part.ring.centre = MicrosText(part.ring.total);
    part.ring.centre_note = "self time";
  }
}

void HloStatsPanel::DrawRings(const PanelContext& context) {
  const float em = BaseEm();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const bool both = size.y > 2 * (size.x * 1.3f + em * 2.4f);  // with their legends
  for (Part& part : parts_) {
    ImGui::PushID(part.column);
    SectionTitle(context, part.title);
    const float height =
        std::min(both ? size.y / 2 - em * 2.4f : size.y - em * 2.4f, size.x + em * 12);
    const int slice = DrawRing(context, "##ring", part.ring, -1, ImVec2(size.x, height));
    if (slice >= 0) {
      const RingSlice& s = part.ring.slices[static_cast<size_t>(slice)];
      if (s.label.find(" others") == std::string::npos) table_.SetFilter(part.column, s.label);
    }
    ImGui::PopID();
    if (!both) return;
  }
}

// A page is what the filter box is to hold.
void HloStatsPanel::TakePage(const PanelContext& context) {
  const auto page = page_.Take(context, "hlo_stats");
  if (!page) return;
  table_.SetFilter(*page);
  choose_first_ = true;
}

const HloOp* HloStatsPanel::Chosen(const HloOpTable& ops) const {
  const int row = table_.current();
  const bool one = row >= 0 && static_cast<size_t>(row) < ops.ops.size();
  return one ? &ops.ops[static_cast<size_t>(row)] : nullptr;
}

void HloStatsPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  const HloOpTable* ops = result.As<HloOpTable>();
  if (result.tables.empty() || ops == nullptr) return;
  const ResultTable& table = result.tables.front();
  TakePage(context);
  UpdateRings(context, *ops, key);
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  if (width > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(width * 0.24f, em * 15, em * 30), 0));
    if (const HloOp* chosen = Chosen(*ops)) {
      card_.Draw(context, RefOf(*chosen), "hlo_stats");
    } else {
      DrawRings(context);
    }
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("table");
  table_.Draw(context, table, key,
              {.id = "ops",
               .noun = "ops",
               .name_column = "hlo_op_name",
               .first_columns = kHloStatsFirst,
               .hidden_columns = kHloStatsHidden});
  if (choose_first_ && !table_.order().empty())
    table_.Select(table, static_cast<int>(table_.order().front()));
  choose_first_ = false;
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeHloStatsPanel() { return std::make_unique<HloStatsPanel>(); }

}  // namespace stepscope
