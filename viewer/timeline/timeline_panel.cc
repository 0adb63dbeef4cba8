#include "viewer/timeline/timeline_panel.h"
#include "viewer/core/track_path.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/base/sort_runs.h"

namespace stepscope {
namespace {

constexpr float kMinimapHeight = 46, kRulerHeight = 22, kStripHeight = 22, kRightMargin = 12;
constexpr size_t kMaxFlows = 64;  // arrows drawn for one selection

}  // namespace

void TimelinePanel::Draw(const TimelineInput& input) {
  animating_ = false;
  Measure(input);
  if (input.runs.empty() || geo_.rows.w < 16 || geo_.rows.h < 16) return;
  active_ = ActiveIndex(input);
  UpdateRanges(input);
  UpdateLayout(input);
  ScrollToSelection(input);
  UpdateHighlight(input);
  BuildPlan(input);
  HandleInput(input);
  UpdateFlows(input);

  const Pen pen = MakePen(input.panel.theme, input.fonts);
  DrawRows(input, pen);
  DrawRuler(input, pen);
  DrawTools(input, pen);
  DrawSteps(input, pen);
  DrawMeasure(input, pen);
  DrawFlows(input, pen);
  DrawSelection(input, pen);
  DrawCursor(input, pen);
  DrawTooltip(input);
  DrawMenu(input);
}

// A selection that came from elsewhere (search, a table, a link) may lie on a folded plane or out
// of sight. What the user clicked on is in sight anyway.
void TimelinePanel::ScrollToSelection(const TimelineInput& input) {
  const ViewState& view = input.panel.view;
  if (view.reveals == revealed_) return;
  const EventRef& event = view.selected;
  for (uint32_t run = 0; run < input.runs.size() && event.valid(); ++run) {
    const TimelineRun& r = input.runs[run];
    if (r.id != event.trace || event.set >= r.sets() || event.row.value >= r.Set(event.set).rows)
      continue;
    const TrackSet& set = r.Set(event.set);
    const Lane& lane = set.lanes[set.LaneOf(event.row).value];
    if (IsHidden(run, lane, event)) {
      input.panel.commands.Push("view.python_frames");
      return;  // there in the next frame
    }
    const size_t index = layout_.Find(run, event.set, lane.track);
    if (index == Layout::npos) {
      const std::string plane = PlanePath(*r.trace, set.tracks[lane.track.value].plane);
      const RunState* state = view.Find(r.id);
      if (state == nullptr || !state->collapsed.contains(plane)) break;
      CommandArgs args;
      args.run = r.id;
      args.text = plane;
      input.panel.commands.Push("view.toggle_collapse", std::move(args));
      return;
    }
    const LayoutItem& item = layout_.items()[index];
    const auto row = static_cast<double>(layout_.sizes().row);
    const auto page = static_cast<double>(geo_.rows.h);
    const double y = item.y + row * DepthOf(set, item, event.row).value_or(0);
    const double scroll = Scroll(input);
    if (y >= scroll && y + row <= scroll + page) break;
    CommandArgs args;
    args.number = y - page / 3 - scroll;
    input.panel.commands.Push("view.scroll", std::move(args));
    break;
  }
  revealed_ = view.reveals;
}

void TimelinePanel::Measure(const TimelineInput& input) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const float unit = ImGui::GetFontSize() / TypeSize::kUi;
  const auto px = [unit](float v) { return std::floor(v * unit + 0.5f); };
  const float x = std::floor(p.x), y = std::floor(p.y), w = std::floor(size.x),
              h = std::floor(size.y);
  const float wanted = std::floor(
      static_cast<float>(input.panel.settings.Real("timeline.label_width")) * ImGui::GetFontSize());
  const float label = std::clamp(wanted, px(80), std::max(px(80), w / 2));
  geo_.unit = unit;
  geo_.all = {x, y, w, h};
  const float canvas_x = x + label, canvas_w = std::max(0.0f, w - label - px(kRightMargin));
  geo_.minimap = {canvas_x, y, canvas_w, px(kMinimapHeight)};
  geo_.ruler = {canvas_x, geo_.minimap.y + geo_.minimap.h, canvas_w, px(kRulerHeight)};
  geo_.strip = {canvas_x, geo_.ruler.y + geo_.ruler.h, canvas_w, px(kStripHeight)};
  const float top = geo_.strip.y + geo_.strip.h + 1;
  geo_.labels = {x, top, label, std::max(0.0f, y + h - top)};
  geo_.rows = {canvas_x, top, canvas_w, geo_.labels.h};
  geo_.scrollbar = {canvas_x + canvas_w, top, px(kRightMargin), geo_.labels.h};
}

