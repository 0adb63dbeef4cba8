// Compare: what changed in a step from profile A to profile B, and what the change is made of
// (docs/compare.md). In: the AnalysisContexts of two profiles. Out: an AnalysisResult, which the
// reports, `stepscope check`, the C library and the panel Compare show. Callers ask the registry of
// analyses for it: Comparison() in model/analysis/analysis.h.
//
// Words of this folder: a ComparedProfile is one side, A or B. An item (StepItem) is one
// part of a profile's average step: an op, a kernel, a copy, a cause of idle time. A
// contribution is what one item, or several alike, add to the change. Contexts may be used
// by any thread; nothing here keeps state.
//
// Start reading at CompareProfiles in compare.cc. It reads each profile on its own: chooses the
// steps (compared_profile.h), divides their mean into items (step_items.h), and takes what pages
// say (page_tables.h). Then it finds for each item of A the one of B (match.h) and lists what
// changed (contributions.h). The other files write that as tables and sentences; snapshots.cc
// compares memory snapshots, which have no steps. name_changes.h stands apart: it gives each event
// name on a timeline its change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/compare/profile_differences.h"
#include "model/compare/step_tables.h"

namespace stepscope::compare {

// What a comparison of steps is made from: AnalysisResult::As<StepComparison>(). That of memory
// snapshots is a SnapshotComparison.
struct StepComparison {
  ComparedSteps a, b;
  StepChange change;
  Contributions found;                                 // rows as in the table `contributions`
  std::vector<ProfileDifference> differences;          // as in the table `differences`
  AmountChanges allocations;                           // as in the table `allocations`
  std::optional<double> memory_peak_a, memory_peak_b;  // bytes, of the fullest allocator
  bool kernels = false;                                // A or B runs kernels; else its work is ops
};

// What the comparison of two snapshots is made from: AnalysisResult::As<SnapshotComparison>().
struct SnapshotComparison {
  int64_t peak_a = 0, peak_b = 0;  // bytes
  int64_t reserved_a = 0, reserved_b = 0;
  AmountChanges at_peak;  // bytes by frame, as in the table `memory_at_peak`
  int64_t delta() const { return SaturatingSub(peak_b, peak_a); }
};

// Lists what changed from `a` to `b`. Both contexts follow Stepscope's definitions, not XProf's;
// they may share a trace. A pure function, which reads the two profiles on two threads. Tables link
// to the events of A in `links` and to those of B in `links_b`. A profile without steps is compared
// as one step that lasts as long as its recording. `empty_reason` says why two profiles cannot be
// compared. O(events log events).
AnalysisResult CompareProfiles(AnalysisContext& a, AnalysisContext& b, const CompareParams& params);

// Whether both profiles have steps. If not, CompareProfiles compares each whole recording as one
// step. O(steps) once a context knows its steps.
bool HaveSteps(AnalysisContext& a, AnalysisContext& b, const CompareParams& params);

// The page of `stepscope report` that shows for one profile what the table compares for two:
// "overview" for the table "classes". Unknown tables belong to "overview".
const char* PageOf(std::string_view table);

// The findings as a paragraph that can be pasted into a message; empty if there are none.
std::string SummaryOf(const AnalysisResult& comparison);

// Compares two memory snapshots: what was live at the peak and at the end of each, by frame and by
// stack (docs/compare.md#memory-snapshots). Nothing if neither trace is a memory snapshot. If only
// one is, `empty_reason` says so. Each snapshot is represented by its fullest device. O(events +
// allocations + frames of stacks).
std::optional<AnalysisResult> CompareSnapshots(const Trace& a, const Trace& b,
                                               const CompareParams& params);

// What compare.cc and snapshots.cc share (summary.cc).
std::vector<Property> PropertiesOf(const StepComparison& comparison);
// "+13 %", "+0.42 %"
std::string SignedPercentText(double percent);
// Says the comparison in sentences, as findings: what makes it doubtful, the difference with its
// significance and causes, and what else differs. The page of the difference is "compare".
void AddSummary(const StepComparison& comparison, AnalysisResult* to);
// Inserts SummaryOf() as the first property.
void AddSummaryProperty(AnalysisResult* to);

}  // namespace stepscope::compare
