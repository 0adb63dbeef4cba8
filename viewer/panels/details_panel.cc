// Details: the selected event, or sums of the events in view while none is selected. All that the
// panel shows of an event is gathered once per selection, not each frame.
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/devices/launch_facts.h"
#include "model/analysis/naming/short_label.h"
#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/panel.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/panels/graph_facts.h"
#include "viewer/panels/hlo_pages.h"
#include "viewer/panels/name_rank_view.h"
#include "viewer/panels/stat_text.h"
#include "viewer/panels/view_summary.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct Fact {
  std::string label, value, how;  // how: tooltip
  EventRef link;                  // value is a link to this event, if valid
  bool number = false;            // drawn in the mono face
  std::string page = {};          // value is a link to this page of a panel, unless it is empty
};

// The facts that the panel shows of one event.
struct Memo {
  EventRef event;
  const Trace* trace = nullptr;
  const FlowIndex* flows = nullptr;
  const GraphOps* graphs = nullptr;
  TrackRules::Names names;  // that the user gave
  std::string name, where;
  std::string title;  // the name, shortened as everywhere
  std::string note;   // why arguments are missing
  std::vector<Fact> facts, stats;
};

std::string Where(const TrackRules::Names& names, const Trace& trace, const TrackSet& set,
                  TrackId id) {
  std::string out = TrackName(names, trace, set, id);
  const PlaneId plane = set.tracks[id.value].plane;
  if (plane.valid() && plane.value < trace.planes.size()) {
    out += " on " + PlaneName(names, trace, plane);
    if (trace.hosts.size() > 1)
      out += " of " + std::string(trace.HostName(trace.planes[plane.value].host));
  }
  return out;
}

// Numbers are drawn in the mono face.
bool IsNumber(const Stat& stat) { return !std::holds_alternative<std::string>(stat.value); }

void AddTime(const char* label, Ps time, int digits, const char* how, Memo* memo) {
  memo->facts.push_back({label, WithoutZeros(FormatDuration(time, digits)), how, {}, true});
}

// Adds a fact whose value is a link to an event.
void AddLink(const char* label, std::string_view name, const char* how, EventRef link, Memo* memo) {
  memo->facts.push_back({label, std::string(name), how, link, false});
}

void AddTimes(const TrackSet& set, EventRow row, const Lane& lane, Memo* memo) {
  AddTime("Start", set.Start(row), 9, "From the origin of the profile.", memo);
  if (lane.kind == LaneKind::kInstant) return;
  AddTime("Duration", set.Duration(row), 6, "End minus start.", memo);
  if (lane.kind == LaneKind::kNested) {
    AddTime("Self time", SelfTime(set, row), 6, "Duration minus that of the events inside it.",
            memo);
  }
}

void AddParent(const EventRef& event, const TrackSet& set, Memo* memo) {
  const EventRow parent = Parent(set, event.row);
  if (!parent.valid()) return;
  AddLink("Inside", set.Name(parent), "The event around this one on its track.",
          {event.trace, event.set, parent}, memo);
}

void AddSource(const EventRef& event, const Profile& profile, Memo* memo) {
  const EventRow source = profile.OwnRow(event);
  if (event.set == 0 || !source.valid()) return;
  AddLink("Comes from", profile.trace->set.Name(source),
          "The recorded event that this derived row stands for.", {event.trace, 0, source}, memo);
}

void AddLaunch(const EventRef& event, const Trace& trace, const LaunchFacts& launch, Memo* memo) {
  AddTime("Launch delay", launch.delay, 4,
          "From the end of the launch call to the begin of this event.", memo);
  memo->facts.push_back({"Ahead in queue",
                         GroupDigits(launch.queue_length),
                         "Events of this stream that begin after the launch call began, and before "
                         "this one: what it waited for.",
                         {},
                         true});
  for (const EventRow row : launch.stack) {
    AddLink(row == launch.stack.front() ? "Launched inside" : "", trace.set.Name(row),
            "The calls and functions that were open on the host when it launched this.",
            {event.trace, 0, row}, memo);
  }
}

const char* HowLinked(FlowKind kind) {
  switch (kind) {
    case FlowKind::kLaunch:
      return "By the correlation id that both carry.";
    case FlowKind::kContext:
      return "By the ids of a producer and a consumer, which are equal.";
    case FlowKind::kAsync:
      return "Asynchronous work, the op that starts it and the op that awaits it.";
    default:
      return "By an arrow recorded in the profile.";
  }
}

