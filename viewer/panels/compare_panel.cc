// The panel Compare: the difference between the steps of the baseline A and of the other profile B
// in a sentence, the way from one to the other as a waterfall, and tables. Bars and rows show their
// events in both timelines. The comparison comes from the AnalysisCache like every analysis
// (model/compare/compare.h).
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/naming/short_label.h"
#include "model/analysis/tables/cells.h"
#include "model/base/digits.h"
#include "model/compare/compare.h"
#include "model/compare/compare_table.h"
#include "model/compare/waterfall.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/bars.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"
#include "viewer/widgets/row_events.h"

namespace stepscope {
namespace {

class ComparePanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override { return waiting_ || spread_job_.active(); }

 private:
  bool Update(const PanelContext& context);
  void DrawHeadline(const PanelContext& context) const;
  std::string CommonText() const;
  void DrawSteps(const PanelContext& context, const Profile& profile,
                 compare::ComparedSteps compare::StepComparison::*side) const;
  void DrawProfiles(const PanelContext& context) const;
  std::string FirstTable() const;
  void DrawBars(const PanelContext& context, float room, bool keys);
  int CurrentBar() const;
  void ShowBar(const PanelContext& context, size_t bar) const;
  void DrawChooser();
  void DrawTable(const PanelContext& context, float height);
  int SpreadRow(const ResultTable& table) const;
  void UpdateSpread(const PanelContext& context);
  void DrawSpread(const PanelContext& context);
  bool SpreadAtLeft(const PanelContext& context, float room) const;
  void DrawLeft(const PanelContext& context, bool keys);
  void ForgetSpread();
  uint64_t TableKey(const ResultTable& table) const;  // changes with its contents

