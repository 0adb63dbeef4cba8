// Memory snapshot: what a device had allocated over time as bands, who held it at the peak, at the
// end, when it ran out and at any time the user clicks, and what grows with each step.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "model/analysis/memory/allocator_state.h"
#include "model/analysis/memory/memory_snapshot.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/profiles/matching_events.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/memory/snapshot_graph.h"
#include "viewer/panels/memory/stack_views.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr const char* kColorNames[] = {"frame", "stream", "size", "category"};

// How the allocations that were live at a moment are shown.
enum class LiveView : uint8_t { kTables, kTree, kFlames };
constexpr const char* kLiveViews[] = {"Tables", "Tree of stacks", "Flame graph"};

std::string TimeText(Ps time) { return WithoutZeros(FormatDuration(time, 6)); }

// The allocations that were live at a moment by frame and by stack, the change since another
// moment, and the layout of memory.
struct MomentTables {
  ResultTable live, stacks, growth, growth_stacks, segments;
  StackTree tree;
};
constexpr size_t kMostStacks = 1000;
constexpr size_t kMostThen = 8;  // events of a trace

class MemorySnapshotPanel final : public AnalysisPanel {
 public:
  MemorySnapshotPanel() : AnalysisPanel("memory_snapshot", "Adding up the allocations") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;
  bool animating() const override {
    return AnalysisPanel::animating() || data_job_.busy() || moment_job_.busy() || graph_.busy();
  }

 private:
  void Update(const PanelContext& context, const AnalysisResult& result, uint64_t key);
  void Poll();
  void UseDevice(size_t device);
  void ListLiveAt(const PanelContext& context, Ps time);
  void DrawNumbers(const PanelContext& context, const AnalysisResult& result);
  void DrawSelected(const PanelContext& context);
  void FindRanThen(const PanelContext& context);
  void DrawRanThen(const PanelContext& context) const;
  void DrawBar(const PanelContext& context);
  void DrawGraph(const PanelContext& context, float height);
  bool DrawStacks(const PanelContext& context);
  void DrawTables(const PanelContext& context, const AnalysisResult& result);
  std::optional<Ps> MomentOf(const PanelContext& context, std::string_view table) const;

  LatestJob<std::shared_ptr<const SnapshotData>> data_job_;
  LatestJob<MomentTables> moment_job_;
  std::shared_ptr<const SnapshotData> data_;  // null until the frames are known
  SnapshotGraph graph_;
  TablePages pages_;
  MomentTables moment_;
  size_t device_ = 0;   // of AllocatorHistory::devices
  int64_t wanted_ = 0;  // its index, by the analysis
  Ps marked_ = 0;  // shown in the graph: when memory ran out, else the peak, or what was clicked
  Ps since_ = 0;   // what growth is counted from: what was marked before
  int64_t selected_ = -1;  // allocation of the device
  uint64_t key_ = 0, moment_key_ = 0;
  std::vector<ActivityAtTime> ran_then_;    // in the traces that lie beside it
  std::string apart_;                       // why that is not known
  bool ran_before_ = false;                 // they are of the click, not of the allocation's begin
  LiveView live_view_ = LiveView::kTables;  // how what was live at the moment is shown
  uint32_t flames_root_ = kNoNode;
};

void MemorySnapshotPanel::Update(const PanelContext& context, const AnalysisResult& result,
                                 uint64_t key) {
  if (key == key_) return;
  key_ = key;
  const auto* report = result.As<SnapshotReport>();
  wanted_ = report != nullptr ? report->device : 0;
  moment_job_.Stop();
  moment_ = {};
  ran_then_.clear();
  apart_.clear();
  selected_ = -1;
  // Results made by hand (tests) may have no trace behind them: then the tables are all there is.
  const std::shared_ptr<const Trace> trace =
      context.profile != nullptr ? context.profile->trace : nullptr;
  if (data_ && data_->trace == trace) return;
  data_.reset();
  if (trace == nullptr || HistoryOf(*trace) == nullptr) return;
  data_job_.Start(context.jobs, [trace](Progress&) {
    return std::shared_ptr<const SnapshotData>(std::make_shared<SnapshotData>(trace));
  });
}

void MemorySnapshotPanel::Poll() {
  if (auto data = data_job_.Take(); data && *data) {
    data_ = std::move(*data);
    const auto& devices = data_->history->devices;
    for (size_t d = 0; d < devices.size(); ++d) {
      if (devices[d].index == wanted_) UseDevice(d);
    }
  }
  if (auto moment = moment_job_.Take()) {
    moment_ = std::move(*moment);
    flames_root_ = kNoNode;
    ++moment_key_;
    pages_.Show("moment");
  }
}

