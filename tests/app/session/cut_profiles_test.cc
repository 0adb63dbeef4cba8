// Profiles from another machine whose connection breaks: what came stays, and the rest is loaded.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/session/large_trace.h"
#include "tests/app/session/session_fixture.h"
#include "tests/support/store_parts.h"
#include "tests/support/trace_difference.h"

namespace stepscope {
namespace {

// A host whose line breaks: a program in the place of ssh that passes so many bytes of what the
// real server sends, and writes down how many came.
class CutServer {
 public:
  explicit CutServer(const std::filesystem::path& folder) : folder_(folder) {
    Write("ssh", "#!/bin/sh\ncd " + folder.string() + "\n'" + test::ProgramPath() +
                     "' serve --stdio | head -c $(cat cut) | tee answer\n");
    std::filesystem::permissions(folder / "ssh", std::filesystem::perms::owner_all);
    ::setenv("STEPSCOPE_SSH", (folder / "ssh").c_str(), 1);
  }
  ~CutServer() { ::unsetenv("STEPSCOPE_SSH"); }
  void CutAfter(size_t bytes) { Write("cut", std::to_string(bytes)); }
  void CutNothing() { CutAfter(size_t{1} << 40); }
  size_t Sent() const { return std::filesystem::file_size(folder_ / "answer"); }
  void Write(const char* name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path folder_;
};

struct CutFixture : SessionFixture {
  CutServer server{dir.path()};
  const std::string path = LargeTrace(dir.path());
  const std::string address = "ssh://host" + path;
  const std::string store = StoreOfFile();

