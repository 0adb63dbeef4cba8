#include "app/window/agent_driver.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "loaders/remote/remote_path.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/view_state.h"
#include "viewer/viewer.h"

namespace stepscope {

using nlohmann::json;
namespace {

std::string FullPath(const std::string& path) {
  std::error_code error;
  return IsRemotePath(path) ? path : std::filesystem::absolute(path, error).string();
}

}  // namespace

void AgentDriver::Update(Viewer& viewer) {
  AgentSocket* socket = session_.agents();
  if (socket == nullptr) {
    task_.reset();
    find_.Stop();
    return;
  }
  if (!task_) {
    task_ = socket->NextTask();
    if (!task_) return;
    stage_ = Stage::kOpen;
    session_.NoteAgent(task_->who);
  }
  if (stage_ == Stage::kOpen) Open();
  if (stage_ == Stage::kLoad && Loaded()) Find(viewer.view().active);
  if (stage_ == Stage::kShown) return Answer(viewer);  // the commands were applied
  if (stage_ == Stage::kFind && !find_.busy()) {
    const bool asked = find_.active();
    const EventRow found = find_.Take().value_or(EventRow());
    if (asked && !found.valid())
      return Fail(fmt::format("no event has a name with '{}'", task_->request.select));
    Push(viewer, found);
  }
}

void AgentDriver::Open() {
  const std::string& path = task_->request.open;
  stage_ = Stage::kLoad;
  if (!path.empty() && !session_.OpenedAs(path).valid()) session_.Open({path}, false);
}

// Whether the profile is there to be looked at. A request that names none is about the active one.
bool AgentDriver::Loaded() {
  if (session_.loading()) return false;
  const std::string& path = task_->request.open;
  profile_ = path.empty() ? ProfileId() : session_.OpenedAs(path);
  if (!path.empty() && !profile_.valid()) {
    const std::string& why = session_.load_status().message();
    Fail(why.empty() ? path + ": it was not opened" : why);
    return false;
  }
  return true;
}

void AgentDriver::Find(ProfileId active) {
  stage_ = Stage::kFind;
  const ShowRequest& request = task_->request;
  const auto& profiles = session_.view().profiles;
  const bool about_profile = !request.select.empty() || request.event || request.range;
  if (profiles.empty()) {
    if (about_profile || !request.panel.empty()) Fail("no profile is open");
    return;
  }
  if (!profile_.valid()) profile_ = active;
  const Profile* profile = FindProfile(profiles, profile_);
  if (request.select.empty() || profile == nullptr) return;
  find_.Start(queue_, [trace = profile->trace, name = request.select](Progress&) {
    return FirstNamed(*trace, name);
  });
}

void AgentDriver::Push(Viewer& viewer, EventRow found) {
  const ShowRequest& request = task_->request;
  CommandQueue& commands = viewer.commands();
  if (!request.panel.empty()) commands.Push("panel.show", {.text = request.panel});
  if (request.event) found = EventRow(*request.event);
  if (found.valid()) commands.Push("select.reveal", {.event = {profile_, 0, found}});
  if (request.range)
    commands.Push("view.set_range", {.range = *request.range, .profile = profile_});
  stage_ = Stage::kShown;
  session_.RequestFrame();
}

// Tells what the window shows now.
void AgentDriver::Answer(const Viewer& viewer) {
  const ViewState& view = viewer.view();
  json answer = {{"ok", true}, {"profiles", json::array()}};
  for (const Profile& profile : session_.view().profiles) {
    const bool active = profile.id == view.active;
    answer["profiles"].push_back(
        {{"path", FullPath(profile.trace->path)}, {"run", profile.trace->run}, {"active", active}});
    const ProfileViewState* state = view.Find(profile.id);
    if (!active || state == nullptr) continue;
    const TimeRange range = state->map.ToTrace(view.visible);
    answer["visible"] = {{"begin_ps", range.begin}, {"end_ps", range.end}};
  }
  if (const Profile* profile = FindProfile(session_.view().profiles, view.selected.trace);
      profile != nullptr && view.selected.set == 0 && profile->SetOf(view.selected) != nullptr) {
    const TrackSet& set = profile->trace->set;
    answer["selected"] = {{"event", view.selected.row.value},
                          {"name", set.Name(view.selected.row)},
                          {"begin_ps", set.Start(view.selected.row)},
                          {"dur_ps", set.Duration(view.selected.row)}};
  }
  if (task_->request.event && view.selected.row != EventRow(*task_->request.event))
    return Fail(fmt::format("there is no event {}", *task_->request.event));
  session_.agents()->Answer(task_->ticket,
                            answer.dump(-1, ' ', false, json::error_handler_t::replace));
  task_.reset();
  session_.RequestFrame();  // another request may wait
}

void AgentDriver::Fail(const std::string& what) {
  session_.agents()->Answer(task_->ticket, AgentError(what));
  task_.reset();
  stage_ = Stage::kDone;
  session_.RequestFrame();
}

}  // namespace stepscope
