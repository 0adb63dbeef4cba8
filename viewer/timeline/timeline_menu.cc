#include "viewer/timeline/timeline_menu.h"

#include <imgui.h>

#include <string>

#include "model/lookup.h"
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

void TimelineMenu::DrawEvent(const TimelineInput& input) const {
  const Run* run = nullptr;
  for (const Run& r : input.runs) run = r.id == target_.event.trace ? &r : run;
  if (run == nullptr || target_.event.set >= run->sets()) return;
  const TrackSet& set = run->Set(target_.event.set);
  if (target_.event.row.value >= set.rows) return;
  const std::string name(set.Name(target_.event.row));
  Heading(input, name);
  CommandItem(input, "view.zoom_selection");
  CommandItem(input, "measure.selection");
  ImGui::Separator();
  CommandArgs filter;
  filter.text = NameQuery::Whole(name);
  CommandItem(input, "search.set", std::move(filter), "Filter timeline to this name");
  if (ImGui::MenuItem("Show all of this name on this track"))
    input.panel.commands.Push("select.show_events", SameNameOnTrack(set, target_.event));
  CommandItem(input, "select.next_same");
  CommandItem(input, "select.previous_same");
  CommandItem(input, "select.parent");
  ImGui::Separator();
  CommandItem(input, "copy.name");
  CommandItem(input, "copy.all");
}

void TimelineMenu::DrawTrack(const TimelineInput& input) const {
  CommandArgs run, path;
  run.run = path.run = target_.run;
  path.text = target_.path;
  if (target_.folds) CommandItem(input, "view.toggle_collapse", path);
  CommandItem(input, "view.toggle_hidden", path);
  CommandItem(input, "view.collapse_all", run);
  CommandItem(input, "view.expand_all", run);
}

void TimelineMenu::Draw(const TimelineInput& input, std::optional<TimelineMenuTarget> asked) {
  if (asked) {
    target_ = std::move(*asked);
    ImGui::OpenPopup("timeline menu");
  }
  if (!ImGui::BeginPopup("timeline menu")) return;
  if (target_.event.valid()) {
    DrawEvent(input);
  } else {
    DrawTrack(input);
  }
  ImGui::EndPopup();
}

}  // namespace stepscope
