// The panel Compare: what changed in a step from the baseline A to the other profile B, and what
// the change is made of. Rows show their events in both timelines. The comparison comes from the
// AnalysisCache like every analysis (model/compare/compare.h).
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/base/count_text.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/compared_bars.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/number_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

class ComparePanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override { return waiting_ || spread_job_.active(); }

 private:
  bool Update(const PanelContext& context);
  void DrawHeadline(const PanelContext& context) const;
  void DrawMemoryHeadline(const PanelContext& context) const;
  std::string FirstTable() const;
  void DrawSummary(const PanelContext& context) const;
  void DrawChooser();
  void DrawTable(const PanelContext& context);
  void UpdateSpread(const PanelContext& context, const ResultTable& table);
  void DrawSpread(const PanelContext& context);
  void ForgetSpread();
  uint64_t TableKey(const ResultTable& table) const;  // changes with its contents

  const Profile *base_ = nullptr, *profile_ = nullptr;  // A and B; valid during a frame only
  // The panel shows the last answer about these two contexts. It stays while the answer about
  // another part of them is computed.
  std::shared_ptr<const AnalysisResult> found_;
  std::shared_ptr<AnalysisContext> shown_a_, shown_b_;
  bool waiting_ = false;
  std::string table_ = "contributions";
  ResultTableView view_;
  // Durations of the selected row's events in both profiles.
  LatestJob<ComparedDurations> spread_job_;
  ComparedDurations spread_;
  std::pair<uint64_t, int> spread_of_{0, -1};  // TableKey() and row that spread_ is about
};

AnalysisParams ParamsIn(const PanelContext& context, ProfileId profile) {
  const ProfileViewState* state = context.view.Find(profile);
  if (state == nullptr) return {};
  AnalysisParams params = ForHost(state->host);
  params.range = state->map.ToTrace(context.view.Filter());
  return params;
}

