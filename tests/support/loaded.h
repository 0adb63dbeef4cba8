// A test gets a trace from bytes in memory here.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "loaders/loader.h"

namespace stepscope::test {

// Loads the bytes as a file of this name. A test whose bytes do not load ends here.
inline std::shared_ptr<const Trace> Loaded(const std::string& name, std::string bytes) {
  const auto trace = LoadBytes(name, std::move(bytes), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

}  // namespace stepscope::test
