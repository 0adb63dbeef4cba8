// Kernels: what runs on the GPUs, by kernel and op, by kernel, or by op; a ring of the largest, the
// durations of the selected row, and how much is too short to be worth a launch.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/naming/vendor_words.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"
#include "model/jobs/latest_job.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

struct Mode {
  const char* label;
  const char* table;
  const char* name_column;
  const char* noun;
  const char* what;
};
constexpr Mode kModes[] = {
    {"Launch", "kernels", "kernel_name", "kernels",
     "A row for each kernel, op, grid, block and shared memory, as XProf has it."},
    {"Kernel", "by_kernel", "name", "kernels", "A row for each kernel."},
    {"Op", "by_op", "name", "ops", "A row for each framework op that launched kernels."},
    {"Stream", "by_stream", "name", "streams", "A row for each stream of each device."},
    {"Graph op", "graph_ops", "name", "ops",
     "Kernels of graphs: a row for each op and class of module that they were recorded for."},
    {"Graph kernel", "graph_kernels", "kernel_name", "kernels",
     "Kernels of graphs: a row for each, with op, layer, module and shapes, in their order."}};
constexpr uint64_t kModeBits = 8;  // room for the modes in a key
constexpr const char* kKernelFirst[] = {"rank",
                                        "kernel_name",
                                        "name",
                                        "total_duration_us",
                                        "share",
                                        "occurrences",
                                        "avg_duration_us",
                                        "op_name",
                                        "uses_matrix_unit",
                                        "min_duration_us",
                                        "max_duration_us",
                                        "parent_module",
                                        "layer",
                                        "shapes",
                                        "confidence",
                                        "module"};
constexpr const char* kKernelHidden[] = {"is_kernel_using_tensor_core"};

// Calls `use` with the rows of a mode, which have the order of its table.
template <typename Use>
auto WithRowsOf(const KernelPage& page, size_t mode, Use use) {
  switch (mode) {
    case 1:
      return use(page.by_kernel);
    case 2:
      return use(page.by_op);
    case 3:
      return use(page.by_stream);
    case 4:
      return use(page.graphs->ops);
    case 5:
      return use(page.graphs->kernels);
    default:
      return use(page.stats->kernels);
  }
}

// The events of a row; empty if there is no such row.
EventRows EventsOf(const KernelPage& page, size_t mode, int row) {
  const auto index = static_cast<size_t>(row);  // -1: none
  return WithRowsOf(page, mode, [&](const auto& rows) {
    return index < rows.size() ? rows[index].rows : EventRows();
  });
}

constexpr size_t kBins = 28;

struct Durations {
  std::vector<double> us;
  std::vector<EventRow> rows;  // the same events
};
struct Spread {
  std::shared_ptr<const Durations> durations;
  Histogram histogram;
};

class KernelStatsPanel final : public AnalysisPanel {
 public:
  KernelStatsPanel() : AnalysisPanel("kernel_stats", "Adding up the kernels") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void UpdateRing(const PanelContext& context, const KernelPage& page, uint64_t key);
  void UpdateHistogram(const PanelContext& context, const KernelPage& page, uint64_t key);
  void UpdateZoom(const PanelContext& context);
  void DrawSide(const PanelContext& context, const KernelStats& stats, const ResultTable& table,
                ImVec2 size);
  void DrawDurations(const PanelContext& context, float width, float height);
  void ShowBin(const PanelContext& context, int bin) const;
  void DrawModes(const PanelContext& context, const AnalysisResult& result);

  size_t mode_ = 1;
  ResultTableView table_;
  Ring ring_;
  Spread spread_;  // durations of the selected row, or of the one before while a job runs
  LatestJob<Spread> spread_job_;
  LatestJob<Histogram> zoom_job_;  // the zoomed part of spread_
  std::pair<double, double> zoom_, shown_zoom_;
  uint64_t ring_key_ = 0, histogram_key_ = 0;
  int histogram_row_ = -2;
};

void KernelStatsPanel::UpdateRing(const PanelContext& context, const KernelPage& page,
                                  uint64_t key) {
  const uint64_t ring_key = (key * kModeBits + mode_) * 2 + (context.theme.light() ? 1 : 0);
  if (ring_key == ring_key_) return;
  ring_key_ = ring_key;
  // Rows of one kernel with several ops or launches are one slice, because tiny slices are
  // illegible.
  const bool by_kernel = mode_ == 0 && !page.by_kernel.empty();
  ring_ = WithRowsOf(page, by_kernel ? 1 : mode_, [&]<typename Row>(const std::vector<Row>& rows) {
    std::vector<RingRow> shares;
    shares.reserve(rows.size());
    for (const Row& row : rows) {
      double us = InUs(row.total);
      if constexpr (std::is_same_v<Row, KernelGroup>)
        if (page.in_whole_ns) us = static_cast<double>(row.total_ns) / 1000;
      shares.emplace_back(row.shown(), us);
    }
    return MakeRing(context, kModes[by_kernel ? 1 : mode_].table, shares);
  });
  for (RingSlice& slice : ring_.slices)
    if (by_kernel) slice.row = -1;
  ring_.centre = FormatDuration(static_cast<Ps>(ring_.total * static_cast<double>(kPsPerUs)));
  const bool amd =
      context.profile != nullptr && context.profile->trace && OnlyAmdGpus(*context.profile->trace);
  ring_.centre_note =
      (amd ? "Matrix Core " : "Tensor Core ") + PercentText(page.stats->matrix_percent(), 1);
}

