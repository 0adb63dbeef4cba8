// The part of WindowPainter that draws the tooltip of what is under the mouse.
#include <algorithm>
#include <string_view>
#include <utility>

#include "model/analysis/devices/launch_facts.h"
#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "model/base/key_table.h"
#include "model/stats.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/painting/timeline_painter.h"
#include "viewer/timeline/slices/plan_area.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr std::pair<DerivedTrackKind, const char*> kWhatLanesAre[] = {
    {DerivedTrackKind::kIdle,
     "time in which nothing runs on the device, in the colour of the loss that it counts as; of "
     "very many intervals only the longest are drawn"},
    {DerivedTrackKind::kUtilisation,
     "share of the time in which something runs on the device; where several kinds of work "
     "overlap, "
     "the time is compute's before the collectives', and that before the copies'"},
    {DerivedTrackKind::kQueue, "launches that have not begun"},
    {DerivedTrackKind::kLaunchDelay, "from the launch call's end to the begin of what it launched"},
    {DerivedTrackKind::kMemory, "held by the allocator"}};

}  // namespace

void WindowPainter::DrawTooltip() const {
  if (!window_.tooltips) return;
  if (interaction_->drag() != Drag::kNone || interaction_->pressed()) return;
  if (interaction_->stub() != nullptr) return DrawStubTooltip(*interaction_->stub());
  if (!interaction_->hovered().valid()) {
    DrawCounterTooltip();
    DrawLabelTooltip();
    return;
  }
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 36);
  if (interaction_->hovered().count() == 1) {
    DrawEventTooltip();
  } else {
    DrawFoldedTooltip();
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// Says where a click on the stub goes.
void WindowPainter::DrawStubTooltip(const FlowStub& stub) const {
  const Profile* profile = FindProfile(in_.profiles, stub.to.trace);
  if (profile == nullptr || !ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 36);
  const TrackSet& set = profile->trace->set;
  const std::string name(set.Name(stub.to.row));
  const bool launch = stub.kind == FlowKind::kLaunch;
  const char* what = stub.forward ? (launch ? "Launches " : "Leads to ")
                                  : (launch ? "Launched by " : "Caused by ");
  ImGui::TextUnformatted((what + name).c_str());
  const TrackSet* own_set = profile->SetOf(stub.of);
  const Ps begin = set.Start(stub.to.row);
  const Ps own = own_set != nullptr ? own_set->Start(stub.of.row) : begin;
  const Ps gap = begin >= own ? begin - own : own - begin;
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  const Track& track = set.tracks[set.TrackOf(stub.to.row).value];
  ImGui::TextColored(second, "%s %s, on %s; click goes there",
                     WithoutZeros(FormatDuration(gap, 4)).c_str(),
                     begin >= own ? "later" : "earlier", LabelOf(set, track, false).name.c_str());
  if (stub.others > 0) ImGui::TextColored(second, "and %s more", GroupDigits(stub.others).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void WindowPainter::DrawEventTooltip() const {
  const TimelineHit& hit = interaction_->hovered();
  const TrackSet& set = in_.profiles[hit.profile].Set(hit.set);
  const Lane& lane = *hit.lane;
  const Pen pen = MakePen(theme_, in_.fonts);
  const uint32_t i = hit.first;
  const ImVec2 p = ImGui::GetCursorScreenPos();
  pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9), window_.names.Color(*set.names, lane.meta[i]),
          2);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
  const std::string_view name = set.names->DisplayName(MetaId(lane.meta[i]));
  ImGui::TextUnformatted(name.data(), name.data() + name.size());
  ImGui::PushStyleColor(ImGuiCol_Text, theme_[Role::kText2]);
  if (lane.kind == LaneKind::kInstant) {
    ImGui::TextUnformatted(("at " + WithoutZeros(FormatDuration(lane.start[i], 9))).c_str());
  } else {
    ImGui::TextUnformatted((WithoutZeros(FormatDuration(lane.dur[i], 5)) + ", from " +
                            WithoutZeros(FormatDuration(lane.start[i], 9)))
                               .c_str());
  }
  DrawFramesTooltip(hit);
  if (in_.profiles[hit.profile].arriving) {
    ImGui::TextUnformatted("stands for this event and others, which are still to come");
  } else if (lane.kind == LaneKind::kSpill) {
    ImGui::TextUnformatted("overlaps other events of its track only in part");
  }
  if (window_.facts != nullptr) {
    for (const std::string& line : window_.facts->Of(in_.profiles[hit.profile], hit.event))
      ImGui::TextUnformatted(line.c_str());
  }
  DrawChangeTooltip(hit, lane.meta[i]);
  ImGui::PopStyleColor();
}

// Lists the frames that the first row of a thread stands for, the innermost first.
void WindowPainter::DrawFramesTooltip(const TimelineHit& hit) const {
  const LayoutItem& item = layout_.items()[hit.item];
  if (!item.frames_in_one || hit.depth != 0) return;
  const TrackSet& set = in_.profiles[hit.profile].Set(hit.set);
  const std::span<const Lane> lanes = set.LanesOf(set.tracks[item.track.value]);
  for (uint32_t depth = item.frames - 1; depth-- > 0;) {
    const std::string_view name = set.names->DisplayName(MetaId(lanes[depth].meta[0]));
    ImGui::TextUnformatted(("in " + std::string(name)).c_str());
  }
}

// Says how the name changed while two profiles are compared.
void WindowPainter::DrawChangeTooltip(const TimelineHit& hit, uint32_t meta) const {
  const ProfileId profile = in_.profiles[hit.profile].id;
  const std::vector<NameChange>* changes = model_.tints().Of(profile, hit.set);
  if (changes == nullptr || meta >= changes->size()) return;
  const NameChange& change = (*changes)[meta];
  if (change.kind == NameChange::Kind::kNone) return;
  const bool is_a = profile == model_.tints().base();
  const auto text = [](float ps) { return WithoutZeros(FormatDuration(static_cast<Ps>(ps), 4)); };
  std::string line = "of this name in a step: ";
  if (change.kind == NameChange::Kind::kOnlyHere) {
    line += text(change.own) + (is_a ? "; only A has it" : "; only B has it");
  } else {
    const float a = is_a ? change.own : change.other, b = is_a ? change.other : change.own;
    const double percent = 100.0 * (static_cast<double>(b) / static_cast<double>(a) - 1);
    line += text(a) + " in A, " + text(b) + " in B (" + (percent > 0 ? "+" : "") +
            PercentText(percent, 1) + ")";
  }
  ImGui::TextUnformatted(line.c_str());
}

// Lists the names that take most of the time of one pixel.
void WindowPainter::DrawFoldedTooltip() const {
  constexpr size_t kNames = 6;
  const TimelineHit& hit = interaction_->hovered();
  const TrackSet& set = in_.profiles[hit.profile].Set(hit.set);
  const Pen pen = MakePen(theme_, in_.fonts);
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  const HitSums sums = SumByName(hit);
  ImGui::Text("%u events in this pixel%s", hit.count(), sums.all ? "" : " (first 20 000 summed)");
  ImGui::SameLine();
  ImGui::TextColored(second, "%s", FormatDuration(sums.total, 4).c_str());
  for (size_t s = 0; s < std::min(kNames, sums.names.size()); ++s) {
    const HitSums::Name& sum = sums.names[s];
    const ImVec2 p = ImGui::GetCursorScreenPos();
    pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9), window_.names.Color(*set.names, sum.meta),
            2);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
    const NameLabel& label = window_.names.Label(*set.names, sum.meta);
    const std::string& name = label.forms[1].empty() ? label.forms[0] : label.forms[1];
    // The numbers stand first: a long name would leave them a column of a letter's width.
    ImGui::TextColored(second, "\xC3\x97 %s  %s", GroupDigits(sum.count).c_str(),
                       FormatDuration(sum.time, 4).c_str());
    ImGui::SameLine();
    ImGui::TextUnformatted(name.c_str());
  }
  if (sums.names.size() > kNames)
    ImGui::TextColored(second, "and %zu more names", sums.names.size() - kNames);
}

