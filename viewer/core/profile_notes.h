// ProfileNotes: the user's markers of the open profiles. It carries them between the view and the
// files that the app keeps beside the settings, by the profile's fingerprint, never beside the
// profile. A file that cannot be read is set aside and the status bar says so; a file that a newer
// version wrote is not touched. UI thread only; files are small.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/profiles/session_view.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

struct ParsedNotes {
  enum class State { kRead, kDamaged, kNewer } state = State::kRead;
  std::vector<Marker> markers;
};

// JSON: {"stepscope_notes": 1, "markers": [{"begin_ps", "end_ps", "name", "color"}]}.
std::string NotesText(const std::vector<Marker>& markers);
ParsedNotes ParseNotes(std::string_view text);

class ProfileNotes {
 public:
  // The markers of a profile that was just opened. *note becomes what the user is told if some
  // cannot be read.
  std::vector<Marker> Read(const Profile& profile, AppServices& services, std::string* note);
  // Writes the markers of each profile where they have changed. O(markers)
  void Write(const ViewState& view, AppServices& services);

 private:
  struct WrittenNotes {
    std::string fingerprint;
    std::vector<Marker> markers;
  };
  std::map<ProfileId, WrittenNotes> written_;  // profiles whose notes may be written
};

}  // namespace stepscope
