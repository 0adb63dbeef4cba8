// The memory that a kernel, an op or a step costs a report. The real program reports profiles of
// two sizes; the difference leaves out what the program needs anyway.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "app/system/paths.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"
#include "tests/support/wide_profile.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace stepscope {
namespace {

using test::WideProfile;
using test::WideProfileOptions;

constexpr uint32_t kFew = 2'000, kMany = 22'000;
// Limits in bytes for each kernel, op or step, beyond its bytes in the file.
constexpr double kMostBytes = 2048;
// An op is a row of five tables, and op_stats reads those of kernel_stats while it writes its own.
constexpr double kMostBytesWithOp = 3200;
// A step brings a kernel, its launch and a marker, its losses and their causes, and is in the
// tables of two pages. Pages are written while others are computed, so the peak varies by 200
// bytes.
constexpr double kMostBytesOfStep = 3400;

struct Cost {
  double file = 0, peak = 0;  // bytes
};

// Peak memory of `stepscope <command> FILE`, as --verbose says it. With one malloc arena it does
// not depend on how many threads allocate at a time.
Cost CostOf(const TempDir& dir, const std::string& command, const WideProfileOptions& options) {
  const std::string profile = (dir.path() / "wide.xplane.pb").string(),
                    error = (dir.path() / "err").string(), out = (dir.path() / "out").string();
  Cost cost;
  {
    const std::string bytes = WideProfile(options);
    std::ofstream(profile, std::ios::binary) << bytes;
    cost.file = static_cast<double>(bytes.size());
  }
  const std::string line = "MALLOC_ARENA_MAX=1 '" + test::ProgramPath() + "' " + command +
                           " --verbose " + profile + " >" + out + " 2>" + error;
  REQUIRE(std::system(line.c_str()) == 0);
  const std::string said = ReadSmallFile(error);
  const size_t at = said.find("peak memory: ");
  REQUIRE_MESSAGE(at != std::string::npos, said);
  cost.peak = std::atof(said.c_str() + at + 13);
  return cost;
}

void CheckCost(const std::string& command, uint32_t WideProfileOptions::*rows, bool own_ops,
               double most = kMostBytes) {
  const TempDir dir;
  WideProfileOptions few, many;
  few.*rows = kFew, many.*rows = kMany;
  few.own_ops = many.own_ops = own_ops;
  const Cost a = CostOf(dir, command, few), b = CostOf(dir, command, many);
  // One more kernel, op or step is a row in several tables.
  const double each = ((b.peak - b.file) - (a.peak - a.file)) / (kMany - kFew);
  CAPTURE(command);
  MESSAGE(command << ": " << each << " bytes each");
  CHECK(each < most);
}

TEST_CASE("wide report: distinct kernel names") {
  CheckCost("report --format json", &WideProfileOptions::kernels, false);
  CheckCost("report --format csv --panel kernel_stats", &WideProfileOptions::kernels, false);
}

TEST_CASE("wide report: distinct kernel names, each with an op of its own") {
  CheckCost("report --format json", &WideProfileOptions::kernels, true, kMostBytesWithOp);
}

TEST_CASE("wide report: steps") {
  CheckCost("report --format json", &WideProfileOptions::steps, false, kMostBytesOfStep);
}

TEST_CASE("wide report: distinct ops of the host") {
  CheckCost("report --format json", &WideProfileOptions::host_ops, false);
  CheckCost("info --json", &WideProfileOptions::host_ops, false);
}

}  // namespace
}  // namespace stepscope

#endif
