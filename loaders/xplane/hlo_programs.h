// Finds the HLO programs that the metadata plane of an XSpace holds, and reads one when someone
// asks for it. Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "model/xla/hlo_source.h"

namespace stepscope::xplane {

// The program of each event metadata with the stat "Hlo Proto". Its id is that of the metadata,
// unless a stat `program_id` says otherwise. The first of several with one id counts. Reads heads
// of messages only: O(metadata entries of planes that have the stat).
std::vector<xla::ProgramEntry> ListPrograms(
    std::span<const std::shared_ptr<const ByteSource>> files, std::span<const PlaneParts> planes);

// The program as it lies in the file. kIo, kLimit. O(its bytes).
Result<std::string> ReadProgramBytes(const ByteSource& file, const xla::ProgramEntry& program);
// Decodes the program. kIo, kLimit, kFormat, kCancelled. O(its bytes).
Result<std::shared_ptr<const xla::HloModule>> ReadProgram(const ByteSource& file,
                                                          const xla::ProgramEntry& program,
                                                          const std::stop_token& stop);

}  // namespace stepscope::xplane
