#include "viewer/panels/fleet/fleet_map.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "model/analysis/steps/losses.h"
#include "model/analysis/tables/in_unit.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

using By = FleetOrder::By;
constexpr FleetOrder kFleetOrders[] = {{By::kLateness, "Latest first", ""},
                                       {By::kRank, "Rank", ""},
                                       {By::kAxis, "TP", "tp"},
                                       {By::kAxis, "PP", "pp"},
                                       {By::kAxis, "DP", "dp"},
                                       {By::kAxis, "EP", "ep"},
                                       {By::kAxis, "CP", "cp"},
                                       {By::kHost, "Host", ""}};

// The index on an axis in "dp 0, tp 1"; -1: none.
int64_t IndexOn(std::string_view coordinates, const std::string& axis) {
  for (size_t at = coordinates.find(axis + " "); at != coordinates.npos;
       at = coordinates.find(axis + " ", at + 1)) {
    if (at != 0 && coordinates[at - 1] != ' ') continue;
    int64_t index = 0;
    for (size_t i = at + axis.size() + 1; i < coordinates.size(); ++i) {
      if (coordinates[i] < '0' || coordinates[i] > '9' || index > 1'000'000) break;
      index = index * 10 + (coordinates[i] - '0');
    }
    return index;
  }
  return -1;
}

// Whether any rank has a coordinate on the axis that orders the rows.
bool HasOrder(const FleetRun& run, const FleetOrder& order) {
  return order.by != By::kAxis ||
         std::any_of(run.facts.begin(), run.facts.end(), [&](const RankFacts& f) {
           return IndexOn(f.rank.coordinates, order.axis) >= 0;
         });
}

double KeyOfRank(const Rank& rank, const std::optional<double>& late_share, const FleetOrder& by) {
  if (by.by == By::kLateness) return -late_share.value_or(-1);
  return static_cast<double>(by.by == By::kRank ? rank.number : IndexOn(rank.coordinates, by.axis));
}

// The numbers of the ranks in an order.
std::vector<int64_t> NumbersBy(const FleetRun& run, const FleetResult& result,
                               const FleetOrder& by) {
  std::vector<size_t> order(run.facts.size());
  for (size_t r = 0; r < order.size(); ++r) order[r] = r;
  const auto rank = [&](size_t r) -> const Rank& { return run.facts[r].rank; };
  if (by.by == By::kHost) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rank(a).host_name < rank(b).host_name; });
  } else {
    std::vector<double> keys;
    for (const size_t r : order) keys.push_back(KeyOfRank(rank(r), result.late_share[r], by));
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  }
  std::vector<int64_t> numbers;
  for (const size_t r : order) numbers.push_back(rank(r).number);
  return numbers;
}

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

double TimeOfClass(const RankStep& step, StepTimeClass loss) {
  const bool known =
      std::any_of(step.losses.begin(), step.losses.end(), [](Ps time) { return time != 0; });
  return known ? InUs(At(step.losses, loss)) : kNotKnown;
}

// Lateness, step time, busy time, and the classes that any step has time in.
std::vector<FleetMetric> MetricsOf(const FleetRun& run) {
  std::vector<FleetMetric> metrics = {
      {"Lateness", [](const LateStep& late,
                      const RankStep&) { return late.late ? InUs(*late.late) : kNotKnown; }},
      {"Step time", [](const LateStep&, const RankStep& step) { return InUs(step.total); }},
      {"Busy", [](const LateStep&, const RankStep& step) { return InUs(step.busy); }}};
  StepClassTimes most{};
  for (const RankFacts& facts : run.facts) {
    for (const RankStep& step : facts.steps)
      std::transform(most.begin(), most.end(), step.losses.begin(), most.begin(),
                     [](Ps a, Ps b) { return std::max(a, b); });
  }
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const auto loss = static_cast<StepTimeClass>(c);
    if (most[c] <= 0) continue;
    metrics.push_back({LabelOf(loss), [loss](const LateStep&, const RankStep& step) {
                         return TimeOfClass(step, loss);
                       }});
  }
  return metrics;
}

// Opens the profile of the rank, and shows its step there.
void OpenRankStep(const PanelContext& context, const Fleet& fleet, const LateStep& at) {
  const FleetRun& run = fleet.ShownRun();
  const RankFacts& facts = run.facts[at.rank];
  const TimeRange span = facts.steps[at.step].span;
  const Ps begin = SaturatingSub(span.begin, facts.moved);
  const Ps margin = std::max<Ps>(1, span.length() / 20);
  context.commands.Push("file.open_at", {.text = fleet.files[run.files[at.rank]].path,
                                         .range = {SaturatingSub(begin, margin),
                                                   SaturatingAdd(begin, span.length() + margin)}});
}

