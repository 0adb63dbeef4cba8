#include "model/analysis/pages/torch_input.h"

#include <algorithm>
#include <map>
#include <string>

#include "model/analysis/definitions.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/tables/in_unit.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

constexpr std::string_view kWait = "enumerate(DataLoader)#";

struct LoaderWaits {
  Ps total = 0, max = 0;
  std::vector<EventRow> rows;
};
using WaitsByLoader = std::map<std::string_view, LoaderWaits>;

WaitsByLoader CollectWaits(const Trace& trace, const Scope& scope) {
  const NameTable& names = trace.names();
  std::vector<bool> wait(names.metas.size());
  for (uint32_t m = 0; m < wait.size(); ++m) wait[m] = names.Name(MetaId(m)).starts_with(kWait);
  WaitsByLoader waits;
  if (std::find(wait.begin(), wait.end(), true) == wait.end()) return waits;
  for (const Lane& lane : trace.set.lanes) {
    const Plane& plane = trace.planes[trace.set.tracks[lane.track.value].plane.value];
    if (!scope.HasHost(plane.host) || plane.kind == PlaneKind::kGpu) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (!wait[lane.meta[i]] || !scope.OfHost(plane.host).Contains(lane.start[i])) continue;
      LoaderWaits& w = waits[names.Name(MetaId(lane.meta[i])).substr(kWait.size())];
      w.total += lane.dur[i], w.max = std::max(w.max, lane.dur[i]);
      w.rows.emplace_back(lane.first_row + i);
    }
  }
  return waits;
}

// A loader of one process has no workers; the number of other loaders' workers is not recorded.
Value WorkersOf(std::string_view loader) {
  return loader.starts_with("_SingleProcess") ? Value(int64_t{0}) : Value();
}

ResultTable WaitTable(const WaitsByLoader& waits) {
  using V = ValueType;
  ResultTable t{"loader_waits",
                "Waits for data loaders",
                {{"loader", "Loader", Unit::kNone, V::kString, "its iterator"},
                 {"workers", "Workers", Unit::kCount, V::kInt,
                  "processes; empty where they are not recorded"},
                 {"count", "Waits", Unit::kCount, V::kInt, "batches that were asked for"},
                 {"timeMs", "Time", Unit::kMs, V::kReal, "sum of the waits"},
                 {"meanMs", "Average", Unit::kMs, V::kReal, ""},
                 {"maxMs", "Longest", Unit::kMs, V::kReal, ""}}};
  for (const auto& [loader, w] : waits) {
    const int64_t n = static_cast<int64_t>(w.rows.size());
    t.AddRow({SharedText(loader), WorkersOf(loader), n, InMs(w.total),
              InMs(w.total) / static_cast<double>(n), InMs(w.max)});
    t.links.push_back(LinkTo(EventRows(w.rows)));
  }
  return t;
}

void AddWaitProperties(const WaitsByLoader& waits, AnalysisResult* result) {
  Ps total = 0;
  int64_t count = 0;
  for (const auto& [loader, w] : waits)
    total += w.total, count += static_cast<int64_t>(w.rows.size());
  result->properties.push_back({"loader_wait_count", "Waits for data loaders", count, Unit::kCount,
                                "calls of DataLoader iterators"});
  result->properties.push_back(
      {"loader_wait_ms", "Time in them", InMs(total), Unit::kMs, "sum of their durations"});
  if (waits.size() == 1) {
    result->properties.push_back({"loader_workers", "Loader workers",
                                  WorkersOf(waits.begin()->first), Unit::kCount,
                                  "empty where they are not recorded"});
  }
}

// Adds the sums of the copies to devices.
void AddCopyProperties(const ResultTable& copies, bool xprof, AnalysisResult* result) {
  double bytes = 0, pinned = 0, ms = 0, count = 0, pinned_count = 0;
  const auto number = [](const Cell& v) {
    const auto* i = std::get_if<int64_t>(&v);
    const auto* d = std::get_if<double>(&v);
    return i != nullptr ? static_cast<double>(*i) : d != nullptr ? *d : 0.0;
  };
  for (size_t r = 0; r < copies.size(); ++r) {
    const auto cell = [&](const char* id) {
      return copies.At(r, static_cast<size_t>(copies.Column(id)));
    };
    if (RawValue(cell("direction")) != "Host to device") continue;
    const bool is_pinned = RawValue(cell("memory")) == "pinned";
    bytes += number(cell("bytes")), ms += number(cell("timeMs")), count += number(cell("count"));
    pinned += is_pinned ? number(cell("bytes")) : 0;
    pinned_count += is_pinned ? number(cell("count")) : 0;
  }
  const auto add = [&](const char* id, const char* label, Value value, Unit unit, const char* how) {
    result->properties.push_back({id, label, std::move(value), unit, how});
  };
  add("h2d_copies", "Copies to devices", static_cast<int64_t>(count), Unit::kCount, "");
  add("h2d_bytes", "Copied to devices", static_cast<int64_t>(bytes), Unit::kBytes,
      "of the copies whose size is recorded");
  add("h2d_gb_per_s", xprof ? "GB/s" : "Copies to devices, GB/s",
      ms > 0 ? Value(bytes / 1e6 / ms) : Value(), Unit::kNone,
      "bytes / time of these copies; 10^9 bytes");
  add("h2d_pinned_copies", "Pinned copies", static_cast<int64_t>(pinned_count), Unit::kCount,
      "from pinned memory: they need not be staged");
  add("h2d_pinned_percent", "Pinned bytes", bytes > 0 ? Value(100 * pinned / bytes) : Value(),
      Unit::kPercent, "of the bytes copied to devices");
}

}  // namespace

void AddTorchInput(AnalysisContext& context, const AnalysisParams& params, AnalysisResult* result) {
  const Trace& trace = context.trace();
  if (!CapabilitiesOf(trace).pytorch_events) return;
  const WaitsByLoader waits = CollectWaits(trace, ScopeOf(context, params));
  AddWaitProperties(waits, result);
  result->tables.push_back(WaitTable(waits));
  const DeviceEvents events(context, params);
  if (events.devices().empty()) return;
  ResultTable copies = CopyTable(context, events);
  AddCopyProperties(copies, context.xprof().kernel_columns_of_xprof, result);
  result->tables.push_back(std::move(copies));
}

}  // namespace stepscope