  const Profile *base_ = nullptr, *profile_ = nullptr;  // A and B; valid during a frame only
  // The panel shows the last answer about these two contexts. It stays while the answer about
  // another part of them is computed.
  std::shared_ptr<const AnalysisResult> found_;
  const compare::StepComparison* steps_ = nullptr;  // of found_; null for memory snapshots
  std::shared_ptr<AnalysisContext> shown_a_, shown_b_;
  bool waiting_ = false;
  std::string table_ = compare::kContributionTable;
  ResultTableView view_;
  compare::Waterfall bars_;  // of found_
  size_t most_bars_ = 0;     // for which bars_ was made
  int bar_ = -1;             // the last one that was chosen among the bars
  // The row that the bar selects when its table is drawn; -1: none is selected then.
  std::optional<int> wanted_row_;
  // Durations of the events of SpreadRow() in both profiles.
  LatestJob<ComparedDurations> spread_job_;
  ComparedDurations spread_;
  std::pair<uint64_t, int> spread_of_{0, -1};  // TableKey() and row that spread_ is about
};

// False while there is nothing to show.
bool ComparePanel::Update(const PanelContext& context) {
  profile_ = FindComparedProfile(context.profiles, context.view);
  base_ = FindProfile(context.profiles, context.view.baseline);
  const bool two = profile_ != nullptr && profile_->analysis && base_->analysis;
  const auto a = two ? base_->analysis : nullptr, b = two ? profile_->analysis : nullptr;
  if (a != shown_a_ || b != shown_b_) {
    shown_a_ = a;
    shown_b_ = b;
    found_ = nullptr, steps_ = nullptr;
    ForgetSpread();
  }
  waiting_ = false;
  if (!two) return false;
  const auto fresh = context.analyses.ShareComparison(
      *base_, *profile_, {ParamsOf(context, base_->id), ParamsOf(context, profile_->id)});
  waiting_ = fresh == nullptr;
  if (fresh != nullptr && fresh != found_) {
    found_ = fresh, steps_ = fresh->As<compare::StepComparison>();
    if (found_->Table(table_) == nullptr) table_ = FirstTable();
    bars_ = {};
  }
  return found_ != nullptr;
}

void ComparePanel::ForgetSpread() {
  spread_job_.Stop();
  spread_ = {};
  spread_of_ = {0, -1};
}

// Memory snapshots have no steps, and so no contributions.
std::string ComparePanel::FirstTable() const {
  const std::vector<ResultTable>& tables = found_->tables;
  return steps_ != nullptr || tables.empty() ? compare::kContributionTable : tables.front().id;
}

// One line of text; what is cut is shown by the tooltip.
void Line(const PanelContext& context, Role role, const std::string& text) {
  if (text.empty()) return;
  const FaceScope ui(context, Face::kUi);
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
  const bool cut =
      DrawCut(ImGui::GetWindowDrawList(), pos, pos.x + width, context.theme[role], text);
  ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
  if (cut && ImGui::IsItemHovered()) WrappedTooltip(text);
}

// "In common: 82 % of the kernels' names, 45 % of the work."
std::string ComparePanel::CommonText() const {
  if (steps_ == nullptr) return {};
  return "In common: " + PercentText(steps_->found.shared_names_percent, 0) + " of the names of " +
         (steps_->kernels ? "kernels, " : "ops, ") + PercentText(steps_->found.shared_percent, 0) +
         " of the work.";
}

// Draws the sentences of the comparison: what makes it doubtful, the difference large, and what
// else there is to know.
void ComparePanel::DrawHeadline(const PanelContext& context) const {
  const Finding* difference = nullptr;
  std::string doubts, others = CommonText();
  for (const Finding& finding : found_->findings) {
    if (finding.panel == "compare") {
      difference = &finding;
      continue;
    }
    std::string& text = finding.grade == Finding::Grade::kWarning ? doubts : others;
    text += (text.empty() ? "" : " ") + finding.text;
  }
  Line(context, Role::kWarning, doubts);
  if (difference != nullptr) {
    const FaceScope big(context, Face::kBold, TypeSize::kVerdict);
    const bool worse = difference->grade == Finding::Grade::kWarning;
    const bool better = difference->grade == Finding::Grade::kGood;
    const Role role = worse ? Role::kSlower : better ? Role::kFaster : Role::kText;
    WrappedIn(context, role, difference->text);
  }
  Line(context, Role::kText2, others);
}

// The steps of one of the profiles that the numbers are of, as a link to them.
void ComparePanel::DrawSteps(const PanelContext& context, const Profile& profile,
                             compare::ComparedSteps compare::StepComparison::*side) const {
  const size_t counted = steps_ != nullptr ? (steps_->*side).counted.size() : 0;
  PanelContext of_profile = context;
  of_profile.profile = &profile;
  of_profile.state = context.view.Find(profile.id);
  TimeRange all{kMaxPs, kMinPs};
  for (const StepMarker& step : profile.Steps()) {
    if (!step.counts) continue;
    all = {std::min(all.begin, step.range.begin), std::max(all.end, step.range.end)};
  }
  if (counted == 0 || all.empty()) {
    DrawScope(of_profile);
  } else {
    DrawScopeOf(of_profile, counted == 1 ? "one step" : Counted(counted, "steps"), all);
  }
  ImGui::SameLine(0, BaseEm() * 1.5f);
}

// Draws which profiles are compared, and the buttons.
void ComparePanel::DrawProfiles(const PanelContext& context) const {
  const FaceScope ui(context, Face::kUi);
  const auto label = [&](const char* name, const Profile& profile, auto steps) {
    ImGui::PushID(name);
    ImGui::AlignTextToFramePadding();
    TextIn(context, Role::kText3, name);
    ImGui::SameLine(0, BaseEm() * 0.4f);
    TextIn(context, Role::kText, profile.label);
    ImGui::SameLine(0, BaseEm() * 0.8f);
    DrawSteps(context, profile, steps);
    ImGui::PopID();
  };
  label("Baseline A", *base_, &compare::StepComparison::a);
  label("B", *profile_, &compare::StepComparison::b);
  const auto button = [&](const char* name, const char* what, CommandId command,
                          CommandArgs args = {}) {
    if (ImGui::SmallButton(name)) context.commands.Push(command, std::move(args));
    ImGui::SetItemTooltip("%s", what);
    ImGui::SameLine();
  };
  button("Swap", "Swaps A and B (X)", "compare.swap");
  button("Layout", "Shows both in one list, above each other, or beside each other (V)",
         "compare.layout");
  button("Fit both", "Shows all of both profiles (0)", "view.zoom_all");
  button("Stretch", "Draws the steps of both equally long, or true to scale again",
         "compare.stretch");
  button("Copy", "Copies the comparison in sentences, for a message", "copy.text",
         {.text = compare::SummaryOf(*found_)});
  ImGui::NewLine();
}

// The bar of the row that is selected in the table, or the one that was chosen last.
int ComparePanel::CurrentBar() const {
  const auto row = static_cast<size_t>(view_.current());
  for (size_t i = 0; i < bars_.bars.size() && view_.current() >= 0 && table_ == bars_.table; ++i) {
    const compare::WaterfallBar& bar = bars_.bars[i];
    if (row >= bar.first_row && row < bar.first_row + bar.rows) return static_cast<int>(i);
  }
  return bar_;
}

// Shows the events of all rows of a bar, in both profiles.
void ComparePanel::ShowBar(const PanelContext& context, size_t bar) const {
  const ResultTable* table = found_->Table(bars_.table);
  CommandArgs args;
  args.profile = base_->id;
  const size_t first = bars_.bars[bar].first_row;
  for (size_t r = first; r < first + bars_.bars[bar].rows; ++r) {
    if (r < table->links.size()) AddEvents(base_->id, table->links[r], &args);
    if (r < table->links_b.size()) AddEvents(profile_->id, table->links_b[r], &args);
  }
  ShowEvents(context.commands, std::move(args));
}

// Gives bars of single rows the short names that the table beside them has.
void NameBars(const std::vector<compare::Contribution>& rows, compare::Waterfall* bars) {
  std::vector<std::string_view> names;
  for (const compare::Contribution& row : rows) names.push_back(row.name);
  const std::vector<std::string> shown = DistinctNames(names);
  for (compare::WaterfallBar& bar : bars->bars) {
    if (bar.rows != 1) continue;
    const std::string& own = shown[bar.first_row];
    const std::string_view text = own.empty() ? names[bar.first_row] : own;
    if (!text.empty()) bar.shown = compare::WaitOf(rows[bar.first_row]) + std::string(text);
  }
}

// Draws as many bars as `room` pixels show, and no fewer than a picture needs.
void ComparePanel::DrawBars(const PanelContext& context, float room, bool keys) {
  constexpr size_t kFewest = 3, kOthers = 4;  // A, B, the smaller ones, the rest
  const auto fit = static_cast<size_t>(std::max(0.0f, room / WaterfallRowHeight(context)));
  const size_t most = std::clamp(fit, kFewest + kOthers, compare::kMostWaterfallRows + kOthers);
  if (bars_.bars.empty() || most != most_bars_) {
    most_bars_ = most;
    bars_ = compare::WaterfallOf(*found_, most - kOthers);
    if (steps_ != nullptr) NameBars(steps_->found.rows, &bars_);
    bar_ = -1;
  }
  if (bars_.bars.empty()) return;
  const float height = WaterfallRowHeight(context) * static_cast<float>(bars_.bars.size());
  const WaterfallChoice choice =
      DrawWaterfall(context, "bars", bars_, CurrentBar(), keys, ImVec2(0, std::min(room, height)));
  if (choice.bar < 0) return;
  bar_ = choice.bar;
  const auto bar = static_cast<size_t>(choice.bar);
  table_ = bars_.table;
  const bool rows = bars_.bars[bar].rows > 0;
  wanted_row_ = rows ? static_cast<int>(bars_.bars[bar].first_row) : -1;
  if (choice.show) ShowBar(context, bar);
}

void ComparePanel::DrawChooser() {
  std::vector<const ResultTable*> tables;
  for (const ResultTable& table : found_->tables) tables.push_back(&table);
  DrawTableTitles(tables, &table_);
}

constexpr ColoredWord kChanges[] = {{"slower", Role::kSlower}, {"faster", Role::kFaster},
                                    {"more", Role::kSlower},   {"fewer", Role::kFaster},
                                    {"added", Role::kSlower},  {"removed", Role::kFaster},
                                    {"renamed", Role::kText2}};

// The columns that come first: the name, the difference, and the two values that it is of.
std::vector<const char*> FirstColumns(const ResultTable& table) {
  constexpr std::string_view kDelta = "delta_";
  std::vector<const char*> first;
  for (const char* id : {"rank", "name"}) {
    if (table.Column(id) >= 0) first.push_back(id);
  }
  const auto delta =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const ColumnDesc& c) { return std::string_view(c.id).starts_with(kDelta); });
  if (delta == table.columns.end() || table.Column("name") < 0) return {};
  first.push_back(delta->id.c_str());
  const std::string_view of = std::string_view(delta->id).substr(kDelta.size());
  for (const ColumnDesc& c : table.columns) {
    const std::string_view id = c.id;
    const bool side = id.starts_with("a_") || id.starts_with("b_");
    if (side && id.substr(2) == of) first.push_back(c.id.c_str());
  }
  return first;
}

