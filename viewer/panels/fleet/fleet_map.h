// FleetMap: the map of a fleet's ranks and steps with its choices: what it shows, how ranks are
// ordered, and the run. A click opens the rank's own profile at the step. Where a fleet is the
// active profile, the map takes the timeline's place; the panel of fleets has it otherwise. Owns
// the map that it has made. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet_result.h"
#include "viewer/panels/rank_step_map.h"

namespace stepscope {

// A value that the map may show.
struct FleetMetric {
  std::string label;
  std::function<double(const LateStep&, const RankStep&)> us;  // NaN: not known
};
// An order of the map's rows: the latest rank first, else ascending.
struct FleetOrder {
  enum class By : uint8_t { kLateness, kRank, kAxis, kHost } by;
  const char* label;
  const char* axis;  // of the ranks' coordinates
};

class FleetMap {
 public:
  // Draws choices and map at the cursor, the map at most as high as this part of the room below.
  // Nothing where `result` has no steps. `key` changes with the result.
  void Draw(const PanelContext& context, const AnalysisResult& result, uint64_t key, float part);
  // The height in pixels that all of the map's rows would have, with the choices above them.
  float wanted_height() const { return wanted_height_; }

 private:
  void MakeChoices(const Fleet& fleet);
  void DrawChoices(const PanelContext& context, const Fleet& fleet);
  void MakeMap(const FleetRun& run, const FleetResult& result);
  void DrawMap(const PanelContext& context, const Fleet& fleet, const FleetResult& result,
               float part);

  std::vector<FleetMetric> metrics_;
  std::vector<FleetOrder> orders_;
  std::vector<std::string> run_names_;
  std::string metric_, order_;  // labels of what is chosen; not there: the first
  uint64_t key_ = 0;            // of the result that the lists above are of; 0: of none
  bool stale_ = true;           // the map is not that of the choices
  RankStepMap map_;
  float wanted_height_ = 0;
};

// A panel of the map alone, for the place of the timeline.
class FleetMapView {
 public:
  FleetMapView();
  ~FleetMapView();
  void Draw(const PanelContext& context);
  bool animating() const;
  float wanted_height() const;

 private:
  class View;
  std::unique_ptr<View> view_;
};

}  // namespace stepscope
