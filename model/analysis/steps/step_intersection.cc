#include "model/analysis/steps/step_intersection.h"

#include <algorithm>

namespace stepscope {
namespace {

// A step with its span counted from the begin of its host's recording: XProf does not align clocks.
struct HostStep {
  const Step* step;
  TimeRange span;
};
using AlignedSteps = std::vector<HostStep>;

std::vector<AlignedSteps> ByHost(const Trace& trace, const StepDatabase& db) {
  std::vector<AlignedSteps> hosts;
  for (const Step& step : db.steps) {
    if (hosts.empty() || hosts.back().front().step->host != step.host) hosts.emplace_back();
    const Host& host = trace.hosts[step.host.value];
    Ps start = 0;
    if (host.start_unix_ns != 0 && trace.origin_unix_ns != 0)
      start = SaturatingMul(SaturatingSub(host.start_unix_ns, trace.origin_unix_ns), kPsPerNs);
    hosts.back().push_back(
        {&step, {SaturatingSub(step.span.begin, start), SaturatingSub(step.span.end, start)}});
  }
  return hosts;
}

Ps SpanOf(const AlignedSteps& steps) {
  Ps begin = kMaxPs, end = kMinPs;
  for (const HostStep& s : steps) {
    begin = std::min(begin, s.span.begin);
    end = std::max(end, s.span.end);
  }
  return SaturatingSub(end, begin);
}

// The host's step i is at the time of the chief's step i + shift.
struct Alignment {
  int64_t shift = 0;
  double overlap = -1;
};

double OverlapAt(const AlignedSteps& steps, const AlignedSteps& chief, int64_t shift) {
  double sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    int64_t k = static_cast<int64_t>(i) + shift;
    if (k < 0 || k >= static_cast<int64_t>(chief.size())) continue;
    const TimeRange a = steps[i].span, b = chief[static_cast<size_t>(k)].span;
    sum +=
        static_cast<double>(std::max<Ps>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin)));
  }
  return sum;
}

// The shift with the largest overlap, the first one that XProf tries
// of equal ones. O(steps squared).
Alignment Align(const AlignedSteps& steps, const AlignedSteps& chief) {
  Alignment best;
  const auto attempt = [&](int64_t shift) {
    double overlap = OverlapAt(steps, chief, shift);
    if (overlap > best.overlap) best = {shift, overlap};
  };
  for (int64_t i = 0; i < static_cast<int64_t>(chief.size()); ++i) attempt(i);
  for (int64_t i = 1; i < static_cast<int64_t>(steps.size()); ++i) attempt(-i);
  return best;
}

}  // namespace

std::vector<Step> IntersectHosts(const Trace& trace, const StepDatabase& db) {
  const std::vector<AlignedSteps> hosts = ByHost(trace, db);
  const AlignedSteps& chief = *std::min_element(
      hosts.begin(), hosts.end(),
      [](const AlignedSteps& a, const AlignedSteps& b) { return SpanOf(a) < SpanOf(b); });
  std::vector<int64_t> shift;
  int64_t begin = 0, end = static_cast<int64_t>(chief.size());
  for (const AlignedSteps& steps : hosts) {
    shift.push_back(&steps == &chief ? 0 : Align(steps, chief).shift);
    begin = std::max(begin, shift.back());
    end = std::min(end, static_cast<int64_t>(steps.size()) + shift.back());
  }
  std::vector<Step> rows;
  for (int64_t k = begin; k < end; ++k) {
    const auto step_of = [&](size_t h) -> const Step& {
      return *hosts[h][static_cast<size_t>(k - shift[h])].step;
    };
    Step row = step_of(0);
    if (db.kind == DeviceKind::kGpu) {
      row.number = k - begin;
      row.label = std::to_string(row.number);
    }
    for (size_t h = 0; h < hosts.size(); ++h) {
      row.slowest = std::max(row.slowest, step_of(h).times.total);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stepscope
