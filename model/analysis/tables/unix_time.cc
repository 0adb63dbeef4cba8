#include "model/analysis/tables/unix_time.h"

#include <fmt/format.h>

namespace stepscope {
namespace {

// The fraction is text that follows the seconds.
std::string MomentText(std::chrono::seconds since_1970, const std::string& fraction) {
  using namespace std::chrono;
  constexpr seconds kBegin = sys_days(year(1) / 1 / 1).time_since_epoch();
  constexpr seconds kEnd = sys_days(year(10000) / 1 / 1).time_since_epoch();
  if (since_1970 < kBegin || since_1970 >= kEnd) return {};
  const days whole = floor<days>(since_1970);
  const year_month_day date{sys_days(whole)};
  const hh_mm_ss time(since_1970 - whole);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{} UTC", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), fraction);
}

}  // namespace

std::string UnixTimeText(std::chrono::seconds since_1970) { return MomentText(since_1970, ""); }

std::string UnixTimeText(std::chrono::microseconds since_1970) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_1970);
  return MomentText(whole, fmt::format(".{:06}", (since_1970 - whole).count()));
}

}  // namespace stepscope
