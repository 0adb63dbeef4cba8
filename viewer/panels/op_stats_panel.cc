// Ops: framework operations on hosts and devices with self and total time, by type, and one by one;
// a ring for each side.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/pages/op_stats.h"
#include "model/analysis/tables/schema.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kOpFirst[] = {"rank",
                                    "operation",
                                    "total_self_time",
                                    "device_total_self_time_percent",
                                    "host_total_self_time_percent",
                                    "total_time",
                                    "occurrences",
                                    "avg_self_time",
                                    "avg_time",
                                    "type",
                                    "host_or_device",
                                    "device_cumulative_total_self_time_percent",
                                    "Host_cumulative_total_self_time_percent",
                                    "eager"};
// The columns in the middle are empty without XLA's cost model. The shares of a side are
// meaningless if the profile has no ops on that side.
constexpr size_t kShares = 2;
constexpr const char* kOpHidden[] = {"device_total_self_time_percent",
                                     "device_cumulative_total_self_time_percent",
                                     "measured_flop_rate",
                                     "model_flop_rate",
                                     "measured_memory_bw",
                                     "operational_intensity",
                                     "bound_by",
                                     "host_total_self_time_percent",
                                     "Host_cumulative_total_self_time_percent"};

std::span<const char* const> HiddenColumns(bool device, bool host) {
  std::span<const char* const> hidden(kOpHidden);
  if (device || !host) hidden = hidden.subspan(kShares);
  if (host || !device) hidden = hidden.first(hidden.size() - kShares);
  return hidden;
}

// The ops of one type on one side, with all their events.
struct OpType {
  SharedText type;
  bool on_device = false;
  Ps self = 0;
  double percent = 0;  // of the self time of all ops of the side
  uint64_t ops = 0, occurrences = 0;
  EventRows rows;
};

const Schema<OpType>& OpTypeSchema() {
  using T = OpType;
  static const Schema<T> schema(
      "op_types", "Types of ops",
      {{"type", "Type", Unit::kNone, &T::type},
       {"total_self_time", "Self time", Unit::kUs, &T::self,
        "of all ops of the type, without the ops inside", kKeyColumn},
       {"share", "Share", Unit::kPercent, &T::percent, "of the self time of all ops of the side"},
       {"ops", "Ops", Unit::kCount, &T::ops, "of the type"},
       {"occurrences", "Count", Unit::kCount, &T::occurrences, "executions"},
       {"host_or_device", "Side", Unit::kNone,
        [](const T& t) { return t.on_device ? "Device" : "Host"; }}},
      [](const T& t, const NoFacts&) {
        RowLink link = LinkTo(t.rows);
        link.total = std::max<uint64_t>(t.occurrences, t.rows.size());
        return link;
      });
  return schema;
}

// The largest self time first.
std::vector<OpType> TypesOf(std::span<const OpStatsRow* const> rows) {
  std::map<std::pair<bool, std::string_view>, OpType> types;
  Ps sides[2] = {0, 0};
  for (const OpStatsRow* row : rows) {
    OpType& type = types[{row->on_device, row->type}];
    type.type = row->type, type.on_device = row->on_device;
    type.self += row->op->self, sides[row->on_device ? 1 : 0] += row->op->self;
    ++type.ops;
    type.occurrences += row->op->occurrences;
    type.rows.Append(row->op->rows);
  }
  std::vector<OpType> order;
  for (auto& [key, type] : types) {
    const Ps all = sides[type.on_device ? 1 : 0];
    if (all > 0) type.percent = 100 * static_cast<double>(type.self) / static_cast<double>(all);
    order.push_back(std::move(type));
  }
  std::stable_sort(order.begin(), order.end(), [](const OpType& a, const OpType& b) {
    return a.self != b.self ? a.self > b.self : a.on_device > b.on_device;
  });
  return order;
}

class OpStatsPanel final : public AnalysisPanel {
 public:
  OpStatsPanel() : AnalysisPanel("op_stats", "Adding up the ops") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  struct SideRing {
    const char *title, *id;
    bool device, by_type;
    Ring ring = {};
    const char* column() const { return by_type ? "type" : "operation"; }
  };
  const std::vector<OpStatsRow>& RowsOf(const OpStats& stats) const {
    return idle_ ? stats.with_idle : stats.rows;
  }
  void Update(const PanelContext& context, const OpStats& stats, const ResultTable& table,
              uint64_t key);
  void DrawRings(const PanelContext& context, ImVec2 size, bool in_a_row);
  void DrawChoices(const PanelContext& context);

  std::array<SideRing, 4> rings_{{{"Device, by type", "ops_Device_type", true, true},
                                  {"Device, by op", "ops_Device_operation", true, false},
                                  {"Host, by type", "ops_Host_type", false, true},
                                  {"Host, by op", "ops_Host_operation", false, false}}};
  ResultTable shown_;  // the side chosen; the whole table is used as it is
  ResultTable types_;  // of what is shown
  int side_ = 0;       // 0: both, 1: device, 2: host
  bool idle_ = false;
  bool by_type_ = true;
  bool typed_ = true;  // there are fewer types than ops
  uint64_t key_ = 0;
  ResultTableView table_, type_table_;
};

