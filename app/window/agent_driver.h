// AgentDriver: carries out what programs of the user ask the window to show (app/agents/), one
// request after another: opens the profile, finds the event beside the frames, pushes commands of
// the view, and answers with what the window then shows. UI thread only; no call waits.
#pragma once

#include <optional>
#include <string>

#include "app/agents/agent_socket.h"
#include "app/session/session.h"
#include "model/jobs/latest_job.h"

namespace stepscope {

class Viewer;

class AgentDriver {
 public:
  // All must outlive it.
  AgentDriver(Session& session, JobQueue& queue) : session_(session), queue_(queue) {}
  // Goes on as far as it can without waiting. Call it once before each frame.
  void Update(Viewer& viewer);

 private:
  enum class Stage { kOpen, kLoad, kFind, kShown, kDone };

  void Open();
  bool Loaded();
  void Find(ProfileId active);
  void Push(Viewer& viewer, EventRow found);
  void Answer(const Viewer& viewer);
  void Fail(const std::string& what);

  Session& session_;
  JobQueue& queue_;
  std::optional<AgentTask> task_;
  Stage stage_ = Stage::kOpen;
  ProfileId profile_;  // what the request is about
  LatestJob<EventRow> find_;
};

}  // namespace stepscope
