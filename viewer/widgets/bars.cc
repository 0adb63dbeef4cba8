#include "viewer/widgets/bars.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/base/digits.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr size_t kLeastBins = 12;

uint64_t AddTo(DurationHistogram* histogram, const Profile& profile, const RowLink& link) {
  if (link.set >= profile.sets()) return 0;
  const TrackSet& set = profile.Set(link.set);
  uint64_t count = 0;
  for (const EventRow row : link.rows) {
    if (row.value >= set.rows) continue;
    ++histogram->counts[DurationHistogram::BinOf(set.Duration(row))];
    ++count;
  }
  return count;
}

double Share(uint64_t part, uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The bins from the first to the last one in which either profile has events.
struct Bins {
  size_t first = 0, end = DurationHistogram::kBins;
  double most = 0;  // the largest share of a bin
  explicit Bins(const ComparedDurations& d) {
    const auto none = [&](size_t i) { return d.a.counts[i] == 0 && d.b.counts[i] == 0; };
    while (first < end && none(first)) ++first;
    while (end > first && none(end - 1)) --end;
    for (size_t i = first; i < end; ++i)
      most = std::max({most, Share(d.a.counts[i], d.count_a), Share(d.b.counts[i], d.count_b)});
  }
  size_t shown() const { return std::max(kLeastBins, end - first); }
};

void Tooltip(const ComparedDurations& d, size_t bin) {
  const auto side = [&](const char* name, uint64_t n, uint64_t of) {
    return "\n" + std::string(name) + ": " + Counted(n, "events") + ", " +
           NumberText(100 * Share(n, of), {1, 1, "", " %"});
  };
  WrappedTooltip(DurationLimit(bin) + " to " + DurationLimit(bin + 1) +
                 side("A", d.a.counts[bin], d.count_a) + side("B", d.b.counts[bin], d.count_b));
}

}  // namespace

ComparedDurations CompareDurations(const Profile& run_a, const RowLink& a, const Profile& run_b,
                                   const RowLink& b) {
  ComparedDurations out;
  out.count_a = AddTo(&out.a, run_a, a);
  out.count_b = AddTo(&out.b, run_b, b);
  out.all_a = std::max(out.count_a, a.total);
  out.all_b = std::max(out.count_b, b.total);
  return out;
}

void DrawComparedBars(const PanelContext& context, const ComparedDurations& d, ImVec2 size) {
  const Bins bins(d);
  if (bins.first == bins.end) return;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float text = ImGui::GetTextLineHeight(), height = std::max(8.0f, size.y - text - 4);
  ImGui::InvisibleButton("##compared", size);
  const bool hovered = ImGui::IsItemHovered();
  const float mouse = ImGui::GetIO().MousePos.x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float step = size.x / static_cast<float>(bins.shown());
  const auto top = [&](double share) {
    return p.y + height - std::floor(height * static_cast<float>(share / bins.most));
  };
  float before = p.y + height;
  for (size_t i = bins.first; i < bins.end; ++i) {
    const float x = std::floor(p.x + step * static_cast<float>(i - bins.first));
    const float right = std::floor(p.x + step * static_cast<float>(i - bins.first + 1));
    const bool over = hovered && mouse >= x && mouse < right;
    if (over) {
      DrawBox(list, x, p.y, right - x, height, context.theme[Role::kHover]);
      Tooltip(d, i);
    }
    const float b = top(Share(d.b.counts[i], d.count_b));
    if (d.b.counts[i] > 0)
      DrawBox(list, x, std::min(b, p.y + height - 2), std::max(1.0f, right - x - 1),
              std::max(2.0f, p.y + height - b), context.theme.Alpha(Role::kAccent, 0.75f));
    const float a = top(Share(d.a.counts[i], d.count_a));
    const Rgba line = context.theme[Role::kText];
    list->AddLine({x, before}, {x, a}, line, 1.5f);
    list->AddLine({x, a}, {right, a}, line, 1.5f);
    before = a;
  }
  DrawDurationAxis(context, {p.x, p.y + height}, size.x,
                   step * static_cast<float>(bins.end - bins.first), {bins.first, bins.end});
}

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