void MemorySnapshotPanel::UseDevice(size_t device) {
  device_ = device;
  selected_ = -1;
  moment_ = {};
  ran_then_.clear();
  apart_.clear();
  const AllocatorDevice& d = data_->Device(device);
  const uint32_t marked = d.out_of_memory.empty() ? d.peak_event : d.out_of_memory.back();
  marked_ = since_ = d.events > 0 ? data_->history->EventTime(d, marked) : 0;
}

void MemorySnapshotPanel::ListLiveAt(const PanelContext& context, Ps time) {
  since_ = std::exchange(marked_, time);
  moment_job_.Start(
      context.jobs, [data = data_, device = device_, time, since = since_](Progress&) {
        const AllocatorHistory& history = *data->history;
        const AllocatorDevice& d = data->Device(device);
        const uint32_t now = EventAt(history, d, time), then = EventAt(history, d, since);
        MomentTables tables;
        const UserFrames& frames = data->frames;
        using enum GroupedBy;
        tables.live =
            LiveTable(kFrame, LiveByFrame(d, frames, now), "moment", "Live at " + TimeText(time));
        const std::string title = "Change since " + TimeText(since);
        tables.growth = GrowthTable(kFrame, Growth(d, frames, then, now), "since", title);
        tables.growth_stacks =
            GrowthTable(kStack, GrowthByStack(history, d, frames, then, now, kMostStacks),
                        "since_stacks", title + ", by stack");
        tables.stacks = LiveTable(kStack, LiveByStack(history, d, frames, now, kMostStacks),
                                  "moment_stacks", "Live then, by stack");
        tables.tree = LiveTree(history, d, now);
        tables.segments = SegmentStateTable(history, SegmentsAt(history, d, now), "moment_segments",
                                            "Segments then");
        return tables;
      });
}

void MemorySnapshotPanel::DrawNumbers(const PanelContext& context, const AnalysisResult& result) {
  for (const Property& p : result.properties) {
    std::string text = FormatValue(p.value, p.unit);
    const bool time = p.id.ends_with("_time_us");
    if (const auto* us = std::get_if<int64_t>(&p.value); time && us != nullptr && data_)
      text = TimeText(data_->history->TimeOf(*us));
    if (text.empty()) continue;
    KeyValue(context, p.label, text, BaseEm() * 9.5f, true);
    if (!p.how.empty() && !time) ImGui::SetItemTooltip("%s", p.how.c_str());
  }
}

void MemorySnapshotPanel::DrawSelected(const PanelContext& context) {
  if (!data_ || selected_ < 0) return;
  const AllocatorHistory& history = *data_->history;
  const AllocatorDevice& device = data_->Device(device_);
  const Allocation& a = device.allocations[static_cast<size_t>(selected_)];
  Rule(context);
  SectionTitle(context, "Allocation");
  const float x = BaseEm() * 7.5f;
  KeyValue(context, "Made by", SnapshotGraph::MakerOf(*data_, a), x, false);
  KeyValue(context, "Size", FormatValue(Value(a.size), Unit::kBytes), x, true);
  const auto when = [&](uint32_t e) { return TimeText(history.EventTime(device, e)); };
  KeyValue(context, "Allocated", a.before() ? "before the recording" : when(a.begin), x, true);
  KeyValue(context, "Freed", a.freed() ? when(a.end) : "not while recording", x, true);
  if (a.freed() && !a.before()) {
    const Ps life =
        SaturatingSub(history.EventTime(device, a.end), history.EventTime(device, a.begin));
    KeyValue(context, "Lived", TimeText(life), x, true);
  }
  KeyValue(context, "Address", fmt::format("0x{:x}", a.address), x, true);
  KeyValue(context, "Stream", fmt::format("0x{:x}", history.streams[a.stream]), x, true);
  if (a.context != 0)
    KeyValue(context, "Compiled in", history.strings.View(StringId(a.context)), x, true);
  const std::string stack = StackText(history, a.stack);
  ImGui::Spacing();
  WrappedIn(
      context, Role::kText2,
      stack.empty() ? "No stack was recorded: it was made before the recording began." : stack);
  if (!stack.empty() && ImGui::SmallButton("Copy stack")) ImGui::SetClipboardText(stack.c_str());
}

