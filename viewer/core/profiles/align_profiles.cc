#include "viewer/core/profiles/align_profiles.h"

#include <algorithm>
#include <vector>

#include "model/base/digits.h"
#include "model/base/statistics.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

const StepMarker* Nearest(std::span<const StepMarker> steps, Ps near) {
  const StepMarker* best = nullptr;
  for (const StepMarker& step : steps) {
    if (step.range.begin > near && best != nullptr) break;
    best = &step;
  }
  return best;
}

const StepMarker* Numbered(std::span<const StepMarker> steps, int64_t number) {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [number](const StepMarker& s) { return s.number == number; });
  return found == steps.end() ? nullptr : &*found;
}

const StepMarker& FirstThatCounts(std::span<const StepMarker> steps) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [](const StepMarker& s) { return s.counts; });
  return found == steps.end() ? steps.front() : *found;
}

Ps MedianLength(std::span<const StepMarker> steps) {
  std::vector<Ps> lengths;
  for (const StepMarker& step : steps) {
    if (step.counts) lengths.push_back(step.range.length());
  }
  if (lengths.empty()) return steps.empty() ? 0 : steps.front().range.length();
  return Median(std::move(lengths));
}

}  // namespace

const Profile* FindComparedProfile(std::span<const Profile> profiles, const ViewState& view) {
  if (!view.baseline.valid() || FindProfile(profiles, view.baseline) == nullptr) return nullptr;
  if (view.active != view.baseline) return FindProfile(profiles, view.active);
  for (const Profile& profile : profiles) {
    if (profile.id != view.baseline) return &profile;
  }
  return nullptr;
}

TimeRange SpanOf(const Trace& trace) {
  const TimeRange &span = trace.span, &first = trace.first_view;
  if (first.empty()) return span;
  return {std::min(span.begin, first.begin), std::max(span.end, first.end)};
}

TimeRange SpanOfCompared(std::span<const Profile> profiles, const ViewState& view) {
  TimeRange all{kMaxPs, kMinPs};
  for (const Profile* profile :
       {FindProfile(profiles, view.baseline), FindComparedProfile(profiles, view)}) {
    const ProfileViewState* state = profile != nullptr ? view.Find(profile->id) : nullptr;
    if (state == nullptr) continue;
    const TimeRange span = state->map.ToShared(SpanOf(*profile->trace));
    all = {std::min(all.begin, span.begin), std::max(all.end, span.end)};
  }
  return all;
}

void AlignTimes(const ProfileViewState& baseline, Ps base, Ps own, ProfileViewState* state) {
  state->map.offset = 0;
  state->map.offset = SaturatingSub(baseline.map.ToShared(base), state->map.ToShared(own));
  state->aligned = true;
}

bool AlignBySteps(const Profile& base, const ProfileViewState& baseline, Ps near,
                  const Profile& profile, ProfileViewState* state) {
  const std::span<const StepMarker> a = base.Steps(), b = profile.Steps();
  if (a.empty() || b.empty()) return false;
  const StepMarker* of_base = Nearest(a, near);
  const StepMarker* of_profile = of_base != nullptr ? Numbered(b, of_base->number) : nullptr;
  if (of_profile == nullptr) {
    of_base = &FirstThatCounts(a);
    of_profile = &FirstThatCounts(b);
  }
  AlignTimes(baseline, of_base->range.begin, of_profile->range.begin, state);
  return true;
}

bool StretchToSteps(const Profile& base, const ProfileViewState& baseline, const Profile& profile,
                    ProfileViewState* state) {
  const Ps a = MedianLength(base.Steps()), b = MedianLength(profile.Steps());
  if (a <= 0 || b <= 0) return false;
  state->map.shared = a;
  state->map.of_own = b;
  const Ps first = base.Steps().empty() ? 0 : base.Steps().front().range.begin;
  return AlignBySteps(base, baseline, first, profile, state);
}