void AddArrows(const EventRef& event, const Trace& trace, std::span<const FlowArrow> arrows,
               bool from, Memo* memo) {
  constexpr size_t kMost = 8;
  for (const FlowArrow& arrow : arrows.first(std::min(kMost, arrows.size()))) {
    const bool launch = arrow.kind == FlowKind::kLaunch;
    const EventRow other(from ? arrow.to : arrow.from);
    const char* label =
        from ? (launch ? "Launches" : "Leads to") : (launch ? "Launched by" : "Caused by");
    AddLink(label, trace.set.Name(other), HowLinked(arrow.kind), {event.trace, 0, other}, memo);
  }
  if (arrows.size() > kMost)
    memo->facts.push_back(
        {"", "and " + GroupDigits(arrows.size() - kMost) + " more", "", {}, false});
}

void AddFlows(const EventRef& event, const Profile& profile, Memo* memo) {
  const EventRow row = profile.OwnRow(event);
  if (!profile.flows || !row.valid()) return;
  AddArrows(event, *profile.trace, profile.flows->To(row), false, memo);
  if (const auto launch = FindLaunchFacts(*profile.trace, *profile.flows, row))
    AddLaunch(event, *profile.trace, *launch, memo);
  AddArrows(event, *profile.trace, profile.flows->From(row), true, memo);
}

// Adds the op that a kernel of a graph belongs to. The launch is the same for all kernels of the
// graph.
void AddGraphFacts(const GraphOps* graphs, EventRow row, Memo* memo) {
  if (graphs == nullptr) return;
  for (GraphFact& fact : GraphFactsOf(*graphs, row))
    memo->facts.push_back(
        {std::move(fact.label), std::move(fact.value), std::move(fact.how), {}, false});
}

std::string ShortOf(std::string_view name) {
  std::string text = MakeShortForms(name).middle;
  return text.empty() ? std::string(name) : text;
}

// The events before and after on the same row, and the time between.
void AddNeighbour(const EventRef& event, const TrackSet& set, int direction, Memo* memo) {
  const Lane& lane = set.lanes[set.LaneOf(event.row).value];
  const int64_t i = int64_t{event.row.value} - lane.first_row, other = i + direction;
  if (lane.kind == LaneKind::kInstant || other < 0 || other >= int64_t{lane.size()}) return;
  const auto at = static_cast<size_t>(std::min(i, other));
  const Ps gap = SaturatingSub(lane.start[at + 1], lane.end(at));
  const EventRow row(lane.first_row + static_cast<uint32_t>(other));
  AddLink(direction > 0 ? "Next" : "Previous", ShortOf(set.Name(row)),
          "The event beside this one on its row.", {event.trace, event.set, row}, memo);
  AddTime(direction > 0 ? "Gap after" : "Gap before", gap, 4,
          "Between the end of one and the begin of the other.", memo);
}

void AddPage(const char* label, std::string value, const char* how, std::string page, Memo* memo) {
  memo->facts.push_back({label, std::move(value), how, {}, false, std::move(page)});
}

std::string SourceOf(const Trace& trace, const HloRef& op, const std::vector<Stat>& stats) {
  const HloInstruction* i = trace.hlo.Find(op.program, op.instruction);
  if (i != nullptr && !i->source_file.empty())
    return i->source_file + ":" + std::to_string(i->source_line);
  const auto stat =
      std::find_if(stats.begin(), stats.end(), [](const Stat& s) { return s.name == "source"; });
  const auto* text = stat == stats.end() ? nullptr : std::get_if<std::string>(&stat->value);
  return text == nullptr ? std::string() : *text;
}

// Leads from the event of an HLO op to the pages of its program.
void AddHlo(const Profile& profile, EventRow row, const std::vector<Stat>& stats, Memo* memo) {
  const TrackSet& set = profile.trace->set;
  const HloRef op = HloRefOf(stats, set.names->DisplayName(set.Meta(row)));
  if (!op.valid()) return;
  AddPage("HLO op", op.instruction, "Its time, rates and limits among all ops of XLA's programs.",
          HloOpPage(op), memo);
  if (HasHloProgram(profile, op.program)) {
    AddPage("HLO graph", "operands and users", "What is around it in its program.",
            HloGraphPage(op), memo);
    AddPage("HLO text", "its line", "Its place in the text of its program.", HloTextPage(op), memo);
    AddPage("HLO memory", "its buffers", "What it keeps in memory, and for how long.",
            HloMemoryPage(op), memo);
  }
  std::string source = SourceOf(*profile.trace, op, stats);
  if (!source.empty()) {
    std::string page = HloSourcePage(source);
    AddPage("Source", std::move(source), "All ops of this line of the program's source.",
            std::move(page), memo);
  }
}

