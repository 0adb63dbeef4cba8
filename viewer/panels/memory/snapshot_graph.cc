#include "viewer/panels/memory/snapshot_graph.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/analysis/memory/allocation_groups.h"
#include "model/analysis/tables/in_unit.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr uint32_t kNamed = 6;        // entries of the legend before "others"
constexpr float kLeastPixels = 1.0f;  // lower bands are not told apart
constexpr uint32_t kMostColumns = 2048;
constexpr size_t kTooltipFrames = 12;

Ps FromMs(double ms) {
  return static_cast<Ps>(std::clamp(ms * static_cast<double>(kPsPerMs), -9e18, 9e18));
}

struct SizeClass {
  const char* label;
  int64_t below;
};
constexpr SizeClass kSizes[] = {{"below 1 MiB", 1 << 20},
                                {"1 to 10 MiB", 10 << 20},
                                {"10 to 100 MiB", 100 << 20},
                                {"100 MiB to 1 GiB", 1 << 30},
                                {"1 GiB and more", INT64_MAX}};

std::vector<std::string> LabelsOf(const SnapshotData& data, SnapshotColors colors) {
  std::vector<std::string> labels;
  switch (colors) {
    case SnapshotColors::kFrame:
      // Allocations from before the recording come after those with frames.
      for (uint32_t i = 0; i < data.frames.size(); ++i)
        labels.push_back(i == 0 ? kNoFrame : data.frames.Label(i));
      labels.emplace_back(kBeforeRecording);
      break;
    case SnapshotColors::kStream:
      for (const uint64_t stream : data.history->streams)
        labels.push_back(fmt::format("stream 0x{:x}", stream));
      break;
    case SnapshotColors::kSize:
      for (const SizeClass& size : kSizes) labels.emplace_back(size.label);
      break;
    case SnapshotColors::kCategory:
      labels = data.categories.labels();
      break;
  }
  return labels;
}

// Index of an allocation's label.
uint32_t ClassOf(const SnapshotData& data, const AllocatorDevice& device, SnapshotColors colors,
                 const Allocation& a) {
  switch (colors) {
    case SnapshotColors::kCategory:
      return data.categories.Of(device, a);
    case SnapshotColors::kStream:
      return a.stream;
    case SnapshotColors::kSize: {
      uint32_t c = 0;
      while (c + 1 < std::size(kSizes) && a.size >= kSizes[c].below) ++c;
      return c;
    }
    case SnapshotColors::kFrame:
      break;
  }
  const uint32_t frame = data.frames.Of(a.stack);
  return frame == 0 && a.before() ? static_cast<uint32_t>(data.frames.size()) : frame;
}

bool Covers(const LayoutRequest& request, TimeRange view) {
  return request.range.begin <= view.begin && request.range.end >= view.end;
}

TimeRange Whole(const SnapshotData& data, const AllocatorDevice& device) {
  if (device.events == 0) return {0, 1};
  return {
      data.history->EventTime(device, 0),
      SaturatingAdd(data.history->EventTime(device, static_cast<uint32_t>(device.events - 1)), 1)};
}

// "train.py:88 loss_history" and so on, the innermost first.
std::string ShortStack(const AllocatorHistory& history, uint32_t stack) {
  std::string text;
  const auto frames = history.Stack(stack);
  for (size_t i = 0; i < frames.size() && i < kTooltipFrames; ++i)
    text += (text.empty() ? "" : "\n") + FrameLabel(history, frames[i]);
  if (frames.size() > kTooltipFrames)
    text += fmt::format("\nand {} more", frames.size() - kTooltipFrames);
  return text;
}

// Pixels of a plot, without a call of ImPlot for each.
struct Pixels {
  ImVec2 origin, size;
  double first = 0, per_ms = 0, low = 0, per_byte = 0;
  float X(Ps time) const {
    const double x = (InMs(time) - first) * per_ms;
    return std::floor(origin.x + static_cast<float>(std::clamp(x, -1.0, size.x + 1.0)));
  }
  float Y(double bytes) const {
    const double y = (bytes - low) * per_byte;
    return std::floor(origin.y + size.y - static_cast<float>(std::clamp(y, -1.0, size.y + 1.0)));
  }
};

Pixels PixelsOf(const TimePlot& plot, double low, double high) {
  Pixels p{ImPlot::GetPlotPos(), ImPlot::GetPlotSize()};
  p.first = plot.first_ms();
  p.per_ms = p.size.x / std::max(plot.last_ms() - plot.first_ms(), 1e-12);
  p.low = low;
  p.per_byte = p.size.y / std::max(high - low, 1.0);
  return p;
}

}  // namespace

