// TimelinePainter: draws the timeline's model with a pen, into the window or as a vector picture.
// This folder turns the model into pixels or SVG and decides nothing; start reading here. UI thread
// only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viewer/core/panel.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/timeline/interaction/timeline_interaction.h"
#include "viewer/widgets/draw.h"

namespace stepscope {

// HoverFacts: what the tooltip of a device event says beside its time: the op that launched it, its
// grid, and how long it waited. It keeps the answer of the event asked about last, because reading
// arguments costs more than a frame should. UI thread only.
class HoverFacts {
 public:
  // Lines, none for an event whose launch and arguments say nothing. O(log n) for a new event.
  const std::vector<std::string>& Of(const Profile& profile, const EventRef& event);

 private:
  EventRef event_;
  const Trace* trace_ = nullptr;
  const FlowIndex* flows_ = nullptr;
  std::vector<std::string> lines_;
};

inline constexpr float kSmallText = 12;  // points; of the texts beside a name

struct TimelineInput {
  const PanelContext& panel;
  std::span<const Profile> profiles;
  const Search& search;
  NameCache& names;
  const Fonts& fonts;
  TexelSink& sink;
  uint64_t content_generation = 0;  // changes with profiles and derived sets
  bool animate = true;
  TimeRange path = {};  // as in TimelineFrame
  EventRef counterpart = {};
  std::span<const Profile> all_profiles = {};
  bool minimap_of_all = true;    // as in TimelineFrame
  std::optional<Box> area = {};  // on the screen; none: the whole window
  TopParts top = {};
  float most_label = 1;         // names of tracks take at most this share of the width
  bool tooltips = true;         // false: something else lies over the timeline
  bool legend = true;           // the legend of the colours of changes is drawn
  bool tools = true;            // the tool buttons are drawn
  HoverFacts* facts = nullptr;  // of the event under the mouse; null: its tooltip has none
  EventRef hovered = {};        // the event under the mouse in the rows of another profile
};

// What is drawn, in the window and in a vector picture. All must outlive the painter.
struct TimelineScene {
  std::span<const Profile> profiles, all_profiles;  // as in TimelineInput
  const ViewState& view;
  const Theme& theme;
  const Fonts& fonts;
  EventRef counterpart = {};
  bool legend = true;
};

// Draws what the window and a vector picture have in common. Lives for one frame.
class TimelinePainter {
 public:
  // `interaction`: what the mouse does; null: nobody points at the picture.
  TimelinePainter(const TimelineScene& scene, const TimelineModel& model,
                  const TimelineInteraction* interaction, const Pen& pen);
  virtual ~TimelinePainter() = default;

 protected:
  virtual void DrawSlices() const = 0;  // of all rows of the draw plan
  void DrawRows() const;                // and names beside them
  void DrawTitle() const;
  void DrawRuler() const;
  void DrawCorner(float left) const;
  void DrawSteps() const;
  void DrawMarks() const;  // measurement, selection, arrows and the like, over the rows
  void DrawTintLegend() const;
  void DrawTriangle(float cx, float cy, float r, bool folded) const;
  std::optional<Ps> Cursor() const {
    return interaction_ != nullptr ? interaction_->cursor() : std::nullopt;
  }

  const TimelineScene in_;
  const TimelineModel& model_;
  const TimelineInteraction* const interaction_;
  const TimelineGeometry& geo_;
  const Layout& layout_;
  const DrawPlan& plan_;
  const TimeAxis& axis_;  // of the active profile
  const Theme& theme_;
  const Pen& pen_;

 private:
  void DrawSticky() const;
  void DrawNames(size_t first, size_t last) const;
  void DrawHeading(const LayoutItem& item, uint32_t index, float y) const;
  void DrawPin(const LayoutItem& item, float x, float right, float y) const;
  void DrawTrackLabel(const LayoutItem& item, float y, float text_top) const;
  void DrawColor(const LayoutItem& item, float y) const;
  void DrawRankLabel(const LayoutItem& item, float y) const;
  void DrawPartsLegend(const TrackSet& set, const Track& track, float left, float right,
                       float y) const;
  void DrawFramesLabel(const LayoutItem& item) const;
  void DrawLabels(const Box& area, bool sticks) const;
  void DrawInstants(bool sticks) const;
  const char* SideOf(const Profile& profile) const;
  bool StepNamesFit(uint32_t profile, const Box& row) const;
  void DrawStepsOf(uint32_t profile, const Box& row) const;
  void DrawFilter() const;
  void DrawMarkers() const;
  void DrawFlag(const Marker& marker, float x, Rgba color) const;
  void DrawMeasure() const;
  void DrawPath() const;
  void DrawFlows() const;
  void DrawFlowsOf(const EventFlows& flows, float width) const;
  void DrawArrow(const FlowLine& line, float width) const;
  void DrawStub(const FlowStub& stub, float width) const;
  void DrawCounterpart() const;
  void DrawSelection() const;
  void DrawSameName(bool sticks) const;
};

// Draws into the current ImGui window.
class WindowPainter final : public TimelinePainter {
 public:
  WindowPainter(const TimelineInput& input, const TimelineModel& model,
                const TimelineInteraction& interaction);
  void Draw() const;

 private:
  void DrawSlices() const override;
  void DrawScrollbar() const;
  void DrawMinimap() const;
  void DrawMinimapMarks() const;
  void DrawTools() const;
  void DrawDraggedTrack() const;
  void DrawBox() const;  // that selects
  void DrawCursor() const;
  // timeline_tooltip.cc
  void DrawTooltip() const;
  void DrawEventTooltip() const;
  void DrawFramesTooltip(const TimelineHit& hit) const;
  void DrawChangeTooltip(const TimelineHit& hit, uint32_t meta) const;
  void DrawStubTooltip(const FlowStub& stub) const;
  void DrawFoldedTooltip() const;
  void DrawCounterTooltip() const;
  void DrawPartsTooltip(const TrackSet& set, const Track& track, TimeRange column) const;
  void DrawLabelTooltip() const;
  void DrawNameTooltip(const LayoutItem& item, std::string_view recorded) const;

  const TimelineInput& window_;
  const Pen pen_of_window_;
};

}  // namespace stepscope
