// Names of what devices are idle for, as sentences and tables have them. Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/analysis/steps/steps.h"

namespace stepscope {

// An event as causes name it: a Python function is NAME (FILE:LINE), FILE without its folders.
std::string CauseName(std::string_view event);
std::string CauseName(const Trace& trace, const IdleCause& cause);

// Names the causes of a profile's steps. If nothing but the marker of a step was open on the host,
// the cause is Python that was not recorded. The trace must outlive this.
class CauseNames {
 public:
  static constexpr std::string_view kUnrecorded = "Python that was not recorded";

  CauseNames(const Trace& trace, const StepDatabase& db);
  std::string Of(const IdleCause& cause) const;

 private:
  bool IsUnrecorded(const IdleCause& cause) const;
  const Trace& trace_;
  std::set<uint32_t> markers_;  // MetaIds
};

}  // namespace stepscope