void ComparePanel::DrawTable(const PanelContext& context, float height) {
  const ResultTable* table = found_->Table(table_);
  if (table == nullptr || table->empty()) {
    wanted_row_.reset();
    WrappedIn(context, Role::kText2,
              table_ == compare::kContributionTable ? "No change reaches 1 % of a step."
                                                    : "Neither profile has rows for this table.");
    return;
  }
  PanelContext of_base = context;
  of_base.profile = base_;  // `links` lead to events of A
  TableOptions options;
  options.id = table->id.c_str();
  options.noun = "rows";
  options.name_column = "name";
  options.words = kChanges;
  options.shorten_names = true;
  options.total_row = false;
  options.other_profile = profile_->id;
  options.other_links = &table->links_b;
  options.height = height;
  const std::vector<const char*> first = FirstColumns(*table);
  options.first_columns = first;
  view_.Draw(of_base, *table, TableKey(*table), options);
  if (wanted_row_ && table_ == bars_.table) view_.Select(*table, *wanted_row_);
  wanted_row_.reset();
}

uint64_t ComparePanel::TableKey(const ResultTable& table) const {
  return found_->serial * 64 + static_cast<uint64_t>(&table - found_->tables.data());
}

// The row whose durations are drawn: the selected one, else the first, which is the largest change.
int ComparePanel::SpreadRow(const ResultTable& table) const {
  return view_.current() < 0 && !table.empty() ? 0 : view_.current();
}