void AddStats(const EventRef& event, const Trace& trace, const Result<std::vector<Stat>>& stats,
              Memo* memo) {
  if (event.set != 0 || !trace.source) {
    memo->note = event.set != 0 ? "A derived row has no arguments of its own."
                                : "Arguments of events were not recorded in this profile.";
    return;
  }
  if (!stats.ok()) {
    memo->note = stats.status().message();
    return;
  }
  for (const Stat& stat : *stats) {
    std::string how = stat.from_metadata ? "The same for all events of this name." : "";
    std::string value = StatText(stat);
    if (const std::string exact = ToText(stat); value != exact)
      how += (how.empty() ? "Exactly " : "\nExactly ") + exact;
    memo->stats.push_back({stat.name, std::move(value), std::move(how), {}, IsNumber(stat)});
  }
  if (memo->stats.empty()) memo->note = "No arguments were recorded for this event.";
}

class DetailsPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override {
    return shows_event_ ? rank_.animating() || graphs_.busy() : summary_.animating();
  }

 private:
  bool Update(const PanelContext& context);
  void DrawHeader(const PanelContext& context) const;
  void DrawFacts(const PanelContext& context, const char* id, const std::vector<Fact>& facts) const;
  void DrawFact(const PanelContext& context, const Fact& fact) const;
  Memo memo_;
  GraphFacts graphs_;
  ViewSummary summary_;
  NameRankView rank_;
  bool shows_event_ = true;
};

bool DetailsPanel::Update(const PanelContext& context) {
  const EventRef event = context.view.selected;
  // A panel that is pinned to a profile shows no events of others.
  if (context.pinned.valid() && event.trace != context.pinned) return false;
  const Profile* profile = FindProfile(context.profiles, event.trace);
  if (!event.valid() || profile == nullptr) return false;
  const std::shared_ptr<const GraphOps> graphs = graphs_.Of(context, *profile);
  const TrackRules::Names& names = context.settings.tracks.names;
  if (memo_.names == names && memo_.event == event && memo_.trace == profile->trace.get() &&
      memo_.flows == profile->flows.get() && memo_.graphs == graphs.get())
    return true;
  const TrackSet* set = profile->SetOf(event);
  if (set == nullptr) return false;
  memo_ = {};
  memo_.names = names;
  memo_.event = event;
  memo_.trace = profile->trace.get();
  memo_.flows = profile->flows.get();
  memo_.graphs = graphs.get();
  memo_.name = std::string(set->Name(event.row));
  memo_.title = ShortOf(memo_.name);
  memo_.where = Where(names, *profile->trace, *set, set->TrackOf(event.row));
  const Lane& lane = set->lanes[set->LaneOf(event.row).value];
  AddTimes(*set, event.row, lane, &memo_);
  AddParent(event, *set, &memo_);
  AddSource(event, *profile, &memo_);
  const EventRow own = profile->OwnRow(event);
  const Result<std::vector<Stat>> stats = own.valid() && profile->trace->source
                                              ? profile->trace->source->Decode(*profile->trace, own)
                                              : Result<std::vector<Stat>>(std::vector<Stat>());
  if (own.valid() && stats.ok()) AddHlo(*profile, own, *stats, &memo_);
  AddGraphFacts(graphs.get(), own, &memo_);
  AddFlows(event, *profile, &memo_);
  AddNeighbour(event, *set, -1, &memo_);
  AddNeighbour(event, *set, 1, &memo_);
  if (memo_.title != memo_.name)
    memo_.facts.push_back({"Full name", memo_.name, "As it was recorded.", {}, false});
  AddStats(event, *profile->trace, stats, &memo_);
  return true;
}

