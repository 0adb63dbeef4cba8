// Tells what the host does where no op runs: Python, or the framework's runtime between ops.
// Programs without devices are told that way (docs/rules.md#verdict). Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "model/analysis/steps/losses.h"
#include "model/trace.h"

namespace stepscope {

// The subject of a sentence about causes of the class `host`: "Python", "the framework's runtime",
// or both where each has a tenth and more. Causes of other classes and those without an event do
// not count. O(causes).
std::string HostWorkWords(const Trace& trace, std::span<const IdleCause> causes);

// The verb that goes with such words: "takes" or "take".
const char* Takes(const std::string& words);

}  // namespace stepscope
