// GivenNames: what the user calls planes and tracks, so that panels call them as the timeline does.
// A name that the user has not given is the recorded one.
#pragma once

#include <map>
#include <string>

#include "model/trace.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

class GivenNames {
 public:
  // Reads the rules of tracks anew if they have changed; returns whether they have. O(1) while they
  // stay the same.
  bool Update(const Settings& settings);
  std::string OfPlane(const Trace& trace, PlaneId plane) const;
  std::string OfTrack(const Trace& trace, const TrackSet& set, TrackId track) const;
  bool operator==(const GivenNames& other) const { return by_path_ == other.by_path_; }

 private:
  std::string rules_;                                        // the text that was read last
  std::map<std::string, std::string, std::less<>> by_path_;  // as TrackRules::names
};

}  // namespace stepscope