void DetailsPanel::Draw(const PanelContext& context) {
  shows_event_ = Update(context);
  if (!shows_event_ && context.profile != nullptr && context.profile->trace) {
    summary_.Draw(context);
    return;
  }
  if (!shows_event_) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", "Open a profile, then click an event on the timeline.");
    ImGui::PopTextWrapPos();
    return;
  }
  DrawHeader(context);
  if (!ImGui::BeginChild("##facts")) {
    ImGui::EndChild();
    return;
  }
  DrawFacts(context, "##times", memo_.facts);
  ImGui::Spacing();
  if (const Profile* profile = FindProfile(context.profiles, memo_.event.trace))
    rank_.Draw(context, *profile, memo_.event);
  ImGui::Separator();
  ImGui::Spacing();
  if (!memo_.note.empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", memo_.note.c_str());
    ImGui::PopTextWrapPos();
  }
  DrawFacts(context, "##stats", memo_.stats);
  ImGui::EndChild();
}

void DetailsPanel::DrawHeader(const PanelContext& context) const {
  const Pen pen = MakePen(context.theme, context.fonts);
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float button = pen.Px(26);
  const float right = p.x + width - 2 * button - pen.Px(6);
  const float y = p.y + pen.Px(6);
  pen.Box(p.x + pen.Px(4), y + pen.Px(3), pen.Px(11), pen.Px(11),
          context.theme.NameColor(memo_.name), 2);
  bool whole = true;
  pen.TextFit(context.fonts.bold, TypeSize::kTitle, p.x + pen.Px(24), right, y,
              context.theme[Role::kText], memo_.title, &whole);
  ImGui::InvisibleButton("##name", {std::max(1.0f, right - p.x), pen.Px(30)});
  if ((!whole || memo_.title != memo_.name) && ImGui::IsItemHovered() && ImGui::BeginTooltip()) {
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 40);
    ImGui::TextUnformatted(memo_.name.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  ImGui::SetCursorScreenPos({right + pen.Px(2), p.y + pen.Px(2)});
  if (IconButton("##zoom", icon::kTarget, "F", "Zoom to it (F)", false, context.fonts,
                 context.theme, button)) {
    context.commands.Push("view.zoom_selection");
  }
  ImGui::SetCursorScreenPos({right + pen.Px(4) + button, p.y + pen.Px(2)});
  if (IconButton("##copy", icon::kCopy, "C",
                 "Copy all details (Ctrl+Shift+C); Ctrl+C copies the name", false, context.fonts,
                 context.theme, button)) {
    context.commands.Push("copy.all");
  }
  pen.TextFit(context.fonts.ui, TypeSize::kSmall, p.x + pen.Px(24), p.x + width, p.y + pen.Px(30),
              context.theme[Role::kText2], memo_.where);
  ImGui::SetCursorScreenPos({p.x, p.y + pen.Px(54)});
  pen.HLine(p.x, p.x + width, p.y + pen.Px(52), context.theme[Role::kGrid]);
  ImGui::Dummy({0, 0});
}

void DetailsPanel::DrawFact(const PanelContext& context, const Fact& fact) const {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", fact.label.c_str());
  if (!fact.how.empty()) ImGui::SetItemTooltip("%s", fact.how.c_str());
  ImGui::TableNextColumn();
  if (fact.link.valid()) {
    if (LinkText(context, "##link", fact.value))
      context.commands.Push("select.reveal", {.event = fact.link});
    return;
  }
  if (!fact.page.empty()) {
    if (LinkText(context, "##page", fact.value)) ShowHloPage(context, fact.page);
    return;
  }
  if (fact.number) ImGui::PushFont(context.fonts.mono, TypeSize::kSmall);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(fact.value.data(), fact.value.data() + fact.value.size());
  ImGui::PopTextWrapPos();
  if (fact.number) ImGui::PopFont();
  if (ImGui::BeginPopupContextItem("##menu")) {
    if (ImGui::MenuItem("Copy value")) context.commands.Push("copy.text", {.text = fact.value});
    ImGui::EndPopup();
  }
}

void DetailsPanel::DrawFacts(const PanelContext& context, const char* id,
                             const std::vector<Fact>& facts) const {
  if (facts.empty()) return;
  ImGui::PushFont(nullptr, TypeSize::kSmall);
  if (ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) {
    ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 11);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    for (size_t i = 0; i < facts.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      DrawFact(context, facts[i]);
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  ImGui::PopFont();
}

}  // namespace

std::unique_ptr<Panel> MakeDetailsPanel() { return std::make_unique<DetailsPanel>(); }

}  // namespace stepscope
