#include "viewer/panels/view_summary.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "model/base/count_text.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

constexpr const char* kTimesOfNames[] = {"self_us", "share", "total_us", "mean_us"};
constexpr double kViewRest = 0.2;  // seconds that the view has to rest before it is added up

}  // namespace

void ViewSummary::Update(const PanelContext& context) {
  const Key key{context.profile->trace.get(), context.view.VisibleIn(context.profile->id),
                context.state != nullptr ? context.state->host : std::string()};
  const double now = ImGui::GetTime();
  if (!(key == wanted_)) {
    wanted_ = key;
    since_ = now;
  }
  if (std::optional<VisibleEvents> result = job_.Take()) {
    events_ = std::move(*result);
    shown_ = asked_;
    ++version_;
  }
  const bool rests = now - since_ >= kViewRest || version_ == 0;
  if (!(wanted_ == asked_) && rests) {
    asked_ = wanted_;
    job_.Start(context.jobs,
               [trace = context.profile->trace, key](const std::stop_token& stop, Progress&) {
                 return AddUpVisible(*trace, key.range, key.host, stop);
               });
  }
  waiting_ = !(wanted_ == shown_);
}

void ViewSummary::DrawKinds(const PanelContext& context) const {
  const ResultTable& kinds = events_.kinds;
  double most = 0;
  for (const auto& row : kinds.rows) most = std::max(most, NumberOf(row[2]));
  const NumberFormat format = FormatFor(Unit::kUs, ValueType::kReal, most);
  const FaceScope small(context, Face::kUi);
  for (const auto& row : kinds.rows) {
    const auto count = static_cast<uint64_t>(NumberOf(row[1]));
    std::string text = Counted(count, "events");
    if (NumberOf(row[2]) > 0)  // instants take no time
      text += ", " + NumberText(NumberOf(row[2]), format) + " " + format.header;
    KeyValue(context, std::get<SharedText>(row[0]).view(), text, BaseEm() * 8, true);
    ImGui::SetItemTooltip("%s", kinds.columns[2].how.c_str());
  }
}

void ViewSummary::DrawTitle(const PanelContext& context) const {
  const TimeRange whole = context.profile->trace->span;
  const bool all = wanted_.range.begin <= whole.begin && wanted_.range.end >= whole.end;
  std::string scope = (all ? "Whole trace, " : "Visible range, ") +
                      FormatDuration((all ? whole : wanted_.range).length(), 4);
  if (!wanted_.host.empty()) scope += ", " + wanted_.host;
  SectionTitle(context, "In view");
  ImGui::SameLine(0, BaseEm());
  DrawScopeOf(context, scope, wanted_.range);
}

void ViewSummary::Draw(const PanelContext& context) {
  Update(context);
  DrawTitle(context);
  if (version_ == 0) {
    WrappedIn(context, Role::kText2, "Adding up what is in view\u2026");
    return;
  }
  {
    const FaceScope small(context, Face::kUi);
    const std::string hint =
        events_.events == 0
            ? "No event is in view."
            : Counted(events_.events, "events") + " on " + Counted(events_.tracks, "tracks") +
                  ". Click one for its times and arguments; / finds events by name.";
    WrappedIn(context, Role::kText2, hint);
  }
  if (events_.events == 0) return;
  ImGui::Spacing();
  DrawKinds(context);
  ImGui::Spacing();
  // Instants take no time, so that nothing but their number is known.
  const int self = events_.names.Column("self_us");
  const bool timed = std::any_of(
      events_.names.rows.begin(), events_.names.rows.end(),
      [&](const auto& row) { return std::isfinite(NumberOf(row[static_cast<size_t>(self)])); });
  TableOptions options;
  options.id = timed ? "visible" : "visible instants";
  options.noun = "names";
  options.name_column = "name";
  options.shorten_names = true;
  options.toolbar = options.total_row = false;
  if (!timed) options.hidden_columns = kTimesOfNames;
  table_.Draw(context, events_.names, version_, options);
}

}  // namespace stepscope
