#include "model/query/name_rank.h"

#include <vector>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr uint32_t kStopEveryEvents = 1 << 16;  // events between two calls of CheckStop

// By MetaId, whether it has that name. Several metas may share one.
std::vector<uint8_t> MetasOfName(const NameTable& names, MetaId of) {
  const std::string_view name = names.DisplayName(of);
  std::vector<uint8_t> out(names.metas.size(), 0);
  for (uint32_t m = 0; m < out.size(); ++m) out[m] = names.DisplayName(MetaId(m)) == name ? 1 : 0;
  return out;
}

void AddLane(const Lane& lane, const std::vector<uint8_t>& wanted, Ps own, NameRank* out) {
  for (uint32_t i = 0; i < lane.size(); ++i) {
    if (i % kStopEveryEvents == 0) CheckStop();
    if (lane.meta[i] >= wanted.size() || wanted[lane.meta[i]] == 0) continue;
    const Ps duration = lane.dur[i];
    ++out->histogram.counts[DurationHistogram::BinOf(duration)];
    ++out->count;
    out->total = SaturatingAdd(out->total, duration);
    if (duration < own) ++out->shorter;
    if (duration > own) ++out->longer;
  }
}

}  // namespace

NameRank RankByName(const TrackSet& set, EventRow row) {
  NameRank out;
  const Lane& own = set.lanes[set.LaneOf(row).value];
  if (own.kind == LaneKind::kInstant) return out;
  const uint32_t meta = own.meta[row.value - own.first_row];
  const std::vector<uint8_t> wanted = MetasOfName(*set.names, MetaId(meta));
  for (const Lane& lane : set.lanes) {
    if (lane.kind != LaneKind::kInstant) AddLane(lane, wanted, set.Duration(row), &out);
  }
  return out;
}

}  // namespace stepscope
