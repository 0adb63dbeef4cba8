// Memory: what an allocator held over time, its peak, what was live at the peak or at any time the
// user clicks, and how long every allocation lived. The analysis' tables are shown at once; the
// full profile, for every snapshot and every time, follows from a job.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/analysis/pages/memory.h"
#include "model/base/digits.h"
#include "model/capabilities.h"
#include "model/jobs/latest_job.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/memory/memory_boxes.h"
#include "viewer/panels/memory/memory_graph.h"
#include "viewer/panels/page_request.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr const char* kLiveFirst[] = {
    "tf_op",           "total_bytes", "occurrences", "allocation_bytes",
    "requested_bytes", "region_type", "data_type",   "tensor_shape"};
// Boxes beyond these would be smaller than a pixel.
constexpr size_t kMaxBoxes = 4000;
constexpr const char* kLiveHidden[] = {"host", "memory_id"};
// PyTorch does not say what an allocation is for: these columns would be empty.
constexpr const char* kTorchHidden[] = {"host",        "memory_id", "requested_bytes",
                                        "region_type", "data_type", "tensor_shape"};

struct FullMemory {
  std::shared_ptr<const MemoryProfile> profile;
  std::vector<MemorySeries> series;    // by allocator
  std::vector<AllocationBoxes> boxes;  // by allocator
};

std::shared_ptr<const FullMemory> LoadFull(AnalysisContext& context, const AnalysisParams& params) {
  auto full = std::make_shared<FullMemory>();
  full->profile = context.Get<MemoryProfile>(params);
  const StatTable& stats = context.allocation_stats();
  const auto& fragmentation = stats.Real(RealStat::kFragmentation);
  for (const AllocatorProfile& a : full->profile->allocators) {
    MemorySeries& s = full->series.emplace_back();
    MemoryPartsReader reader(stats);
    for (const MemorySnapshot& snapshot : a.snapshots) {
      s.time.push_back(snapshot.time);
      const MemoryParts parts = reader.Of(snapshot);
      s.stack.push_back(static_cast<double>(parts.stack));
      s.heap.push_back(static_cast<double>(parts.heap));
      s.free.push_back(static_cast<double>(parts.free));
      s.fragmentation.push_back(fragmentation.Find(EventRow(snapshot.row)).value_or(0));
      s.rows.push_back(snapshot.row);
      s.allocation.push_back(snapshot.allocation ? 1 : 0);
    }
    full->boxes.push_back(MakeAllocationBoxes(context, a, kMaxBoxes));
  }
  return full;
}

// The allocator that held most. A GPU's is far larger than those of the host.
size_t Fullest(const MemoryUse& use) {
  size_t best = 0;
  for (size_t i = 1; i < use.allocators.size(); ++i) {
    if (use.allocators[i].peak.in_use > use.allocators[best].peak.in_use) best = i;
  }
  return best;
}

class MemoryPanel final : public AnalysisPanel {
 public:
  MemoryPanel() : AnalysisPanel("memory", "Adding up the allocations") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;
  bool animating() const override {
    return AnalysisPanel::animating() || full_job_.busy() || live_job_.busy();
  }

 private:
  void Update(const PanelContext& context, uint64_t key);
  void PollJobs(const PanelContext& context);
  void ListLiveAt(const PanelContext& context, Ps time);
  void DrawSelector(const PanelContext& context);
  void DrawNumbers(const PanelContext& context);
  void DrawGraph(const PanelContext& context, float height);
  static bool DrawTab(const PanelContext& context, const char* label, bool on);
  void DrawTabs(const PanelContext& context);
  void DrawBoxes(const PanelContext& context, ImVec2 size);
  void DrawLiveTitle(const PanelContext& context);
  void DrawTables(const PanelContext& context);
  const MemorySeries& Series() const;
  const AllocationBoxes* Boxes() const;  // null while they are made

