#include "viewer/timeline/layout/python_hider.h"

#include <algorithm>

namespace stepscope {

bool PythonHider::Show() {
  if (!hidden_) return false;
  hidden_ = false;
  rests_.clear();
  return true;
}

bool PythonHider::Update(std::span<const Profile> profiles, bool hide, JobQueue& queue) {
  if (!hide) {
    job_.Stop();
    wanted_.clear();
    return Show();
  }
  Traces traces;
  for (const Profile& profile : profiles) traces.push_back(profile.trace);
  if (traces != made_.traces) {
    if (job_.active() && traces == wanted_) {
      std::optional<Made> made = job_.Take();
      if (!made) return Show();
      made_ = std::move(*made);
      hidden_ = false;
    } else {
      wanted_ = traces;
      // Results of profiles that stay open are taken over.
      job_.Start(queue, [traces, old = made_](Progress&) {
        Made out{traces, {}};
        for (const auto& trace : traces) {
          const auto known = std::find(old.traces.begin(), old.traces.end(), trace);
          const bool have = known != old.traces.end();
          out.rests.push_back(have ? old.rests[static_cast<size_t>(known - old.traces.begin())]
                                   : LeaveOutPython(*trace));
        }
        return out;
      });
      return Show();
    }
  }
  if (hidden_) return false;
  hidden_ = true;
  rests_ = made_.rests;
  return true;
}

}  // namespace stepscope
