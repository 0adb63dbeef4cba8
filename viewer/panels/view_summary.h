// ViewSummary: the details panel while no event is selected. It shows the events in view, added up
// by name and by kind of track, of both profiles if two are compared. A job computes the sums when
// the view rests. UI thread only.
#pragma once

#include <string>

#include "model/jobs/latest_job.h"
#include "viewer/core/panel.h"
#include "viewer/core/search/visible_events.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {

class ViewSummary {
 public:
  void Draw(const PanelContext& context);  // the context has a profile
  // True while the view moves or its sums are computed.
  bool animating() const { return waiting_; }

 private:
  struct Key {
    const Trace* trace = nullptr;
    TimeRange range;
    std::string host;
    // Where two profiles are compared, `trace` is A and this is B; else null.
    const Trace* other = nullptr;
    TimeRange other_range;
    bool operator==(const Key&) const = default;
  };
  void Update(const PanelContext& context);
  void DrawTitle(const PanelContext& context) const;
  void DrawKinds(const PanelContext& context) const;
  std::string Hint() const;

  LatestJob<VisibleEvents> job_;
  Key wanted_, asked_, shown_;
  double since_ = 0;  // when the view last moved
  bool waiting_ = false;
  uint64_t version_ = 0;  // of what is shown
  VisibleEvents events_;
  ResultTableView table_;
};

}  // namespace stepscope
