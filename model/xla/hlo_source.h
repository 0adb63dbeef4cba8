// HloSource: the programs of a trace, undecoded. A loader whose files have programs lets its
// StatSource be one, too. Thread-safe, as every StatSource is.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "model/base/status.h"
#include "model/trace.h"
#include "model/xla/hlo_module.h"

namespace stepscope::xla {

struct ProgramEntry {
  uint64_t id = 0;     // what events name as their program_id
  std::string name;    // of the module
  uint64_t bytes = 0;  // of the encoded module
  uint64_t place = 0;  // where the source finds it
  uint32_t file = 0;
};

class HloSource {
 public:
  virtual ~HloSource() = default;
  // In order of the file; the first of several with one id. Reads no module.
  virtual std::vector<ProgramEntry> Programs() const = 0;
  // Decodes one. O(bytes). kIo, kLimit, kCancelled; damage within a module is counted in it.
  virtual Result<std::shared_ptr<const HloModule>> Read(const ProgramEntry& program,
                                                        const std::stop_token& stop) const = 0;
  // The encoded module (HloProto). kIo, kLimit.
  virtual Result<std::string> Bytes(const ProgramEntry& program) const = 0;
};

// Null where the format of the trace has no programs.
inline const HloSource* HloSourceOf(const Trace& trace) {
  return dynamic_cast<const HloSource*>(trace.source.get());
}

}  // namespace stepscope::xla