// Shows the value under the mouse. If a pixel has several values, it shows the least and the
// most.
void WindowPainter::DrawCounterTooltip() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsWindowHovered()) return;
  const std::optional<CounterHit> hit = model_.CounterAt(in_.profiles, mouse.x, mouse.y);
  if (!hit || !ImGui::BeginTooltip()) return;
  const TrackSet& set = in_.profiles[hit->profile].Set(hit->set);
  const LayoutItem& item = layout_.items()[hit->item];
  const Track& track = set.tracks[item.track.value];
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  const CounterColumn& values = hit->values;
  const bool share = item.lane == DerivedTrackKind::kUtilisation;
  const std::string value = CounterText(set, track, share ? values.mean : values.most);
  ImGui::TextUnformatted(value.c_str());
  ImGui::SameLine();
  ImGui::TextColored(second, "%s", LabelOf(in_.profiles[hit->profile], item).name.c_str());
  if (values.changes > 0 && values.least < values.most) {
    ImGui::TextColored(second, "%s in this pixel, from %s", share ? "mean" : "the most",
                       CounterText(set, track, values.least).c_str());
    if (share) {
      ImGui::SameLine(0, 0);
      ImGui::TextColored(second, " to %s", CounterText(set, track, values.most).c_str());
    }
  }
  if (share) DrawPartsTooltip(set, track, hit->column);
  ImGui::TextColored(second, "at %s", WithoutZeros(FormatDuration(hit->time, 9)).c_str());
  ImGui::EndTooltip();
}

