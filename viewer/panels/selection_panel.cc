// Selection: adds up events by name, track or step, and lists them: those that are selected, else
// those that the search has found, else those of the measured range, else those in view.
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "model/base/digits.h"
#include "model/base/key_table.h"
#include "viewer/core/search/selection_stats.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/stack_view.h"
#include "viewer/widgets/bars.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr double kSelectionRest = 0.15;  // seconds that the view has to rest before it is added up

class SelectionPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override { return waiting_; }

 private:
  SelectionRequest Wanted(const PanelContext& context);
  void FollowPage(const ViewState& view);
  void Update(const PanelContext& context);
  void DrawTitle(const PanelContext& context) const;
  void DrawHeader(const PanelContext& context);
  void DrawNumbers(const PanelContext& context) const;
  void DrawGroups(const PanelContext& context);
  void DrawStacks(const PanelContext& context);
  void DrawEvents(const PanelContext& context);

  LatestJob<SelectionStats> job_;
  SelectionRequest wanted_, asked_, shown_;
  double since_ = 0;  // when `wanted_` last changed
  bool waiting_ = false;
  uint64_t version_ = 0;  // counts the results that were shown; 0: none yet
  SelectionStats stats_;
  GroupBy by_ = GroupBy::kName;
  std::pair<std::string, uint64_t> asked_page_;  // ViewState::panel and shown that it has followed
  enum class Page { kGroups, kStacks, kEvents } page_ = Page::kGroups;
  std::string shown_as_;  // the last command that showed a panel
  StackView stacks_;
  ResultTableView groups_, events_;
};

SelectionRequest SelectionPanel::Wanted(const PanelContext& context) {
  SelectionRequest request;
  request.profile = context.profile->id;
  request.by = by_;
  request.stacks = page_ == Page::kStacks;
  request.names = context.settings.tracks.names;
  const ViewState& view = context.view;
  // The events of a frame are shown while the stacks of all events stay.
  if (stacks_.Shows(view.shown) && request.stacks && asked_.stacks &&
      asked_.profile == request.profile)
    return asked_;
  if (!view.shown.empty()) {
    request.kind = SelectionKind::kSelected;
    request.version = view.shown.version();
    return request;
  }
  if (context.search.count > 0) {
    request.kind = SelectionKind::kFound;
    request.version = context.search.version;
    return request;
  }
  if (context.state != nullptr) request.host = context.state->host;
  const TimeRange measured = view.MeasuredIn(request.profile);
  request.kind = measured.empty() ? SelectionKind::kVisible : SelectionKind::kMeasured;
  request.range = measured.empty() ? view.VisibleIn(request.profile) : measured;
  return request;
}

// A command that shows events names the page for them: "selection/step".
void SelectionPanel::FollowPage(const ViewState& view) {
  const std::pair<std::string, uint64_t> asked(view.panel, view.shown.version());
  // A click on a frame of the stacks shows events too, and the stacks stay.
  const bool stays =
      asked == asked_page_ || (page_ == Page::kStacks && asked.first == asked_page_.first);
  asked_page_ = asked;
  if (stays) return;
  if (view.panel == "selection/step") by_ = GroupBy::kStep, page_ = Page::kGroups;
}

void SelectionPanel::Update(const PanelContext& context) {
  FollowPage(context.view);
  const SelectionRequest wanted = Wanted(context);
  const double now = ImGui::GetTime();
  if (!(wanted == wanted_)) {
    wanted_ = wanted;
    since_ = now;
  }
  if (std::optional<SelectionStats> result = job_.Take()) {
    stats_ = std::move(*result);
    shown_ = asked_;
    ++version_;
  }
  // A range that is being dragged is added up as it goes; the view only when it rests.
  const bool rests = wanted_.kind != SelectionKind::kVisible || now - since_ >= kSelectionRest ||
                     version_ == 0 || wanted_.kind != shown_.kind;
  const bool free = !job_.active() || wanted_.kind != SelectionKind::kMeasured;
  if (!(wanted_ == asked_) && rests && free) {
    asked_ = wanted_;
    std::vector<Highlight::Rows> rows;
    if (wanted_.kind == SelectionKind::kSelected) rows = ByRunAndSet(context.view.shown.events());
    if (wanted_.kind == SelectionKind::kFound) rows = context.search.rows;
    job_.Start(context.jobs, [profile = *context.profile, request = asked_, rows = std::move(rows)](
                                 Progress&) { return AddUpSelection(profile, request, rows); });
  }
  // A job that ran out of memory has no result.
  if (job_.failed()) shown_ = asked_;
  waiting_ = !(wanted_ == shown_);
}

std::string TitleOf(SelectionKind kind) {
  constexpr std::pair<SelectionKind, const char*> kTitles[] = {
      {SelectionKind::kSelected, "Selected events"},
      {SelectionKind::kFound, "Found events"},
      {SelectionKind::kMeasured, "Measured range"}};
  return FindValue(kTitles, kind, "In view");
}

// How many events there are, and as a link the part of the trace that they lie in.
void SelectionPanel::DrawTitle(const PanelContext& context) const {
  SectionTitle(context, TitleOf(shown_.kind));
  ImGui::SameLine(0, BaseEm());
  std::string scope = Counted(stats_.listed_of, stats_.derived ? "derived rows" : "events");
  // Instants have no duration: the sums and `stepscope events --stats` are without them.
  const uint64_t instants = stats_.listed_of - std::min(stats_.listed_of, stats_.stats.total.count);
  if (instants > 0) scope += ", " + GroupDigits(instants) + " of them instants,";
  scope += " in " + WithoutZeros(FormatDuration(stats_.range.length(), 4));
  if (!shown_.host.empty()) scope += " of " + shown_.host;
  DrawScopeOf(context, scope, stats_.range);
}

