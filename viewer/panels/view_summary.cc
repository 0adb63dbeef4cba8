#include "viewer/panels/view_summary.h"

#include <imgui.h>

#include <algorithm>
#include <span>

#include "model/analysis/analysis.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr const char* kTimesOfNames[] = {"self_us", "share", "total_us", "mean_us"};
constexpr double kViewRest = 0.2;  // seconds that the view has to rest before it is added up

VisibleEvents AddUp(const Profile& profile, TimeRange range, const std::string& host) {
  const StatTable* stats = profile.analysis ? &profile.analysis->stats() : nullptr;
  return AddUpVisible(*profile.trace, range, host, stats);
}

}  // namespace

void ViewSummary::Update(const PanelContext& context) {
  const bool both = ComparesProfiles(context);
  const Profile* base = both ? FindProfile(context.profiles, context.view.baseline) : nullptr;
  const Profile& a = base != nullptr ? *base : *context.profile;
  const Profile* b = both ? FindComparedProfile(context.profiles, context.view) : nullptr;
  Key key{a.trace.get(), context.view.VisibleIn(a.id), {}, nullptr, {}};
  if (b != nullptr) {
    key.other = b->trace.get();
    key.other_range = context.view.VisibleIn(b->id);
  } else if (context.state != nullptr) {
    key.host = context.state->host;
  }
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
    job_.Start(context.later, [key, a, b = b != nullptr ? *b : Profile()](Progress&) {
      VisibleEvents of_a = AddUp(a, key.range, key.host);
      if (key.other == nullptr) return of_a;
      return CompareVisible(of_a, AddUp(b, key.other_range, key.host));
    });
  }
  waiting_ = !(wanted_ == shown_);
}

void ViewSummary::DrawKinds(const PanelContext& context) const {
  const size_t sides = events_.of_both ? 2 : 1;
  Ps most = 0;
  for (const VisibleKind& kind : events_.kinds) most = std::max({most, kind.busy[0], kind.busy[1]});
  const NumberFormat format = FormatFor(Unit::kUs, ValueType::kReal, InUs(most));
  const FaceScope small(context, Face::kUi);
  for (const VisibleKind& kind : events_.kinds) {
    for (size_t side = 0; side < sides; ++side) {
      std::string text = Counted(kind.count[side], "events");
      if (kind.busy[side] > 0)  // instants take no time
        text += ", " + NumberText(InUs(kind.busy[side]), format) + " " + format.header;
      std::string label(kind.name);
      if (sides > 1) label += side == 0 ? ", A" : ", B";
      KeyValue(context, label, text, BaseEm() * 8, true);
      ImGui::SetItemTooltip("sum over the tracks of the time in view that has an event");
    }
  }
}

std::string ViewSummary::Hint() const {
  if (events_.events == 0) return "No event is in view.";
  return Counted(events_.events, "events") + " on " + Counted(events_.tracks, "tracks") +
         (shown_.other != nullptr ? " of A and B. " : ". ") +
         "Click one for its times and arguments; / finds events by name.";
}

void ViewSummary::DrawTitle(const PanelContext& context) const {
  const TimeRange whole = wanted_.trace->span;
  bool all = wanted_.range.begin <= whole.begin && wanted_.range.end >= whole.end;
  if (wanted_.other != nullptr) {
    all = all && wanted_.other_range.begin <= wanted_.other->span.begin &&
          wanted_.other_range.end >= wanted_.other->span.end;
  }
  std::string scope = wanted_.other != nullptr
                          ? (all ? "All of A and B" : "Visible range of A and B")
                      : all ? "Whole trace"
                            : "Visible range";
  if (wanted_.other == nullptr || !all)
    scope += ", " + FormatDuration((all ? whole : wanted_.range).length(), 4);
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
    WrappedIn(context, Role::kText2, Hint());
  }
  if (events_.events == 0) return;
  ImGui::Spacing();
  DrawKinds(context);
  ImGui::Spacing();
  // Instants take no time, so that nothing but their number is known.
  const bool both = events_.of_both;
  const bool timed =
      both || std::any_of(events_.names.begin(), events_.names.end(),
                          [](const VisibleName& n) { return n.sides[0].slices > 0; });
  TableOptions options;
  options.id = both ? "visible of both" : timed ? "visible" : "visible instants";
  options.noun = "names";
  options.name_column = "name";
  options.shorten_names = true;
  options.toolbar = options.total_row = false;
  if (!timed) options.hidden_columns = kTimesOfNames;
  table_.Draw(context, events_.table, version_, options);
}

}  // namespace stepscope
