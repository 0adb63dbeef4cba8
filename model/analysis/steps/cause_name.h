// Names the causes of idle time, and says what the host does meanwhile (docs/rules.md#losses).
// Pure; any thread; O(name).
#pragma once

#include <cstdint>
#include <set>
#include <span>
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

// Words and remedies for work of the host that has its own, in place of those of its class of loss.
// Sentences of the verdict and of findings say the same.
struct RoleWords {
  HostRole role;
  const char* what;    // what the device waits for; null: as the class has it
  const char* remedy;  // naming/remedies.h
};
// Null for a role without words of its own.
const RoleWords* WordsOfRole(HostRole role);

// The subject of a sentence about causes of the class `host` of a program without devices:
// "Python", "the framework's runtime", or both where each has a tenth and more. Causes of other
// classes and those without an event do not count. O(causes).
std::string HostWorkWords(const Trace& trace, std::span<const IdleCause> causes);
// The verb that goes with such words: "takes" or "take".
const char* Takes(const std::string& words);

}  // namespace stepscope