  const MemoryUse* use_ = nullptr;  // valid during a frame only
  size_t allocator_ = 0;            // of use_
  SharedText host_, id_;
  bool totals_ = false;  // live_ has the column of totals
  PageRequest page_;
  ResultTable summary_, live_, at_peak_, lifetimes_;
  NumberFormat size_format_;  // of the sizes in lifetimes_, and of the boxes above it
  MemorySeries coarse_;
  std::shared_ptr<const FullMemory> full_;
  size_t full_index_ = 0;  // of this allocator in full_
  LatestJob<std::shared_ptr<const FullMemory>> full_job_;
  LatestJob<ResultTable> live_job_;
  Ps marked_ = 0, pending_ = 0;
  bool at_time_ = false, has_pending_ = false, show_lifetimes_ = false;
  uint64_t key_ = 0, data_key_ = 0;
  size_t key_allocator_ = 0;
  MemoryGraph graph_;
  MemoryBoxes boxes_;
  ResultTableView live_view_, lifetime_view_;
};

const MemorySeries& MemoryPanel::Series() const {
  return full_ && full_index_ < full_->series.size() ? full_->series[full_index_] : coarse_;
}

const AllocationBoxes* MemoryPanel::Boxes() const {
  return full_ && full_index_ < full_->boxes.size() ? &full_->boxes[full_index_] : nullptr;
}

void MemoryPanel::Update(const PanelContext& context, uint64_t key) {
  if (key != key_) {
    allocator_ = Fullest(*use_);
    full_.reset();
    live_job_.Stop();
    full_job_.Stop();
    // Results made by hand (tests) have no trace behind them: the result is all there is.
    if (context.profile != nullptr && context.profile->analysis) {
      full_job_.Start(context.jobs,
                      [analysis = context.profile->analysis, params = ParamsOf(context)](
                          Progress&) { return LoadFull(*analysis, params); });
    }
  } else if (allocator_ == key_allocator_) {
    return;
  }
  key_ = key;
  key_allocator_ = allocator_;
  ++data_key_;
  allocator_ = std::min(allocator_, use_->allocators.size() - 1);
  const std::span<const AllocatorUse> one(&use_->allocators[allocator_], 1);
  host_ = one[0].host, id_ = one[0].id, totals_ = !use_->tables_of_xprof;
  coarse_ = SeriesOf(one[0]);
  summary_ = AllocatorTable(*use_);
  at_peak_ = LiveAllocationTable(one, totals_);
  lifetimes_ = use_->tables_of_xprof ? ResultTable() : LifetimeTable(one);
  if (const int c = lifetimes_.Column("allocated_bytes"); c >= 0)
    size_format_ = ColumnFormat(lifetimes_, static_cast<size_t>(c));
  live_job_.Stop();  // its result is for another allocator
  live_ = at_peak_;
  at_time_ = has_pending_ = false;
  marked_ = one[0].peak.time;
}

void MemoryPanel::PollJobs(const PanelContext& context) {
  if (auto full = full_job_.Take()) {
    full_ = std::move(*full);
    ++data_key_;
  }
  if (full_) {
    for (size_t i = 0; i < full_->profile->allocators.size(); ++i) {
      const AllocatorProfile& a = full_->profile->allocators[i];
      const bool same_host =
          context.profile != nullptr && context.profile->trace->HostName(a.host) == host_;
      if (a.id == id_ && same_host) full_index_ = i;
    }
  }
  if (std::optional<ResultTable> live = live_job_.Take()) {
    live_ = std::move(*live);
    at_time_ = true;
    ++data_key_;
  }
  if (has_pending_ && full_) {
    has_pending_ = false;
    ListLiveAt(context, pending_);
  }
}

void MemoryPanel::ListLiveAt(const PanelContext& context, Ps time) {
  marked_ = time;
  if (!full_ || full_index_ >= full_->profile->allocators.size() || context.profile == nullptr) {
    pending_ = time;
    has_pending_ = full_job_.active();
    return;
  }
  live_job_.Start(context.jobs,
                  [full = full_, index = full_index_, analysis = context.profile->analysis, time,
                   totals = totals_, host = host_](Progress&) {
                    const AllocatorProfile& allocator = full->profile->allocators[index];
                    AllocatorUse use;
                    use.host = host, use.id = SharedText(allocator.id);
                    use.live = ActiveAt(*analysis, allocator, SnapshotAt(allocator, time));
                    ResultTable table = LiveAllocationTable({&use, 1}, totals);
                    table.title = "Live at a time";
                    return table;
                  });
}

