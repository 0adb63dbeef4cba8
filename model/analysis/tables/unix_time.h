// Moments as people write them, in UTC. Any thread.
#pragma once

#include <chrono>
#include <string>

namespace stepscope {

// "2026-11-26 09:30:00 UTC"; microseconds have six digits more: "2026-11-26 09:30:00.000250 UTC".
// The text is empty for years before 1 and after 9999.
std::string UnixTimeText(std::chrono::seconds since_1970);
std::string UnixTimeText(std::chrono::microseconds since_1970);

}  // namespace stepscope
