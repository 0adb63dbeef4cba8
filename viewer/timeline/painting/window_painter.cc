// The part of the timeline's drawing that only the window has: texels, minimap, tools, what is
// dragged and the cursor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/base/digits.h"
#include "viewer/timeline/painting/timeline_painter.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct ToolRow {
  Tool tool;
  const char* id;
  CommandId command;
  const char *icon, *fallback, *tooltip;
};
constexpr ToolRow kTools[] = {
    {Tool::kSelect, "##select", "tool.select", icon::kPointer, "1",
     "Select (1): drag selects a box of events"},
    {Tool::kPan, "##pan", "tool.pan", icon::kPan, "2", "Pan (2): drag moves"},
    {Tool::kZoom, "##zoom", "tool.zoom", icon::kZoom, "3",
     "Zoom (3): drag zooms to the range that it marks"},
    {Tool::kTiming, "##timing", "tool.timing", icon::kRange, "4",
     "Timing (4): drag measures, edges snap"},
};

}  // namespace

WindowPainter::WindowPainter(const TimelineInput& input, const TimelineModel& model,
                             const TimelineInteraction& interaction)
    : TimelinePainter({input.profiles, input.all_profiles, input.panel.view, input.panel.theme,
                       input.fonts, input.counterpart, input.legend},
                      model, &interaction, pen_of_window_),
      window_(input),
      pen_of_window_(MakePen(input.panel.theme, input.fonts)) {}

void WindowPainter::Draw() const {
  DrawRows();
  DrawScrollbar();
  DrawTintLegend();
  DrawTitle();
  DrawMinimap();
  DrawRuler();
  DrawTools();
  DrawSteps();
  DrawMarks();
  DrawBox();
  DrawDraggedTrack();
  DrawCursor();
  DrawTooltip();
}

void WindowPainter::DrawSlices() const {
  const TexelFrame frame{.x = geo_.rows.x,
                         .y = geo_.rows.y,
                         .width = plan_.width(),
                         .rows = static_cast<uint32_t>(plan_.rows().size()),
                         .texels = plan_.texels(),
                         .lines = plan_.lines(),
                         .dirty_begin = plan_.dirty_begin(),
                         .dirty_end = plan_.dirty_end(),
                         .background = theme_[Role::kPanel],
                         .patterns = plan_.patterns(),
                         .stack = StackColors(theme_)};
  if (frame.rows > 0) window_.sink.Draw(frame, pen_.list);
}

