// Unrecorded work: what a recording lacks on one device or in one step while it has it on others,
// or on all of them (docs/rules.md#too-little-recorded). Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// By plan step: whether it is marked and no device has an event of it, while steps of its name on
// its host have some. A first or last step does not count if it is alone: the recording may have
// cut it. `has_work` is by plan step too. O(steps log steps).
std::vector<bool> UnrecordedSteps(std::span<const Step> plan, const std::vector<bool>& has_work);
// By plan step: whether the one marked before it on its host is unrecorded. The time since the last
// device event does not belong to such a step. O(steps log steps).
std::vector<bool> FollowUnrecorded(std::span<const Step> plan, const std::vector<bool>& unrecorded);

// The launches of kernels and graphs in a step, and those of them without work on a device.
struct StepLaunches {
  uint32_t all = 0, lost = 0;
};
// By plan step; zeros where steps are found by time. Launches while a graph is captured start
// nothing and do not count, nor do calls of a name that never starts anything that was recorded.
// O(host events + launches), parallel over both.
std::vector<StepLaunches> CountLaunches(const Trace& trace, const Grouping& grouping,
                                        const StepPlan& plan);
// By plan step, whether at least a tenth of its launches have no work.
std::vector<bool> IncompleteSteps(std::span<const StepLaunches> launches);
// Removes the first and last steps that may have been cut: those that are alone beside others.
std::vector<bool> WithoutCut(std::span<const Step> plan, const std::vector<bool>& steps);
// Whether all steps are incomplete, so that none can be judged. O(steps).
bool AllIncomplete(const StepDatabase& db);
// "120 of 400 launches have no kernel"
std::string LostLaunchesText(const StepDatabase& db);

// Whether devices work under 1 % of the steps, in fewer than 20 events a step. O(device steps).
bool HardlyAnyWork(const StepDatabase& db);
// "GPU 1 has no event" and "steps 5 to 8 have no event of a device"; empty if nothing lacks.
std::string UnrecordedText(const Trace& trace, const StepDatabase& db);
// " GPU 1 does under 1 % of the work of the busiest one and is left out."; empty if no device is
// left out.
std::string IdleDevicesText(const Trace& trace, const StepDatabase& db);
// "The GPU has 3 events in a step of 395 ms and works 0.011 % of it"
std::string HardlyAnyWorkText(const StepDatabase& db, const std::string& devices);

}  // namespace stepscope
