// NameRankView shows how an event's duration compares with those of all events of its name: as
// bars with a mark, in words, with a link to all of them and links to the neighbours of that name
// on its track. A job computes it. UI thread only.
#pragma once

#include <array>
#include <string>

#include "model/ids.h"
#include "model/jobs/latest_job.h"
#include "model/query/event_stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

// "Longer than 93 % of the 1 204 of this name".
std::string RankText(const NameRank& rank);

class NameRankView {
 public:
  // Draws nothing for instants. The view keeps its height while its contents are computed.
  void Draw(const PanelContext& context, const Profile& profile, const EventRef& event);
  bool animating() const { return job_.busy(); }

 private:
  struct Found {
    NameRank rank;
    std::array<EventRow, 2> neighbours;  // before and behind; invalid: there is none
  };
  void Update(const PanelContext& context, const Profile& profile, const EventRef& event);
  void DrawNeighbours(const PanelContext& context, const TrackSet& set,
                      const EventRef& event) const;
  void DrawTotal(const PanelContext& context, const Profile& profile, const EventRef& event) const;

  LatestJob<Found> job_;
  EventRef event_;
  const Trace* trace_ = nullptr;
  bool ready_ = false;
  NameRank rank_;
  std::array<EventRow, 2> neighbours_;
};

}  // namespace stepscope