// Finds the events that ran when the selected allocation was made or, if unknown, at the click.
void MemorySnapshotPanel::FindRanThen(const PanelContext& context) {
  ran_then_.clear();
  apart_.clear();
  if (context.profile == nullptr || context.state == nullptr) return;
  apart_ = WhyApart(context.profiles, context.view);
  if (!apart_.empty()) return;  // nothing tells what ran then
  Ps time = marked_;
  const AllocatorDevice& device = data_->Device(device_);
  ran_before_ = selected_ < 0 || device.allocations[static_cast<size_t>(selected_)].before();
  if (!ran_before_) {
    const Allocation& a = device.allocations[static_cast<size_t>(selected_)];
    time = data_->history->EventTime(device, a.begin);
  }
  for (const Profile& profile : context.profiles) {
    const ProfileViewState* state = context.view.Find(profile.id);
    if (state == nullptr || !AreSnapshotAndTrace(profile, *context.profile)) continue;
    const Ps there = state->map.ToTrace(context.state->map.ToShared(time));
    for (ActivityAtTime& then : EventsAt(profile, there, kMostThen))
      ran_then_.push_back(std::move(then));
  }
}

void MemorySnapshotPanel::DrawRanThen(const PanelContext& context) const {
  if (ran_then_.empty() && apart_.empty()) return;
  Rule(context);
  SectionTitle(context, ran_before_ ? "Ran at the click" : "Ran when it was allocated");
  if (!apart_.empty()) WrappedIn(context, Role::kText2, apart_);
  for (size_t i = 0; i < ran_then_.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    TextIn(context, Role::kText2, ran_then_[i].track);
    if (LinkText(context, "##then", ran_then_[i].name))
      context.commands.Push("select.reveal", {.event = ran_then_[i].event});
    ImGui::PopID();
  }
}

void MemorySnapshotPanel::DrawBar(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  ImGui::AlignTextToFramePadding();
  TextIn(context, Role::kText2, "Colour by");
  for (int i = 0; i < static_cast<int>(std::size(kColorNames)); ++i) {
    const auto colors = static_cast<SnapshotColors>(i);
    if (colors == SnapshotColors::kCategory && !data_->categories.any()) continue;
    ImGui::SameLine(0, Em() * 0.5f);
    if (ImGui::RadioButton(kColorNames[i], graph_.colors == colors)) graph_.colors = colors;
    if (colors == SnapshotColors::kCategory)
      ImGui::SetItemTooltip("The innermost annotation, or what was being compiled");
  }
  if (data_->history->devices.size() > 1) {
    ImGui::SameLine(0, Em());
    ImGui::SetNextItemWidth(Em() * 7);
    const auto label = [&](size_t d) { return fmt::format("GPU {}", data_->Device(d).index); };
    if (ImGui::BeginCombo("##device", label(device_).c_str())) {
      for (size_t d = 0; d < data_->history->devices.size(); ++d) {
        if (ImGui::Selectable(label(d).c_str(), d == device_)) UseDevice(d);
      }
      ImGui::EndCombo();
    }
  }
  ImGui::SameLine(0, Em());
  ImGui::SetNextItemWidth(Em() * 9);
  if (ImGui::BeginCombo("##live_view", kLiveViews[static_cast<size_t>(live_view_)])) {
    for (size_t i = 0; i < std::size(kLiveViews); ++i) {
      const auto choice = static_cast<LiveView>(i);
      if (ImGui::Selectable(kLiveViews[i], live_view_ == choice)) live_view_ = choice;
    }
    ImGui::EndCombo();
  }
  ImGui::SetItemTooltip(
      "What was live at the line in the graph, by the function that asked for it and its callers");
  const AllocationLayout* layout = graph_.layout();
  std::string note = "Ctrl+wheel zooms bytes.";
  if (layout != nullptr && !layout->small.empty()) {
    note = fmt::format("Allocations under {} are grouped on top. ",
                       FormatValue(Value(layout->min_bytes), Unit::kBytes)) +
           note;
  }
  ImGui::SameLine(0, Em());
  if (TextWidth(note) < ImGui::GetContentRegionAvail().x) {
    TextIn(context, Role::kText3, note);
  } else {
    ImGui::NewLine();
  }
}

void MemorySnapshotPanel::DrawGraph(const PanelContext& context, float height) {
  if (!data_) {
    if (data_job_.active()) DrawSpinner(context, "Reading the stacks");
    return;
  }
  const float top = ImGui::GetCursorPosY();
  DrawBar(context);
  const ImVec2 size(ImGui::GetContentRegionAvail().x, height - (ImGui::GetCursorPosY() - top));
  const SnapshotGraph::Clicked clicked =
      graph_.Draw(context, data_, device_, key_ * 31 + device_, marked_, selected_, size);
  if (!clicked.any) return;
  selected_ = clicked.allocation;
  ListLiveAt(context, clicked.time);
  FindRanThen(context);
}