// A list of labels; returns whether another one was chosen.
template <typename List>
bool ChooseLabel(const char* id, const char* what, const List& all, std::string* chosen) {
  bool changed = false;
  ImGui::SetNextItemWidth(BaseEm() * 11);
  if (ImGui::BeginCombo(id, chosen->c_str(), ImGuiComboFlags_HeightLargest)) {
    for (const auto& one : all) {
      if (!ImGui::Selectable(std::string(one.label).c_str(), *chosen == one.label)) continue;
      changed = *chosen != one.label;
      *chosen = one.label;
    }
    ImGui::EndCombo();
  }
  ImGui::SetItemTooltip("%s", what);
  return changed;
}

// The entry with this label, else the first one.
template <typename List>
const auto& Chosen(const List& all, const std::string& label) {
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.label == label; });
  return it == all.end() ? all.front() : *it;
}

}  // namespace

void FleetMap::MakeChoices(const Fleet& fleet) {
  const FleetRun& run = fleet.ShownRun();
  metrics_ = MetricsOf(run);
  orders_.clear();
  for (const FleetOrder& order : kFleetOrders) {
    if (HasOrder(run, order)) orders_.push_back(order);
  }
  metric_ = Chosen(metrics_, metric_).label;
  order_ = Chosen(orders_, order_).label;
  run_names_ = ShortRunNames(fleet);
  stale_ = true;
}

void FleetMap::MakeMap(const FleetRun& run, const FleetResult& result) {
  const std::vector<LateStep>& rows = result.late_steps.rows;
  const FleetMetric& metric = Chosen(metrics_, metric_);
  map_ = MakeRankStepMap(NumbersBy(run, result, Chosen(orders_, order_)), rows.size(),
                         [&](size_t i) -> RankStepValue {
                           const RankFacts& facts = run.facts[rows[i].rank];
                           const RankStep& step = facts.steps[rows[i].step];
                           return {facts.rank.number, step.number, metric.us(rows[i], step)};
                         });
  map_.map.unit_text = map_.map.most > 0                         ? UsText(map_.map.most)
                       : std::string_view("Lateness") == metric_ ? "no rank is late in any step"
                                                                 : "no step has such a time";
  stale_ = false;
}

void FleetMap::DrawChoices(const PanelContext& context, const Fleet& fleet) {
  const FaceScope small(context, Face::kUi);
  const bool metric = ChooseLabel("##metric", "Value that the map shows", metrics_, &metric_);
  ImGui::SameLine();
  const bool order = ChooseLabel("##order", "Order of the ranks", orders_, &order_);
  stale_ = stale_ || metric || order;
  if (fleet.runs.size() < 2) return;
  ImGui::SameLine();
  ImGui::SetNextItemWidth(BaseEm() * 16);
  if (ImGui::BeginCombo("##run", run_names_[fleet.shown].c_str())) {
    for (size_t i = 0; i < fleet.runs.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(run_names_[i].c_str(), i == fleet.shown))
        context.commands.Push("run.choose",
                              {.text = run_names_[i], .profile = context.profile->id});
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  ImGui::SetItemTooltip("The run that is shown, the newest first");
}

void FleetMap::DrawMap(const PanelContext& context, const Fleet& fleet, const FleetResult& result,
                       float part) {
  const FaceScope small(context, Face::kUi);
  const HeatMapAnswer answer = DrawRankStepMap(context, map_, BaseEm() * 8, part);
  if (!answer.hovered) return;
  const auto [row, column] = answer.cell;
  const double us = map_.map.at(row, column);
  WrappedTooltip(fmt::format("{}, step {}\n{}: {}\nClick opens the rank's profile there",
                             map_.map.rows[row], map_.map.columns[column], metric_,
                             std::isnan(us) ? "not recorded" : UsText(us)));
  const int index = map_.IndexAt(answer.cell);
  if (answer.clicked && index >= 0)
    OpenRankStep(context, fleet, result.late_steps.rows[static_cast<size_t>(index)]);
}

void FleetMap::Draw(const PanelContext& context, const AnalysisResult& result, uint64_t key,
                    float part) {
  const FleetResult* found = result.As<FleetResult>();
  if (found == nullptr || found->late_steps.rows.empty()) return;
  const Fleet& fleet = *FleetOf(context.profile->analysis->trace());
  if (key_ != key) MakeChoices(fleet);
  key_ = key;
  const float top = ImGui::GetCursorPosY();
  DrawChoices(context, fleet);
  if (stale_) MakeMap(fleet.ShownRun(), *found);
  const float choices = ImGui::GetCursorPosY() - top;
  DrawMap(context, fleet, *found, part);
  wanted_height_ = choices + HeatMapHeight(map_.map, 1e6f) + ImGui::GetStyle().ItemSpacing.y;
}

class FleetMapView::View final : public AnalysisPanel {
 public:
  View() : AnalysisPanel("fleet", "Putting ranks together") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result,
                  uint64_t key) override {
    map.Draw(context, result, key, 1);
  }
  FleetMap map;
};

FleetMapView::FleetMapView() : view_(std::make_unique<View>()) {}
FleetMapView::~FleetMapView() = default;
void FleetMapView::Draw(const PanelContext& context) { view_->Draw(context); }
bool FleetMapView::animating() const { return view_->animating(); }
float FleetMapView::wanted_height() const { return view_->map.wanted_height(); }

}  // namespace stepscope