void WindowPainter::DrawScrollbar() const {
  const double content = layout_.height(), page = static_cast<double>(geo_.rows.h);
  if (content > page) {
    const float thumb = std::max(pen_.Px(24), static_cast<float>(page * page / content));
    const float y = geo_.rows.y +
                    static_cast<float>(model_.scroll() / (content - page)) * (geo_.rows.h - thumb);
    const bool hot = interaction_->drag() == Drag::kScrollbar ||
                     geo_.scrollbar.Has(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
    pen_.Box(geo_.scrollbar.x + 3, y, geo_.scrollbar.w - 6, thumb,
             theme_[hot ? Role::kText3 : Role::kLine], pen_.Px(3));
  }
}

void WindowPainter::DrawMinimap() const {
  if (geo_.minimap.h <= 0) return;
  const Box& bar = geo_.minimap_bar;
  const Minimap& minimap = model_.minimap();
  pen_.Box(bar.x, bar.y, bar.w, bar.h, theme_[Role::kWindow], 2);
  minimap.Draw(window_.sink, pen_.list, bar.x, bar.y, theme_[Role::kWindow]);
  DrawMinimapMarks();
  const auto [a, b] = model_.Brush();
  pen_.Box(bar.x, bar.y, a - bar.x, bar.h, theme_.Alpha(Role::kPanel, 0.55f));
  pen_.Box(b, bar.y, bar.right() - b, bar.h, theme_.Alpha(Role::kPanel, 0.55f));
  pen_.Frame(a, bar.y - 2, b - a, bar.h + 4, theme_[Role::kAccent], 2);
  for (float x : {a, b})
    pen_.Box(x - 2, bar.y + bar.h / 2 - pen_.Px(7), 4, pen_.Px(14), theme_[Role::kAccent], 2);
  const float left = geo_.all.x + pen_.Px(14), right = geo_.rows.x - pen_.Px(12);
  const TimeRange shown = minimap.span(), whole = in_.profiles[model_.active()].trace->span;
  const bool all = shown.begin <= whole.begin && shown.end >= whole.end;
  const bool both = minimap.rows() > 1;
  pen_.Text(in_.fonts.ui, TypeSize::kSmall, left, geo_.minimap.y + pen_.Px(6), theme_[Role::kText2],
            both  ? "A above B"
            : all ? "Whole trace"
                  : "Densest 99.9 %");
  pen_.Text(in_.fonts.mono, kSmallText, left, geo_.minimap.y + pen_.Px(24), theme_[Role::kText],
            WithoutZeros(FormatDuration((all ? whole : shown).length(), 4)));
  const double part = 100.0 * static_cast<double>(axis_.view().length()) /
                      static_cast<double>(std::max<Ps>(1, minimap.span().length()));
  const std::string share = part > 99.9  ? "all in view"
                            : part < 0.1 ? fmt::format("{:.2g} % in view", part)
                                         : PercentText(part, 1) + " in view";
  pen_.TextRight(in_.fonts.ui, kSmallText, right, geo_.minimap.y + pen_.Px(24),
                 theme_[Role::kText2], share);
  pen_.HLine(geo_.all.x, geo_.all.x + geo_.all.w, geo_.ruler.y - 1, theme_[Role::kLine]);
}

// Draws ticks where highlighted events begin. Neighbouring columns share a tick.
void WindowPainter::DrawMinimapMarks() const {
  const std::vector<uint8_t>& columns = model_.minimap_marks().columns();
  const Box& bar = geo_.minimap_bar;
  const float height = pen_.Px(5);
  for (size_t x = 0; x < columns.size(); ++x) {
    if (columns[x] == 0) continue;
    const size_t first = x;
    while (x + 1 < columns.size() && columns[x + 1] != 0) ++x;
    const float width = std::max(pen_.Px(2), static_cast<float>(x - first + 1));
    pen_.Box(bar.x + static_cast<float>(first), bar.bottom() - height, width, height,
             theme_[Role::kWarning]);
  }
}

void WindowPainter::DrawTools() const {
  const float size = pen_.Px(28), y = geo_.ruler.y + pen_.Px(7);
  float x = geo_.all.x + pen_.Px(8);
  for (const ToolRow& tool : kTools) {
    if (!window_.tools) break;
    ImGui::SetCursorScreenPos({x, y});
    if (IconButton(tool.id, tool.icon, tool.fallback, tool.tooltip, in_.view.tool == tool.tool,
                   in_.fonts, theme_, size)) {
      window_.panel.commands.Push(tool.command);
    }
    x += size + pen_.Px(2);
  }
  DrawCorner(x);
}

// Draws the track that is dragged by its name, and a line where it lands.
void WindowPainter::DrawDraggedTrack() const {
  const std::optional<size_t> dragged = interaction_->dragged();
  if (!dragged) return;
  const LayoutItem& item = layout_.items()[*dragged];
  pen_.PushClip(geo_.all.x, geo_.rows.y, geo_.rows.right(), geo_.rows.bottom());
  const float at = model_.YOf(model_.TopOf(*dragged));
  pen_.Box(geo_.all.x, at, geo_.all.w, item.height, theme_.Alpha(Role::kAccent, 0.14f));
  if (const auto& landing = interaction_->landing()) {
    const float y = std::floor(model_.YOf(landing->y)) - 2, r = pen_.Px(4);
    pen_.Box(geo_.all.x, y, geo_.all.w, pen_.Px(2), theme_[Role::kAccent]);
    pen_.Triangle({geo_.all.x, y + 1 - r}, {geo_.all.x + r * 1.4f, y + 1}, {geo_.all.x, y + 1 + r},
                  theme_[Role::kAccent]);
  }
  pen_.PopClip();
  const float height = layout_.sizes().row, width = geo_.labels.w - pen_.Px(24);
  const float x = geo_.all.x + pen_.Px(12), y = ImGui::GetIO().MousePos.y - height / 2;
  pen_.Box(x, y, width, height, theme_[Role::kRaised], pen_.Px(3));
  pen_.Frame(x, y, width, height, theme_[Role::kAccent], pen_.Px(3));
  const std::string name = LabelOf(in_.profiles[item.profile], item).name;
  pen_.TextFit(in_.fonts.ui, TypeSize::kSmall, x + pen_.Px(8), x + width - pen_.Px(8),
               y + std::floor((height - pen_.Px(TypeSize::kSmall)) / 2) - 1, theme_[Role::kText],
               name);
}

// Draws the selecting box while it is dragged.
void WindowPainter::DrawBox() const {
  const std::optional<Box> box = interaction_->box();
  if (!box) return;
  pen_.Box(box->x, box->y, box->w, box->h, theme_.Alpha(Role::kAccent, 0.12f));
  pen_.Frame(box->x, box->y, box->w, box->h, theme_[Role::kAccent]);
}

void WindowPainter::DrawCursor() const {
  if (interaction_->drag() == Drag::kPan) return;
  float x = std::floor(ImGui::GetIO().MousePos.x);
  if (!interaction_->cursor()) {  // a panel's graph may point at a time
    const PointedTime& pointed = window_.panel.pointed;
    if (!pointed.valid) return;
    const ViewState& view = in_.view;
    const Ps t = view.Translate(view.active, in_.profiles[model_.active()].id, pointed.time);
    if (!axis_.view().Contains(t)) return;
    x = std::floor(geo_.rows.x + axis_.ClippedX(t));
  }
  const float bottom = geo_.rows.y + geo_.rows.h;
  const Rgba color = theme_.Alpha(Role::kText3, 0.7f);
  const float top = geo_.strip.y + geo_.strip.h, step = pen_.Px(6);
  for (int i = 0; i < static_cast<int>((bottom - top) / step); ++i) {
    pen_.Box(x, top + static_cast<float>(i) * step, 1, pen_.Px(3), color);
  }
}

}  // namespace stepscope
