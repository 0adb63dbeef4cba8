// By how much B may be larger than A in `stepscope check`.
#pragma once

#include <optional>
#include <string>

namespace stepscope {

// "3%" of A, or "0.5" in the unit of what is compared.
struct Allowance {
  double amount = 0;
  bool percent = false;
};
struct PropertyLimit {
  std::string panel, property;
  Allowance allowed;
};

// Reads "3%" or "0.5": finite and not negative. nullopt for anything else.
std::optional<Allowance> ParseAllowance(const std::string& text);
// Reads "overview.steptime_ms_average+5%". nullopt for anything else.
std::optional<PropertyLimit> ParseLimit(const std::string& text);

}  // namespace stepscope
