#include "model/base/check.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace stepscope {
namespace {

struct ChildEnd {
  int status = 0;       // as waitpid() gives it
  std::string message;  // what the child wrote to stderr
};

// Runs `body` in a child process, which then exits with status 7.
template <typename Body>
ChildEnd RunInChild(Body body) {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // doctest handles the signal otherwise
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    body();
    _exit(7);
  }
  close(pipe_ends[1]);
  ChildEnd end;
  char buffer[256];
  for (ssize_t size; (size = read(pipe_ends[0], buffer, sizeof(buffer))) > 0;)
    end.message.append(buffer, static_cast<size_t>(size));
  close(pipe_ends[0]);
  REQUIRE(waitpid(child, &end.status, 0) == child);
  return end;
}

#ifdef STEPSCOPE_DCHECKS
constexpr bool kChecks = true;
#else
constexpr bool kChecks = false;
#endif

TEST_CASE("a failed check prints its place and condition and aborts") {
  const ChildEnd end = RunInChild([] { FailCheck("loaders/a.cc", 12, "size > 0"); });
  REQUIRE(WIFSIGNALED(end.status));
  CHECK(WTERMSIG(end.status) == SIGABRT);
  CHECK(end.message.find("loaders/a.cc:12: size > 0 does not hold\n") != std::string::npos);
}

TEST_CASE("the macro aborts on a false condition exactly in builds with checks") {
  const ChildEnd end = RunInChild([] { STEPSCOPE_DCHECK(1 + 1 == 3); });
  CHECK(WIFSIGNALED(end.status) == kChecks);
  CHECK((end.message.find("check_test.cc:") != std::string::npos) == kChecks);
  CHECK((end.message.find(": 1 + 1 == 3 does not hold\n") != std::string::npos) == kChecks);
  if (!kChecks) CHECK(WEXITSTATUS(end.status) == 7);
}

TEST_CASE("a true condition does nothing, and builds without checks do not evaluate any") {
  int calls = 0;
  const auto holds = [&calls] { return ++calls > 0; };
  STEPSCOPE_DCHECK(holds());
  CHECK(calls == (kChecks ? 1 : 0));
}

}  // namespace
}  // namespace stepscope
