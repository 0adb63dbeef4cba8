// ReportScan: what a person is told of a file's skeleton: damage, a cut, fields that make no sense.
#pragma once

#include "loaders/xplane/scan/file_scan.h"
#include "model/diagnostics.h"

namespace stepscope::xplane {

// Adds what was counted of the file, outside of planes and in the heads of planes. O(planes).
void ReportScan(const FileScan& file, Diagnostics* out);

}  // namespace stepscope::xplane
