// Moments as people write them, in UTC. Any thread.
#pragma once

#include <chrono>
#include <string>

namespace stepscope {

// "2026-11-26 09:30:00 UTC" for a time since 1970; with the fraction in the digits of Duration, as
// in "09:30:00.000250" for microseconds. Empty for years before 1 or after 9999.
std::string UnixTimeText(std::chrono::seconds since_1970);
std::string UnixTimeText(std::chrono::microseconds since_1970);

}  // namespace stepscope
