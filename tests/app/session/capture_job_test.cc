// Recordings of the window: they run beside it, open, and are compared.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "app/session/jobs.h"
#include "app/session/session.h"
#include "app/window/surface.h"
#include "tests/app/temp_dir.h"
#include "tests/support/fake_profiler.h"
#include "tests/support/source_paths.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;
using test::FakeProfiler;
using test::ServerFault;

std::string SmallXSpace() {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python").Event("step", 0, 1'000'000);
  return b.Bytes();
}

struct CaptureFixture {
  TempDir dir;
  Waker waker;
  SettingsStore store{dir.path() / "config"};
  Scheduler scheduler{2, [this] { waker.Wake(); }};
  Session session{scheduler, store, {[this] { waker.Wake(); }, {}, {}, {}}};

  bool UpdateUntil(const std::function<bool(const SessionView&)>& done) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (Clock::now() < end) {
      if (done(session.Update())) return true;
      waker.WaitFor(std::chrono::milliseconds(5));
      waker.TakeWake();
    }
    return false;
  }
  CaptureRequest Request(const std::string& addresses, int64_t duration_ms = 30) const {
    CaptureRequest request;
    request.addresses = addresses;
    request.duration_ms = duration_ms;
    request.folder = (dir.path() / "logs").string();
    return request;
  }
  // Records until the run is open as the last profile.
  bool Record(const std::string& address, size_t profiles) {
    session.Capture(Request(address));
    const uint64_t before = session.view().generation;
    return UpdateUntil([&](const SessionView& v) {
      return v.generation > before && v.profiles.size() == profiles && !session.loading();
    });
  }
  const std::string& PathAt(size_t i) const { return session.view().profiles.at(i).trace->path; }
};

TEST_CASE_FIXTURE(CaptureFixture, "capture job: a run opens, and the next one beside it") {
  const FakeProfiler server({.xspace = SmallXSpace()});
  REQUIRE(Record(server.address(), 1));
  const std::string first = PathAt(0);
  CHECK(first.starts_with((dir.path() / "logs/plugins/profile/").string()));
  CHECK(session.view().recent.at(0).path == first);
  CHECK_FALSE(session.view().capture.running);
  REQUIRE(Record(server.address(), 2));
  const std::string second = PathAt(1);
  CHECK(PathAt(0) == first);
  REQUIRE(Record(server.address(), 2));
  CHECK(PathAt(0) == second);
  CHECK(PathAt(1) != second);
  CHECK(std::filesystem::exists(first));
}

TEST_CASE_FIXTURE(CaptureFixture, "capture job: a profile that the user opened stays") {
  session.Open({test::SourcePath("tests/data/tf_graph.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
  const FakeProfiler server({.xspace = SmallXSpace()});
  REQUIRE(Record(server.address(), 2));
  REQUIRE(Record(server.address(), 3));
  REQUIRE(Record(server.address(), 3));
  CHECK(PathAt(0).ends_with("tf_graph.xplane.pb.zst"));
}

TEST_CASE_FIXTURE(CaptureFixture, "capture job: while it records it says how far it is") {
  const FakeProfiler server({.xspace = SmallXSpace()});
  session.Capture(Request(server.address(), 60'000));
  CHECK(session.recording());
  CHECK(session.view().capture.running);
  CHECK(session.view().capture.addresses == server.address());
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.capture.stage == "Recording"; }));
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.capture.done > 0; }));
  CHECK(session.view().capture.amount.ends_with(" of 60 s"));
  session.CancelCapture();
  CHECK_FALSE(session.recording());
  session.Update();
  CHECK_FALSE(session.view().capture.running);
  CHECK(session.view().capture.problem.empty());
  CHECK(session.view().profiles.empty());
}

TEST_CASE_FIXTURE(CaptureFixture, "capture job: what went wrong is said and can be dismissed") {
  const auto problem = [](const SessionView& v) { return !v.capture.problem.empty(); };
  session.Capture(Request("node7"));
  REQUIRE(problem(session.view()));
  CHECK(session.view().capture.problem.find("write it as HOST:PORT") != std::string::npos);
  CHECK_FALSE(session.recording());
  session.DismissCaptureProblem();
  CHECK(session.view().capture.problem.empty());

  const FakeProfiler empty({.xspace = SmallXSpace(), .empty_answers = 100});
  session.Capture(Request(empty.address()));
  REQUIRE(UpdateUntil(problem));
  CHECK(session.view().capture.problem.find("nothing was recorded") != std::string::npos);
  CHECK_FALSE(session.view().capture.some_recorded);
  CHECK_FALSE(session.recording());

  const FakeProfiler good({.xspace = SmallXSpace()});
  const FakeProfiler bad({.fault = ServerFault::kRefuses});
  REQUIRE(Record(good.address() + "," + bad.address(), 1));
  CHECK(session.view().capture.some_recorded);
  CHECK(session.view().capture.problem.starts_with(bad.address()));
}

}  // namespace
}  // namespace stepscope
