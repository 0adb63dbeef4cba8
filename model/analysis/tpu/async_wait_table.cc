#include "model/analysis/tpu/async_wait_table.h"

#include <string>

#include "model/analysis/tables/in_unit.h"

namespace stepscope {

ResultTable AsyncWaitTable(std::span<const AsyncWait> waits, double step_ps) {
  using V = ValueType;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  ResultTable t;
  t.id = "async_waits";
  t.title = "What the cores wait for";
  t.SetColumns(
      {{"operation", "Op", Unit::kNone, V::kString, "it waits until asynchronous work is done"},
       {"what", "What", Unit::kNone, V::kString, ""},
       {"needed_by", "Needed by", Unit::kNone, V::kString, "the first op that reads the result",
        true},
       {"count", "Count", Unit::kCount, V::kInt, "on all cores, in the steps that count"},
       {"waitMs", "Wait", Unit::kMs, V::kReal, "mean", true},
       {"percent", "Share", Unit::kPercent, V::kReal, "of the step time", true},
       {"inFlightMs", "In flight", Unit::kMs, V::kReal,
        "mean, from the begin of the op that starts the work to the end of the wait", true},
       {"hiddenMs", "Hidden", Unit::kMs, V::kReal, "in flight, while other ops run"},
       {"bytes", "Bytes", Unit::kBytes, V::kReal, "of one"},
       {"gib_per_s", "GiB/s", Unit::kNone, V::kReal,
        "bytes / time from the start, or from the end of the work of its kind before it, to the "
        "end; "
        "empty where no wait shows the end",
        true}});
  for (const AsyncWait& wait : waits) {
    const double n = static_cast<double>(wait.count);
    const double waited = InMs(wait.waited) / n, flight = InMs(wait.in_flight) / n;
    const double rate = wait.BytesPerSecond() / kGib;
    t.AddRow({wait.name, std::string(LabelOf(wait.work)), wait.needed_by,
              static_cast<int64_t>(wait.count), waited,
              step_ps > 0 ? 100 * static_cast<double>(wait.waited) / step_ps : 0.0, flight,
              flight - waited, wait.bytes > 0 ? Value(wait.bytes) : Value(),
              rate > 0 ? Value(rate) : Value()});
    t.links.push_back(LinkTo(EventRows({wait.row})));
  }
  return t;
}

}  // namespace stepscope