void SelectionPanel::DrawHeader(const PanelContext& context) {
  DrawTitle(context);
  const FaceScope small(context, Face::kUi);
  struct Choice {
    const char* label;
    GroupBy by;
  };
  constexpr Choice kChoices[] = {
      {"By name", GroupBy::kName}, {"By track", GroupBy::kTrack}, {"By step", GroupBy::kStep}};
  for (const Choice& choice : kChoices) {
    if (ImGui::RadioButton(choice.label, page_ == Page::kGroups && by_ == choice.by)) {
      by_ = choice.by;
      page_ = Page::kGroups;
    }
    ImGui::SameLine();
  }
  if (ImGui::RadioButton("Stacks", page_ == Page::kStacks)) page_ = Page::kStacks;
  ImGui::SetItemTooltip("Merged by their callers: flame graph, top-down and bottom-up");
  ImGui::SameLine();
  if (ImGui::RadioButton("Events", page_ == Page::kEvents)) page_ = Page::kEvents;
  ImGui::SetItemTooltip("One row per event, ordered by begin");
}

void SelectionPanel::DrawNumbers(const PanelContext& context) const {
  const EventStatsRow& all = stats_.stats.total;
  if (all.count == 0) return;
  const FaceScope small(context, Face::kUi);
  struct Number {
    const char* label;
    Ps value;
    const char* how;
  };
  const Number numbers[] = {{"Total", all.total, "Sum of all durations."},
                            {"Self", all.self, "Without the events inside, on the same track."},
                            {"Mean", static_cast<Ps>(all.mean), ""},
                            {"Median", all.median, "By nearest rank."},
                            {"95 %", all.p95, "95 % of the durations are at most this."},
                            {"99 %", all.p99, "99 % of the durations are at most this."},
                            {"Min", all.min, ""},
                            {"Max", all.max, ""},
                            {"\u03c3", static_cast<Ps>(all.stddev), "Standard deviation."}};
  const float cell = BaseEm() * 9.2f, room = ImGui::GetContentRegionAvail().x;
  const int columns = std::max(1, static_cast<int>(room / cell));
  int at = 0;
  for (const Number& number : numbers) {
    if (at % columns != 0) ImGui::SameLine(cell * static_cast<float>(at % columns));
    ++at;
    TextIn(context, Role::kText2, number.label);
    ImGui::SameLine(0, BaseEm() * 0.4f);
    const FaceScope mono(context, Face::kMono);
    TextIn(context, Role::kText, WithoutZeros(FormatDuration(number.value, 4)));
    if (*number.how != 0) ImGui::SetItemTooltip("%s", number.how);
  }
}

void SelectionPanel::DrawGroups(const PanelContext& context) {
  groups_.Draw(context, stats_.groups, version_,
               {.id = "selection",
                .noun = shown_.by == GroupBy::kTrack  ? "tracks"
                        : shown_.by == GroupBy::kStep ? "steps"
                                                      : "names",
                .name_column = "name",
                .shorten_names = shown_.by == GroupBy::kName,
                .total_row = false});
}

void SelectionPanel::DrawStacks(const PanelContext& context) {
  if (stats_.stacks == nullptr) {
    TextIn(context, Role::kText2, "Merging stacks\u2026");
    return;
  }
  stacks_.Draw(context, *stats_.stacks, version_);
}

void SelectionPanel::DrawEvents(const PanelContext& context) {
  if (stats_.listed_of > stats_.events.size()) {
    const FaceScope small(context, Face::kUi);
    WrappedIn(context, Role::kText3,
              "The first " + GroupDigits(stats_.events.size()) + " by begin; " +
                  "`stepscope events` lists all of them.");
  }
  events_.Draw(context, stats_.events, version_,
               {.id = "events",
                .noun = "events",
                .name_column = "name",
                .shorten_names = true,
                .total_row = false});
}

void SelectionPanel::Draw(const PanelContext& context) {
  if (context.profile == nullptr || !context.profile->trace) {
    waiting_ = false;
    TextIn(context, Role::kText2, "Open a profile to add up its events.");
    return;
  }
  if (context.view.panel_profile == context.pinned && context.view.panel != shown_as_) {
    shown_as_ = context.view.panel;  // a command that names a page
    if (shown_as_ == "selection/stacks") page_ = Page::kStacks;
  }
  Update(context);
  if (version_ == 0) {
    TextIn(context, Role::kText2, "Adding up\u2026");
    return;
  }
  DrawHeader(context);
  if (stats_.listed_of == 0) {
    WrappedIn(context, Role::kText2,
              "No events here. Shift and a drag measure a range, Ctrl and a drag select events, "
              "/ finds them.");
    return;
  }
  if (page_ == Page::kStacks) {
    DrawStacks(context);
    return;
  }
  DrawNumbers(context);
  const float em = BaseEm();
  if (ImGui::GetContentRegionAvail().y > em * 16) {
    ImGui::Spacing();
    DrawDurationBars(context, stats_.stats.histogram,
                     {std::min(ImGui::GetContentRegionAvail().x, em * 48), em * 4.5f});
  }
  ImGui::Spacing();
  if (page_ == Page::kEvents) {
    DrawEvents(context);
  } else {
    DrawGroups(context);
  }
}

}  // namespace

std::unique_ptr<Panel> MakeSelectionPanel() { return std::make_unique<SelectionPanel>(); }

}  // namespace stepscope