// Durations of the events that a row links to. A million events take longer than a frame.
Spread SpreadOf(const TrackSet& set, const EventRows& rows) {
  auto durations = std::make_shared<Durations>();
  durations->us.reserve(rows.size());
  for (EventRow event : rows) {
    if (event.value >= set.rows) continue;
    durations->us.push_back(static_cast<double>(set.Duration(event)) / kPsPerUs);
    durations->rows.push_back(event);
  }
  Histogram histogram = MakeHistogram(durations->us, kBins);
  return {std::move(durations), std::move(histogram)};
}

// Starts the job once per selection. The previous durations are shown until it ends.
void KernelStatsPanel::UpdateHistogram(const PanelContext& context, const KernelPage& page,
                                       uint64_t key) {
  if (std::optional<Spread> spread = spread_job_.Take()) {
    spread_ = std::move(*spread);
    zoom_ = shown_zoom_ = {0, 0};
    zoom_job_.Stop();
  }
  const int row = table_.current();
  const uint64_t histogram_key = key * kModeBits + mode_;
  if (row == histogram_row_ && histogram_key == histogram_key_) return;
  histogram_row_ = row;
  histogram_key_ = histogram_key;
  spread_job_.Stop();
  EventRows events = EventsOf(page, mode_, row);
  if (events.empty() || context.profile == nullptr || !context.profile->trace) {
    spread_ = {};
    return;
  }
  spread_job_.Start(context.jobs, [trace = context.profile->trace, events = std::move(events)](
                                      Progress&) { return SpreadOf(trace->set, events); });
}

// The zoomed part of the histogram, with finer bins.
void KernelStatsPanel::UpdateZoom(const PanelContext& context) {
  if (std::optional<Histogram> zoomed = zoom_job_.Take()) spread_.histogram = std::move(*zoomed);
  if (zoom_ == shown_zoom_ || !spread_.durations) return;
  shown_zoom_ = zoom_;
  zoom_job_.Start(context.jobs, [durations = spread_.durations, zoom = zoom_](Progress&) {
    return MakeHistogram(durations->us, kBins, zoom.first, zoom.second);
  });
}

// Shows the events whose durations lie in a bin on the timeline.
void KernelStatsPanel::ShowBin(const PanelContext& context, int bin) const {
  if (context.profile == nullptr || !spread_.durations) return;
  const Histogram& histogram = spread_.histogram;
  const double width = (histogram.high - histogram.low) / static_cast<double>(kBins);
  const double from = histogram.low + width * bin, to = from + width;
  const bool last = bin + 1 == static_cast<int>(kBins);
  CommandArgs args;
  for (size_t i = 0; i < spread_.durations->us.size(); ++i) {
    const double d = spread_.durations->us[i];
    if (d < from || (d >= to && !(last && d <= histogram.high))) continue;
    args.events.push_back({context.profile->id, 0, spread_.durations->rows[i]});
  }
  if (!args.events.empty()) context.commands.Push("select.show_events", std::move(args));
}

void KernelStatsPanel::DrawDurations(const PanelContext& context, float width, float height) {
  const float top = ImGui::GetCursorPosY();
  if (spread_.histogram.total == 0) {
    SectionTitle(context, "Durations");
    const FaceScope small(context, Face::kUi);
    WrappedIn(context, Role::kText3, "Select a row to see how its durations spread.");
    return;
  }
  const NumberFormat format = FormatFor(Unit::kUs, ValueType::kReal, spread_.histogram.max);
  const std::string note =
      fmt::format("p50 {}  p95 {}  max {} {}", NumberText(spread_.histogram.p50, format),
                  NumberText(spread_.histogram.p95, format),
                  NumberText(spread_.histogram.max, format), format.header);
  SectionTitle(context, "Durations");
  {
    const FaceScope small(context, Face::kUi, TypeSize::kSlice);
    WrappedIn(context, Role::kText2, note);
  }
  const float left = height - (ImGui::GetCursorPosY() - top);
  const int bin = DrawHistogram(context, "##durations", spread_.histogram, Unit::kUs,
                                ImVec2(width, std::max(left, BaseEm() * 3.5f)), &zoom_);
  if (bin >= 0) ShowBin(context, bin);
  UpdateZoom(context);
}

