// HLO ops: a row for each op of XLA's programs, with rates and limits; rings by category and by
// limit, or what is known of the chosen op, beside it.
#include <imgui.h>

#include <algorithm>
#include <map>
#include <string>

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

// Self times added up by the texts of a column.
ResultTable SumsBy(const ResultTable& ops, const char* column) {
  ResultTable sums{std::string("ops_by_") + column,
                   "",
                   {{"name", "Name", Unit::kNone, ValueType::kString, ""},
                    {"self", "Self time", Unit::kUs, ValueType::kReal, ""}}};
  const int by = ops.Column(column), self = ops.Column("total_self_time");
  std::map<std::string, double, std::less<>> times;
  for (size_t r = 0; by >= 0 && self >= 0 && r < ops.size(); ++r)
    times[std::string(TextAt(ops, r, by))] += NumberOf(ops.At(r, static_cast<size_t>(self)));
  for (const auto& [name, time] : times) sums.AddRow({name, time});
  return sums;
}

class HloStatsPanel final : public AnalysisPanel {
 public:
  HloStatsPanel() : AnalysisPanel("hlo_stats", "Adding up the ops of XLA's programs") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  struct Part {
    const char *title, *column;
    Ring ring;
  };
  void UpdateRings(const PanelContext& context, const ResultTable& ops, uint64_t key);
  void DrawRings(const PanelContext& context);
  void TakePage(const PanelContext& context);
  HloRef Chosen(const ResultTable& ops) const;

  Part parts_[2] = {{"By category", "category", {}}, {"By limit", "bound_by", {}}};
  ResultTableView table_;
  HloCard card_;
  PageRequest page_;
  bool choose_first_ = false;  // the page names an op: choose the first row that it leaves
  uint64_t key_ = 0;
};

void HloStatsPanel::UpdateRings(const PanelContext& context, const ResultTable& ops, uint64_t key) {
  key = key * 2 + (context.theme.light() ? 1 : 0);
  if (key == key_) return;
  key_ = key;
  for (Part& part : parts_) {
    const ResultTable sums = SumsBy(ops, part.column);
    part.ring = MakeRing(context, sums, "name", "self");
    part.ring.title = sums.id;
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

HloRef HloStatsPanel::Chosen(const ResultTable& ops) const {
  const int row = table_.current();
  if (row < 0 || static_cast<size_t>(row) >= ops.size()) return {};
  return HloRefIn(ops, static_cast<size_t>(row), ops.Column("program_id"),
                  ops.Column("hlo_op_name"));
}

void HloStatsPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                               uint64_t key) {
  const ResultTable* ops = result.Table("hlo_stats");
  if (ops == nullptr) return;
  TakePage(context);
  UpdateRings(context, *ops, key);
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  if (width > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(width * 0.24f, em * 15, em * 30), 0));
    const HloRef chosen = Chosen(*ops);
    if (chosen.valid()) {
      card_.Draw(context, chosen, "hlo_stats");
    } else {
      DrawRings(context);
    }
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("table");
  table_.Draw(context, *ops, key,
              {.id = "ops",
               .noun = "ops",
               .name_column = "hlo_op_name",
               .first_columns = kHloStatsFirst,
               .hidden_columns = kHloStatsHidden});
  if (choose_first_ && !table_.order().empty())
    table_.Select(*ops, static_cast<int>(table_.order().front()));
  choose_first_ = false;
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeHloStatsPanel() { return std::make_unique<HloStatsPanel>(); }

}  // namespace stepscope
