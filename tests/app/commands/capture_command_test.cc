// `stepscope capture` as scripts see it. What servers may do wrong is tested in tests/capture/.
#include "app/commands/command_options.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/system/paths.h"
#include "tests/app/commands/parse.h"
#include "tests/app/program_run.h"
#include "tests/app/temp_dir.h"
#include "tests/support/fake_profiler.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

FinishedProgram Capture(const TempDir& dir, const std::string& arguments) {
  return RunProgram(dir, "capture " + arguments);
}

TEST_CASE("capture: an address is needed, and each option has its range") {
  CheckUsageError({"capture"}, "ADDRESS");
  CheckUsageError({"capture", "node7"}, "write it as HOST:PORT");
  CheckUsageError({"capture", "node7:1", "--duration", "0"}, "write it as 2s or 500ms");
  CheckUsageError({"capture", "node7:1", "--duration", "2h"}, "write it as 2s or 500ms");
  CheckUsageError({"capture", "node7:1", "--delay", "soon"}, "write it as 2s or 500ms");
  CheckUsageError({"capture", "node7:1", "--host-level", "4"}, "--host-level");
  CheckUsageError({"capture", "node7:1", "--device-level", "2"}, "--device-level");
  CheckUsageError({"capture", "node7:1", "--python-level", "2"}, "--python-level");
  CheckUsageError({"capture", "node7:1", "--attempts", "0"}, "--attempts");
}

TEST_CASE("capture: options and their defaults") {
  using std::chrono::milliseconds;
  const ParsedCommandLine plain = Parse({"capture", "node7:6009"});
  const auto& defaults = OptionsOf<CaptureOptions>(plain);
  CHECK(defaults.record.servers == std::vector<capture::Address>{{"node7", "6009"}});
  CHECK(defaults.record.duration == milliseconds(2000));
  CHECK_FALSE(defaults.watch.has_value());
  CHECK(defaults.record.host_level == 2);
  CHECK(defaults.record.device_level == 1);
  CHECK(defaults.record.python_level == 0);
  CHECK(defaults.record.attempts == 3);
  CHECK(defaults.record.log_directory == ".");
  const ParsedCommandLine full =
      Parse({"capture", "a:1,b:2", "--duration", "500ms", "-o", "logs", "--delay", "1s",
             "--host-level", "3", "--device-level", "0", "--python-level", "1", "--attempts", "5",
             "--monitor", "--no-open"});
  const auto& options = OptionsOf<CaptureOptions>(full);
  CHECK(options.record.servers.size() == 2);
  CHECK(options.record.duration == milliseconds(500));
  CHECK(options.watch == milliseconds(500));
  CHECK(options.record.delay == milliseconds(1000));
  CHECK(options.record.host_level == 3);
  CHECK(options.record.device_level == 0);
  CHECK(options.record.python_level == 1);
  CHECK(options.record.attempts == 5);
  CHECK(options.record.log_directory == "logs");
  CHECK(options.monitor);
  CHECK(options.no_open);
}

TEST_CASE("capture: prints the folder of the run, which opens as any profile does") {
  const TempDir dir;
  const test::FakeProfiler server({.xspace = test::MakeGpuProfile({})});
  const std::string logs = (dir.path() / "logs").string();
  const FinishedProgram run =
      Capture(dir, server.address() + " --duration 50ms --no-open -o " + logs);
  CAPTURE(run.error);
  CHECK(run.status == 0);
  CHECK(run.error.empty());
  REQUIRE(run.out.ends_with("\n"));
  const std::string folder = run.out.substr(0, run.out.size() - 1);
  CHECK(folder.starts_with(logs + "/plugins/profile/"));
  CHECK(fs::exists(folder + "/127.0.0.1.xplane.pb"));
  CHECK(std::system(("'" + test::ProgramPath() + "' info " + logs + " >/dev/null").c_str()) == 0);
}

TEST_CASE("capture: a failure is one line, the status is 3, and nothing is left") {
  const TempDir dir;
  const std::string logs = (dir.path() / "logs").string();
  const std::string nobody = "127.0.0.1:" + std::to_string(test::FreePort());
  const FinishedProgram run = Capture(dir, nobody + " --no-open -o " + logs);
  CHECK(run.status == 3);
  CHECK(run.out.empty());
  CHECK(run.error.starts_with("stepscope: " + nobody + ": nobody listens there"));
  CHECK(run.error.find('\n') == run.error.size() - 1);
  CHECK_FALSE(fs::exists(logs));
}

TEST_CASE("capture: --monitor prints a line a second until its time is over") {
  const TempDir dir;
  const test::FakeProfiler tpu({.monitor = "Utilization: 40 %\nIdle: \x1b[31m60 %"}), cpu({});
  const FinishedProgram run = Capture(dir, tpu.address() + " --monitor --duration 2s");
  CHECK(run.status == 0);
  CAPTURE(run.out);
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 2);
  CHECK(run.out.find("  " + tpu.address() + "  Utilization: 40 %   Idle: \\x1b[31m60 %\n") == 8);
  const FinishedProgram none = Capture(dir, cpu.address() + " --monitor");
  CHECK(none.status == 3);
  CHECK(none.error.find("has no monitor") != std::string::npos);
}

}  // namespace
}  // namespace stepscope