uint32_t TimelinePanel::ActiveIndex(const TimelineInput& input) const {
  for (uint32_t i = 0; i < input.runs.size(); ++i) {
    if (input.runs[i].id == input.panel.view.active) return i;
  }
  return 0;
}

void TimelinePanel::UpdateRanges(const TimelineInput& input) {
  glides_.resize(input.runs.size());
  glide_ids_.resize(input.runs.size());
  axes_.resize(input.runs.size());
  const Settings& settings = input.panel.settings;
  const double duration = settings.Real("timeline.glide_ms") / 1000.0;
  const bool animate = input.animate && settings.Bool("timeline.animate");
  const double dt = std::min(0.1, static_cast<double>(ImGui::GetIO().DeltaTime));
  const bool direct = drag_ == Drag::kPan || drag_ == Drag::kMinimap ||
                      drag_ == Drag::kMinimapBegin || drag_ == Drag::kMinimapEnd;
  for (size_t i = 0; i < input.runs.size(); ++i) {
    TimeRange target = input.panel.view.VisibleIn(input.runs[i].id);
    if (target.empty()) target = input.runs[i].trace->span;
    const bool first = glide_ids_[i] != input.runs[i].id;
    glide_ids_[i] = input.runs[i].id;
    if (first || !animate || direct) {
      glides_[i].Jump(target);
    } else {
      glides_[i].SetTarget(target);
      animating_ = glides_[i].Advance(dt, duration) || animating_;
    }
    axes_[i] = TimeAxis(glides_[i].shown(), static_cast<double>(geo_.rows.w));
  }
}

// Is it a Python frame that is left out now? Instants have no row in what is left, but stay.
bool TimelinePanel::IsHidden(uint32_t run, const Lane& lane, const EventRef& event) const {
  if (event.set != 0 || run >= without_python_.size() || !without_python_[run]) return false;
  const WithoutPython& rest = *without_python_[run];
  return lane.kind != LaneKind::kInstant && rest.track[lane.track.value].valid() &&
         !rest.row[event.row.value].valid();
}

// Before the layout, which draws from what is made here.
void TimelinePanel::UpdatePythonFrames(const TimelineInput& input) {
  const bool show = input.panel.settings.Bool("timeline.python_frames");
  if (show == show_python_ && python_content_ == input.content_generation) return;
  show_python_ = show;
  python_content_ = input.content_generation;
  ++python_changes_;
  std::vector<std::shared_ptr<const WithoutPython>> made;
  std::vector<std::shared_ptr<const Trace>> traces;
  for (uint32_t run = 0; !show && run < input.runs.size(); ++run) {
    const auto& trace = input.runs[run].trace;
    const auto known = std::find(python_traces_.begin(), python_traces_.end(), trace);
    made.push_back(known == python_traces_.end()
                       ? LeaveOutPython(*trace)
                       : without_python_[static_cast<size_t>(known - python_traces_.begin())]);
    traces.push_back(trace);
  }
  without_python_ = std::move(made);
  python_traces_ = std::move(traces);
  layout_content_ = 0;  // its items point into what is gone
  highlight_stale_ = true;
}

void TimelinePanel::UpdateLayout(const TimelineInput& input) {
  UpdatePythonFrames(input);
  const PanelContext& panel = input.panel;
  const auto row = static_cast<float>(panel.settings.Int("timeline.row_height"));
  std::vector<const std::set<std::string>*> collapsed;
  std::vector<std::string> hosts;
  for (const Run& run : input.runs) {
    const RunState* state = panel.view.Find(run.id);
    collapsed.push_back(state != nullptr ? &state->collapsed : nullptr);
    hosts.push_back(state != nullptr ? state->host : std::string());
  }
  bool same = layout_content_ == input.content_generation && layout_hosts_ == hosts &&
              layout_unit_ == geo_.unit && layout_row_ == row &&
              layout_collapsed_.size() == collapsed.size();
  for (size_t i = 0; same && i < collapsed.size(); ++i) {
    same = collapsed[i] == nullptr || *collapsed[i] == layout_collapsed_[i];
  }
  if (same) return;
  layout_content_ = input.content_generation;
  layout_hosts_ = std::move(hosts);
  layout_unit_ = geo_.unit;
  layout_row_ = row;
  layout_collapsed_.clear();
  for (const auto* set : collapsed)
    layout_collapsed_.push_back(set != nullptr ? *set : std::set<std::string>{});
  const auto px = [this](float v) { return std::floor(v * geo_.unit + 0.5f); };
  LayoutInput in;
  in.runs = input.runs;
  in.collapsed = collapsed;
  in.hosts = layout_hosts_;
  in.without_python = without_python_;
  in.sizes = {px(row) + 1, 1, px(22), px(2), px(40)};
  layout_.Build(in);
  flows_of_ = {};
}