// Lists the parts of the utilisation that a pixel column has.
void WindowPainter::DrawPartsTooltip(const TrackSet& set, const Track& track,
                                     TimeRange column) const {
  const Pen pen = MakePen(theme_, in_.fonts);
  for (size_t i = 1; i < track.counters.size(); ++i) {
    const double mean = CounterIn(track.counters[i], column).mean;
    const std::string_view name = set.names->strings.View(track.counters[i].name);
    if (mean <= 0) continue;
    const ImVec2 p = ImGui::GetCursorScreenPos();
    pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9), theme_[WorkKind(WorkPartOf(name))], 2);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
    ImGui::TextUnformatted(CounterText(set, track, mean).c_str());
    ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]), "%.*s",
                       static_cast<int>(name.size()), name.data());
  }
}

// Shows the whole name with its rank, and the recorded name if the user gave another.
void WindowPainter::DrawNameTooltip(const LayoutItem& item, std::string_view recorded) const {
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  const std::string_view name = item.given.empty() ? recorded : item.given;
  if (item.rank != nullptr) {
    ImGui::TextUnformatted(RankText(*item.rank).c_str());
    ImGui::SameLine();
    ImGui::TextColored(second, "%s", LateText(*item.rank).c_str());
  }
  ImGui::TextUnformatted(name.data(), name.data() + name.size());
  if (!item.given.empty())
    ImGui::TextColored(second, "recorded as %.*s", static_cast<int>(recorded.size()),
                       recorded.data());
}

void WindowPainter::DrawLabelTooltip() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const size_t index = model_.ItemAt(mouse.y);
  if (!ImGui::IsWindowHovered() || !geo_.labels.Has(mouse.x, mouse.y) ||
      index >= layout_.items().size())
    return;
  const LayoutItem& item = layout_.items()[index];
  const Profile& profile = in_.profiles[item.profile];
  if (!model_.Sticks(index) && mouse.y > model_.YOf(item.y) + item.height) return;
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme_[Role::kText2]);
  if (item.kind == LayoutItemKind::kPlaneHeading && item.plane.valid()) {
    const Plane& plane = profile.trace->planes[item.plane.value];
    if (!ImGui::BeginTooltip()) return;
    DrawNameTooltip(item, plane.display_name);
    if (!plane.subtitle.empty()) ImGui::TextColored(second, "%s", plane.subtitle.c_str());
    if (const double busy = plan_.Utilisation(static_cast<uint32_t>(index)); busy >= 0) {
      ImGui::TextColored(second,
                         IsDevice(plane.kind) ? "Busy %.1f %% of the recorded time in view"
                                              : "Its threads are busy %.1f %% of the recorded time "
                                                "in view, on average",
                         busy * 100);
    }
    ImGui::TextColored(second, "%s; click folds or unfolds, drag moves",
                       Counted(plane.tracks.size(), "tracks").c_str());
    ImGui::EndTooltip();
  } else if (item.kind == LayoutItemKind::kTrack || item.kind == LayoutItemKind::kCounter) {
    const TrackSet& set = profile.Set(item.set);
    const Track& track = set.tracks[item.track.value];
    if (!ImGui::BeginTooltip()) return;
    DrawNameTooltip(item, set.names->strings.View(track.name));
    if (const char* what = FindValue(kWhatLanesAre, item.lane, nullptr); what != nullptr) {
      ImGui::TextColored(second, "%s", what);
    } else {
      ImGui::TextColored(second, "%s, busy for %s", Counted(track.events, "events").c_str(),
                         // Events that overlap without one enclosing the other count twice.
                         FormatDuration(std::min(track.busy, track.span.length()), 4).c_str());
    }
    if (item.leads > 0) {
      ImGui::TextColored(second, "click %s %s derived tracks", item.collapsed ? "shows" : "hides",
                         GroupDigits(item.leads).c_str());
    }
    if (item.set == 0 && track.id != 0)
      ImGui::TextColored(second, "id %lld", static_cast<long long>(track.id));
    ImGui::EndTooltip();
  }
}