  std::string StoreOfFile() const {
    Progress progress;
    const auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE(trace.ok());
    return test::StoreOf(**trace);
  }
  bool Load() {
    return UpdateUntil(
        [this](const SessionView& v) { return !v.loading.has_value() && !session.loading(); });
  }
  const Profile& shown() {
    REQUIRE(session.view().profiles.size() == 1);
    return session.view().profiles[0];
  }
};

TEST_CASE_FIXTURE(CutFixture, "session: the rest of a profile is loaded in its place") {
  server.CutAfter(store.size() * 3 / 4);
  session.Open({address}, false);
  REQUIRE(Load());
  const ProfileId part = shown().id;
  CHECK(shown().cut);
  CHECK(shown().trace->set.rows > 0);
  CHECK(shown().trace->truncated());
  CHECK(session.view().rest_of == part);
  CHECK(session.view().error.find("host: the connection ended") != std::string::npos);
  CHECK(session.view().error.find("what came is shown") != std::string::npos);
  session.DismissError();
  CHECK_FALSE(session.view().rest_of.valid());

  // A host that does not answer leaves what is there.
  server.CutAfter(0);
  session.LoadRest(part);
  REQUIRE(session.view().loading.has_value());
  CHECK(session.view().loading->previewed);
  session.LoadRest(part);  // it comes already
  REQUIRE(Load());
  CHECK(shown().id == part);
  CHECK(shown().cut);
  CHECK(session.view().rest_of == part);
  CHECK_FALSE(session.view().error.empty());

  server.CutNothing();
  session.LoadRest(part);
  CHECK(session.view().error.empty());
  REQUIRE(Load());
  CHECK(server.Sent() < store.size() / 2);  // only the rest
  CHECK_FALSE(shown().cut);
  CHECK(shown().follows == part);
  CHECK(shown().id != part);
  CHECK(shown().diagnostics().Find("remote.cut") == nullptr);
  CHECK(shown().trace->set.rows == 60'000);
  CHECK(session.view().error.empty());
  session.LoadRest(shown().id);  // nothing is missing
  CHECK_FALSE(session.loading());
}

TEST_CASE_FIXTURE(CutFixture, "session: an address that is opened again goes on where it was cut") {
  for (const double share : {0.05, 0.3, 0.9}) {
    CAPTURE(share);
    server.CutAfter(static_cast<size_t>(static_cast<double>(store.size()) * share));
    session.Open({address}, false);
    REQUIRE(Load());
    CHECK_FALSE(session.view().error.empty());
    const size_t before = session.view().profiles.size();
    server.CutNothing();
    session.Open({address}, false);
    REQUIRE(Load());
    CHECK(shown().trace->set.rows == 60'000);
    CHECK_FALSE(shown().cut);
    CHECK(before <= 1);
    CHECK(static_cast<double>(server.Sent()) <
          static_cast<double>(store.size()) * (1.02 - share) + 2000);
    session.CloseProfile(shown().id);
  }
}

TEST_CASE_FIXTURE(CutFixture, "session: cuts after any bytes end with the whole profile") {
  uint32_t random = 7;
  size_t sent = 0, cuts = 0;
  server.CutAfter(1000);
  session.Open({address}, false);
  REQUIRE(Load());
  for (; session.view().profiles.empty() || session.view().profiles[0].cut; ++cuts) {
    REQUIRE(cuts < 200);
    random = random * 1664525 + 1013904223;
    server.CutAfter(300 + random % (store.size() / 12));
    if (session.view().profiles.empty()) {
      session.Open({address}, false);
    } else {
      session.LoadRest(shown().id);
    }
    REQUIRE(Load());
    sent += server.Sent();
  }
  CHECK(cuts > 12);
  CHECK(sent < store.size() + cuts * 1000);
  const auto whole = LoadBytes("x.stepscope", store, {});
  REQUIRE(whole.ok());
  CHECK(test::FirstDifference(**whole, *shown().trace) == "");
}

TEST_CASE_FIXTURE(CutFixture, "session: a load that is stopped is gone on with, until another") {
  server.CutAfter(store.size() / 2);
  const auto stop = [&] {
    server.Write("ssh", "#!/bin/sh\ncd " + dir.path().string() + "\n'" + test::ProgramPath() +
                            "' serve --stdio | head -c $(cat cut)\ntouch sent\nsleep 60\n");
    std::filesystem::remove(dir.path() / "sent");
    session.Open({address}, false);
    REQUIRE(UpdateUntil([this](const SessionView& v) {
      return !v.profiles.empty() && std::filesystem::exists(dir.path() / "sent");
    }));
    // The bytes that were sent arrive a moment later.
    const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    REQUIRE(UpdateUntil(
        [&](const SessionView&) { return std::chrono::steady_clock::now() > later; }, 10));
    session.CancelLoading();
    REQUIRE(UpdateUntil([this](const SessionView&) { return !session.cancelling(); }, 10));
    CHECK(session.view().profiles.empty());
    server.Write("ssh", "#!/bin/sh\ncd " + dir.path().string() + "\n'" + test::ProgramPath() +
                            "' serve --stdio | tee answer\n");
  };
  for (const bool other : {false, true}) {
    stop();
    if (other) {
      session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
      REQUIRE(Load());
    }
    session.Open({address}, false);
    REQUIRE(Load());
    CHECK(shown().trace->set.rows == 60'000);
    CHECK((server.Sent() < store.size() * 3 / 4) == !other);
    session.CloseProfile(shown().id);
  }
}

TEST_CASE_FIXTURE(CutFixture, "session: a file that has changed there comes as a whole") {
  server.CutAfter(store.size() * 3 / 4);
  session.Open({address}, false);
  REQUIRE(Load());
  REQUIRE(shown().cut);
  std::ofstream(path)
      << R"({"traceEvents":[{"ph":"X","name":"other","pid":1,"tid":1,"ts":1,"dur":2}]})";
  server.CutNothing();
  session.LoadRest(shown().id);
  REQUIRE(Load());
  CHECK(shown().trace->set.rows == 1);
  CHECK_FALSE(shown().cut);
  CHECK_FALSE(shown().follows.valid());  // it is looked at anew
}

TEST_CASE_FIXTURE(CutFixture, "session: after a first picture the rest is loaded, too") {
  const size_t events = store.find("EVTS");
  REQUIRE(events != std::string::npos);
  // Before the events the server also reports how far it is, the more often the slower it is.
  server.CutAfter(events + 8000);
  session.Open({address}, false);
  REQUIRE(Load());
  const ProfileId picture = shown().id;
  CHECK(shown().arriving);
  CHECK(shown().cut);
  CHECK(session.view().rest_of == picture);
  // Another cut before any event has come leaves it.
  server.CutAfter(400);
  session.LoadRest(picture);
  REQUIRE(Load());
  CHECK(shown().id == picture);
  server.CutNothing();
  session.LoadRest(picture);
  REQUIRE(Load());
  CHECK(shown().follows == picture);
  CHECK(shown().trace->set.rows == 60'000);
}

}  // namespace
}  // namespace stepscope
