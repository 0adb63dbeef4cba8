// AnalysisParams: which part of a trace an analysis is asked about. A
// value, cheap to copy and compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/own_peaks.h"
#include "model/time.h"

namespace stepscope {

// Steps by their number (Step::number); both ends are included.
struct StepInterval {
  int64_t first = 0, last = 0;
  bool Contains(int64_t number) const { return number >= first && number <= last; }
  bool operator==(const StepInterval&) const = default;
};

// Parses "3..7": two whole numbers from 0, the first not above the
// last. nullopt for any other text.
std::optional<StepInterval> ParseSteps(std::string_view text);

// The choice of the pages of HLO programs. Other pages ignore it.
struct HloChoice {
  std::string program;       // "jit_step(10)", "jit_step" or "10"; empty: that with the most time
  std::string instruction;   // empty: the root of the program's entry
  int64_t memory_space = 0;  // 0: the device's main memory; kAllMemorySpaces: see `whole`
  int radius = 3;            // steps from the instruction to what its neighbourhood ends with
  // Adds what only reports have: rows of all programs where none is named, of all memories where
  // none is, and each instruction with its costs.
  bool whole = false;
  bool operator==(const HloChoice&) const = default;
};

inline constexpr int64_t kAllMemorySpaces = -1;
// The one memory that a page is about.
inline int64_t MemorySpaceOf(const HloChoice& choice) {
  return choice.memory_space == kAllMemorySpaces ? 0 : choice.memory_space;
}

struct AnalysisParams {
  std::vector<std::string> hosts;  // names; empty: all hosts
  // On each host, the time from the first of these steps to the last; nullopt: all the time.
  std::optional<StepInterval> steps;
  // ps on the trace's time axis; empty: the whole trace.
  TimeRange range;
  HloChoice hlo = {};
  std::vector<OwnPeaks> peaks = {};  // of devices; pages of XProf ignore them with its definitions
  bool operator==(const AnalysisParams&) const = default;
  bool WantsHost(std::string_view name) const {
    return hosts.empty() || std::find(hosts.begin(), hosts.end(), name) != hosts.end();
  }
};

// The part of each of two profiles that a comparison is asked about.
struct CompareParams {
  AnalysisParams a, b;
  bool operator==(const CompareParams&) const = default;
};

// The parameters for one host; an empty name stands for all hosts.
inline AnalysisParams ForHost(const std::string& host) {
  AnalysisParams params;
  if (!host.empty()) params.hosts.push_back(host);
  return params;
}

}  // namespace stepscope
