// The right-click menu of the timeline: what can be done with an event, or with a track or plane.
// Every entry is a command of the table, so that it reads and has the key as everywhere else.
#include <imgui.h>

#include <string>

#include "model/lookup.h"
#include "viewer/timeline/timeline_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

void CommandItem(const TimelineInput& input, const char* id, CommandArgs args = {},
                 const char* title = nullptr) {
  const CommandDesc* desc = FindCommand(id);
  if (desc == nullptr) return;
  if (ImGui::MenuItem(title != nullptr ? title : desc->title, FirstKey(desc->keys).c_str()))
    input.panel.commands.Push(id, std::move(args));
}

CommandArgs OfEvent(const EventRef& event) {
  CommandArgs args;
  args.event = event;
  return args;
}

// The events of the same name on the event's track, the lanes in order.
CommandArgs SameNameOnTrack(const TrackSet& set, const EventRef& event) {
  CommandArgs args;
  const Track& track = set.tracks[set.TrackOf(event.row).value];
  const uint32_t meta = set.Meta(event.row).value;
  for (const Lane& lane : set.LanesOf(track)) {
    for (uint32_t i = 0; i < lane.size() && args.events.size() < kMaxShownEvents; ++i) {
      if (lane.meta[i] != meta) continue;
      args.events.push_back({event.trace, event.set, EventRow(lane.first_row + i)});
    }
  }
  return args;
}

void Heading(const TimelineInput& input, std::string_view text) {
  ImGui::PushTextWrapPos(Em() * 32);
  TextIn(input.panel, Role::kText2, text);
  ImGui::PopTextWrapPos();
  ImGui::Separator();
}

}  // namespace

void TimelinePanel::OpenMenu(const TimelineInput& input) {
  const float y = ImGui::GetIO().MousePos.y, x = ImGui::GetIO().MousePos.x;
  menu_event_ = {};
  menu_path_.clear();
  if (geo_.rows.Has(x, y) && hit_.valid()) {
    menu_event_ = hit_.event;
    // The commands act on the selection: what was clicked is what is meant.
    input.panel.commands.Push("select.event", OfEvent(hit_.event));
  } else {
    const size_t index = layout_.At(static_cast<double>(y - geo_.rows.y) + Scroll(input));
    if (y < geo_.rows.y || index >= layout_.items().size()) return;
    const LayoutItem& item = layout_.items()[index];
    if (!item.collapsible) return;
    menu_run_ = input.runs[item.run].id;
    menu_path_ = ItemPath(input, item);
  }
  ImGui::OpenPopup("timeline menu");
}

void TimelinePanel::DrawEventMenu(const TimelineInput& input) {
  const TimelineRun* run = nullptr;
  for (const TimelineRun& r : input.runs) run = r.id == menu_event_.trace ? &r : run;
  if (run == nullptr || menu_event_.set >= run->sets()) return;
  const TrackSet& set = run->Set(menu_event_.set);
  if (menu_event_.row.value >= set.rows) return;
  const std::string name(set.Name(menu_event_.row));
  Heading(input, name);
  CommandItem(input, "view.zoom_selection");
  CommandItem(input, "measure.selection");
  ImGui::Separator();
  CommandArgs filter;
  filter.text = NameQuery::Whole(name);
  CommandItem(input, "search.set", std::move(filter), "Filter timeline to this name");
  if (ImGui::MenuItem("Show all of this name on this track"))
    input.panel.commands.Push("select.show_events", SameNameOnTrack(set, menu_event_));
  CommandItem(input, "select.next_same");
  CommandItem(input, "select.previous_same");
  CommandItem(input, "select.parent");
  ImGui::Separator();
  CommandItem(input, "copy.name");
  CommandItem(input, "copy.all");
}

void TimelinePanel::DrawTrackMenu(const TimelineInput& input) const {
  CommandArgs fold;
  fold.run = menu_run_;
  fold.text = menu_path_;
  CommandItem(input, "view.toggle_collapse", std::move(fold));
  CommandItem(input, "view.collapse_all");
  CommandItem(input, "view.expand_all");
}

void TimelinePanel::DrawMenu(const TimelineInput& input) {
  if (!ImGui::BeginPopup("timeline menu")) return;
  if (menu_event_.valid()) {
    DrawEventMenu(input);
  } else {
    DrawTrackMenu(input);
  }
  ImGui::EndPopup();
}

}  // namespace stepscope