void ComparePanel::UpdateSpread(const PanelContext& context) {
  const ResultTable* shown = found_->Table(table_);
  if (shown == nullptr) return;
  const ResultTable& table = *shown;
  if (std::optional<ComparedDurations> spread = spread_job_.Take()) spread_ = *spread;
  const std::pair<uint64_t, int> wanted(TableKey(table), SpreadRow(table));
  if (wanted == spread_of_) return;
  spread_of_ = wanted;
  spread_job_.Stop();
  spread_ = {};
  const auto row = static_cast<size_t>(wanted.second);
  if (wanted.second < 0 || row >= table.links.size()) return;
  spread_job_.Start(context.jobs,
                    [a = *base_, b = *profile_, of_a = table.links[row], of_b = table.links_b[row]](
                        Progress&) { return CompareDurations(a, of_a, b, of_b); });
}

std::string ShortNameOf(std::string_view name) {
  const std::string middle = MakeShortForms(name).middle;
  return middle.empty() ? ItemLabel(name) : middle;
}

void ComparePanel::DrawSpread(const PanelContext& context) {
  UpdateSpread(context);
  ImGui::Spacing();
  if (spread_.count_a + spread_.count_b == 0) {
    const FaceScope small(context, Face::kUi);
    WrappedIn(context, Role::kText3, "Select a row to see how its durations spread in both.");
    return;
  }
  const ResultTable* table = found_->Table(table_);
  const auto row = table != nullptr ? static_cast<size_t>(SpreadRow(*table)) : 0;
  std::string_view of;
  if (table != nullptr && row < table->size()) of = TextAt(*table, row, "name");
  SectionTitle(context, of.empty() ? "Durations" : "Durations of " + ShortNameOf(of));
  {
    const FaceScope small(context, Face::kUi);
    const auto counted = [](uint64_t some, uint64_t all) {
      return (some < all ? GroupDigits(some) + " of " : "") + Counted(all, "events");
    };
    WrappedIn(context, Role::kText2,
              "Line: A, " + counted(spread_.count_a, spread_.all_a) + ". Bars: B, " +
                  counted(spread_.count_b, spread_.all_b) + ".");
  }
  const float height = std::min(ImGui::GetContentRegionAvail().y, BaseEm() * 20);
  DrawComparedBars(context, spread_, {ImGui::GetContentRegionAvail().x, height});
}