void MemoryPanel::DrawSelector(const PanelContext& context) {
  const auto label = [&](size_t i) {
    const std::string host = use_->allocators[i].host.str(), id = use_->allocators[i].id.str();
    return ItemLabel(host.empty() ? id : id + "  \u00b7  " + host);
  };
  ImGui::AlignTextToFramePadding();
  SectionTitle(context, "Allocator");
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##allocator", label(allocator_).c_str())) return;
  for (size_t i = 0; i < use_->allocators.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(label(i).c_str(), i == allocator_)) allocator_ = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void MemoryPanel::DrawNumbers(const PanelContext& context) {
  const size_t row = std::min(allocator_, use_->allocators.size() - 1);
  for (const TableColumn& column : summary_.columns) {
    if (column.type == ValueType::kString) continue;
    std::string text = FormatValue(column.values[row], column.unit);
    if (column.unit == Unit::kMs) text += " ms";
    if (text.empty()) text = "not recorded";
    KeyValue(context, column.label, text, BaseEm() * 9.5f, true);
    if (!column.how.empty()) ImGui::SetItemTooltip("%s", column.how.c_str());
  }
  const auto capacity = static_cast<double>(use_->allocators[row].capacity);
  const auto peak = static_cast<double>(use_->allocators[row].peak.in_use);
  if (capacity > peak && peak > 0) {  // equal: nobody recorded what was free
    const std::string text = FormatValue(Value(capacity - peak), Unit::kBytes);
    KeyValue(context, "Headroom at peak",
             fmt::format("{} ({})", text, PercentText(100 * (capacity - peak) / capacity, 1)),
             BaseEm() * 9.5f, true);
    ImGui::SetItemTooltip(
        "Capacity minus the peak in the profile: what a larger batch could use_->");
  }
}

bool MemoryPanel::DrawTab(const PanelContext& context, const char* label, bool on) {
  const FaceScope small(context, Face::kUi);
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, context.theme[Role::kAccentBg]);
  const bool pressed = ImGui::Button(label);
  if (on) ImGui::PopStyleColor();
  return pressed;
}

// The chart and the table below it belong together: memory with what was live, boxes with their
// ops.
void MemoryPanel::DrawTabs(const PanelContext& context) {
  if (DrawTab(context, "Memory over time", !show_lifetimes_)) show_lifetimes_ = false;
  if (!lifetimes_.columns.empty()) {
    ImGui::SameLine(0, Em() * 0.3f);
    if (DrawTab(context, "Lifetimes", show_lifetimes_)) show_lifetimes_ = true;
  }
  ImGui::SameLine(0, Em());
  const FaceScope small(context, Face::kUi);
  ImGui::AlignTextToFramePadding();
  DrawScope(context);
  ImGui::SameLine(0, Em());
  std::string note = "zooms with the timeline";
  const AllocationBoxes* boxes = Boxes();
  if (show_lifetimes_ && boxes != nullptr && boxes->left_out > 0) {
    note = "the largest " + GroupDigits(boxes->spans.size()) + " by size and time, of " +
           GroupDigits(boxes->spans.size() + boxes->left_out);
  }
  if (full_job_.active()) note = "reading every snapshot\u2026";
  if (TextWidth(note.c_str()) <= ImGui::GetContentRegionAvail().x)
    TextIn(context, Role::kText2, note);
}

void MemoryPanel::DrawGraph(const PanelContext& context, float height) {
  const float top = ImGui::GetCursorPosY();
  DrawTabs(context);
  const ImVec2 size(ImGui::GetContentRegionAvail().x, height - (ImGui::GetCursorPosY() - top));
  if (show_lifetimes_) {
    DrawBoxes(context, size);
    return;
  }
  Ps clicked = 0;
  if (graph_.Draw(context, Series(), key_ * 31 + data_key_, marked_, size, &clicked))
    ListLiveAt(context, clicked);
}

void MemoryPanel::DrawBoxes(const PanelContext& context, ImVec2 size) {
  const AllocationBoxes* boxes = Boxes();
  if (boxes == nullptr) {  // still being read
    ImGui::Dummy(size);
    return;
  }
  const int row = lifetime_view_.current();
  const std::vector<OpLifetimes>& ops = use_->allocators[allocator_].lifetimes;
  const std::string op = row >= 0 && static_cast<size_t>(row) < ops.size()
                             ? ops[static_cast<size_t>(row)].op.str()
                             : std::string();
  const int clicked = boxes_.Draw(context, *boxes, key_ * 31 + full_index_, op, size_format_, size);
  if (clicked < 0 || context.profile == nullptr) return;
  context.commands.Push("select.reveal",
                        {.event = {context.profile->id, 0,
                                   EventRow(boxes->spans[static_cast<size_t>(clicked)].row)}});
}

