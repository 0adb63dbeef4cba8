// RunNotes: what a user noted of the open runs, between the view and where the app keeps it: by the
// profile's content, beside the settings, never beside the profile. What cannot be read is set
// aside and said; what a newer version wrote is left as it is. UI thread only; files are small.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/context.h"

namespace stepscope {

struct ParsedNotes {
  enum class State { kRead, kDamaged, kNewer } state = State::kRead;
  std::vector<Marker> markers;
};

// JSON: {"stepscope_notes": 1, "markers": [{"begin_ps", "end_ps", "name", "color"}]}.
std::string NotesText(const std::vector<Marker>& markers);
ParsedNotes ParseNotes(std::string_view text);

class RunNotes {
 public:
  // The markers of a run that was just opened. What went wrong is said in the status bar.
  std::vector<Marker> Read(const Run& run, AppServices& services, WindowState* windows);
  // Writes those of runs whose markers have changed. O(markers)
  void Write(const ViewState& view, AppServices& services);

 private:
  struct Kept {
    std::string content;
    std::vector<Marker> markers;
  };
  std::map<TraceId, Kept> kept_;  // that may be written
};

}  // namespace stepscope
