#include "app/session/session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/commands/profile_input.h"
#include "app/system/paths.h"
#include "loaders/store/trace_part.h"
#include "model/capabilities.h"
#include "tests/app/session/session_fixture.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/memory_snapshot.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

TEST_CASE_FIXTURE(SessionFixture,
                  "session: loads in the background and remembers what was opened") {
  const std::string path = Sample("tf_graph.xplane.pb.zst");
  session.Open({path}, false);
  CHECK(session.loading());
  REQUIRE(session.view().loading.has_value());
  CHECK(session.view().loading->path == path);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const SessionView& view = session.view();
  REQUIRE(view.profiles.size() == 1);
  CHECK(view.profiles[0].trace->counts.events() > 1000);
  CHECK(view.profiles[0].analysis != nullptr);
  CHECK_FALSE(view.profiles[0].label.empty());
  CHECK(view.profiles[0].load_seconds > 0);
  CHECK_FALSE(view.loading.has_value());
  CHECK(view.error.empty());
  CHECK(view.generation == 1);
  REQUIRE(view.recent.size() == 1);
  CHECK(view.recent[0].path == path);
  CHECK(SettingsStore(dir.path() / "config").ReadRecent().size() == 1);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a load has ended when its thread has, whenever the window takes it") {
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  Clock::time_point before_taken;
  do {  // the load ends while the window sleeps
    REQUIRE(session.loading());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    before_taken = Clock::now();
  } while (session.Update().profiles.empty());
  CHECK(session.load_times().end <= before_taken);
  CHECK(session.load_times().begin < session.load_times().end);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a profile's label does not have the name of its file twice") {
  const std::string path = (dir.path() / "train.json").string();
  std::ofstream(path) << R"({"schemaVersion":1,"distributedInfo":{"rank":3,"world_size":8},
    "traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":5}]})";
  session.Open({path}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  CHECK(session.view().profiles[0].label == "train.json · rank 3");
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: several files together are called after the first, once") {
  std::vector<std::string> paths;
  for (const char* rank : {"0", "1"}) {
    paths.push_back((dir.path() / (std::string("rank") + rank + ".json")).string());
    std::ofstream(paths.back()) << R"({"schemaVersion":1,"distributedInfo":{"rank":)" << rank
                                << R"(,"world_size":2},
      "traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":5}]})";
  }
  session.Open(paths, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  CHECK(session.view().profiles[0].label == "rank0.json and 1 more · 2 hosts");
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: two profiles of different runs are asked about, with a window") {
  const std::vector<std::string> paths{Sample("tf_graph.xplane.pb.zst"),
                                       Sample("tf_keras.xplane.pb.zst")};
  session.set_asks(true);
  session.Open(paths, false);
  REQUIRE(session.view().question.has_value());
  CHECK(session.view().question->paths == paths);
  CHECK_FALSE(session.view().question->beside);
  CHECK_FALSE(session.loading());

  session.Answer(OpenAnswer::kCancel);
  CHECK_FALSE(session.view().question.has_value());
  CHECK_FALSE(session.loading());

  session.Open(paths, false);
  session.Answer(OpenAnswer::kCompare);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 2; }));

  session.Open(paths, false);
  session.Answer(OpenAnswer::kMerge);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
  CHECK(session.view().profiles[0].trace->hosts.size() == 2);
}