void MemoryPanel::DrawLiveTitle(const PanelContext& context) {
  const std::string when = WithoutZeros(FormatDuration(marked_, 6));
  const bool narrow = ImGui::GetContentRegionAvail().x < BaseEm() * 32;
  SectionTitle(context, (at_time_ ? "Live at " : "Live at the peak, ") + when,
               live_job_.active()   ? "looking up\u2026"
               : at_time_ || narrow ? ""
                                    : "click in the graph for another time");
  if (!at_time_ && !live_job_.active()) return;
  ImGui::SameLine(0, Em());
  const FaceScope small(context, Face::kUi);
  if (!ImGui::Button("Back to the peak")) return;
  live_job_.Stop();
  live_ = at_peak_;
  at_time_ = false;
  const MemorySeries& s = Series();
  if (s.size() > 0) marked_ = s.time[s.Peak()];
  ++data_key_;
}

void MemoryPanel::DrawTables(const PanelContext& context) {
  TableOptions options;
  options.name_column = "tf_op";
  options.shorten_names = true;
  options.hidden_columns = kLiveHidden;
  if (show_lifetimes_) {
    options.id = "lifetimes";
    options.noun = "ops";
    // The colours of the chart above, whose legend names the ops with the largest boxes.
    if (Boxes() != nullptr && !Boxes()->spans.empty())
      options.color = [&](const std::string& op) { return boxes_.ColorOf(context, op); };
    lifetime_view_.Draw(context, lifetimes_, key_ * 31 + key_allocator_, options);
    return;
  }
  DrawLiveTitle(context);
  const bool torch = context.profile != nullptr && context.profile->trace &&
                     CapabilitiesOf(*context.profile->trace).event_categories;
  options.id = torch ? "live_torch" : "live";
  if (torch) options.hidden_columns = kTorchHidden;
  options.noun = "allocations";
  options.first_columns = kLiveFirst;
  live_view_.Draw(context, live_, key_ * 31 + data_key_, options);
}

void MemoryPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                             uint64_t key) {
  use_ = result.As<MemoryUse>();
  if (use_ == nullptr || use_->allocators.empty()) {
    DrawEmpty(context, "This profile has no memory events.");
    return;
  }
  Update(context, key);
  PollJobs(context);
  if (const auto page = page_.Take(context, "memory")) show_lifetimes_ = *page == "lifetimes";
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  const bool wide = avail.x > em * 50;
  if (wide) {
    ImGui::BeginChild("numbers", ImVec2(std::clamp(avail.x * 0.21f, em * 18, em * 26), 0));
    DrawSelector(context);
    DrawNumbers(context);
    if (!result.findings.empty()) {
      Rule(context);
      DrawFindings(context, result.findings, "memory");
    }
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
    ImGui::BeginChild("data", ImVec2(0, 0));
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (room.y < em * 26 && room.x > em * 40) {  // low and wide: the table stands beside the graph
      const float share = room.x > em * 60 ? 0.55f : 0.48f;  // numbers need the same room anywhere
      ImGui::BeginChild("graph", ImVec2(std::floor(room.x * share), 0));
      DrawGraph(context, room.y);
      ImGui::EndChild();
      ImGui::SameLine(0, em);
      ImGui::BeginChild("tables");
      DrawTables(context);
      ImGui::EndChild();
      ImGui::EndChild();
      return;
    }
    DrawGraph(context, std::clamp(room.y * 0.48f, em * 10, em * 34));
    if (ImGui::GetContentRegionAvail().y < em * 12) {
      ImGui::BeginChild("tables", ImVec2(0, em * 16));
      DrawTables(context);
      ImGui::EndChild();
    } else {
      DrawTables(context);
    }
    ImGui::EndChild();
    return;
  }
  DrawSelector(context);
  DrawGraph(context, em * 15);
  ImGui::BeginChild("tables", ImVec2(0, em * 18));
  DrawTables(context);
  ImGui::EndChild();
  DrawNumbers(context);
  DrawFindings(context, result.findings, "memory");
}

}  // namespace

std::unique_ptr<Panel> MakeMemoryPanel() { return std::make_unique<MemoryPanel>(); }

}  // namespace stepscope
