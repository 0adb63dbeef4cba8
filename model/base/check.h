// STEPSCOPE_DCHECK(condition) asserts what the code guarantees itself, such as the "must" of a
// header: `STEPSCOPE_DCHECK(begin <= end);`. A condition that a file, a user or another program can
// break is no such guarantee: it becomes a Status or a diagnostic.
//
// Builds for debugging, sanitizers and fuzzing define STEPSCOPE_DCHECKS. There a condition that
// does not hold ends the program with its place and text on stderr. Other builds compile the
// condition and do not evaluate it: it must have no effect. Any thread.
#pragma once

namespace stepscope {

// Prints "FILE:LINE: CONDITION does not hold" to stderr and aborts.
[[noreturn]] void FailCheck(const char* file, int line, const char* condition);

}  // namespace stepscope

#ifdef STEPSCOPE_DCHECKS
#define STEPSCOPE_DCHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::stepscope::FailCheck(__FILE__, __LINE__, #condition))
#else
#define STEPSCOPE_DCHECK(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