void KernelStatsPanel::DrawSide(const PanelContext& context, const KernelStats& stats,
                                const ResultTable& table, ImVec2 size) {
  const float em = BaseEm();
  const float lines = em * 3.4f;
  // If both do not fit, the selected row's durations replace the ring.
  const bool both = size.y > em * 25;
  const bool ring = both || spread_.histogram.total == 0;
  const float body = size.y - em * 1.8f - lines;
  if (ring) {
    SectionTitle(context, "Share of kernel time");
    const float most = size.x + em * 1.5f * static_cast<float>(ring_.slices.size() + 1);
    const float share = spread_.histogram.total == 0 ? body - em * 5 : body * 0.62f;
    const float height = std::clamp(both ? share : body, em * 6, std::max(em * 6, most));
    const int slice = DrawRing(context, "##ring", ring_, table_.current(), ImVec2(size.x, height));
    if (slice >= 0) {
      const RingSlice& s = ring_.slices[static_cast<size_t>(slice)];
      const bool others = static_cast<size_t>(slice) + 1 == ring_.slices.size();
      if (mode_ != 0) {
        table_.Select(table, s.row);
      } else if (!others) {
        table_.SetFilter("kernel_name", s.label);
      }
    }
  }
  if (both || !ring) {
    if (both) Rule(context);
    DrawDurations(context, size.x, ring ? body * 0.34f : size.y - lines);
  }
  const FaceScope small(context, Face::kUi);
  struct Line {
    const char* label;
    double percent;
    const char* how;
  };
  for (const Line& line :
       {Line{"Kernels under 20 \u00b5s", stats.short_percent(), kShortKernelsHow},
        Line{"Their share of time", stats.short_time_percent(), kShortTimeHow}}) {
    KeyValue(context, line.label, PercentText(line.percent, 1), size.x - em * 4.5f, true);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) ImGui::SetTooltip("%s", line.how);
  }
}

void KernelStatsPanel::DrawModes(const PanelContext& context, const AnalysisResult& result) {
  const FaceScope small(context, Face::kUi);
  bool first = true;
  for (size_t m = 0; m < std::size(kModes); ++m) {
    if (result.Table(kModes[m].table) == nullptr) continue;
    if (!first) ImGui::SameLine(0, Em() * 0.3f);
    first = false;
    if (ChoiceButton(context, kModes[m].label, m == mode_)) mode_ = m;
    ImGui::SetItemTooltip("%s", kModes[m].what);
  }
  ImGui::SameLine(0, Em());
  DrawScope(context);
  for (const Finding& finding : result.findings) {
    ImGui::SameLine(0, Em());
    ImGui::AlignTextToFramePadding();
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float right = p.x + ImGui::GetContentRegionAvail().x;
    if (right - p.x < Em() * 14) break;
    const float y = p.y + ImGui::GetStyle().FramePadding.y;
    DrawCut(ImGui::GetWindowDrawList(), ImVec2(p.x, y), right,
            context.theme[GradeRole(finding.grade)], finding.text);
    ImGui::Dummy(
        ImVec2(std::min(TextWidth(finding.text), right - p.x), ImGui::GetTextLineHeight()));
    ImGui::SetItemTooltip("%s\n%s", finding.text.c_str(), finding.next_step.c_str());
  }
}

void KernelStatsPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                  uint64_t key) {
  const KernelPage* page = result.As<KernelPage>();
  if (page == nullptr) return;
  const ResultTable* table = result.Table(kModes[mode_].table);
  if (table == nullptr) table = result.Table(kModes[mode_ = 0].table);
  UpdateRing(context, *page, key);
  UpdateHistogram(context, *page, key);
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  if (avail.x > em * 50) {
    const float side = std::clamp(avail.x * 0.2f, em * 13, em * 30);
    ImGui::BeginChild("side", ImVec2(side, 0));
    DrawSide(context, *page->stats, *table, ImGui::GetContentRegionAvail());
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("table", ImVec2(0, 0));
  DrawModes(context, result);
  table = result.Table(kModes[mode_].table);  // the mode may have changed just now
  table_.Draw(context, *table, key * kModeBits + mode_,
              {.id = kModes[mode_].table,
               .noun = kModes[mode_].noun,
               .name_column = kModes[mode_].name_column,
               .first_columns = kKernelFirst,
               .hidden_columns = kKernelHidden,
               .shorten_names = kModes[mode_].table != std::string_view("by_stream")});
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeKernelStatsPanel() { return std::make_unique<KernelStatsPanel>(); }

}  // namespace stepscope
