// Profiles that are seen before all of them is there: from another machine, and large files.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "loaders/remote/frames.h"
#include "loaders/remote/serve.h"
#include "tests/app/session/large_trace.h"
#include "tests/app/session/session_fixture.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

// A server on another machine: a program in the place of ssh that sends what `serve --stdio` would,
// up to the events, and the rest when it is told to.
class SlowServer {
 public:
  // `share` of the events' bytes comes at once.
  SlowServer(const std::filesystem::path& folder, const std::string& profile, double share = 0.5)
      : folder_(folder) {
    const std::string stream = AnswerOf(profile);
    const size_t events = stream.find("EVTS");
    REQUIRE(events != std::string::npos);
    const size_t half =
        events + static_cast<size_t>(static_cast<double>(stream.size() - events) * share);
    Write("begin", stream.substr(0, half));
    Write("rest", stream.substr(half));
    Write("ssh", "#!/bin/sh\ncd " + folder.string() +
                     "\ncat begin\nwhile [ ! -e go ]; do sleep 0.02; done\n"
                     "[ -e cut ] || cat rest\n");
    std::filesystem::permissions(folder / "ssh", std::filesystem::perms::owner_all);
    ::setenv("STEPSCOPE_SSH", (folder / "ssh").c_str(), 1);
  }
  ~SlowServer() { ::unsetenv("STEPSCOPE_SSH"); }
  void Continue() { Write("go", "x"); }
  void Cut() { Write("cut", "x"), Continue(); }

 private:
  void Write(const char* name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string AnswerOf(const std::string& profile) {
    int in[2];
    REQUIRE(::pipe(in) == 0);
    REQUIRE(profile.size() < 128);
    // Field 1 is the protocol, field 3 the path.
    const std::string request =
        std::string("\x08\x01\x1a") + static_cast<char>(profile.size()) + profile;
    const std::string frame = remote::Frame(remote::FrameType::kRequest, request);
    REQUIRE(::write(in[1], frame.data(), frame.size()) == static_cast<ssize_t>(frame.size()));
    std::FILE* out = std::fopen((folder_ / "answer").c_str(), "wb");
    CHECK(remote::Serve(in[0], ::fileno(out), "test"));
    std::fclose(out);
    ::close(in[0]);
    ::close(in[1]);
    std::ifstream file(folder_ / "answer", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
};

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a profile from another machine is shown while it comes") {
  SlowServer server(dir.path(), LargeTrace(dir.path()));
  const std::string address = "ssh://host/large.json";
  session.Open({address}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const ProfileId first = session.view().profiles[0].id;
  CHECK(session.view().profiles[0].arriving);
  CHECK(session.view().profiles[0].analysis == nullptr);
  CHECK(session.view().profiles[0].trace->set.tracks.size() == 4);
  CHECK(session.view().profiles[0].trace->set.rows < 10'000);
  CHECK(session.view().recent.empty());
  REQUIRE(session.view().loading.has_value());
  CHECK(session.view().loading->previewed);
  CHECK(session.view().loading->bytes_done > 0);
  CHECK(session.view().loading->bytes_total == 0);

  server.Continue();
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.loading.has_value(); }));
  REQUIRE(session.view().profiles.size() == 1);
  const Profile& profile = session.view().profiles[0];
  CHECK_FALSE(profile.arriving);
  CHECK(profile.follows == first);
  CHECK(profile.id != first);
  CHECK(profile.trace->set.rows == 60'000);
  CHECK(profile.analysis != nullptr);
  CHECK(session.view().error.empty());
  REQUIRE(session.view().recent.size() == 1);
  CHECK(session.view().recent[0].path == address);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a first picture goes when its load is stopped or closed") {
  SlowServer server(dir.path(), LargeTrace(dir.path()));
  for (const bool close : {false, true}) {
    session.Open({"ssh://host/large.json"}, false);
    REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
    if (close) {
      session.CloseProfile(session.view().profiles[0].id);
    } else {
      session.CancelLoading();
    }
    CHECK(session.Update().profiles.empty());
    CHECK_FALSE(session.loading());
    CHECK(session.view().error.empty());
  }
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a connection that breaks after the first picture leaves it") {
  SlowServer server(dir.path(), LargeTrace(dir.path()));
  session.Open({"ssh://host/large.json"}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  server.Cut();
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.loading.has_value(); }));
  REQUIRE(session.view().profiles.size() == 1);
  CHECK_FALSE(session.view().profiles[0].arriving);
  const auto& rows = session.view().profiles[0].diagnostics().rows();
  CHECK(std::any_of(rows.begin(), rows.end(), [](const auto& d) { return d.id == "remote.cut"; }));
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a first picture stays where the connection breaks after it") {
  SlowServer server(dir.path(), LargeTrace(dir.path()), 0.01);
  session.Open({"ssh://host/large.json"}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const std::shared_ptr<const Trace> picture = session.view().profiles[0].trace;
  server.Cut();
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.loading.has_value(); }));
  REQUIRE(session.view().profiles.size() == 1);
  CHECK(session.view().profiles[0].trace == picture);
  CHECK(session.view().profiles[0].arriving);  // so that nothing is computed from it
  CHECK(session.view().error.find("host: the connection ended") != std::string::npos);
  CHECK(session.view().error.find("only a first picture") != std::string::npos);
  CHECK(session.view().recent.size() == 1);
  session.CloseProfile(session.view().profiles[0].id);
  CHECK(session.view().profiles.empty());
}