TEST_CASE_FIXTURE(SessionFixture, "session: a profile dropped on an open one is asked about") {
  const std::string first = Sample("tf_graph.xplane.pb.zst"),
                    second = Sample("tf_keras.xplane.pb.zst");
  session.set_asks(true);
  session.Drop({first});
  CHECK_FALSE(session.view().question.has_value());  // nothing is open yet
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));

  session.Drop({second});
  REQUIRE(session.view().question.has_value());
  CHECK(session.view().question->beside);
  session.Answer(OpenAnswer::kCompare);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 2; }));

  session.Drop({first});
  session.Answer(OpenAnswer::kInstead);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
  session.Answer(OpenAnswer::kMerge);  // no question is open any more
  CHECK_FALSE(session.loading());
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a memory snapshot opens below the trace it is given with") {
  const std::string trace = Sample("tf_graph.xplane.pb.zst");
  const std::string snapshot = (dir.path() / "no_ending").string();
  std::ofstream(snapshot, std::ios::binary)
      << test::ToPickle(test::MakeTrainingSnapshot(3, 2, 0, false).file);
  uint32_t next = 0;  // id of the next profile
  const auto both = [&] {
    CHECK_FALSE(session.view().question.has_value());
    const bool came = UpdateUntil([&](const SessionView& v) {
      return v.profiles.size() == 2 && v.profiles[0].id == ProfileId(next);
    });
    REQUIRE(came);
    CHECK(CapabilitiesOf(*session.view().profiles[0].trace).read_by_xprof);
    CHECK(CapabilitiesOf(*session.view().profiles[1].trace).memory_snapshot);
    next += 2;
  };
  for (const bool asks : {true, false}) {
    session.set_asks(asks);
    session.Open({snapshot, trace}, false);
    both();
    session.Drop({trace, snapshot});  // replaces what is open
    both();
  }
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: without a window nothing is asked, several files are one profile") {
  session.Open({Sample("tf_graph.xplane.pb.zst"), Sample("tf_keras.xplane.pb.zst")}, false);
  CHECK_FALSE(session.view().question.has_value());
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
  CHECK(session.view().profiles[0].trace->hosts.size() == 2);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: the command line's limit holds for what the window opens") {
  InputOptions input;
  input.paths = {Sample("torch_cpu.json.gz")};
  input.max_inflated_bytes = 1 << 20;
  OpenCommandLine(input, session);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.error.empty(); }));
  CHECK(session.load_status().code() == ErrorCode::kLimit);
  input.max_inflated_bytes = uint64_t{1} << 30;
  OpenCommandLine(input, session);
  CHECK(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a second profile replaces the first or comes beside it") {
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  session.Open({Sample("tf_keras.xplane.pb.zst")}, true);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 2; }));
  const ProfileId first = session.view().profiles[0].id, second = session.view().profiles[1].id;
  CHECK(first != second);
  session.CloseProfile(first);
  REQUIRE(session.view().profiles.size() == 1);
  CHECK(session.view().profiles[0].id == second);
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([&](const SessionView& v) { return v.profiles[0].id != second; }));
  CHECK(session.view().profiles.size() == 1);
}

TEST_CASE_FIXTURE(SessionFixture, "session: a failed load keeps what is open and says why") {
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  session.Open({(dir.path() / "absent").string()}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.error.empty(); }));
  CHECK(session.view().profiles.size() == 1);
  CHECK(session.view().error.find("absent") != std::string::npos);
  CHECK(session.view().recent.size() == 1);
  CHECK_FALSE(session.load_status().ok());
  session.DismissError();
  CHECK(session.view().error.empty());
}

TEST_CASE_FIXTURE(SessionFixture, "session: the newest choice wins") {
  for (int i = 0; i < 10; ++i) session.Open({Sample("tf_keras.xplane.pb.zst")}, false);
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  CHECK(session.view().profiles.size() == 1);
  CHECK(session.view().profiles[0].trace->path == Sample("tf_graph.xplane.pb.zst"));
  CHECK(session.view().generation == 1);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: cancelling gives the frame back at once, the job ends by itself") {
  // Copies of one recording as many hosts, so that the load is under way when it is cancelled.
  for (int i = 0; i < 200; ++i) {
    std::filesystem::copy_file(Sample("tf_inputbound.xplane.pb.zst"),
                               dir.path() / ("h" + std::to_string(i) + ".xplane.pb.zst"));
  }
  session.Open({dir.path().string()}, false);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const bool was_loading = session.Update().loading.has_value();
  session.CancelLoading();
  CHECK(session.cancelling() == was_loading);  // cancelling does not wait for the load
  CHECK_FALSE(session.Update().loading.has_value());
  CHECK(session.view().profiles.empty());
  CHECK(session.view().error.empty());
  if (!was_loading) MESSAGE("the load had ended before it could be cancelled");
  REQUIRE(UpdateUntil([this](const SessionView&) { return !session.cancelling(); }, 10));
}

