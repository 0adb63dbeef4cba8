// HloTrace: a profile for tests of XLA's programs: a GPU of known peaks that runs the program 7,
// jit_step: dot.1 and add.1 twice each, with buffers for both.
#pragma once

#include <memory>

#include "tests/support/hlo_profile.h"
#include "tests/support/loaded.h"

namespace stepscope::test {

// `dot_us`: how long each dot.1 takes.
inline std::shared_ptr<const Trace> HloTrace(int64_t dot_us = 20) {
  return test::Loaded("host.xplane.pb", MakeHloProfile(dot_us));
}

}  // namespace stepscope::test