namespace {

// "8 x 1 x 1" of PyTorch's "[8, 1, 1]" and of XLA's "8,1,1".
std::string Sizes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsDigit(c)) {
      out += c;
    } else if (c == ',') {
      out += " \u00d7 ";
    }
  }
  return out;
}

// Returns what stands behind "grid:" in XLA's "regs:32 grid:8,1,1 block:128,1,1".
std::string_view Word(std::string_view details, std::string_view key) {
  const size_t at = details.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = details.substr(at + key.size());
  return rest.substr(0, rest.find(' '));
}

void AddGrid(const Trace& trace, EventRow row, std::vector<std::string>* lines) {
  if (!trace.source) return;
  const auto stats = trace.source->Decode(trace, row);
  if (!stats.ok()) return;
  std::string grid, block;
  for (const Stat& stat : *stats) {
    const std::string text = ToText(stat);
    if (stat.name == "grid") grid = Sizes(text);
    if (stat.name == "block") block = Sizes(text);
    if (stat.name == "kernel_details") {
      grid = Sizes(Word(text, "grid:"));
      block = Sizes(Word(text, "block:"));
    }
  }
  if (grid.empty()) return;
  lines->push_back("grid " + grid + (block.empty() ? "" : ", block " + block));
}

void AddLaunch(const Profile& profile, EventRow row, std::vector<std::string>* lines) {
  if (!profile.flows) return;
  const auto launch = FindLaunchFacts(*profile.trace, *profile.flows, row);
  if (!launch) return;
  // The innermost event around the call is the op that launched.
  if (!launch->stack.empty())
    lines->push_back("launched in " + std::string(profile.trace->set.Name(launch->stack.front())));
  std::string line = launch->delay > 0 ? "began " + WithoutZeros(FormatDuration(launch->delay, 4)) +
                                             " after its launch"
                                       : std::string("began during its launch");
  if (launch->queue_length > 0)
    line += ", behind " + Counted(launch->queue_length, "queued events");
  lines->push_back(std::move(line));
}

}  // namespace

const std::vector<std::string>& HoverFacts::Of(const Profile& profile, const EventRef& event) {
  if (event == event_ && trace_ == profile.trace.get() && flows_ == profile.flows.get())
    return lines_;
  event_ = event;
  trace_ = profile.trace.get();
  flows_ = profile.flows.get();
  lines_.clear();
  const EventRow row = profile.OwnRow(event);
  if (!row.valid() || row.value >= profile.trace->set.rows) return lines_;
  const TrackSet& set = profile.trace->set;
  const Track& track = set.tracks[set.TrackOf(row).value];
  const bool device =
      track.plane.valid() && IsDevice(profile.trace->planes[track.plane.value].kind);
  if (!device) return lines_;
  AddLaunch(profile, row, &lines_);
  AddGrid(*profile.trace, row, &lines_);
  return lines_;
}

}  // namespace stepscope
