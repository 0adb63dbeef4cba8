#include "model/analysis/pages/hlo_table_writer.h"

#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/xla/hlo_choice.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

Property Number(const char* id, const char* label, double value, Unit unit, std::string how) {
  return {id, label, value, unit, std::move(how)};
}

}  // namespace

std::string NoHloOps(AnalysisContext& context, const HloOpTable& table) {
  if (!table.ops.empty()) return {};
  if (!context.stats_error().empty()) return "HLO ops cannot be read: " + context.stats_error();
  if (context.xprof().hlo_ops_of_cpu_left_out && table.kind == DeviceKind::kCpuOnly)
    return "XProf has no HLO ops of CPUs.";
  if (context.Get<HloPrograms>().list().empty()) return kNoHloPrograms;
  return "No event of this part of the profile names an HLO op.";
}

void AddHloFacts(const HloOpTable& table, AnalysisResult* result) {
  const DevicePeaks& peaks = table.peaks;
  auto& properties = result->properties;
  properties.push_back({"device_type", "Device", peaks.device, Unit::kNone, ""});
  if (peaks.flops > 0)
    properties.push_back(
        Number("peak_flop_rate", "Peak", peaks.flops, Unit::kGflops, peaks.source));
  if (peaks.hbm > 0)
    properties.push_back(
        Number("peak_hbm_bw", "Peak of main memory, GiB/s", peaks.hbm, Unit::kNone, peaks.source));
  if (table.unknown_costs > 0) {
    properties.push_back(
        {"unknown_costs", "Ops of unknown cost", static_cast<int64_t>(table.unknown_costs),
         Unit::kCount, "they count 0 operations and bytes; the first is " + table.first_unknown});
  }
  if (table.dropped_events > 0) {
    properties.push_back({"dropped_events", "Dropped events",
                          static_cast<int64_t>(table.dropped_events), Unit::kCount,
                          "XProf drops ops that no program of the file has"});
  }
  if (table.events_by_program > 0) {
    properties.push_back({"events_without_program", "Events without program",
                          static_cast<int64_t>(table.events_by_program), Unit::kCount,
                          "their programs are not in the file, so that their costs are unknown"});
  }
}

std::string_view Rematerialized(const HloOp& op) {
  const bool by_name =
      op.expression.substr(0, op.expression.find('=')).find(".remat") != std::string::npos;
  const bool by_origin = op.provenance.find("/rematted_computation/") != std::string::npos;
  return by_name || by_origin ? "Yes" : "No";
}

RowLink LinkTo(const HloOp& op) {
  RowLink link = LinkTo(op.rows);
  link.total = op.events;
  return link;
}

}  // namespace stepscope
