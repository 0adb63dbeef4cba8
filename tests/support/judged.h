// Judges steps as a page does that asks once, for tests.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/verdict.h"

namespace stepscope::test {

inline Verdict JudgedAlone(const Trace& trace, const StepDatabase& db, bool whole = false) {
  const auto kinds = [&] {
    return std::make_shared<const ExposedKinds>(ExposedKinds{FindExposedKinds(trace, db)});
  };
  return Judge(trace, db, whole, kinds);
}

}  // namespace stepscope::test