// The host has no Stepscope until a copy of this program has come.
TEST_CASE_FIXTURE(SessionFixture,
                  "session: a program is copied to a host that has none, then it loads") {
  SlowServer server(dir.path(), LargeTrace(dir.path()));
  server.Continue();
  const std::string folder = dir.path().string();
  const auto become = [&](const std::string& install) {
    std::ofstream(dir.path() / "ssh") << "#!/bin/sh\ncd " << folder
                                      << "\ncase \"$*\" in *serve*) [ -e copy ] || exit 127; "
                                         "cat begin rest;; *) "
                                      << install << ";; esac\n";
  };
  become("cat >copy; echo stepscope 1");
  session.InstallThere();  // nothing was asked of a host yet
  CHECK_FALSE(session.loading());
  session.Open({"ssh://host/large.json"}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.error.empty(); }));
  CHECK(session.view().can_install);
  CHECK(session.view().error.find("not installed there") != std::string::npos);

  session.InstallThere();
  CHECK(session.loading());
  CHECK(session.view().error.empty());
  CHECK_FALSE(session.view().can_install);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.loading.has_value(); }));
  CHECK(session.view().profiles[0].trace->set.rows == 60'000);
  CHECK(std::filesystem::file_size(dir.path() / "copy") ==
        std::filesystem::file_size("/proc/self/exe"));

  // Why it could not be copied; then Cancel in the middle.
  std::filesystem::remove(dir.path() / "copy");
  become("echo No space left on device >&2; exit 1");
  session.Open({"ssh://host/large.json"}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.can_install; }));
  session.InstallThere();
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.error.empty(); }));
  CHECK(session.view().error.find("No space left on device") != std::string::npos);
  CHECK_FALSE(session.view().can_install);
  CHECK_FALSE(session.loading());
  become("exec sleep 60");
  session.Open({"ssh://host/large.json"}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.can_install; }));
  session.InstallThere();
  // The rate that is shown is of the time since the copy began.
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.loading->stage_seconds > 0; }, 10));
  session.CancelLoading();
  CHECK_FALSE(session.Update().loading.has_value());
  CHECK(session.view().error.empty());
  REQUIRE(UpdateUntil([this](const SessionView&) { return !session.cancelling(); }, 10));
}

TEST_CASE_FIXTURE(SessionFixture, "session: a profile beside which another one arrives stays") {
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const ProfileId open = session.view().profiles[0].id;
  SlowServer server(dir.path(), LargeTrace(dir.path()));
  session.Open({"ssh://host/large.json"}, true);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 2; }));
  CHECK(session.view().profiles[0].id == open);
  CHECK(session.view().profiles[1].arriving);
  session.CancelLoading();
  REQUIRE(session.Update().profiles.size() == 1);
  CHECK(session.view().profiles[0].id == open);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a large file here has a first picture, whose place it takes") {
  const std::string path = (dir.path() / "a.xplane.pb").string();
  test::GpuProfileOptions made;
  made.steps = 40;
  std::ofstream(path, std::ios::binary) << test::MakeGpuProfile(made);
  LoadOptions options;
  for (const bool large : {false, true}) {
    if (large) options.preview_from_bytes = 0;
    session.set_load_options(options);
    session.Open({path}, false);
    bool arrived = false;
    REQUIRE(UpdateUntil([&](const SessionView& v) {
      arrived = arrived || (!v.profiles.empty() && v.profiles[0].arriving);
      return !v.loading.has_value();
    }));
    REQUIRE(session.view().profiles.size() == 1);
    const Profile& profile = session.view().profiles[0];
    CHECK_FALSE(profile.arriving);
    CHECK(profile.analysis != nullptr);
    // The picture may come and go between two looks.
    CHECK(profile.follows.valid() == large);
    if (!large) CHECK_FALSE(arrived);
  }
}

}  // namespace
}  // namespace stepscope
