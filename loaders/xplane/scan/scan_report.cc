#include "loaders/xplane/scan/scan_report.h"

#include <cstdint>
#include <string>
#include <utility>

namespace stepscope::xplane {
namespace {

void ReportDamage(const FileScan& file, Diagnostics* out) {
  const auto count = [&](std::string place, uint64_t n) {
    out->Count("riegeli.damaged_chunk", Severity::kError,
               "Chunks of a Riegeli file that are damaged: their records are lost, reading went on "
               "behind them.",
               std::move(place), n);
  };
  const riegeli::Damage& damage = file.damage;
  for (const uint64_t place : damage.first)
    count(file.file_name + " byte " + std::to_string(place), 1);
  if (damage.count > damage.first.size()) count({}, damage.count - damage.first.size());
}

// Whether the file ends inside a plane or inside a field.
bool IsCut(const FileScan& file) {
  return file.source->truncated() || file.diagnostics.count(XspaceDiagnostic::kLengthPastEnd) > 0 ||
         file.tail_cut;
}

}  // namespace

void ReportScan(const FileScan& file, Diagnostics* out) {
  file.diagnostics.Report(file.file_name, "", out);
  ReportDamage(file, out);
  if (IsCut(file))
    out->CountTruncated(file.file_name + " byte " + std::to_string(file.source->size()));
  for (const PlaneScan& plane : file.planes) {
    if (plane.diagnostics.any())
      plane.diagnostics.Report(file.file_name, "plane '" + plane.name + "'", out);
  }
}

}  // namespace stepscope::xplane
