// AnalysisParams: which part of a trace an analysis is asked about. A value, cheap to compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace stepscope {

// Steps by their number (Step::number), both ends included.
struct StepInterval {
  int64_t first = 0, last = 0;
  bool Contains(int64_t number) const { return number >= first && number <= last; }
  bool operator==(const StepInterval&) const = default;
};

// "3..7": whole numbers from 0, the first not above the last. nullopt if not that.
std::optional<StepInterval> ParseSteps(std::string_view text);

struct AnalysisParams {
  std::vector<std::string> hosts;     // names; empty: all
  std::optional<StepInterval> steps;  // of each host; the time from the first to the last of them
  TimeRange range;                    // on the trace's time axis; empty: whole trace
  bool operator==(const AnalysisParams&) const = default;
  bool WantsHost(std::string_view name) const {
    return hosts.empty() || std::find(hosts.begin(), hosts.end(), name) != hosts.end();
  }
};

// `host` empty: all hosts.
inline AnalysisParams ForHost(const std::string& host) {
  AnalysisParams params;
  if (!host.empty()) params.hosts.push_back(host);
  return params;
}

}  // namespace stepscope
