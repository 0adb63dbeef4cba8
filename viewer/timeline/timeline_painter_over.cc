// What lies over the timeline's rows: measurement, selection, arrows, cursor.
#include <algorithm>
#include <cmath>

#include "viewer/timeline/timeline_painter.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

constexpr float kSmallText = 12;

}  // namespace

void TimelinePainter::DrawSelection() const {
  const std::optional<Box> place = model_.Place(in_.runs, in_.panel.view.selected);
  if (!place) return;
  const Box &box = *place, area = model_.rows_below_sticky();
  pen_.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  pen_.Frame(box.x - 2, box.y - 2, box.w + 4, box.h + 4, theme_[Role::kPanel], 2, 1);
  pen_.Frame(box.x - 1, box.y - 1, box.w + 2, box.h + 2, theme_[Role::kText], 1, 2);
  pen_.list->PopClipRect();
}

void TimelinePainter::DrawFlows() const {
  if (model_.flows().empty() || !in_.panel.settings.Bool("timeline.flow_arrows")) return;
  const EventRef& selected = in_.panel.view.selected;
  const Trace* trace = nullptr;
  for (const Run& run : in_.runs) {
    if (run.id == selected.trace) trace = run.trace.get();
  }
  if (trace == nullptr) return;
  const Box area = model_.rows_below_sticky();
  pen_.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  for (const uint32_t i : model_.flows()) {
    const Flow& flow = trace->flows[i];
    const auto from_box = model_.Place(in_.runs, {selected.trace, 0, flow.from});
    const auto to_box = model_.Place(in_.runs, {selected.trace, 0, flow.to});
    if (!from_box || !to_box) continue;
    const Box &from = *from_box, &to = *to_box;
    const bool up = to.y < from.y;
    const ImVec2 a(from.x + from.w / 2, up ? from.y : from.y + from.h);
    const ImVec2 b(to.x + std::min(to.w / 2, pen_.Px(6)), up ? to.y + to.h + 2 : to.y - 2);
    const float bend =
        std::clamp(std::abs(b.y - a.y) * 0.5f, pen_.Px(20), pen_.Px(120)) * (up ? -1.0f : 1.0f);
    const ImVec2 c1(a.x, a.y + bend), c2(b.x, b.y - bend);
    pen_.list->AddBezierCubic(a, c1, c2, b, theme_.Alpha(Role::kPanel, 0.8f), 4.5f);
    pen_.list->AddBezierCubic(a, c1, c2, b, theme_[Role::kText], 1.6f);
    const float head = pen_.Px(5) * (up ? 1.0f : -1.0f), half = pen_.Px(4);
    pen_.list->AddTriangleFilled(b, {b.x + half, b.y + head * 1.6f},
                                 {b.x - half, b.y + head * 1.6f}, theme_[Role::kText]);
    pen_.list->AddCircleFilled(a, 4.5f, theme_[Role::kPanel]);
    pen_.list->AddCircleFilled(a, 3.2f, theme_[Role::kText]);
  }
  pen_.list->PopClipRect();
}

void TimelinePainter::DrawMeasure() const {
  const float bottom = geo_.rows.y + geo_.rows.h;
  pen_.list->PushClipRect({geo_.rows.x, geo_.ruler.y}, {geo_.rows.x + geo_.rows.w, bottom}, true);
  if (const auto marks = interaction_.zoom_marks()) {
    const auto [a, b] = *marks;
    pen_.Box(a, geo_.rows.y, b - a, geo_.rows.h, theme_.Alpha(Role::kAccent, 0.15f));
    for (float x : {a, b}) pen_.VLine(x, geo_.ruler.y, bottom, theme_[Role::kAccent]);
  }
  const TimeRange measured = in_.panel.view.MeasuredIn(in_.runs[model_.active()].id);
  if (!measured.empty()) {
    const float a = std::floor(geo_.rows.x + axis_.ClippedX(measured.begin));
    const float b = std::floor(geo_.rows.x + axis_.ClippedX(measured.end));
    for (float x : {a, b}) pen_.VLine(x, geo_.strip.y, bottom, theme_[Role::kAccent]);
    const std::string text = WithoutZeros(FormatDuration(measured.length(), 5));
    const float width = pen_.Width(in_.fonts.mono_bold, kSmallText, text) + pen_.Px(16);
    const float left =
        std::clamp(std::floor((a + b - width) / 2), geo_.rows.x, geo_.rows.x + geo_.rows.w - width);
    const float y = geo_.strip.y + pen_.Px(3), height = pen_.Px(17),
                middle = y + std::floor(height / 2);
    pen_.HLine(a, b, middle, theme_[Role::kAccent]);
    pen_.Box(left, y, width, height, theme_[Role::kAccent], pen_.Px(3));
    pen_.Text(in_.fonts.mono_bold, kSmallText, left + pen_.Px(8), y + pen_.Px(1),
              theme_.TextOn(theme_[Role::kAccent]), text);
    if (b - a > width + pen_.Px(16)) {
      const float h = pen_.Px(4), w = pen_.Px(6);
      pen_.list->AddTriangleFilled({a + 1, middle}, {a + 1 + w, middle - h},
                                   {a + 1 + w, middle + h}, theme_[Role::kAccent]);
      pen_.list->AddTriangleFilled({b, middle}, {b - w, middle - h}, {b - w, middle + h},
                                   theme_[Role::kAccent]);
    }
  }
  pen_.list->PopClipRect();
}

void TimelinePainter::DrawCursor() const {
  if (interaction_.drag() == Drag::kPan) return;
  float x = std::floor(ImGui::GetIO().MousePos.x);
  if (!interaction_.cursor()) {  // a graph below may point at a time
    const PointedTime* pointed = in_.panel.pointed;
    if (pointed == nullptr || !pointed->valid || !axis_.view().Contains(pointed->time)) return;
    x = std::floor(geo_.rows.x + axis_.ClippedX(pointed->time));
  }
  const float bottom = geo_.rows.y + geo_.rows.h;
  const Rgba color = theme_.Alpha(Role::kText3, 0.7f);
  const float top = geo_.strip.y + geo_.strip.h, step = pen_.Px(6);
  for (int i = 0; i < static_cast<int>((bottom - top) / step); ++i) {
    pen_.Box(x, top + static_cast<float>(i) * step, 1, pen_.Px(3), color);
  }
}

}  // namespace stepscope