void TimelinePanel::UpdateHighlight(const TimelineInput& input) {
  const ViewState& view = input.panel.view;
  const SearchHits& hits = input.search.hits();
  const bool events = !view.shown.empty();
  if (!highlight_stale_ && highlighted_ == view.shown.version() &&
      (events || (highlight_query_ == hits.query && highlight_count_ == hits.count)))
    return;
  highlight_stale_ = false;
  highlighted_ = view.shown.version();
  highlight_query_ = hits.query;
  highlight_count_ = hits.count;
  highlight_.rows.clear();
  highlight_.version = 0;
  if (!events && hits.query.empty()) return;
  highlight_.version = ++highlight_versions_;
  if (events) {
    HighlightEvents(input);
  } else {
    highlight_.rows = hits.rows;
  }
  AddRowsWithoutPython(input);
}

void TimelinePanel::HighlightEvents(const TimelineInput& input) {
  for (const EventRef& event : input.panel.view.shown.events()) {
    auto found = std::find_if(highlight_.rows.begin(), highlight_.rows.end(), [&](const auto& r) {
      return r.run == event.trace && r.set == event.set;
    });
    if (found == highlight_.rows.end())
      found = highlight_.rows.insert(found, {event.trace, event.set, {}});
    found->rows.push_back(event.row.value);
  }
  // Lists of ascending rows, one after the other.
  for (auto& rows : highlight_.rows) SortRuns(rows.rows.begin(), rows.rows.end(), std::less<>());
}

// The same events by the rows that are drawn where Python frames are hidden.
void TimelinePanel::AddRowsWithoutPython(const TimelineInput& input) {
  std::vector<Highlight::Rows> added;
  for (const Highlight::Rows& own : highlight_.rows) {
    size_t run = 0;
    while (run < input.runs.size() && input.runs[run].id != own.run) ++run;
    if (own.set != 0 || run >= without_python_.size() || !without_python_[run]) continue;
    const WithoutPython& rest = *without_python_[run];
    Highlight::Rows& drawn = added.emplace_back();
    drawn.run = own.run;
    drawn.set = WithoutPython::kSet;
    for (const uint32_t row : own.rows) {
      if (rest.row[row].valid()) drawn.rows.push_back(rest.row[row].value);
    }
    std::sort(drawn.rows.begin(), drawn.rows.end());
  }
  std::move(added.begin(), added.end(), std::back_inserter(highlight_.rows));
}

double TimelinePanel::Scroll(const TimelineInput& input) const {
  double scroll = 0;
  if (const RunState* state = input.panel.view.Find(input.panel.view.active))
    scroll = state->scroll_y;
  const double most = std::max(0.0, layout_.height() - static_cast<double>(geo_.rows.h));
  return std::floor(std::clamp(scroll, 0.0, most));
}

void TimelinePanel::BuildPlan(const TimelineInput& input) {
  for (const TimelineRun& run : input.runs) {
    for (uint32_t set = 0; set < run.sets(); ++set) input.names.Prepare(*run.Set(set).names);
  }
  PlanInput in;
  in.runs = input.runs;
  in.axes = axes_;
  in.layout = &layout_;
  in.scroll = Scroll(input);
  in.width = static_cast<uint32_t>(geo_.rows.w);
  in.height = static_cast<uint32_t>(geo_.rows.h);
  in.names = &input.names;
  in.highlight = &highlight_;
  // Rows are kept while this stays: other frames hidden are other contents.
  in.content_generation = input.content_generation << 32 | python_changes_;
  plan_.Build(in);
  feedback_.rows_height = static_cast<double>(geo_.rows.h);
  feedback_.content_height = layout_.height();
  feedback_.row = layout_.sizes().row;
}

void TimelinePanel::UpdateFlows(const TimelineInput& input) {
  const EventRef& selected = input.panel.view.selected;
  if (selected == flows_of_) return;
  flows_of_ = selected;
  flows_.clear();
  if (!selected.valid() || selected.set != 0) return;
  for (const TimelineRun& run : input.runs) {
    if (run.id != selected.trace) continue;
    const auto& flows = run.trace->flows;  // once per selection
    for (uint32_t i = 0; i < flows.size() && flows_.size() < kMaxFlows; ++i) {
      if (flows[i].from == selected.row || flows[i].to == selected.row) flows_.push_back(i);
    }
  }
}

TimeRange TimelinePanel::displayed() const {
  return active_ < glides_.size() ? glides_[active_].shown() : TimeRange{};
}

}  // namespace stepscope
