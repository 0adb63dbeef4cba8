// FirstNamed: the first event of a name in time, for those who name an event in words. Pure.
#pragma once

#include <stop_token>
#include <string_view>

#include "model/ids.h"
#include "model/trace.h"

namespace stepscope {

// The event that begins first of those whose name contains the text, in any case of letters;
// "=NAME" wants the whole name. Invalid if there is none, or if it was stopped. O(events); any
// thread.
EventRow FirstNamed(const Trace& trace, std::string_view text, const std::stop_token& stop = {});

}  // namespace stepscope