constexpr float kSpreadHeight = 8;  // em

// Whether all bars and the durations have room below each other.
bool ComparePanel::SpreadAtLeft(const PanelContext& context, float room) const {
  const float spread = kSpreadHeight * BaseEm();
  const float bars = WaterfallRowHeight(context) * static_cast<float>(bars_.bars.size());
  return room > 2 * spread || (!bars_.bars.empty() && bars + spread < room);
}

// The bars, and where there is room how the durations of the selected row spread.
void ComparePanel::DrawLeft(const PanelContext& context, bool keys) {
  const float room = ImGui::GetContentRegionAvail().y;
  const bool both = SpreadAtLeft(context, room);
  DrawBars(context, both ? room - kSpreadHeight * BaseEm() : room, keys);
  if (both) DrawSpread(context);
}

void ComparePanel::Draw(const PanelContext& context) {
  if (!Update(context)) {
    if (waiting_) {
      TextIn(context, Role::kText2, "Comparing\u2026");
      return;
    }
    WrappedIn(context, Role::kText2,
              "Nothing is compared. Open a second profile: this panel then says what changed per "
              "step, and the timeline shows both.");
    if (context.profile != nullptr && ImGui::Button("Compare with\u2026"))
      context.commands.Push("file.compare");
    return;
  }
  if (!found_->empty_reason.empty()) return DrawEmpty(context, found_->empty_reason);
  const bool keys = ImGui::IsWindowFocused();
  DrawHeadline(context);
  DrawProfiles(context);
  ImGui::Spacing();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  const bool beside = room.x > em * 62;
  if (beside) {
    ImGui::BeginChild("left", ImVec2(std::floor(room.x * 0.42f), 0));
    DrawLeft(context, keys);
    ImGui::EndChild();
    ImGui::SameLine(0, em);
    ImGui::BeginChild("right");
  } else {
    DrawBars(context, room.y * 0.45f, keys);
  }
  {
    const FaceScope small(context, Face::kUi);
    DrawChooser();
    // The left column may have no room for the durations of the selected row.
    const float low = em * kSpreadHeight, left = ImGui::GetContentRegionAvail().y;
    const bool spread =
        left > em * 17 && view_.current() >= 0 && !(beside && SpreadAtLeft(context, room.y));
    DrawTable(context, spread ? left - low : 0);
    if (spread) DrawSpread(context);
  }
  if (beside) ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeComparePanel() { return std::make_unique<ComparePanel>(); }

}  // namespace stepscope
