// Collectives that computation hides, and those that it does not (docs/rules.md#devices).
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

struct DeviceOverlap {
  Ranges collectives, compute;
  std::vector<EventRow> rows;  // the collectives
};

DeviceOverlap Collect(const DeviceEvents& events, PlaneId device) {
  DeviceOverlap out;
  events.ForEach(device, [&](const DeviceEvent& e) {
    if (e.time_class == TimeClass::kCollectives) {
      out.collectives.push_back({e.begin, e.end});
      out.rows.emplace_back(e.row);
    } else if (e.is_compute()) {
      out.compute.push_back({e.begin, e.end});
    }
  });
  out.collectives = UnionOf(std::move(out.collectives));
  out.compute = UnionOf(std::move(out.compute));
  return out;
}

}  // namespace

ResultTable OverlapTable(const DeviceEvents& events) {
  using V = ValueType;
  ResultTable t{
      "overlap",
      "Overlap of computation and communication",
      {{"host", "Host", Unit::kNone, V::kString, ""},
       {"device", "Device", Unit::kNone, V::kString, ""},
       {"count", "Collectives", Unit::kCount, V::kInt, "events that are collectives"},
       {"collectiveMs", "Collective time", Unit::kMs, V::kReal, "with a collective open (union)"},
       {"hiddenMs", "Hidden", Unit::kMs, V::kReal,
        "the part in which a kernel that is no collective runs on the device as well"},
       {"exposedMs", "Exposed", Unit::kMs, V::kReal, "collective time - hidden"},
       {"hiddenPercent", "Hidden share", Unit::kPercent, V::kReal, "hidden / collective time"},
       {"computeMs", "Compute time", Unit::kMs, V::kReal,
        "with a kernel open that is no collective (union)"}},
      {},
      {}};
  AppendDevices(events, &t, [&](PlaneId device, ResultTable* of_device) {
    DeviceOverlap d = Collect(events, device);
    if (d.collectives.empty() && d.compute.empty()) return;
    const Ps all = LengthOf(d.collectives), hidden = Overlap(d.collectives, d.compute);
    of_device->rows.push_back(
        {events.HostOf(device), events.NameOf(device), static_cast<int64_t>(d.rows.size()),
         InMs(all), InMs(hidden), InMs(all - hidden),
         all > 0 ? Value(100 * InMs(hidden) / InMs(all)) : Value(), InMs(LengthOf(d.compute))});
    of_device->links.push_back(LinkTo(EventRows(std::move(d.rows))));
  });
  return t;
}

}  // namespace stepscope
