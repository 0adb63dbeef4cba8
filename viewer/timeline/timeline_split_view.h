// TimelineSplitView: the timeline of all open profiles. It is one list, or each profile has rows
// of its own, above or beside those of the others. All share time axis, cursor and selection;
// each scrolls by itself. A job finds the counterpart of the selected event in the other profile.
// UI thread only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/jobs/latest_job.h"
#include "viewer/core/state/settings.h"
#include "viewer/timeline/timeline_panel.h"

namespace stepscope {

// Returns where `profiles` areas lie: in whole pixels, without overlap, with a pixel between
// them. If they lie above each other, the first is higher by `first_extra`, as far as there is
// room.
std::vector<Box> BoxesOfAreas(const Box& all, size_t profiles, ProfileLayout layout,
                              float first_extra);

class TimelineSplitView {
 public:
  void Draw(const TimelineInput& input);
  // Call it once a frame, before Draw. Draw is not called while the window is hidden.
  void NewFrame();
  bool moving() const;
  bool waiting() const;  // for a job
  bool takes_keys() const;
  const TimelineFeedback& feedback() const { return feedback_; }
  TimeRange displayed() const { return Active().displayed(); }  // of the active profile
  const Box& place() const { return place_; }                   // on the screen
  // Returns the view as it was last drawn, as a vector picture. The text is empty if it was not
  // drawn in the last frame.
  std::string Svg(std::span<const Profile> profiles, const ViewState& view, const Theme& theme,
                  const Fonts& fonts) const;

 private:
  // Each area has its own textures, because it uploads only what changed since it last drew.
  class SlotSink final : public TexelSink {
   public:
    void Use(TexelSink& sink, uint32_t first) { sink_ = &sink, first_ = first; }
    void Draw(const TexelFrame& frame, ImDrawList* list) override;

   private:
    TexelSink* sink_ = nullptr;
    uint32_t first_ = 0;
  };
  struct Area {
    ProfileId profile;
    uint32_t slot = 0;  // the first of its two
    SlotSink sink;
    TimelinePanel panel;
  };

  void SyncAreas(std::span<const Profile> profiles);
  uint32_t FreeSlot() const;
  void DrawArea(const TimelineInput& input, size_t index, const Box& box);
  void CollectFeedback();
  void UpdateCounterpart(const TimelineInput& input);
  const TimelinePanel& Active() const;

  TimelinePanel list_;
  std::vector<std::unique_ptr<Area>> areas_;  // in the order of the profiles; empty: one list
  ProfileLayout layout_ = ProfileLayout::kList;
  ProfileId active_;
  TimelineFeedback feedback_;
  Box place_;
  EventRef asked_, compared_with_, counterpart_;
  LatestJob<EventRow> job_;
  bool drawn_ = false;  // in this frame; a hidden view takes no results
};

}  // namespace stepscope