// False while there is nothing to show.
bool ComparePanel::Update(const PanelContext& context) {
  profile_ = FindComparedProfile(context.profiles, context.view);
  base_ = FindProfile(context.profiles, context.view.baseline);
  const bool two = profile_ != nullptr && profile_->analysis && base_->analysis;
  const auto a = two ? base_->analysis : nullptr, b = two ? profile_->analysis : nullptr;
  if (a != shown_a_ || b != shown_b_) {
    shown_a_ = a;
    shown_b_ = b;
    found_ = nullptr;
    ForgetSpread();
  }
  waiting_ = false;
  if (!two) return false;
  const auto fresh = context.analyses.ShareComparison(
      *base_, *profile_, {ParamsIn(context, base_->id), ParamsIn(context, profile_->id)});
  waiting_ = fresh == nullptr;
  if (fresh != nullptr && fresh != found_) {
    found_ = fresh;
    if (found_->Table(table_) == nullptr) table_ = FirstTable();
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
  const bool steps = found_->Table("contributions") != nullptr || tables.empty();
  return steps ? "contributions" : tables.front().id;
}

std::string MsText(double ms) {
  return WithoutZeros(FormatDuration(static_cast<Ps>(ms * static_cast<double>(kPsPerMs)), 4));
}

void ComparePanel::DrawMemoryHeadline(const PanelContext& context) const {
  const double delta = NumberIn(*found_, "delta_bytes");
  {
    const FaceScope big(context, Face::kMonoBold, TypeSize::kVerdict);
    const std::string text = FormatValue(Value(std::abs(delta)), Unit::kBytes);
    TextIn(context, delta > 0 ? Role::kSlower : Role::kFaster, (delta < 0 ? "-" : "+") + text);
  }
  ImGui::SameLine(0, BaseEm() * 0.6f);
  const FaceScope ui(context, Face::kUi);
  ImGui::AlignTextToFramePadding();
  TextIn(context, Role::kText2, "at the peak");
}

// "; significant (p = 1.1e-05)"
std::string Significant(const AnalysisResult& result, const std::string& significance) {
  return fmt::format("; {}significant (p = {:.2g})", significance == "weak" ? "weakly " : "",
                     NumberIn(result, "p_value"));
}

void ComparePanel::DrawHeadline(const PanelContext& context) const {
  const AnalysisResult& r = *found_;
  if (r.Find("delta_bytes") != nullptr) return DrawMemoryHeadline(context);
  const double a = NumberIn(r, "step_ms_a"), b = NumberIn(r, "step_ms_b"), delta = b - a;
  const bool slower = delta > 0;
  const std::string significance = TextOf(r, "significance");
  const bool same = significance == "none";
  {
    const FaceScope big(context, Face::kMonoBold, TypeSize::kVerdict);
    const std::string text = (slower ? "+" : "") + MsText(delta);
    TextIn(context, same ? Role::kText2 : slower ? Role::kSlower : Role::kFaster, text);
  }
  ImGui::SameLine(0, BaseEm() * 0.6f);
  const FaceScope ui(context, Face::kUi);
  ImGui::AlignTextToFramePadding();
  const double percent = NumberIn(r, "delta_percent");
  std::string what = " a step (" + std::string(percent > 0 ? "+" : "") +
                     NumberText(percent, {1, 1, "", " %"}) + "), " + MsText(a) + " to " + MsText(b);
  what += same ? "; not significant" : Significant(r, significance);
  TextIn(context, Role::kText2, what);
  const auto label = [&](const char* name, const Profile& profile) {
    TextIn(context, Role::kText3, name);
    ImGui::SameLine(0, BaseEm() * 0.4f);
    TextIn(context, Role::kText, profile.label);
  };
  label("Baseline A", *base_);
  ImGui::SameLine(0, BaseEm() * 1.5f);
  label("B", *profile_);
  ImGui::SameLine(0, BaseEm() * 1.5f);
  if (ImGui::SmallButton("Swap")) context.commands.Push("compare.swap");
  ImGui::SetItemTooltip("Swaps A and B (X)");
  ImGui::SameLine();
  if (ImGui::SmallButton("Layout")) context.commands.Push("compare.layout");
  ImGui::SetItemTooltip(
      "Switches between one list, timelines above and timelines beside each other (V)");
}

// One line of the summary; the tooltip has all of it.
void SummaryLine(const PanelContext& context, const std::string& summary) {
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
  const bool cut =
      DrawCut(ImGui::GetWindowDrawList(), pos, pos.x + width, context.theme[Role::kText], summary);
  ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
  if (cut && ImGui::IsItemHovered()) WrappedTooltip(summary);
}

void ComparePanel::DrawSummary(const PanelContext& context) const {
  const std::string summary = TextOf(*found_, "summary");
  if (summary.empty()) return;
  // A low window keeps its room for the table.
  const bool low = ImGui::GetContentRegionAvail().y < BaseEm() * 22;
  const auto copy = [&] {
    if (ImGui::SmallButton("Copy")) context.commands.Push("copy.text", {.text = summary});
    ImGui::SetItemTooltip("Copies these sentences, to paste into a message");
  };
  if (low) {
    copy();
    ImGui::SameLine();
    SummaryLine(context, summary);
    return;
  }
  ImGui::Spacing();
  WrappedIn(context, Role::kText, summary);
  copy();
  ImGui::Spacing();
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

void ComparePanel::DrawTable(const PanelContext& context) {
  const ResultTable* table = found_->Table(table_);
  if (table == nullptr || table->rows.empty()) {
    WrappedIn(context, Role::kText2,
              table_ == "contributions" ? "Nothing changed by 1 % of a step."
                                        : "Neither profile has any of these.");
    return;
  }
  PanelContext of_base = context;
  of_base.profile = base_;  // `links` lead to events of A
  TableOptions options;
  options.id = table->id.c_str();
  options.noun = "rows";
  options.name_column = table->Column("name") >= 0 ? "name" : "";
  options.words = kChanges;
  options.shorten_names = true;
  options.total_row = false;
  options.other_profile = profile_->id;
  options.other_links = &table->links_b;
  // The durations are shown below the table, or beside it.
  const float em = BaseEm();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool below = room.y > em * 18;
  const bool beside = !below && room.x > em * 66 && view_.current() >= 0;
  if (below) options.height = room.y - em * 11;
  if (beside) ImGui::BeginChild("table", {room.x - em * 23, 0});
  view_.Draw(of_base, *table, TableKey(*table), options);
  if (beside) {
    ImGui::EndChild();
    ImGui::SameLine(0, em);
  }
  if (!below && !beside) return;
  ImGui::BeginChild("durations");
  UpdateSpread(context, *table);
  DrawSpread(context);
  ImGui::EndChild();
}

uint64_t ComparePanel::TableKey(const ResultTable& table) const {
  return found_->serial * 64 + static_cast<uint64_t>(&table - found_->tables.data());
}

void ComparePanel::UpdateSpread(const PanelContext& context, const ResultTable& table) {
  if (std::optional<ComparedDurations> spread = spread_job_.Take()) spread_ = *spread;
  const std::pair<uint64_t, int> wanted(TableKey(table), view_.current());
  if (wanted == spread_of_) return;
  spread_of_ = wanted;
  spread_job_.Stop();
  spread_ = {};
  const auto row = static_cast<size_t>(wanted.second);
  if (wanted.second < 0 || row >= table.links.size()) return;
  spread_job_.Start(context.jobs, [a = *base_, b = *profile_, of_a = table.links[row],
                                   of_b = table.links_b[row]](const std::stop_token&, Progress&) {
    return CompareDurations(a, of_a, b, of_b);
  });
}

void ComparePanel::DrawSpread(const PanelContext& context) {
  if (spread_.count_a + spread_.count_b == 0) {
    const FaceScope small(context, Face::kUi);
    WrappedIn(context, Role::kText3, "Select a row to see how its durations spread in both runs.");
    return;
  }
  SectionTitle(context, "Durations");
  {
    const FaceScope small(context, Face::kUi);
    const auto counted = [](uint64_t some, uint64_t all) {
      return (some < all ? GroupDigits(some) + " of " : "") + Counted(all, "events");
    };
    WrappedIn(context, Role::kText2,
              "Line: A, " + counted(spread_.count_a, spread_.all_a) + ". Bars: B, " +
                  counted(spread_.count_b, spread_.all_b) + ".");
  }
  const float height = std::min(ImGui::GetContentRegionAvail().y, BaseEm() * 8);
  DrawComparedBars(context, spread_, {ImGui::GetContentRegionAvail().x, height});
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
  DrawHeadline(context);
  DrawSummary(context);
  const FaceScope small(context, Face::kUi);
  DrawChooser();
  DrawTable(context);
}

}  // namespace

std::unique_ptr<Panel> MakeComparePanel() { return std::make_unique<ComparePanel>(); }

}  // namespace stepscope
