#include "loaders/store/overview.h"

#include <algorithm>

#include "loaders/store/byte_codec.h"
#include "loaders/store/section.h"

namespace stepscope::store {
namespace {

constexpr uint32_t kMostNodes = 1u << 16;      // of all lanes
constexpr uint32_t kMostLaneNodes = 1u << 10;  // of a lane

}  // namespace

uint32_t WriteOverview(const TrackSet& set, std::string* out) {
  const auto lanes = static_cast<uint32_t>(std::min<size_t>(set.lanes.size(), kMostNodes));
  const uint32_t most = std::clamp(kMostNodes / std::max(lanes, 1u), 1u, kMostLaneNodes);
  std::vector<uint64_t> lane_nodes, begins, busy, metas;
  for (uint32_t l = 0; l < lanes; ++l) {
    const Lane& lane = set.lanes[l];
    const uint32_t group = (lane.size() + most - 1) / most;
    const size_t before = begins.size();
    Ps last = 0;
    for (uint32_t i = 0; i < lane.size(); i += group) {
      const uint32_t end = std::min(lane.size(), i + group);
      Ps sum = 0;
      uint32_t longest = i;
      for (uint32_t e = i; e < end; ++e) {
        sum = SaturatingAdd(sum, lane.dur[e]);
        if (lane.dur[e] > lane.dur[longest]) longest = e;
      }
      begins.push_back(static_cast<uint64_t>(lane.start[i]) - static_cast<uint64_t>(last));
      last = lane.start[i];
      busy.push_back(static_cast<uint64_t>(sum));
      metas.push_back(lane.meta[longest]);
    }
    lane_nodes.push_back(begins.size() - before);
  }
  ByteWriter writer(out);
  writer.Varint(lane_nodes.size());
  writer.Ints(lane_nodes);
  writer.Ints(begins);
  writer.Ints(busy);
  writer.Ints(metas);
  return static_cast<uint32_t>(begins.size());
}

bool ReadOverview(std::string_view bytes, uint32_t nodes, std::vector<OverviewLane>* out) {
  if (nodes > kMostNodes + kMostLaneNodes) return false;
  ByteReader reader(bytes);
  std::vector<uint64_t> lane_nodes(reader.Count(kMostNodes)), begins(nodes), busy(nodes),
      metas(nodes);
  reader.Ints(lane_nodes);
  reader.Ints(begins);
  reader.Ints(busy);
  reader.Ints(metas);
  if (!reader.ok()) return false;
  size_t at = 0;
  for (uint32_t l = 0; l < lane_nodes.size(); ++l) {
    if (lane_nodes[l] > nodes - at) return false;
    OverviewLane& lane = out->emplace_back();
    lane.lane = l;
    uint64_t begin = 0;
    for (uint64_t i = 0; i < lane_nodes[l]; ++i, ++at) {
      begin += begins[at];
      lane.begin.push_back(static_cast<Ps>(begin));
      lane.busy.push_back(std::max<Ps>(0, static_cast<Ps>(busy[at])));
      lane.meta.push_back(static_cast<uint32_t>(std::min<uint64_t>(metas[at], 0xffffffffu)));
    }
  }
  return true;
}

}  // namespace stepscope::store
