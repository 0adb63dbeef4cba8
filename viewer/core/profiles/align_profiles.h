// Aligns two profiles on the time axis that they share: says which time of one stands at which time
// of the other, and whether one is stretched. Every function changes only the TimeMap of `state`.
// Pure; O(steps).
#pragma once

#include <span>
#include <string>

#include "viewer/core/profiles/profile.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

// The profile that is compared with the baseline: the active one, or the first other one where the
// baseline is active. Null if nothing is compared.
const Profile* FindComparedProfile(std::span<const Profile> profiles, const ViewState& view);

// The range of all events of a trace. The first view, if that is longer, as for a single instant.
TimeRange SpanOf(const Trace& trace);
// The shared time from the first begin to the last end of the two profiles that are compared.
TimeRange SpanOfCompared(std::span<const Profile> profiles, const ViewState& view);

// Moves a profile so that its time `own` stands where the baseline's time `base` does.
// Its stretch stays.
void AlignTimes(const ProfileViewState& baseline, Ps base, Ps own, ProfileViewState* state);
// Aligns the baseline's step nearest to `near` (in the baseline's time) with the other profile's
// step of the same number. Without such a step, aligns the first steps that count. False if one
// profile has no steps.
bool AlignBySteps(const Profile& base, const ProfileViewState& baseline, Ps near,
                  const Profile& profile, ProfileViewState* state);
// Stretches a profile until its median step is as long as the baseline's, and aligns their first
// steps. False if one has no steps.
bool StretchToSteps(const Profile& base, const ProfileViewState& baseline, const Profile& profile,
                    ProfileViewState* state);
// Whether exactly one of the two profiles is a memory snapshot.
bool AreSnapshotAndTrace(const Profile& a, const Profile& b);
// Aligns a memory snapshot with a trace by the Unix times that both recorded. False if one has no
// such time, if their recordings do not overlap, or for any other two profiles.
bool AlignByClock(const Profile& base, const ProfileViewState& baseline, const Profile& profile,
                  ProfileViewState* state);
// Why a memory snapshot and a trace do not show the same moments on one axis, for example because
// one has no Unix time. Empty if they do, or after the user has aligned them.
std::string WhyApart(std::span<const Profile> profiles, const ViewState& view);
// Aligns each profile that is not aligned yet with the baseline: a snapshot and a trace by their
// clocks, others by the first steps that count.
void AlignByItself(std::span<const Profile> profiles, ViewState* view);

}  // namespace stepscope