void OpStatsPanel::Update(const PanelContext& context, const OpStats& stats,
                          const ResultTable& table, uint64_t key) {
  const uint64_t wanted = key * 16 + static_cast<uint64_t>(side_) * 4 + (idle_ ? 2 : 0) +
                          (context.theme.light() ? 1 : 0);
  if (wanted == key_) return;
  key_ = wanted;
  const std::vector<OpStatsRow>& rows = RowsOf(stats);
  for (SideRing& r : rings_) {
    std::map<std::string_view, double> sums;
    for (const OpStatsRow& row : rows)
      if (row.on_device == r.device) sums[r.by_type ? row.type : row.name] += InUs(row.op->self);
    r.ring = MakeRing(context, r.id, std::vector<RingRow>(sums.begin(), sums.end()));
    for (RingSlice& s : r.ring.slices) s.row = -1;
    r.ring.centre =
        r.ring.total > 0
            ? FormatDuration(static_cast<Ps>(r.ring.total * static_cast<double>(kPsPerUs)), 4)
            : "none";
    r.ring.centre_note = r.ring.total > 0 ? "self time" : "";
  }
  std::vector<uint32_t> shown;
  std::vector<const OpStatsRow*> listed;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (side_ != 0 && rows[i].on_device != (side_ == 1)) continue;
    shown.push_back(i);
    listed.push_back(&rows[i]);
  }
  shown_ = side_ == 0 ? ResultTable() : table.WithRows(shown);
  types_ = OpTypeSchema().Make(TypesOf(listed));
  typed_ = !types_.empty() && types_.size() < listed.size();
}

void OpStatsPanel::DrawRings(const PanelContext& context, ImVec2 size, bool in_a_row) {
  const float em = BaseEm(), gap = em * 0.8f;
  std::vector<SideRing*> used;
  for (SideRing& r : rings_)
    if (r.ring.total > 0 && r.by_type == (by_type_ && typed_)) used.push_back(&r);
  if (used.empty()) return;
  const size_t across = in_a_row ? used.size() : 1;
  const size_t down = (used.size() + across - 1) / across;
  const float width = (size.x - gap * static_cast<float>(across - 1)) / static_cast<float>(across);
  const float height = (size.y - gap * static_cast<float>(down - 1)) / static_cast<float>(down);
  for (size_t i = 0; i < used.size(); ++i) {
    if (i % across != 0) ImGui::SameLine(0, gap);
    ImGui::BeginGroup();
    ImGui::PushID(static_cast<int>(i));
    {
      const FaceScope small(context, Face::kUi, TypeSize::kSlice);
      const ImVec2 p = ImGui::GetCursorScreenPos();
      DrawCut(ImGui::GetWindowDrawList(), p, p.x + width, context.theme[Role::kText2],
              used[i]->title);
      ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
    }
    const float ring = std::max(em * 4, height - em * 1.6f);
    const int slice = DrawRing(context, "##ring", used[i]->ring, -1, ImVec2(width, ring));
    if (slice >= 0 && used[i]->ring.slices[static_cast<size_t>(slice)].label.find(" others") ==
                          std::string::npos) {
      by_type_ = false;  // the ops of the slice
      table_.SetFilter(used[i]->column(), used[i]->ring.slices[static_cast<size_t>(slice)].label);
    }
    ImGui::PopID();
    ImGui::EndGroup();
  }
}

void OpStatsPanel::DrawChoices(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  constexpr const char* kSides[] = {"Both", "Device", "Host"};
  for (int i = 0; i < 3; ++i) {
    if (i > 0) ImGui::SameLine(0, Em() * 0.3f);
    if (ChoiceButton(context, kSides[i], side_ == i)) side_ = i;
  }
  ImGui::SameLine(0, Em());
  if (typed_) {
    if (ChoiceButton(context, "By type", by_type_)) by_type_ = true;
    ImGui::SetItemTooltip("Adds up ops of one type, the largest first.");
    ImGui::SameLine(0, Em() * 0.3f);
    if (ChoiceButton(context, "By op", !by_type_)) by_type_ = false;
    ImGui::SetItemTooltip("Lists the ops one by one.");
    ImGui::SameLine(0, Em());
  }
  if (ChoiceButton(context, "Idle time", idle_)) idle_ = !idle_;
  ImGui::SetItemTooltip("Counts the time in which nothing ran as a row of its own.");
  ImGui::SameLine(0, Em());
  DrawScope(context);
}

void OpStatsPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                              uint64_t key) {
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  const OpStats* stats = result.As<OpStats>();
  if (stats == nullptr) return;
  const auto table = [&]() -> const ResultTable& { return result.tables[idle_ ? 1 : 0]; };
  Update(context, *stats, table(), key);
  const bool beside = avail.x > em * 56 && avail.y < avail.x * 0.7f;
  if (beside) {
    const float side = std::clamp(avail.x * 0.24f, em * 16, em * 46);
    ImGui::BeginChild("rings", ImVec2(side, 0));
    const ImVec2 inner = ImGui::GetContentRegionAvail();
    DrawRings(context, ImVec2(inner.x, std::min(inner.y, em * 50)), false);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  } else if (avail.y > em * 26) {
    DrawRings(context, ImVec2(avail.x, em * 10.5f), true);
  }
  ImGui::BeginChild("ops", ImVec2(0, 0));
  DrawChoices(context);
  Update(context, *stats, table(), key);  // a choice may have changed just now
  if (by_type_ && typed_) {
    type_table_.Draw(context, types_, key_ | 1,
                     {.id = "op types",
                      .noun = "types",
                      .name_column = "type",
                      .total_row = side_ != 0});  // shares are of their side
    ImGui::EndChild();
    return;
  }
  table_.Draw(context, side_ == 0 ? table() : shown_, key_ | 1,
              {.id = "ops",
               .noun = "ops",
               .name_column = "operation",
               .first_columns = kOpFirst,
               .hidden_columns = HiddenColumns(rings_[0].ring.total > 0, rings_[2].ring.total > 0),
               .shorten_names = true});
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeOpStatsPanel() { return std::make_unique<OpStatsPanel>(); }

}  // namespace stepscope
