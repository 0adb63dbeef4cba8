#include "model/analysis/steps/exposed_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/naming/collectives.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/scope.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

struct Exposed {
  Ps time = 0;
  TimeRange longest;
  Ps most = 0;
  EventRow row;
};
using ByMeta = std::unordered_map<uint32_t, Exposed>;

bool IsAsked(size_t c) {
  const auto time_class = static_cast<TimeClass>(c);
  return time_class == TimeClass::kHostToDevice || time_class == TimeClass::kDeviceToHost ||
         time_class == TimeClass::kCollectives;
}

// The spans of the steps that count, for each plane by begin; they do not overlap.
std::vector<std::vector<TimeRange>> StepsByPlane(const Trace& trace, const StepDatabase& db) {
  const bool any =
      std::any_of(db.steps.begin(), db.steps.end(), [](const Step& step) { return step.counts(); });
  std::vector<std::vector<TimeRange>> steps(trace.planes.size());
  for (const DeviceStep& d : db.device_steps) {
    if (d.device.value < steps.size() && (!any || db.steps[d.step].counts()))
      steps[d.device.value].push_back(d.span);
  }
  for (std::vector<TimeRange>& spans : steps) {
    std::sort(spans.begin(), spans.end(),
              [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  }
  return steps;
}

// Takes the events of one device in order of begin and sums the time that nothing above their class
// hides; later events hide what is open.
class Sweep {
 public:
  Sweep(const std::vector<uint8_t>& classes, std::vector<TimeRange> spans)
      : classes_(classes), spans_(std::move(spans)) {
    ends_.fill(kMinPs);
  }

  void Add(const Lane& lane, uint32_t i) {
    const size_t c = classes_[lane.meta[i]];
    if (c == 0 || lane.dur[i] <= 0) return;
    const Ps begin = lane.start[i], end = lane.end(i);
    Close(begin);
    for (Open& open : open_) {
      if (open.time_class >= c) continue;
      open.hidden += std::max<Ps>(
          0, std::min(end, open.range.end) - std::max(begin, CoveredFrom(open.time_class + 1)));
    }
    if (IsAsked(c)) {
      const Ps hidden = std::max(begin, std::min(end, CoveredFrom(c + 1))) - begin;
      open_.push_back({{begin, end}, c, hidden, lane.meta[i], EventRow(lane.first_row + i)});
    }
    ends_[c] = std::max(ends_[c], end);
  }
  ByMeta Take() {
    Close(kMaxPs);
    return std::move(sums_);
  }

 private:
  struct Open {
    TimeRange range;
    size_t time_class;
    Ps hidden;
    uint32_t meta;
    EventRow row;
  };

  // Until when an event of the class or above runs. Most events are kernels, which never ask.
  Ps CoveredFrom(size_t c) const { return *std::max_element(ends_.begin() + c, ends_.end()); }
  void Close(Ps until) {
    std::erase_if(open_, [&](const Open& open) {
      if (open.range.end > until) return false;
      Sum(open);
      return true;
    });
  }
  void Sum(const Open& open) {
    const auto span = std::upper_bound(spans_.begin(), spans_.end(), open.range.begin,
                                       [](Ps t, const TimeRange& s) { return t < s.end; });
    if (span == spans_.end() || span->begin >= open.range.end) return;
    const Ps time = open.range.length() - open.hidden;
    Exposed& sum = sums_[open.meta];
    sum.time += time;
    if (time > sum.most) sum.most = time, sum.longest = open.range, sum.row = open.row;
  }

  const std::vector<uint8_t>& classes_;
  const std::vector<TimeRange> spans_;
  std::array<Ps, kTimeClasses + 1> ends_{};  // by class: the latest end of its events so far
  std::vector<Open> open_;                   // at most one of each lane
  ByMeta sums_;
};

// The kind of a copy or a collective: its name without parameters, places and algorithms.
// "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)" gives
// "ncclDevKernel_AllReduce_Sum_f32", "Memcpy DtoH (Device -> Pageable)" gives "Memcpy DtoH".
std::string KindName(std::string_view name) {
  if (const auto call = ParseHcclCall(name)) return std::string(call->op);
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = name.substr(0, name.find_first_of("(<"));
  if (name.find("ccl") != std::string_view::npos) {
    for (std::string_view algorithm : {"_RING", "_TREE", "_COLLNET", "_NVLS", "_PAT_"})
      name = name.substr(0, name.find(algorithm));
  }
  while (name.ends_with(' ')) name.remove_suffix(1);
  return std::string(name);
}

}  // namespace

std::vector<ExposedKind> FindExposedKinds(const Trace& trace, const StepDatabase& db) {
  const std::vector<uint8_t> classes = ClassesOfDeviceEvents(trace);
  std::vector<std::vector<TimeRange>> steps = StepsByPlane(trace, db);
  std::vector<ByMeta> of_plane(trace.planes.size());
  ParallelFor(trace.planes.size(), [&](size_t p) {
    if (steps[p].empty()) return;
    Sweep sweep(classes, std::move(steps[p]));
    ForEachByStart(WorkLanes(trace, trace.planes[p]),
                   [&](const Lane& lane, uint32_t i) { sweep.Add(lane, i); });
    of_plane[p] = sweep.Take();
  });
  std::map<std::pair<bool, std::string>, ExposedKind> kinds;
  for (const ByMeta& sums : of_plane) {
    for (const auto& [meta, sum] : sums) {
      const bool copy = static_cast<TimeClass>(classes[meta]) != TimeClass::kCollectives;
      const std::string_view name = trace.names().DisplayName(MetaId(meta));
      ExposedKind& kind = kinds[{copy, KindName(name)}];
      kind.copy = copy;
      kind.ps += static_cast<double>(sum.time);
      const auto key = [](Ps most, EventRow row) { return std::pair(-most, row.value); };
      if (!kind.longest.valid() || key(sum.most, sum.row) < key(kind.most, kind.longest))
        kind.most = sum.most, kind.range = sum.longest, kind.longest = sum.row;
    }
  }
  std::vector<ExposedKind> out;
  for (auto& [key, kind] : kinds) {
    kind.name = key.second;
    if (kind.ps > 0) out.push_back(std::move(kind));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ExposedKind& a, const ExposedKind& b) { return a.ps > b.ps; });
  return out;
}

AnalysisParams ExposedKinds::KeyOf(AnalysisParams params) {
  params.hlo = {};
  return params;
}

ExposedKinds ExposedKinds::Compute(AnalysisContext& context, const AnalysisParams& params) {
  return {FindExposedKinds(context.trace(), *context.Get<JudgedSteps>(params)->judged)};
}

}  // namespace stepscope
