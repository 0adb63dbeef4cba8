#include "viewer/core/profiles/clock_aligner.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/host_clocks.h"
#include "model/shift_hosts.h"

namespace stepscope {
namespace {

// Whether there may be ranks: several hosts, or several GPUs of one.
bool HasSeveralRanks(const Trace& trace) {
  const auto gpu = [](const Plane& plane) { return plane.kind == PlaneKind::kGpu; };
  return trace.hosts.size() > 1 || std::count_if(trace.planes.begin(), trace.planes.end(), gpu) > 1;
}

std::shared_ptr<const std::vector<Ps>> OffsetsIn(const Trace& trace) {
  std::vector<Ps> offsets;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h)
    offsets.push_back(ClockOffsetOf(trace, HostId(h)));
  return std::make_shared<const std::vector<Ps>>(std::move(offsets));
}

}  // namespace

ClockAligner::Aligned ClockAligner::Align(AnalysisContext& recorded,
                                          const std::shared_ptr<const Trace>& trace) {
  Aligned out;
  const PairedRanks paired = PairRanks(recorded, {});
  out.ranks = std::make_shared<const std::vector<RankTracks>>(RanksByLateness(recorded, paired));
  const std::vector<Ps> offsets = HostClockOffsets(*trace, paired);
  if (!offsets.empty()) out.trace = ShiftHosts(trace, offsets);
  if (out.trace == nullptr) return out;
  out.offsets = OffsetsIn(*out.trace);
  out.analysis = std::make_shared<AnalysisContext>(out.trace, recorded.definitions());
  if (HasDerivedParts(*out.trace)) out.parts = Derive(*out.analysis);
  return out;
}

JobQueue& ClockAligner::QueueFor(const Profile& profile) const {
  return profile.trace->hosts.size() < 2 ? later_ : soon_;
}

// A profile that gets other definitions keeps its aligned trace.
void ClockAligner::Restart(const Profile& profile, Known* known) {
  known->job.Stop();
  known->recorded = profile.analysis;
  Profile& aligned = known->aligned;
  if (profile.analysis == nullptr) aligned.trace = nullptr;
  if (profile.analysis == nullptr || !HasSeveralRanks(*profile.trace)) return;
  if (aligned.trace == nullptr) {
    known->job.Start(QueueFor(profile), [recorded = profile.analysis, trace = profile.trace](
                                            Progress&) { return Align(*recorded, trace); });
    return;
  }
  aligned.analysis =
      std::make_shared<AnalysisContext>(aligned.trace, profile.analysis->definitions());
  aligned.derived.clear();
  aligned.flows.reset();
  Aligned same{known->ranks, known->offsets, aligned.trace, aligned.analysis, {}};
  known->job.Start(QueueFor(profile), [same = std::move(same)](Progress&) {
    Aligned out = same;
    if (HasDerivedParts(*out.trace)) out.parts = Derive(*out.analysis);
    return out;
  });
}

void ClockAligner::SetAligned(const Profile& profile, Aligned aligned, Known* known) {
  if (aligned.ranks != nullptr) known->ranks = std::move(aligned.ranks);
  known->offsets = aligned.offsets;
  if (aligned.trace == nullptr) return;
  known->aligned = profile;
  known->aligned.clock_offsets = std::move(aligned.offsets);
  known->aligned.trace = std::move(aligned.trace);
  known->aligned.analysis = std::move(aligned.analysis);
  known->aligned.derived = std::move(aligned.parts.sets);
  known->aligned.flows = std::move(aligned.parts.flows);
}

void ClockAligner::Update(std::span<const Profile> recorded) {
  known_.remove_if(
      [recorded](const Known& known) { return FindProfile(recorded, known.id) == nullptr; });
  for (const Profile& profile : recorded) {
    auto known = std::find_if(known_.begin(), known_.end(),
                              [&](const Known& k) { return k.id == profile.id; });
    const bool is_new = known == known_.end();
    if (is_new) {
      known = known_.emplace(known_.end());
      known->id = profile.id;
    }
    // What is more urgent of a new profile begins in its first frame.
    const bool waits = is_new && profile.trace->hosts.size() < 2;
    if (known->recorded != profile.analysis && !waits) Restart(profile, &*known);
    if (std::optional<Aligned> aligned = known->job.Take())
      SetAligned(profile, std::move(*aligned), &*known);
  }
}

const ClockAligner::Known* ClockAligner::Find(ProfileId profile) const {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [profile](const Known& known) { return known.id == profile; });
  return found == known_.end() ? nullptr : &*found;
}

const Profile& ClockAligner::Shown(const Profile& recorded, const ViewState& view) const {
  const ProfileViewState* state = view.Find(recorded.id);
  if (state != nullptr && state->recorded_clocks) return recorded;
  const Known* known = Find(recorded.id);
  return known != nullptr && known->aligned.trace != nullptr ? known->aligned : recorded;
}

std::shared_ptr<const std::vector<Ps>> ClockAligner::OffsetsOf(ProfileId profile) const {
  const Known* known = Find(profile);
  return known != nullptr ? known->offsets : nullptr;
}

std::shared_ptr<const std::vector<RankTracks>> ClockAligner::RanksOf(ProfileId profile) const {
  const Known* known = Find(profile);
  return known != nullptr ? known->ranks : nullptr;
}

bool ClockAligner::waiting() const {
  return std::any_of(known_.begin(), known_.end(),
                     [](const Known& known) { return known.job.active(); });
}

void KeepSelectionInPlace(const Profile& profile, bool aligns, ViewState* view) {
  const ProfileViewState* state = view->Find(profile.id);
  const EventRow row = profile.OwnRow(view->selected);
  if (state == nullptr || !row.valid() || profile.clock_offsets == nullptr) return;
  const Trace& trace = *profile.trace;
  const PlaneId plane = trace.set.tracks[trace.set.TrackOf(row).value].plane;
  if (plane.value >= trace.planes.size()) return;
  const HostId host = trace.planes[plane.value].host;
  if (host.value >= profile.clock_offsets->size()) return;
  const Ps offset = (*profile.clock_offsets)[host.value];
  const auto move = [&](TimeRange range) {
    const TimeRange own = state->map.ToTrace(range);
    const Ps by = aligns ? SaturatingSub(0, offset) : offset;
    return state->map.ToShared(TimeRange{SaturatingAdd(own.begin, by), SaturatingAdd(own.end, by)});
  };
  view->visible = move(view->visible);
  if (!view->measured.empty()) view->measured = move(view->measured);
  for (RangeFilter& filter : view->filters) filter.range = move(filter.range);
}

}  // namespace stepscope
