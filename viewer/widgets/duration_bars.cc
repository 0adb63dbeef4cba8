#include "viewer/widgets/duration_bars.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/base/count_text.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

// The bins from the first to the last one with events.
std::pair<size_t, size_t> Used(const DurationHistogram& h) {
  size_t first = 0, end = DurationHistogram::kBins;
  while (first < end && h.counts[first] == 0) ++first;
  while (end > first && h.counts[end - 1] == 0) --end;
  return {first, end};
}

// A triangle that stands on the bar.
void Mark(ImDrawList* list, float x, float top, Rgba color) {
  const float r = std::floor(BaseEm() / 4), tip = top - 2;
  list->AddTriangleFilled({x - r, tip - r * 1.5f}, {x + r, tip - r * 1.5f}, {x, tip}, color);
}

}  // namespace

std::string DurationLimit(size_t bin) {
  return WithoutZeros(FormatDuration(DurationHistogram::BinBegin(bin), 3));
}

void DrawDurationAxis(const PanelContext& context, ImVec2 base, float width, float used,
                      std::pair<size_t, size_t> bins) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine(base, {base.x + width, base.y}, context.theme[Role::kLine]);
  const FaceScope small(context, Face::kMono, TypeSize::kSlice);
  const std::string first = DurationLimit(bins.first), last = DurationLimit(bins.second);
  list->AddText({base.x, base.y + 2}, context.theme[Role::kText3], first.c_str());
  if (used - TextWidth(last) > TextWidth(first) + 12)
    DrawRight(list, base.x + used, base.y + 2, context.theme[Role::kText3], last);
}

void DrawDurationBars(const PanelContext& context, const DurationHistogram& histogram, ImVec2 size,
                      std::optional<Ps> marked) {
  constexpr size_t kLeastBins = 12;  // keeps the bar of a single duration narrow
  const auto [first, end] = Used(histogram);
  if (first == end) return;
  const size_t bins = std::max(kLeastBins, end - first);
  const uint64_t most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float text = ImGui::GetTextLineHeight(), above = marked ? BaseEm() / 2 : 0;
  const float height = std::max(8.0f, size.y - text - 4);
  ImGui::InvisibleButton("##durations", size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float step = size.x / static_cast<float>(bins);
  const size_t own = marked ? DurationHistogram::BinOf(*marked) : DurationHistogram::kBins;
  for (size_t b = first; b < end; ++b) {
    if (histogram.counts[b] == 0) continue;
    const float x = p.x + step * static_cast<float>(b - first);
    const double share = static_cast<double>(histogram.counts[b]) / static_cast<double>(most);
    const float bar = std::max(2.0f, std::floor((height - above) * static_cast<float>(share)));
    const bool over = ImGui::IsItemHovered() && ImGui::GetIO().MousePos.x >= x &&
                      ImGui::GetIO().MousePos.x < x + step;
    DrawBox(list, std::floor(x), p.y + height - bar, std::max(1.0f, std::floor(step) - 1), bar,
            context.theme[over                  ? Role::kText
                          : !marked || b == own ? Role::kAccent
                                                : Role::kText3]);
    if (b == own) Mark(list, x + step / 2, p.y + height - bar, context.theme[Role::kText]);
    if (over) {
      WrappedTooltip(DurationLimit(b) + " to " + DurationLimit(b + 1) + ": " +
                     Counted(histogram.counts[b], "events"));
    }
  }
  DrawDurationAxis(context, {p.x, p.y + height}, size.x, step * static_cast<float>(end - first),
                   {first, end});
}

}  // namespace stepscope
