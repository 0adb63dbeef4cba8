// Names the causes of idle time (docs/rules.md#losses). Pure; any thread; O(name).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "model/analysis/grouping/host_role.h"
#include "model/analysis/steps/losses.h"
#include "model/trace.h"

namespace stepscope {

struct StepDatabase;  // model/analysis/steps/steps.h

// An event as causes name it: a Python function is NAME (FILE:LINE), FILE without its folders.
std::string CauseName(std::string_view event);
// A cause: its event, and the op around that, or who calls what waits in Python: "queue.get in
// fetch (train.py:30)". Garbage collection, the saving of checkpoints, Event.synchronize and what
// waits in Python's library have names of their own.
std::string CauseName(const Trace& trace, const IdleCause& cause);

// Names the causes of a profile's steps. If nothing but the mark of a step was open on the host,
// the cause is Python that was not recorded. The trace must outlive this.
class CauseNames {
 public:
  static constexpr std::string_view kUnrecorded = "Python functions that were not recorded";
  static constexpr const char* kGarbage = "garbage collection";

  CauseNames(const Trace& trace, const StepDatabase& db);
  std::string Of(const IdleCause& cause) const;

 private:
  const Trace& trace_;
  std::set<uint32_t> markers_;  // MetaIds
};

// The role of a cause's event; kWork for none.
HostRole RoleOfCause(const Trace& trace, MetaId event);

// Whether the cause is a range that the program itself marks (record_function, NVTX), while nothing
// inside of it was recorded. Ranges that frameworks mark are none.
bool IsOwnRange(const Trace& trace, MetaId event);

}  // namespace stepscope