std::string SnapshotGraph::MakerOf(const SnapshotData& data, const Allocation& allocation) {
  const uint32_t frame = data.frames.Of(allocation.stack);
  if (frame != 0) return data.frames.Label(frame);
  return allocation.before() ? kBeforeRecording : kNoFrame;
}

// Colours and legend: by how much is held at the peak.
void SnapshotGraph::Prepare(const PanelContext& context, const SnapshotData& data,
                            const AllocatorDevice& device, uint64_t key) {
  const Rgba panel = context.theme[Role::kPanel];
  if (key == key_ && panel == panel_ && colors == prepared_) return;
  if (key != key_) {
    layout_.reset();
    job_.Stop();
    requested_ = {};
    low_ = high_ = 0;
    format_ = FormatFor(Unit::kBytes, ValueType::kInt, static_cast<double>(device.peak_bytes));
  }
  if (key != key_ || colors != prepared_) state_ = {}, requested_ = {}, job_.Stop();
  key_ = key, panel_ = panel, prepared_ = colors;
  labels_ = LabelsOf(data, colors);
  std::vector<int64_t> held(labels_.size());
  for (const Allocation& a : device.allocations.span()) {
    if (!a.LiveAfter(device.peak_event)) continue;
    int64_t& sum = held[ClassOf(data, device, colors, a)];
    sum = SaturatingAdd(sum, a.size);
  }
  std::vector<uint32_t> order(labels_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const size_t named = std::min<size_t>(kNamed, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(named), order.end(),
      [&](uint32_t a, uint32_t b) { return held[a] != held[b] ? held[a] > held[b] : a < b; });
  entry_.assign(labels_.size(), kNamed);
  color_.resize(labels_.size());
  legend_.clear();
  for (size_t i = 0; i < labels_.size(); ++i) color_[i] = context.theme.NameColor(labels_[i]);
  for (size_t i = 0; i < named && held[order[i]] > 0; ++i) {
    const uint32_t c = order[i];
    const bool nobody = labels_[c] == kBeforeRecording || labels_[c] == kNoFrame;
    color_[c] = nobody ? Mix(context.theme[Kind::kOther], panel,
                             labels_[c] == kBeforeRecording ? 0.5f : 0.2f)
                       : FreshColor(context.theme, labels_[c], legend_);
    entry_[c] = static_cast<uint32_t>(legend_.size());
    legend_.push_back({labels_[c], color_[c], {}});
  }
  const auto others = static_cast<uint32_t>(legend_.size());
  if (others < labels_.size()) legend_.push_back({"others", context.theme[Kind::kOther], {}});
  for (uint32_t& entry : entry_) entry = std::min(entry, others);
}

Rgba SnapshotGraph::ColorOf(const PanelContext& context, const std::string& frame) const {
  for (const ChartSeries& s : legend_) {
    if (frame.empty() ? s.label == kBeforeRecording || s.label == kNoFrame : s.label == frame)
      return s.color;
  }
  return frame.empty() ? context.theme[Kind::kOther] : context.theme.NameColor(frame);
}

// Requests a layout if the current one does not cover the view at its size.
void SnapshotGraph::Request(const PanelContext& context,
                            const std::shared_ptr<const SnapshotData>& data, size_t device,
                            ImVec2 pixels) {
  if (auto done = job_.Take()) layout_ = std::move(*done);
  const TimeRange whole = Whole(*data, data->Device(device));
  TimeRange view{FromMs(plot_.first_ms()), FromMs(plot_.last_ms())};
  view = {std::clamp(view.begin, whole.begin, whole.end),
          std::clamp(view.end, whole.begin, whole.end)};
  if (view.empty() || job_.busy()) return;
  const double bytes_a_pixel = (high_ - low_) / std::max(1.0f, pixels.y);
  const auto least = static_cast<int64_t>(std::max(1.0, bytes_a_pixel * kLeastPixels));
  const Ps margin = view.length() / 2;
  const double finer = static_cast<double>(requested_.range.length()) /
                       std::max(1.0, static_cast<double>(view.length()));
  const bool same_scale = requested_.min_bytes <= 2 * least && least <= 2 * requested_.min_bytes;
  if (requested_.columns > 0 && Covers(requested_, view) && finer < 4 && same_scale) return;
  requested_.range = {std::max(whole.begin, SaturatingSub(view.begin, margin)),
                      std::min(whole.end, SaturatingAdd(view.end, margin))};
  requested_.min_bytes = least;
  const double share =
      static_cast<double>(requested_.range.length()) / static_cast<double>(view.length());
  requested_.columns = static_cast<uint32_t>(
      std::clamp(share * static_cast<double>(pixels.x), 64.0, static_cast<double>(kMostColumns)));
  job_.Start(context.jobs,
             [data, device, request = requested_, entry = entry_, by = prepared_](Progress&) {
               const auto group = [&](const Allocation& a) {
                 return entry[ClassOf(*data, data->Device(device), by, a)];
               };
               return std::make_shared<const AllocationLayout>(
                   LayOut(*data->history, data->Device(device), request, group));
             });
}

// Ctrl and the wheel zoom around the mouse; dragging moves. The range stays above 0 and near the
// peak.
void SnapshotGraph::ZoomBytes(const AllocatorDevice& device) {
  const double most = std::max(1.0, static_cast<double>(device.peak_bytes) * 1.05);
  if (high_ <= low_) low_ = 0, high_ = most;
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImPlot::IsPlotHovered()) return;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) low_ = 0, high_ = most;
  const double span = high_ - low_;
  const double a_pixel = span / std::max(1.0f, ImPlot::GetPlotSize().y);
  if (io.KeyCtrl && io.MouseWheel != 0) {
    const double at = ImPlot::GetPlotMousePos().y / format_.scale;
    const double to = std::clamp(span * std::pow(0.8, io.MouseWheel), most * 1e-6, most);
    low_ = at - (at - low_) * to / span;
    high_ = low_ + to;
  } else if (ImGui::IsMouseDragging(ImGuiMouseButton_Left) && span < most) {
    low_ += io.MouseDelta.y * a_pixel;
    high_ += io.MouseDelta.y * a_pixel;
  }
  const double length = std::min(high_ - low_, most);
  low_ = std::clamp(low_, 0.0, most - length);
  high_ = low_ + length;
}