// Draws the allocations that were live at the marked moment by stack, if the user chose so.
bool MemorySnapshotPanel::DrawStacks(const PanelContext& context) {
  if (!data_ || live_view_ == LiveView::kTables) return false;
  if (moment_.live.columns.empty() && !moment_job_.active()) ListLiveAt(context, marked_);
  TextIn(context, Role::kText2, "Live at " + TimeText(marked_));
  if (moment_job_.busy()) {
    DrawSpinner(context, "Adding up the stacks");
  } else if (live_view_ == LiveView::kTree) {
    DrawStackTree(context, *data_->history, moment_.tree);
  } else {
    std::function<Rgba(const std::string&)> color;
    if (graph_.colors == SnapshotColors::kFrame)
      color = [&](const std::string& frame) { return graph_.ColorOf(context, frame); };
    DrawStackFlames(context, *data_->history, moment_.tree, &flames_root_, color);
  }
  return true;
}

// The moment that a table is of; nullopt where it is of all that was recorded, or not known yet.
std::optional<Ps> MemorySnapshotPanel::MomentOf(const PanelContext& context,
                                                std::string_view table) const {
  if (!data_ || context.profile == nullptr || context.profile->trace == nullptr) return {};
  const AllocatorDevice& d = data_->Device(device_);
  if (d.events == 0 || !context.view.filters.empty()) return {};
  constexpr std::string_view kAtPeak[] = {"at_peak", "at_peak_stacks", "by_size", "by_stream",
                                          "segments_at_peak"};
  if (table == kAtFailureTable && !d.out_of_memory.empty())
    return data_->history->EventTime(d, d.out_of_memory.back());
  if (table == "at_end" || table == "segments") return context.profile->trace->span.end;
  if (table == "moment") return marked_;
  if (std::find(std::begin(kAtPeak), std::end(kAtPeak), table) != std::end(kAtPeak))
    return data_->history->EventTime(d, d.peak_event);
  return {};
}

void MemorySnapshotPanel::DrawTables(const PanelContext& context, const AnalysisResult& result) {
  std::vector<TablePages::Page> pages;
  const auto add = [&](const ResultTable& table, uint64_t key) {
    TablePages::Page page{&table, key};
    page.options.name_column = "frame";
    page.options.noun = "rows";
    if (data_ && graph_.colors == SnapshotColors::kFrame)
      page.options.color = [&](const std::string& frame) { return graph_.ColorOf(context, frame); };
    page.at = MomentOf(context, table.id);
    pages.push_back(std::move(page));
  };
  if (DrawStacks(context)) return;
  if (!moment_.live.empty()) {
    add(moment_.live, key_ * 31 + moment_key_);
    add(moment_.stacks, key_ * 31 + moment_key_);
    add(moment_.growth, key_ * 31 + moment_key_);
    add(moment_.growth_stacks, key_ * 31 + moment_key_);
    add(moment_.segments, key_ * 31 + moment_key_);
  }
  // The moment that the first sentence speaks of comes first.
  const ResultTable* failed = result.Table(kAtFailureTable);
  if (failed != nullptr) add(*failed, key_);
  for (const ResultTable& table : result.tables) {
    if (&table != failed && (table.id != "devices" || table.size() > 1)) add(table, key_);
  }
  pages_.Draw(context, pages, "Nothing was allocated.");
}

void MemorySnapshotPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                     uint64_t key) {
  Update(context, result, key);
  Poll();
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  if (avail.x > em * 50) {
    ImGui::BeginChild("numbers", ImVec2(std::clamp(avail.x * 0.22f, em * 18, em * 27), 0));
    DrawFindings(context, result.findings, "memory_snapshot");
    DrawNumbers(context, result);
    DrawSelected(context);
    DrawRanThen(context);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
    ImGui::BeginChild("data", ImVec2(0, 0));
    const float height = ImGui::GetContentRegionAvail().y;
    // In a low window the graph leaves the table some rows.
    const float least = std::min(em * 14, std::max(em * 7, height - em * 9));
    DrawGraph(context, std::clamp(height < em * 23 ? 0 : height * 0.62f, least, em * 44));
    ImGui::BeginChild("tables", ImVec2(0, std::max(em * 13, ImGui::GetContentRegionAvail().y)));
    DrawTables(context, result);
    ImGui::EndChild();
    ImGui::EndChild();
    return;
  }
  DrawGraph(context, em * 16);
  ImGui::BeginChild("tables", ImVec2(0, em * 18));
  DrawTables(context, result);
  ImGui::EndChild();
  DrawFindings(context, result.findings, "memory_snapshot");
  DrawNumbers(context, result);
  DrawSelected(context);
  DrawRanThen(context);
}

}  // namespace

std::unique_ptr<Panel> MakeMemorySnapshotPanel() { return std::make_unique<MemorySnapshotPanel>(); }

}  // namespace stepscope
