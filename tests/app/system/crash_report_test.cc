#include "app/system/crash_report.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/system/paths.h"
#include "tests/app/temp_dir.h"
#include "tests/support/has_text.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace stepscope {
namespace {

using test::Has;

namespace fs = std::filesystem;

struct Crash {
  int signal = 0;
  std::string report, error;
  size_t files = 0;
};

// The traces of a process that crashes: its status, its standard error, its reports.
Crash CrashIn(const fs::path& folder, const std::function<void()>& way) {
  const TempDir dir;
  const std::string error = (dir.path() / "err").string();
  const pid_t child = ::fork();
  if (child == 0) {
    rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (std::freopen(error.c_str(), "w", stderr) == nullptr) ::_exit(1);
    InstallCrashReports(folder, "stepscope 9.8.7\nwith everything");
    way();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Crash crash;
  crash.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  crash.error = ReadSmallFile(error);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    crash.report = ReadSmallFile(entry.path());
    ++crash.files;
    CHECK(crash.error.find(entry.path().string()) != std::string::npos);
  }
  return crash;
}

TEST_CASE("crash report: signals leave a file, a line that names it, and their own status") {
  for (const auto& [signal, name] : {std::pair{SIGSEGV, "SIGSEGV"}, std::pair{SIGABRT, "SIGABRT"},
                                     std::pair{SIGFPE, "SIGFPE"}, std::pair{SIGBUS, "SIGBUS"}}) {
    const TempDir dir;
    const Crash crash = CrashIn(dir.path() / "state/stepscope", [signal] { ::raise(signal); });
    CAPTURE(crash.report);
    CHECK(crash.signal == signal);
    CHECK(crash.files == 1);
    CHECK(Has(crash.report, "stepscope 9.8.7\nwith everything\n"));
    CHECK(Has(crash.report, std::string("signal: ") + name));
    CHECK(Has(crash.report, "\n  test_app 0x"));
    CHECK(Has(crash.error, std::string("stepscope: crashed (") + name + ")"));
    CHECK(crash.error.find('\n') == crash.error.size() - 1);
  }
}

TEST_CASE(
    "crash report: has the bad address, and the program ends by the same signal as without "
    "reports") {
  const TempDir dir;
  const Crash crash = CrashIn(dir.path(), [] {
    volatile int* volatile nowhere = reinterpret_cast<int*>(0x1234);
    *nowhere = 1;
  });
  CHECK(crash.signal == SIGSEGV);
  CHECK(Has(crash.report, "code 1, address 0x1234\n"));
  CHECK(Has(crash.report, "thread: main\n"));
}

// Recursion that the compiler cannot turn into a loop, so that the stack grows.
[[gnu::noinline]] int Deeper(volatile int* n) {
  volatile char room[4096] = "";
  *n = *n + 1;
  if (*n < 0) return 0;
  return Deeper(n) + room[*n % 4096];
}

TEST_CASE("crash report: an overflowing stack is reported") {
  const TempDir dir;
  const Crash crash = CrashIn(dir.path(), [] {
    volatile int n = 0;
    Deeper(&n);
  });
  CHECK(crash.signal == SIGSEGV);
  CHECK(Has(crash.report, "\n  test_app 0x"));
}

TEST_CASE("crash report: names an uncaught exception by type, without its text") {
  const TempDir dir;
  const Crash crash = CrashIn(dir.path(), [] {
    std::thread([] { throw std::runtime_error("/home/me/secret.xplane.pb"); }).join();
  });
  CHECK(crash.signal == SIGABRT);
  CHECK(Has(crash.report, "uncaught exception: std::runtime_error\n"));
  CHECK(Has(crash.report, "thread: worker\n"));
  CHECK_FALSE(Has(crash.report, "secret"));
  CHECK_FALSE(Has(crash.error, "secret"));
}

TEST_CASE("crash report: without a folder there is only the line") {
  const Crash none = CrashIn({}, [] { ::raise(SIGSEGV); });
  CHECK(none.signal == SIGSEGV);
  CHECK(none.error == "stepscope: crashed (SIGSEGV); no report could be written\n");
  const Crash unwritable = CrashIn("/proc/no/such", [] { ::raise(SIGSEGV); });
  CHECK(unwritable.signal == SIGSEGV);
  CHECK(unwritable.error == none.error);
}

TEST_CASE("crash report: two threads that crash at once leave one report") {
  const TempDir dir;
  const Crash crash = CrashIn(dir.path(), [] {
    std::thread other([] { ::raise(SIGSEGV); });
    ::raise(SIGSEGV);
    other.join();
  });
  CHECK(crash.signal == SIGSEGV);
  CHECK(crash.files == 1);
}

}  // namespace
}  // namespace stepscope

#endif  // no sanitizer
