// OVER, EVTS: the events, as a first picture and as a whole.
#include <algorithm>

#include "loaders/store/byte_codec.h"
#include "loaders/store/overview.h"
#include "loaders/store/sections.h"

namespace stepscope::store {
namespace {

Status WriteEventRows(const WriteContext& context, uint32_t number, Payload* out) {
  const TrackSet& set = context.trace.set;
  out->key = uint64_t{number} * kMaxItems;
  out->count = static_cast<uint32_t>(std::min<uint64_t>(kMaxItems, set.rows - out->key));
  WriteEvents(set, static_cast<uint32_t>(out->key), out->count, &out->bytes);
  return {};
}

bool ReadEventRows(ReadContext& context, const Section& section, std::string_view bytes) {
  const SectionHeader& h = section.header;
  return h.key < EventRow::kInvalid &&
         context.events.Read({static_cast<uint32_t>(h.key), h.count}, bytes);
}

Status WriteFirstPicture(const WriteContext& context, uint32_t, Payload* out) {
  out->count = WriteOverview(context.trace.set, &out->bytes);
  return {};
}

bool ReadFirstPicture(ReadContext& context, const Section& section, std::string_view bytes) {
  std::vector<OverviewLane> overview;
  if (!ReadOverview(bytes, section.header.count, &overview)) return false;
  context.events.TakeOverview(overview);
  return true;
}

}  // namespace

const SectionDesc kOverviewSection = {
    "OVER",
    1,
    SectionCount::kOne,
    ReadMode::kPreview,
    "a first picture of the whole trace",
    [](const WriteContext& c) { return c.trace.set.rows > 0 ? 1u : 0u; },
    WriteFirstPicture,
    ReadFirstPicture};
const SectionDesc kEventSection = {"EVTS",
                                   1,
                                   SectionCount::kMany,
                                   ReadMode::kParallel,
                                   "events",
                                   [](const WriteContext& c) { return PartsOf(c.trace.set.rows); },
                                   WriteEventRows,
                                   ReadEventRows};

}  // namespace stepscope::store
