#include "viewer/panels/fleet/fleet_map.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/analysis/steps/losses.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr FleetOrder kFleetOrders[] = {{"Latest first", "late_share_percent", true},
                                       {"Rank", "rank", false},
                                       {"TP", "tp", false},
                                       {"PP", "pp", false},
                                       {"DP", "dp", false},
                                       {"EP", "ep", false},
                                       {"CP", "cp", false},
                                       {"Host", "host", false}};

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
bool HasOrder(const FleetRun& run, const ResultTable& ranks, const FleetOrder& order) {
  if (ranks.Column(order.column) >= 0) return true;
  return std::any_of(run.facts.begin(), run.facts.end(), [&](const RankFacts& f) {
    return IndexOn(f.rank.coordinates, order.column) >= 0;
  });
}

// The rows of the table of ranks in an order.
std::vector<size_t> RowsBy(const ResultTable& ranks, const FleetOrder& by) {
  std::vector<size_t> rows(ranks.size());
  for (size_t r = 0; r < rows.size(); ++r) rows[r] = r;
  const int column = ranks.Column(by.column), coordinates = ranks.Column("coordinates");
  if (std::string_view(by.column) == "host") {
    std::vector<std::string> hosts;
    hosts.reserve(rows.size());
    for (const size_t r : rows) hosts.emplace_back(ranks.ShownText(r, column));
    std::stable_sort(rows.begin(), rows.end(),
                     [&](size_t a, size_t b) { return hosts[a] < hosts[b]; });
    return rows;
  }
  std::vector<double> keys(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    keys[r] = column >= 0
                  ? NumberIn(ranks, r, column)
                  : static_cast<double>(IndexOn(ranks.ShownText(r, coordinates), by.column));
    if (std::isnan(keys[r])) keys[r] = -1;
    if (by.largest_first) keys[r] = -keys[r];
  }
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return rows;
}

// Lateness, step time, busy time, and the classes that any step has time in.
std::vector<FleetMetric> MetricsOf(const FleetRun& run) {
  std::vector<FleetMetric> metrics = {{"Lateness", "late_us", 1, {}},
                                      {"Step time", "step_ms", 1000, {}},
                                      {"Busy", "busy_ms", 1000, {}}};
  StepClassTimes most{};
  for (const RankFacts& facts : run.facts) {
    for (const RankStep& step : facts.steps)
      std::transform(most.begin(), most.end(), step.losses.begin(), most.begin(),
                     [](Ps a, Ps b) { return std::max(a, b); });
  }
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const auto loss = static_cast<StepTimeClass>(c);
    if (most[c] > 0) metrics.push_back({LabelOf(loss), nullptr, 1, loss});
  }
  return metrics;
}

// Puts the time of a class into the map's cells.
void SetLosses(const FleetRun& run, StepTimeClass loss, RankStepMap* map) {
  std::unordered_map<int64_t, size_t> rows, columns;
  for (size_t r = 0; r < map->ranks.size(); ++r) rows[map->ranks[r]] = r;
  for (size_t c = 0; c < map->steps.size(); ++c) columns[map->steps[c]] = c;
  map->map.most = 0;
  for (const RankFacts& facts : run.facts) {
    const auto row = rows.find(facts.rank.number);
    if (row == rows.end()) continue;
    for (const RankStep& step : facts.steps) {
      const auto column = columns.find(step.number);
      const bool known =
          std::any_of(step.losses.begin(), step.losses.end(), [](Ps time) { return time != 0; });
      if (column == columns.end() || !known) continue;
      const double us = static_cast<double>(At(step.losses, loss)) / static_cast<double>(kPsPerUs);
      map->map.values[row->second * map->steps.size() + column->second] = us;
      map->map.most = std::max(map->map.most, us);
    }
  }
}

// Opens the profile of the rank, and shows its step there.
void OpenRankStep(const PanelContext& context, const Fleet& fleet, const FleetRun& run,
                  int64_t number, int64_t step) {
  for (size_t r = 0; r < run.facts.size(); ++r) {
    const RankFacts& facts = run.facts[r];
    if (facts.rank.number != number) continue;
    for (const RankStep& s : facts.steps) {
      if (s.number != step) continue;
      const Ps begin = SaturatingSub(s.span.begin, facts.moved);
      const Ps margin = std::max<Ps>(1, s.span.length() / 20);
      context.commands.Push("file.open_at",
                            {.text = fleet.files[run.files[r]].path,
                             .range = {SaturatingSub(begin, margin),
                                       SaturatingAdd(begin, s.span.length() + margin)}});
      return;
    }
  }
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

void FleetMap::Take(const Fleet& fleet, const FleetRun& run, const ResultTable& ranks) {
  metrics_ = MetricsOf(run);
  orders_.clear();
  for (const FleetOrder& order : kFleetOrders) {
    if (HasOrder(run, ranks, order)) orders_.push_back(order);
  }
  metric_ = Chosen(metrics_, metric_).label;
  order_ = Chosen(orders_, order_).label;
  run_names_ = ShortRunNames(fleet);
  stale_ = true;
}

void FleetMap::MakeMap(const FleetRun& run, const ResultTable& ranks, const ResultTable& steps) {
  const int rank = ranks.Column("rank");
  std::vector<int64_t> numbers;
  for (const size_t r : RowsBy(ranks, Chosen(orders_, order_)))
    numbers.push_back(WholeIn(ranks, r, rank));
  const FleetMetric& metric = Chosen(metrics_, metric_);
  map_ = MakeRankStepMap(std::move(numbers), steps, metric.column, metric.us);
  if (metric.column == nullptr) SetLosses(run, metric.loss, &map_);
  map_.map.unit_text = map_.map.most > 0                         ? UsText(map_.map.most)
                       : std::string_view("Lateness") == metric_ ? "no rank is late in any step"
                                                                 : "no step has such a time";
  stale_ = false;
}

void FleetMap::DrawChoices(const PanelContext& context, const Fleet& fleet) {
  const FaceScope small(context, Face::kUi);
  const bool metric = ChooseLabel("##metric", "What the map shows", metrics_, &metric_);
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

void FleetMap::DrawMap(const PanelContext& context, const Fleet& fleet, const FleetRun& run,
                       float part) {
  const FaceScope small(context, Face::kUi);
  const HeatMapAnswer answer = DrawRankStepMap(context, map_, BaseEm() * 8, part);
  if (!answer.hovered) return;
  const auto [row, column] = answer.cell;
  const double us = map_.map.at(row, column);
  WrappedTooltip(fmt::format("{}, step {}\n{}: {}\nClick opens the rank's profile there",
                             map_.map.rows[row], map_.map.columns[column], metric_,
                             std::isnan(us) ? "not recorded" : UsText(us)));
  if (answer.clicked) OpenRankStep(context, fleet, run, map_.ranks[row], map_.steps[column]);
}

void FleetMap::Draw(const PanelContext& context, const AnalysisResult& result, uint64_t key,
                    float part) {
  const ResultTable *ranks = result.Table("ranks"), *steps = result.Table("steps");
  const Fleet* fleet = FleetOf(*context.profile->trace);
  if (fleet == nullptr || ranks == nullptr || steps == nullptr || steps->empty()) return;
  const FleetRun& run = fleet->ShownRun();
  if (key_ != key) Take(*fleet, run, *ranks);
  key_ = key;
  const float top = ImGui::GetCursorPosY();
  DrawChoices(context, *fleet);
  if (stale_) MakeMap(run, *ranks, *steps);
  const float choices = ImGui::GetCursorPosY() - top;
  DrawMap(context, *fleet, run, part);
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
