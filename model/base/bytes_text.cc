#include "model/base/bytes_text.h"

#include <fmt/format.h>

namespace stepscope {

std::string BytesText(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  const auto n = static_cast<double>(bytes);
  // A number that would be rounded to 1000 gets the next unit.
  if (n < 999.95e3) return fmt::format("{:.1f} kB", n / 1e3);
  if (n < 999.95e6) return fmt::format("{:.1f} MB", n / 1e6);
  return fmt::format("{:.2f} GB", n / 1e9);
}

}  // namespace stepscope