void SnapshotGraph::DrawBands(const PanelContext& context, const SnapshotData& data,
                              const AllocatorDevice& device, int64_t selected) const {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const Pixels at = PixelsOf(plot_, low_, high_);
  const float left = at.origin.x, right = at.origin.x + at.size.x;
  const float top = at.origin.y, bottom = at.origin.y + at.size.y;
  for (const SmallBand& b : layout_->small) {
    const float x0 = at.X(b.range.begin), x1 = at.X(b.range.end);
    if (x1 < left || x0 > right || b.group >= legend_.size()) continue;
    const auto offset = static_cast<double>(b.offset);
    const float alpha = state_.Shown(b.group) ? 0.6f : 0.08f;
    list->AddRectFilled({x0, at.Y(offset + static_cast<double>(b.size))}, {x1, at.Y(offset)},
                        WithAlpha(legend_[b.group].color, alpha));
  }
  for (const AllocationBand& b : layout_->bands) {
    const float x0 = at.X(b.range.begin), x1 = std::max(at.X(b.range.end), x0 + 1);
    if (x1 < left || x0 > right) continue;
    const auto offset = static_cast<double>(b.offset);
    float y0 = at.Y(offset + static_cast<double>(b.size));
    const float y1 = at.Y(offset);
    if (y1 < top || y0 > bottom) continue;
    const uint32_t c = ClassOf(data, device, prepared_, device.allocations[b.allocation]);
    // A line of the background tells bands of one colour apart, where there is room.
    if (y1 - y0 > 4) y0 += 1;
    list->AddRectFilled({x0, y0}, {x1, std::max(y1, y0 + 1)},
                        WithAlpha(color_[c], state_.Shown(entry_[c]) ? 0.92f : 0.12f));
    if (selected == b.allocation)
      list->AddRect({x0, y0 - 1}, {x1, std::max(y1, y0 + 1)}, context.theme[Role::kText], 0, 2.0f);
  }
}

void SnapshotGraph::DrawMarks(const PanelContext& context, const SnapshotData& data,
                              const AllocatorDevice& device, Ps marked) const {
  for (const uint32_t e : device.out_of_memory)
    TimePlot::DrawLine(data.history->EventTime(device, e), context.theme[Role::kBad], 2);
  TimePlot::DrawLine(marked, context.theme[Role::kText], 1);
  TimePlot::DrawMarks(context);
}

