// Times of files and of recent profiles, by the local clock. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <string>

namespace stepscope {

// A Unix time as strftime writes it; empty if it is no time.
inline std::string LocalTime(int64_t unix_s, const char* format) {
  const auto seconds = static_cast<std::time_t>(unix_s);
  std::tm local{};
  std::array<char, 32> text{};
  if (localtime_r(&seconds, &local) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), format, &local)};
}

}  // namespace stepscope
