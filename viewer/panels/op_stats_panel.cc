// Ops: framework operations on hosts and devices with self and total time, by type, and one by one;
// a ring for each side.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// One side's part of the table: name, self time and a row for each name. Rows of one type are added
// up.
ResultTable SideTable(const ResultTable& ops, std::string_view side, const char* name_column) {
  ResultTable out;
  out.id = std::string("ops_") + std::string(side) + "_" + name_column;
  out.SetColumns({{"name", "Name", Unit::kNone, ValueType::kString, ""},
                  {"self", "Self time", Unit::kUs, ValueType::kReal, ""}});
  const int where = ops.Column("host_or_device"), name = ops.Column(name_column),
            self = ops.Column("total_self_time");
  if (where < 0 || name < 0 || self < 0) return out;
  std::map<std::string, double> sums;
  for (size_t r = 0; r < ops.size(); ++r) {
    const double value = NumberOf(ops.At(r, static_cast<size_t>(self)));
    if (TextAt(ops, r, where) == side && std::isfinite(value))
      sums[std::string(TextAt(ops, r, name))] += value;
  }
  for (const auto& [text, sum] : sums) out.AddRow({text, sum});
  return out;
}

// The rows of each type and side added up, the largest self time first, with all their events.
ResultTable TypeTable(const ResultTable& ops) {
  ResultTable out;
  out.id = "op_types";
  out.title = "Types of ops";
  out.SetColumns({{"type", "Type", Unit::kNone, ValueType::kString, ""},
                  {"total_self_time", "Self time", Unit::kUs, ValueType::kReal,
                   "of all ops of the type, without the ops inside", true},
                  {"share", "Share", Unit::kPercent, ValueType::kReal,
                   "of the self time of all ops of the side"},
                  {"ops", "Ops", Unit::kCount, ValueType::kInt, "of the type"},
                  {"occurrences", "Count", Unit::kCount, ValueType::kInt, "executions"},
                  {"host_or_device", "Side", Unit::kNone, ValueType::kString, ""}});
  const int where = ops.Column("host_or_device"), type = ops.Column("type"),
            self = ops.Column("total_self_time"), times = ops.Column("occurrences");
  if (where < 0 || type < 0 || self < 0 || times < 0) return out;
  struct Sum {
    double self = 0;
    int64_t ops = 0, times = 0;
    RowLink link;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  std::map<std::string, double> sides;
  for (size_t r = 0; r < ops.size(); ++r) {
    const double time = NumberOf(ops.At(r, static_cast<size_t>(self)));
    if (!std::isfinite(time)) continue;
    const std::string side(TextAt(ops, r, where));
    Sum& sum = sums[{side, std::string(TextAt(ops, r, type))}];
    sum.self += time;
    sides[side] += time;
    ++sum.ops;
    sum.times += static_cast<int64_t>(NumberAt(ops, r, times));
    if (r >= ops.links.size()) continue;
    sum.link.rows.Append(ops.links[r].rows);
    sum.link.set = ops.links[r].set;
    sum.link.total += std::max<uint64_t>(ops.links[r].total, ops.links[r].rows.size());
  }
  std::vector<std::pair<const std::pair<std::string, std::string>*, const Sum*>> order;
  order.reserve(sums.size());
  for (const auto& [key, sum] : sums) order.emplace_back(&key, &sum);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second->self > b.second->self; });
  for (const auto& [key, sum] : order) {
    const double all = sides[key->first];
    out.AddRow({key->second, sum->self, all > 0 ? 100 * sum->self / all : 0.0, sum->ops, sum->times,
                key->first});
    out.links.push_back(sum->link);
  }
  return out;
}

class OpStatsPanel final : public AnalysisPanel {
 public:
  OpStatsPanel() : AnalysisPanel("op_stats", "Adding up the ops") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  struct SideRing {
    const char* title;
    const char* side;
    bool by_type;
    Ring ring;
    const char* column() const { return by_type ? "type" : "operation"; }
  };
  void Update(const PanelContext& context, const ResultTable& ops, uint64_t key);
  void DrawRings(const PanelContext& context, ImVec2 size, bool in_a_row);
  void DrawChoices(const PanelContext& context);

  std::array<SideRing, 4> rings_{{{"Device, by type", "Device", true, {}},
                                  {"Device, by op", "Device", false, {}},
                                  {"Host, by type", "Host", true, {}},
                                  {"Host, by op", "Host", false, {}}}};
  ResultTable shown_;  // the side chosen; the whole table is used as it is
  ResultTable types_;  // of what is shown
  int side_ = 0;       // 0: both, 1: device, 2: host
  bool idle_ = false;
  bool by_type_ = true;
  bool typed_ = true;  // there are fewer types than ops
  uint64_t key_ = 0;
  ResultTableView table_, type_table_;
};

void OpStatsPanel::Update(const PanelContext& context, const ResultTable& ops, uint64_t key) {
  const uint64_t wanted = key * 16 + static_cast<uint64_t>(side_) * 4 + (idle_ ? 2 : 0) +
                          (context.theme.light() ? 1 : 0);
  if (wanted == key_) return;
  key_ = wanted;
  for (SideRing& r : rings_) {
    const ResultTable part = SideTable(ops, r.side, r.column());
    r.ring = MakeRing(context, part, "name", "self");
    r.ring.title = part.id;
    for (RingSlice& s : r.ring.slices) s.row = -1;
    r.ring.centre =
        r.ring.total > 0
            ? FormatDuration(static_cast<Ps>(r.ring.total * static_cast<double>(kPsPerUs)), 4)
            : "none";
    r.ring.centre_note = r.ring.total > 0 ? "self time" : "";
  }
  const int where = ops.Column("host_or_device");
  std::vector<uint32_t> shown;
  for (uint32_t i = 0; side_ != 0 && i < ops.size(); ++i) {
    if (TextAt(ops, i, where) == (side_ == 1 ? "Device" : "Host")) shown.push_back(i);
  }
  shown_ = ops.WithRows(shown);
  const ResultTable& listed = side_ == 0 ? ops : shown_;
  types_ = TypeTable(listed);
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
  const ResultTable* ops = result.Table(idle_ ? "ops_with_idle" : "ops");
  if (ops == nullptr) ops = result.Table("ops");
  if (ops == nullptr) return;
  Update(context, *ops, key);
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
  ops = result.Table(idle_ ? "ops_with_idle" : "ops");
  if (ops == nullptr) ops = result.Table("ops");
  Update(context, *ops, key);  // a choice may have changed just now
  if (by_type_ && typed_) {
    type_table_.Draw(context, types_, key_ | 1,
                     {.id = "op types",
                      .noun = "types",
                      .name_column = "type",
                      .total_row = side_ != 0});  // shares are of their side
    ImGui::EndChild();
    return;
  }
  table_.Draw(context, side_ == 0 ? *ops : shown_, key_ | 1,
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
