// The HLO programs that the metadata plane of an XSpace holds: the table of their instructions,
// which is read while loading, and whole programs, which are read when someone asks.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/xplane/scan/file_scan.h"
#include "model/trace.h"
#include "model/xla/hlo_source.h"

namespace stepscope::xplane {

inline constexpr size_t kMaxHloInstructions = 8'000'000;

// Adds every program of the plane to the table. Computations are walked in the source, and one
// instruction at a time is in memory. One thread. kIo, kCancelled. O(bytes of the programs).
Status ReadHlo(const FileScan& file, const PlaneScan& plane, HloTable* table,
               XspaceDiagnostics* diagnostics, const std::stop_token& stop);

// Lists the programs. Reads heads of messages only: O(metadata entries of planes that have
// programs). Any thread.
std::vector<xla::ProgramEntry> ListPrograms(
    std::span<const std::shared_ptr<const ByteSource>> files, std::span<const PlaneParts> planes);

// The program as it lies in the file. kIo, kLimit. O(its bytes). Any thread.
Result<std::string> ReadProgramBytes(const ByteSource& file, const xla::ProgramEntry& program);
// Decodes the program. kIo, kLimit, kFormat, kCancelled. O(its bytes). Any thread.
Result<std::shared_ptr<const xla::HloModule>> ReadProgram(const ByteSource& file,
                                                          const xla::ProgramEntry& program,
                                                          const std::stop_token& stop);

}  // namespace stepscope::xplane