TEST_CASE_FIXTURE(SessionFixture, "session: a profile can be closed while its tracks are derived") {
  const std::string path = (dir.path() / "gpu.xplane.pb").string();
  test::GpuProfileOptions options;
  options.steps = 20;
  REQUIRE(WriteFileAtomically(path, test::MakeGpuProfile(options)));
  for (int i = 0; i < 3; ++i) {
    session.Open({path}, false);
    REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 1; }));
    const std::weak_ptr<AnalysisContext> context = session.view().profiles[0].analysis;
    session.Update();  // starts the derived tracks
    CHECK(session.deriving());
    session.CloseProfile(session.view().profiles[0].id);
    CHECK_FALSE(session.deriving());
    REQUIRE(UpdateUntil([&](const SessionView&) { return context.expired(); }, 20));
    CHECK(session.view().profiles.empty());
  }
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a run is called by its log directory as well as its date") {
  const std::filesystem::path run = dir.path() / "resnet/plugins/profile/2026_11_21_10_29_44";
  std::filesystem::create_directories(run);
  std::filesystem::copy_file(Sample("tf_graph.xplane.pb.zst"), run / "vm.xplane.pb.zst");
  for (const std::filesystem::path& opened : {dir.path() / "resnet", run}) {
    Session own(scheduler, store, {[this] { waker.Wake(); }, {}, {}, {}});
    own.Open({opened.string()}, false);
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (own.Update().profiles.empty() && Clock::now() < end) {
      waker.WaitFor(std::chrono::milliseconds(5));
      waker.TakeWake();
    }
    REQUIRE(own.view().profiles.size() == 1);
    CHECK(own.view().profiles[0].label.starts_with("resnet \u00b7 2026_11_21_10_29_44"));
  }
}

TEST_CASE_FIXTURE(SessionFixture, "session: exports overwrite a file only where they are told to") {
  const std::string wanted = (dir.path() / "table.csv").string();
  std::string first, second;
  CHECK(session.SaveFile(wanted, "a", false, &first));
  CHECK(session.SaveFile(wanted, "b", false, &second));
  CHECK(first == wanted);
  CHECK(second == (dir.path() / "table-2.csv").string());
  std::ifstream file(first);
  std::string text;
  std::getline(file, text);
  CHECK(text == "a");
  CHECK_FALSE(session.SaveFile((dir.path() / "table.csv/below.csv").string(), "c", false, &first));
  CHECK(session.SaveFile(wanted, "d", true, &second));
  CHECK(second == wanted);
  std::ifstream again(wanted);
  std::getline(again, text);
  CHECK(text == "d");
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: other definitions are those of what is open and of what comes") {
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const std::shared_ptr<AnalysisContext> own = session.view().profiles[0].analysis;
  CHECK(own->definitions() == Definitions::kStepscope);
  const uint64_t generation = session.view().generation;
  session.SetDefinitions(Definitions::kStepscope);
  CHECK(session.view().profiles[0].analysis == own);
  CHECK(session.view().generation == generation);
  session.SetDefinitions(Definitions::kXprof);
  CHECK(session.view().profiles[0].analysis != own);
  CHECK(session.view().profiles[0].analysis->definitions() == Definitions::kXprof);
  CHECK(session.view().generation > generation);
  session.Open({Sample("tf_keras.xplane.pb.zst")}, true);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.profiles.size() == 2; }));
  CHECK(session.view().profiles[1].analysis->definitions() == Definitions::kXprof);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: the file dialog knows the format that a loader gives a name") {
  for (const LoaderDesc* loader : Loaders()) {
    for (const std::string& ending : ReadEndings(*loader))
      CHECK(session.FormatOfFile("vm" + ending) == loader->filter);
  }
  CHECK(session.FormatOfFile("xplane.txt").empty());
  CHECK(session.FormatOfFile("perfetto_trace.json.gz").empty());
}