SnapshotGraph::Hit SnapshotGraph::HitAt() const {
  const ImPlotPoint at = ImPlot::GetPlotMousePos();
  const Ps time = FromMs(at.x);
  const double bytes = at.y / format_.scale;
  const auto on = [&](const auto& b) {
    const auto offset = static_cast<double>(b.offset);
    return b.range.Contains(time) && bytes >= offset &&
           bytes < offset + static_cast<double>(b.size);
  };
  for (const AllocationBand& b : layout_->bands) {
    if (on(b)) return {&b, nullptr};
  }
  for (const SmallBand& b : layout_->small) {
    if (on(b)) return {nullptr, &b};
  }
  return {};
}

void SnapshotGraph::DrawTooltip(const PanelContext& context, const SnapshotData& data,
                                const AllocatorDevice& device, const Hit& hit) const {
  if (!ImGui::BeginTooltip()) return;
  if (hit.band == nullptr) {
    const bool known = hit.small->group < legend_.size();
    TextIn(context, Role::kText, known ? legend_[hit.small->group].label : "others");
    ImGui::Text("%s in allocations below %s: zoom in to tell them apart",
                FormatValue(Value(hit.small->size), Unit::kBytes).c_str(),
                FormatValue(Value(layout_->min_bytes), Unit::kBytes).c_str());
    TextIn(context, Role::kText3, "Click shows what was live then");
    ImGui::EndTooltip();
    return;
  }
  const uint32_t allocation = hit.band->allocation;
  const AllocatorHistory& history = *data.history;
  const Allocation& a = device.allocations[allocation];
  TextIn(context, Role::kText, MakerOf(data, a));
  const auto when = [&](uint32_t event) {
    return WithoutZeros(FormatDuration(history.EventTime(device, event), 7));
  };
  ImGui::Text("%s, %s to %s", FormatValue(Value(a.size), Unit::kBytes).c_str(),
              a.before() ? kBeforeRecording : ("from " + when(a.begin)).c_str(),
              a.freed() ? when(a.end).c_str() : "the end: not freed");
  if (const std::string stack = ShortStack(history, a.stack); !stack.empty()) {
    const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
    TextIn(context, Role::kText2, stack);
  }
  TextIn(context, Role::kText3, "Click shows its details and what was live then");
  ImGui::EndTooltip();
}

SnapshotGraph::Clicked SnapshotGraph::Draw(const PanelContext& context,
                                           const std::shared_ptr<const SnapshotData>& data,
                                           size_t device_index, uint64_t key, Ps marked,
                                           int64_t selected, ImVec2 size) {
  Clicked clicked;
  const AllocatorDevice& device = data->Device(device_index);
  const float top_y = ImGui::GetCursorPosY();
  Prepare(context, *data, device, key);
  DrawLegend(context, legend_, &state_, false);
  const float height = std::max(size.y - (ImGui::GetCursorPosY() - top_y), BaseEm() * 6);
  const FaceScope mono(context, Face::kMono, TypeSize::kSlice);
  // Room for half of the last time, which stands under the plot's right edge.
  if (!plot_.Begin(context, "##snapshot", ImVec2(size.x - Em() * 2.5f, height),
                   Whole(*data, device)))
    return clicked;
  if (ImGui::GetIO().KeyCtrl) {  // then the wheel is for the bytes
    ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_Lock);
  }
  if (high_ <= low_) low_ = 0, high_ = std::max(1.0, static_cast<double>(device.peak_bytes) * 1.05);
  plot_.SetupY(format_, high_);
  ImPlot::SetupAxisLimits(ImAxis_Y1, low_ * format_.scale, high_ * format_.scale,
                          ImPlotCond_Always);
  ImPlot::SetupFinish();
  Request(context, data, device_index, ImPlot::GetPlotSize());
  ImPlot::PushPlotClipRect();
  if (layout_) DrawBands(context, *data, device, selected);
  DrawMarks(context, *data, device, marked);
  ImPlot::PopPlotClipRect();
  if (ImPlot::IsPlotHovered()) {
    const Ps time = TimePlot::Point(context);
    const Hit hit = layout_ ? HitAt() : Hit{};
    if (hit.band != nullptr || hit.small != nullptr) DrawTooltip(context, *data, device, hit);
    if (TimePlot::Clicked())
      clicked = {true, time, hit.band != nullptr ? int64_t{hit.band->allocation} : -1};
  }
  ZoomBytes(device);
  plot_.End(context, "##snapshot");
  return clicked;
}

}  // namespace stepscope
