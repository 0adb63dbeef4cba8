// Threads other than the launching one, and what it waits for itself (docs/rules.md#losses).
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "tests/support/gpu_steps.h"
#include "tests/support/judged.h"
#include "tests/support/kineto_text.h"

namespace stepscope {
namespace {

Verdict VerdictOf(const test::KinetoText& t) {
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  test::CheckTilesAndSums(context.Get<StepDatabase>());
  return test::JudgedAlone(**trace, context.Get<StepDatabase>());
}

bool Says(const Verdict& verdict, const std::string& part) {
  return verdict.InWords().text.find(part) != std::string::npos;
}

struct Blocked {
  std::string call;
  std::string category = "cuda_runtime";
  double until_ms = 14.9;     // when the call returns
  const char* own = nullptr;  // a function that the launching thread is in until 14.9 ms
  double first_ms = 14.95;    // when the kernel is launched
};

// Four steps of 20 ms: thread 1 has the marks, thread 9 launches a kernel of 5 ms, and thread 12 is
// in a call from 0.1 ms on.
Verdict VerdictBeside(const Blocked& blocked) {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const double begin = 20'000.0 * s;
    t.Thread(1).Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 19'990);
    t.Thread(12).Host(blocked.category, blocked.call, begin + 100, 1'000 * blocked.until_ms - 100);
    t.Thread(9);
    if (blocked.own != nullptr) t.Host("python_function", blocked.own, begin + 50, 14'850);
    t.Launch(s + 1, begin + 1'000 * blocked.first_ms, 5);
    t.Kernel("gemm", s + 1, begin + 1'000 * blocked.first_ms + 8, 5'000);
  }
  return VerdictOf(t);
}

// Four steps of 10 ms: the main thread is in the functions, each inside the one before it, for 8 ms
// of each, and then launches a kernel of 1 ms.
Verdict VerdictIn(const std::vector<std::string>& functions) {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const double begin = 10'000.0 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 9'990);
    double inside = 0;
    for (const std::string& function : functions) {
      t.Host("python_function", function, begin + 10 + inside, 8'900 - 2 * inside);
      inside += 2;
    }
    t.Launch(s + 1, begin + 8'950, 5).Kernel("gemm", s + 1, begin + 8'960, 1'000);
  }
  return VerdictOf(t);
}

constexpr const char* kAcquire = "<built-in method acquire of _thread.lock object at 0x7f>";

}  // namespace

TEST_CASE("Where no other thread does anything, one that blocks is the cause") {
  for (const char* call : {"cudaStreamSynchronize", "cudaEventSynchronize", "hipMemcpyWithStream",
                           "cudaMemcpyAsync"}) {
    CAPTURE(call);
    const Verdict verdict = VerdictBeside({call});
    CAPTURE(verdict.InWords().text);
    CHECK(verdict.id() == "sync");
    CHECK(Says(verdict, std::string("of that in ") + call));
  }
  for (const char* call : {"cudaEventQuery", "cudaGetDevice"}) {
    CAPTURE(call);
    const Verdict verdict = VerdictBeside({call});
    CHECK(verdict.id() == "unknown");
    CHECK_FALSE(Says(verdict, call));
  }
}

TEST_CASE("Another thread's compilation is the cause too; its ops are none") {
  CHECK(VerdictBeside({"GpuCompiler::Compile(jit_step)", "cpu_op"}).id() == "compile");
  CHECK(VerdictBeside({"MyMonitor::Run", "cpu_op"}).id() == "unknown");
}

TEST_CASE("A blocking call that goes on when the work begins is named, and no cause") {
  const Verdict verdict = VerdictBeside({"cudaStreamSynchronize", "cuda_runtime", 19.5});
  CAPTURE(verdict.InWords().text);
  CHECK(verdict.id() == "unknown");
  CHECK(Says(verdict, "cudaStreamSynchronize, which was still open when the work began"));
}

TEST_CASE("A launching thread that waits for a lock waits for the thread that blocks") {
  const Verdict locked =
      VerdictBeside({"cudaStreamSynchronize", "cuda_runtime", 14.9, "queue.py(171): get"});
  CAPTURE(locked.InWords().text);
  CHECK(locked.id() == "sync");
  // A watchdog that always waits holds no lock.
  const Verdict watched =
      VerdictBeside({"cudaEventSynchronize", "cuda_runtime", 19.9, "queue.py(171): get"});
  CAPTURE(watched.InWords().text);
  CHECK(watched.id() == "host");
  CHECK(Says(watched, "of that in queue.get"));
  const Verdict works =
      VerdictBeside({"cudaStreamSynchronize", "cuda_runtime", 14.9, "my/queue.py(171): get"});
  CAPTURE(works.InWords().text);
  CHECK(works.id() == "host");
}

TEST_CASE("A collective of a backend for CPUs is no op that computes, whatever its category") {
  for (const char* name : {"gloo:all_reduce", "aten::linear"}) {
    test::KinetoText t;
    for (int s = 0; s < 6; ++s) {
      const double begin = 10'000.0 * s;
      t.Thread(1).Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 9'990);
      t.Host("cpu_op", "aten::mm", begin + 10, 3'000);
      t.Thread(2).Host("cpu_op", name, begin + 3'020, 6'900);
    }
    auto trace = LoadBytes("t.json", t.Text(), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const bool collective = name == std::string("gloo:all_reduce");
    CHECK(test::JudgedAlone(**trace, context.Get<StepDatabase>()).id() ==
          (collective ? "collectives" : "device"));
  }
}

TEST_CASE("Who waits in Python is said with what it waits for") {
  struct Row {
    std::vector<std::string> functions;
    const char* what;
    const char* cause;
  };
  const std::string train = "/home/me/train.py(30): fetch";
  const Row rows[] = {
      {{train, "queue.py(171): get", "threading.py(320): wait", kAcquire},
       "the host, which waits itself",
       "queue.get in fetch (train.py:30)"},
      {{"$loader.py:12 take", "$queue.py:171 get", kAcquire},
       "the host, which waits itself",
       "queue.get in take (loader.py:12)"},
      {{train, kAcquire}, "the host, which waits itself", "lock.acquire in fetch (train.py:30)"},
      {{train, "<built-in method recv of _multiprocessing.connection.Connection object at 0x7f>"},
       "another process",
       "Connection.recv in fetch (train.py:30)"},
      {{train, "multiprocessing/connection.py(250): recv",
        "multiprocessing/connection.py(430): _recv_bytes", "<built-in function read>"},
       nullptr,
       "read"},
      {{train, "multiprocessing/queues.py(103): get", "multiprocessing/connection.py(257): poll",
        "multiprocessing/connection.py(440): _poll", "selectors.py(402): select",
        "<built-in method poll of select.poll object at 0x7f>"},
       "another process",
       "multiprocessing.queues.get in fetch (train.py:30)"},
  };
  for (const Row& row : rows) {
    const Verdict verdict = VerdictIn(row.functions);
    CAPTURE(verdict.InWords().text);
    CHECK(verdict.id() == "host");
    if (row.what != nullptr) CHECK(Says(verdict, std::string("for ") + row.what));
    CHECK(Says(verdict, std::string("of that in ") + row.cause));
  }
}

TEST_CASE("What only looks like a wait of Python's library is Python") {
  for (const char* name : {"my/queue.py(171): get", "queue.py(200): qsize",
                           "<built-in method recv of Radio object at 0x7f>"}) {
    const Verdict verdict = VerdictIn({"/home/me/train.py(30): fetch", name});
    CAPTURE(verdict.InWords().text);
    CHECK(Says(verdict, "for Python and op dispatch"));
    CHECK_FALSE(Says(verdict, " in fetch"));
  }
}

}  // namespace stepscope