TEST_CASE_FIXTURE(SessionFixture, "session: the welcome page lists every loader with its endings") {
  const std::vector<std::string>& formats = session.view().formats;
  REQUIRE(formats.size() == Loaders().size());
  for (size_t i = 0; i < formats.size(); ++i) {
    CHECK(formats[i].starts_with(Loaders()[i]->filter));
    for (const FileEnding& ending : Loaders()[i]->endings)
      CHECK(formats[i].find(ending.text) != std::string::npos);
  }
}

TEST_CASE_FIXTURE(SessionFixture, "session: a profile, or a part of it, is saved as a store") {
  session.Open({Sample("tf_keras.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const Profile& profile = session.view().profiles[0];
  const TimeRange all = profile.trace->span;
  const TimeRange part{all.begin + all.length() / 4, all.begin + all.length() / 2};
  const std::string whole = (dir.path() / "x.stepscope").string();
  for (const TimeRange range : {TimeRange{}, part}) {
    const uint64_t notes = session.view().notes;
    session.SaveProfile(profile.id, range, whole, false);
    CHECK(session.saving());
    REQUIRE(UpdateUntil([&](const SessionView& v) { return v.notes > notes; }));
    CHECK_FALSE(session.saving());
    CHECK(session.view().note.starts_with("Saved "));
  }
  Progress progress;
  const auto saved = LoadPath(whole, {}, {}, progress);
  const auto saved_part = LoadPath((dir.path() / "x-2.stepscope").string(), {}, {}, progress);
  REQUIRE(saved.ok());
  REQUIRE(saved_part.ok());
  CHECK((*saved)->set.rows == profile.trace->set.rows);
  CHECK((*saved_part)->set.rows == PartOfTrace(profile.trace, part, HostId())->set.rows);
  CHECK((*saved_part)->set.rows < (*saved)->set.rows);
}

TEST_CASE_FIXTURE(SessionFixture,
                  "session: a profile is saved to its end while others are opened") {
  session.Open({Sample("tf_keras.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const Profile& profile = session.view().profiles[0];
  const uint64_t rows = profile.trace->set.rows;
  const std::string target = (dir.path() / "x.stepscope").string();
  session.SaveProfile(profile.id, {}, target, false);
  session.SaveProfile(profile.id, {}, (dir.path() / "y.stepscope").string(), false);
  CHECK(session.view().note.find("y.stepscope: another profile is being saved") !=
        std::string::npos);
  session.Open({Sample("tf_graph.xplane.pb.zst")}, false);
  session.Open({Sample("tf_eagerpy.xplane.pb.zst")}, false);
  session.CancelLoading();  // stops what is shown, which is the load
  CHECK(session.saving());
  REQUIRE(UpdateUntil([&](const SessionView&) { return !session.saving(); }));
  CHECK(session.view().note.starts_with("Saved "));
  Progress progress;
  const auto saved = LoadPath(target, {}, {}, progress);
  REQUIRE(saved.ok());
  CHECK((*saved)->set.rows == rows);
}

TEST_CASE_FIXTURE(SessionFixture, "session: what cannot be saved, or is stopped, leaves no file") {
  session.Open({Sample("tf_keras.xplane.pb.zst")}, false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return !v.profiles.empty(); }));
  const ProfileId id = session.view().profiles[0].id;
  std::ofstream(dir.path() / "file") << "x";
  session.SaveProfile(id, {}, (dir.path() / "file/below.stepscope").string(), false);
  REQUIRE(UpdateUntil([](const SessionView& v) { return v.notes == 1; }));
  CHECK(session.view().note.starts_with("Not saved: "));
  CHECK(session.view().note.find("below.stepscope") != std::string::npos);

  const std::filesystem::path stopped = dir.path() / "stopped.stepscope";
  session.SaveProfile(id, {}, stopped.string(), false);
  session.CancelLoading();
  CHECK_FALSE(session.saving());
  CHECK(session.view().note == "Not saved: " + stopped.string());
  REQUIRE(UpdateUntil([&](const SessionView&) { return !session.cancelling(); }));
  CHECK(session.view().profiles.size() == 1);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    CHECK(entry.path().filename().string().find("stopped") == std::string::npos);
}

}  // namespace
}  // namespace stepscope
