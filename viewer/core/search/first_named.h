// FirstNamed: the first event of a name in time, for those who name an event in words. Pure.
#pragma once

#include <span>
#include <string_view>

#include "model/ids.h"
#include "model/trace.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

// The event that begins first of those whose name contains the text, in any case of letters;
// "=NAME" wants the whole name. Invalid if there is none. O(events); any thread.
EventRow FirstNamed(const Trace& trace, std::string_view text);
// The same among all profiles; the first of them where several begin together.
EventRef FirstNamed(std::span<const Profile> profiles, std::string_view text);

}  // namespace stepscope
