// RunAreas: the timeline of all open runs: one list, or rows for each run of its own, above or
// beside each other. They share time axis, cursor and selection and scroll each by itself. What an
// event of one run has in the other is found in the background. UI thread only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/base/latest_job.h"
#include "viewer/core/run_layout.h"
#include "viewer/timeline/timeline_panel.h"

namespace stepscope {

// Where `runs` areas lie: in whole pixels, without overlap, with a pixel between them. Above each
// other the first is higher by `first_extra`, as far as there is room.
std::vector<Box> BoxesOfAreas(const Box& all, size_t runs, RunLayout layout, float first_extra);

class RunAreas {
 public:
  void Draw(const TimelineInput& input);
  // Once a frame, before Draw, which is not called while the window is hidden.
  void NewFrame();
  bool moving() const;
  bool waiting() const;  // for a job
  bool takes_keys() const;
  const TimelineFeedback& feedback() const { return feedback_; }
  TimeRange displayed() const { return Active().displayed(); }  // of the active run
  const Box& place() const { return place_; }                   // on the screen
  // As it was last drawn, as a vector picture; empty where it was not drawn in the last frame.
  std::string Svg(std::span<const Run> runs, const ViewState& view, const NameCache& names) const;

 private:
  // Textures stay with an area: what it draws is what changed since it last drew.
  class SlotSink final : public TexelSink {
   public:
    void Use(TexelSink& sink, uint32_t first) { sink_ = &sink, first_ = first; }
    void Draw(const TexelFrame& frame, ImDrawList* list) override;

   private:
    TexelSink* sink_ = nullptr;
    uint32_t first_ = 0;
  };
  struct Area {
    TraceId run;
    uint32_t slot = 0;  // the first of its two
    SlotSink sink;
    TimelinePanel panel;
  };

  void SyncAreas(std::span<const Run> runs);
  uint32_t FreeSlot() const;
  void DrawArea(const TimelineInput& input, size_t index, const Box& box);
  void CollectFeedback();
  void UpdateCounterpart(const TimelineInput& input);
  const TimelinePanel& Active() const;

  TimelinePanel list_;
  std::vector<std::unique_ptr<Area>> areas_;  // in the order of the runs; empty: one list
  RunLayout layout_ = RunLayout::kList;
  TraceId active_;
  TimelineFeedback feedback_;
  Box place_;
  EventRef asked_, compared_with_, counterpart_;
  LatestJob<EventRow> job_;
  bool drawn_ = false;  // in this frame: what is hidden takes no results
};

}  // namespace stepscope