bool AreSnapshotAndTrace(const Profile& a, const Profile& b) {
  return a.trace && b.trace &&
         CapabilitiesOf(*a.trace).memory_snapshot != CapabilitiesOf(*b.trace).memory_snapshot;
}

bool AlignByClock(const Profile& base, const ProfileViewState& baseline, const Profile& profile,
                  ProfileViewState* state) {
  if (!AreSnapshotAndTrace(base, profile)) return false;
  const Trace &a = *base.trace, &b = *profile.trace;
  if (a.origin_unix_ns == 0 || b.origin_unix_ns == 0) return false;
  // The profile's time when the baseline's time is 0.
  const Ps own = SaturatingMul(SaturatingSub(a.origin_unix_ns, b.origin_unix_ns), kPsPerNs);
  const Ps begin = SaturatingAdd(a.span.begin, own), end = SaturatingAdd(a.span.end, own);
  if (begin >= b.span.end || end <= b.span.begin) return false;
  AlignTimes(baseline, 0, own, state);
  return true;
}

namespace {

// "3 days", "5 hours", "12.4 s". Recordings that are far apart would saturate as a Ps.
std::string LongTime(int64_t ns) {
  constexpr int64_t kHour = int64_t{3600} * 1'000'000'000;
  if (ns >= 48 * kHour) return Counted(static_cast<size_t>(ns / (24 * kHour)), "days");
  if (ns >= 2 * kHour) return Counted(static_cast<size_t>(ns / kHour), "hours");
  return FormatDuration(SaturatingMul(ns, kPsPerNs), 3);
}

std::string WhyApart(const Trace& snapshot, const Trace& trace) {
  const std::string meaning = " What is drawn at one place did not happen at one time.";
  if (snapshot.origin_unix_ns == 0 || trace.origin_unix_ns == 0) {
    const char* which = snapshot.origin_unix_ns == 0 ? "snapshot" : "trace";
    return std::string("The ") + which + " does not say when it was recorded." + meaning;
  }
  const auto begin = [](const Trace& t) {
    return SaturatingAdd(t.origin_unix_ns, t.span.begin / kPsPerNs);
  };
  const auto end = [](const Trace& t) {
    return SaturatingAdd(t.origin_unix_ns, t.span.end / kPsPerNs);
  };
  const bool after = begin(snapshot) >= end(trace);
  const int64_t ns = after ? SaturatingSub(begin(snapshot), end(trace))
                           : SaturatingSub(begin(trace), end(snapshot));
  return "By their clocks the snapshot was recorded " + LongTime(std::max<int64_t>(ns, 0)) +
         (after ? " after" : " before") + " the trace." + meaning;
}

}  // namespace

std::string WhyApart(std::span<const Profile> profiles, const ViewState& view) {
  const Profile* base = FindProfile(profiles, view.baseline);
  if (base == nullptr) return {};
  for (const Profile& profile : profiles) {
    const ProfileViewState* state = view.Find(profile.id);
    if (state == nullptr || state->aligned || !AreSnapshotAndTrace(*base, profile)) continue;
    const bool snapshot = CapabilitiesOf(*profile.trace).memory_snapshot;
    return snapshot ? WhyApart(*profile.trace, *base->trace)
                    : WhyApart(*base->trace, *profile.trace);
  }
  return {};
}

void AlignByItself(std::span<const Profile> profiles, ViewState* view) {
  const Profile* base = FindProfile(profiles, view->baseline);
  const ProfileViewState* baseline = view->Find(view->baseline);
  if (base == nullptr || baseline == nullptr) return;
  for (const Profile& profile : profiles) {
    ProfileViewState* state = view->Find(profile.id);
    if (profile.id == base->id || state == nullptr || state->aligned) continue;
    if (AlignByClock(*base, *baseline, profile, state)) continue;
    if (base->Steps().empty() || profile.Steps().empty()) continue;
    AlignTimes(*baseline, FirstThatCounts(base->Steps()).range.begin,
               FirstThatCounts(profile.Steps()).range.begin, state);
  }
}

}  // namespace stepscope
