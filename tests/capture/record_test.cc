// Records from a fake profiler server with every fault that it can have.
#include "capture/record.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "tests/app/temp_dir.h"
#include "tests/support/fake_profiler.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::capture {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using test::FakeProfiler;
using test::ServerFault;

std::string XSpaceOf(const std::string& event) {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python").Event(event, 0, 1000);
  return b.Bytes();
}

bool WriteWhole(const std::string& path, std::string_view contents) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << contents;
  return static_cast<bool>(file.flush());
}

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Fixture {
  TempDir dir;
  Progress progress;
  SentTime sent = SentTime();
  fs::path log = dir.path() / "logs";

  RecordOptions Options(const std::string& addresses) const {
    RecordOptions options;
    options.servers = ParseAddresses(addresses).value();
    options.duration = milliseconds(40);
    options.log_directory = log.string();
    return options;
  }
  Result<Recorded> RecordFrom(const std::string& addresses, const std::stop_token& stop = {}) {
    return RecordPrograms(Options(addresses), WriteWhole, stop, progress, &sent);
  }
  // What the log directory has, as paths below it. Nothing may lie beside it.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
      if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(log).string());
    }
    return files;
  }
  // The one line of a recording that gives nothing. Nothing is left on the disk.
  std::string ErrorOf(const std::string& addresses) {
    const Result<Recorded> recorded = RecordFrom(addresses);
    REQUIRE_FALSE(recorded.ok());
    CHECK(Files().empty());
    const std::string message = recorded.status().message();
    CAPTURE(message);
    CHECK(message.find('\n') == std::string::npos);
    CHECK(message.starts_with(addresses.substr(0, addresses.find(','))));
    return message;
  }
  std::string ErrorOf(ServerFault fault) {
    const FakeProfiler server({.fault = fault, .xspace = XSpaceOf("step")});
    return ErrorOf(server.address());
  }
};

bool Has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE_FIXTURE(Fixture, "record: the profile lies where TensorBoard would put it") {
  const std::string xspace = XSpaceOf("step");
  const FakeProfiler server({.xspace = xspace});
  const Result<Recorded> recorded = RecordFrom(server.address());
  REQUIRE(recorded.ok());
  CHECK(recorded->attempts == 1);
  CHECK(recorded->bytes == xspace.size());
  CHECK(recorded->failures.empty());
  CHECK(fs::path(recorded->run_directory).parent_path() == log / "plugins" / "profile");
  REQUIRE(recorded->files.size() == 1);
  CHECK(recorded->files[0] == recorded->run_directory + "/127.0.0.1.xplane.pb");
  CHECK(Contents(recorded->files[0]) == xspace);
  CHECK(Files().size() == 1);
  CHECK(progress.bytes_done == progress.bytes_total);
  CHECK(progress.bytes_total > xspace.size());
}

TEST_CASE_FIXTURE(Fixture, "record: the server is asked for what the options say") {
  const FakeProfiler server({.xspace = XSpaceOf("step")});
  RecordOptions options = Options(server.address());
  options.duration = milliseconds(70);
  options.host_level = 3;
  options.device_level = 0;
  options.python_level = 1;
  REQUIRE(RecordPrograms(options, WriteWhole, {}, progress, &sent).ok());
  REQUIRE(server.seen().size() == 1);
  const test::SeenRequest seen = server.seen()[0];
  CHECK(seen.duration_ms == 70);
  CHECK(seen.host_level == 3);
  CHECK(seen.device_level == 0);
  CHECK(seen.python_level == 1);
  CHECK(seen.emit_xspace);
  CHECK(seen.repository_root == (log / "plugins" / "profile").string());
  CHECK(seen.host_name == "127.0.0.1");
}

TEST_CASE_FIXTURE(Fixture, "record: several programs are recorded at one moment as one run") {
  const FakeProfiler a({.xspace = XSpaceOf("a")}), b({.xspace = XSpaceOf("b")});
  RecordOptions options = Options(a.address() + "," + b.address());
  options.delay = milliseconds(100);
  const auto begin = std::chrono::steady_clock::now();
  const Result<Recorded> recorded = RecordPrograms(options, WriteWhole, {}, progress, &sent);
  REQUIRE(recorded.ok());
  CHECK(recorded->files.size() == 2);
  const std::string stem = recorded->run_directory + "/127.0.0.1_";
  CHECK(Contents(stem + std::to_string(a.port()) + ".xplane.pb") == XSpaceOf("a"));
  CHECK(Contents(stem + std::to_string(b.port()) + ".xplane.pb") == XSpaceOf("b"));
  REQUIRE(a.seen().size() == 1);
  REQUIRE(b.seen().size() == 1);
  CHECK(a.seen()[0].when - begin >= options.delay);
  CHECK(b.seen()[0].when - begin >= options.delay);
  CHECK(a.seen()[0].session_id == b.seen()[0].session_id);
}

TEST_CASE_FIXTURE(Fixture, "record: a host that fails costs the others nothing, and is named") {
  const FakeProfiler a({.xspace = XSpaceOf("a")});
  const FakeProfiler b({.fault = ServerFault::kRefuses, .xspace = XSpaceOf("b")});
  const std::string gone = "127.0.0.1:" + std::to_string(test::FreePort());
  const Result<Recorded> recorded = RecordFrom(gone + "," + a.address() + "," + b.address());
  REQUIRE(recorded.ok());
  CHECK(recorded->files.size() == 1);
  REQUIRE(recorded->failures.size() == 2);
  CHECK(recorded->failures[0].starts_with(gone + ": nobody listens there"));
  CHECK(recorded->failures[1].starts_with(b.address() + ": the program cannot record"));
}

TEST_CASE_FIXTURE(Fixture, "record: an empty recording is tried again, three times in all") {
  const FakeProfiler late({.xspace = XSpaceOf("step"), .empty_answers = 2});
  const Result<Recorded> recorded = RecordFrom(late.address());
  REQUIRE(recorded.ok());
  CHECK(recorded->attempts == 3);
  fs::remove_all(log);

  const FakeProfiler never({.xspace = XSpaceOf("step"), .empty_answers = 100});
  CHECK(Has(ErrorOf(never.address()), "nothing was recorded in 3 attempts of 40 ms"));
  CHECK(never.seen().size() == 3);
  RecordOptions once = Options(never.address());
  once.attempts = 1;
  const Result<Recorded> nothing = RecordPrograms(once, WriteWhole, {}, progress, &sent);
  CHECK(Has(nothing.status().message(), "nothing was recorded in 40 ms: the program ran nothing"));
}

// A progress keeps its first 64 stages, of which an attempt has two.
TEST_CASE_FIXTURE(Fixture, "record: the time of recording counts from the last of many attempts") {
  const FakeProfiler late({.xspace = XSpaceOf("step"), .empty_answers = 40});
  RecordOptions options = Options(late.address());
  options.attempts = 41;
  options.duration = milliseconds(1);
  const Result<Recorded> recorded = RecordPrograms(options, WriteWhole, {}, progress, &sent);
  REQUIRE(recorded.ok());
  CHECK(recorded->attempts == 41);
  const auto seen = late.seen();
  REQUIRE(seen.size() == 41);
  CHECK(progress.history().back().second < seen[39].when);
  CHECK(sent.load() > seen[39].when);
  CHECK(sent.load() <= seen[40].when);
}

TEST_CASE_FIXTURE(Fixture, "record: an older server writes the file itself") {
  const FakeProfiler server({.fault = ServerFault::kWritesItself, .xspace = XSpaceOf("step")});
  const Result<Recorded> recorded = RecordFrom(server.address());
  REQUIRE(recorded.ok());
  REQUIRE(recorded->files.size() == 1);
  CHECK(Contents(recorded->files[0]) == XSpaceOf("step"));
  CHECK(recorded->bytes == XSpaceOf("step").size());
  fs::remove_all(log);

  const FakeProfiler empty({.fault = ServerFault::kWritesItself, .empty_answers = 100});
  CHECK(Has(ErrorOf(empty.address()), "nothing was recorded"));
  const std::string elsewhere = ErrorOf(ServerFault::kWritesElsewhere);
  CHECK(Has(elsewhere, "wrote the profile on its own machine"));
  CHECK(Has(elsewhere, "ssh://127.0.0.1/"));
}

TEST_CASE_FIXTURE(Fixture, "record: each fault of a server is one error that says what to do") {
  CHECK(Has(ErrorOf(ServerFault::kTls), "wants TLS"));
  CHECK(Has(ErrorOf(ServerFault::kHttp1), "speaks HTTP/1, as TensorBoard does"));
  CHECK(Has(ErrorOf(ServerFault::kOtherProtocol), "does not speak gRPC"));
  CHECK(Has(ErrorOf(ServerFault::kBrokenHttp2), "makes no sense"));
  CHECK(Has(ErrorOf(ServerFault::kClosesAtOnce), "closed the connection without an answer"));
  CHECK(Has(ErrorOf(ServerFault::kNotFound), "a web server answers there (status 404)"));
  CHECK(Has(ErrorOf(ServerFault::kUnimplemented), "no profiler server answers there"));
  CHECK(Has(ErrorOf(ServerFault::kRefuses),
            "cannot record: Another profiling session is active! (INTERNAL)"));
  CHECK(Has(ErrorOf(ServerFault::kDiesRecording), "the connection closed while recording"));
  CHECK(Has(ErrorOf(ServerFault::kCutAnswer), "the connection broke after"));
  CHECK(Has(ErrorOf(ServerFault::kResetsAnswer), "the program ended the call"));
  CHECK(Has(ErrorOf(ServerFault::kNoStatus), "cut short"));
  CHECK(Has(ErrorOf(ServerFault::kShortMessage), "cut short"));
  CHECK(Has(ErrorOf(ServerFault::kTooLarge), "more than the 2.15 GB that can be taken"));
  CHECK(Has(ErrorOf(ServerFault::kCompressed), "compressed"));
  CHECK(Has(ErrorOf(ServerFault::kGarbageMessage), "what the program sent is no profile"));
  CHECK(Has(ErrorOf(ServerFault::kGarbageProfile), "what the program sent is no profile"));
}

TEST_CASE_FIXTURE(Fixture, "record: nobody listens, and no host has the name") {
  CHECK(Has(ErrorOf("127.0.0.1:" + std::to_string(test::FreePort())), "nobody listens there"));
  CHECK(Has(ErrorOf("no-such-host.invalid:6009"), "there is no such host"));
}

TEST_CASE_FIXTURE(Fixture, "record: a server chooses no path") {
  const FakeProfiler server({.fault = ServerFault::kPaths, .xspace = XSpaceOf("step")});
  const Result<Recorded> recorded = RecordFrom(server.address());
  REQUIRE(recorded.ok());
  REQUIRE(Files().size() == 1);
  CHECK(recorded->files[0] == recorded->run_directory + "/127.0.0.1.xplane.pb");
  CHECK(Contents(recorded->files[0]) == XSpaceOf("step"));
}

TEST_CASE_FIXTURE(Fixture, "record: an answer larger than HTTP/2's windows comes whole") {
  const std::string xspace = XSpaceOf(std::string(size_t{40} << 20, 'x'));
  const FakeProfiler server({.xspace = xspace});
  const Result<Recorded> recorded = RecordFrom(server.address());
  REQUIRE(recorded.ok());
  CHECK(recorded->bytes == xspace.size());
  CHECK(Contents(recorded->files.at(0)) == xspace);
}

TEST_CASE_FIXTURE(Fixture, "record: the limit of an answer is that of the options") {
  const FakeProfiler server({.xspace = XSpaceOf(std::string(5000, 'x'))});
  RecordOptions options = Options(server.address());
  options.max_answer_bytes = 4000;
  const Result<Recorded> recorded = RecordPrograms(options, WriteWhole, {}, progress, &sent);
  REQUIRE_FALSE(recorded.ok());
  CHECK(recorded.status().code() == ErrorCode::kLimit);
  CHECK(Files().empty());
}

TEST_CASE_FIXTURE(Fixture, "record: what cannot be written is said, and nothing is left") {
  const FakeProfiler server({.xspace = XSpaceOf("step")});
  const Result<Recorded> recorded = RecordPrograms(
      Options(server.address()), [](const std::string&, std::string_view) { return false; }, {},
      progress, &sent);
  REQUIRE_FALSE(recorded.ok());
  CHECK(Has(recorded.status().message(), "127.0.0.1.xplane.pb: cannot be written"));
  CHECK(Files().empty());
}

TEST_CASE_FIXTURE(Fixture, "record: a stop ends it, and the server stops recording") {
  const FakeProfiler server({.xspace = XSpaceOf("step")});
  const FakeProfiler silent({.fault = ServerFault::kSilent});
  for (const FakeProfiler* asked : {&server, &silent}) {
    RecordOptions options = Options(asked->address());
    options.duration = std::chrono::minutes(10);
    std::stop_source stop;
    std::jthread stopper([&] {
      while (asked == &server && server.seen().empty())
        std::this_thread::sleep_for(milliseconds(5));
      stop.request_stop();
    });
    const Result<Recorded> recorded =
        RecordPrograms(options, WriteWhole, stop.get_token(), progress, &sent);
    REQUIRE_FALSE(recorded.ok());
    CHECK(recorded.status().code() == ErrorCode::kCancelled);
    CHECK(Files().empty());
  }
  for (int i = 0; i < 1000 && server.cancelled() == 0; ++i)
    std::this_thread::sleep_for(milliseconds(5));
  CHECK(server.cancelled() == 1);
}

TEST_CASE_FIXTURE(Fixture, "record: two runs of one second have two folders") {
  const FakeProfiler server({.xspace = XSpaceOf("step")});
  const Result<Recorded> first = RecordFrom(server.address());
  const Result<Recorded> second = RecordFrom(server.address());
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->run_directory != second->run_directory);
  CHECK(Files().size() == 2);
}

}  // namespace
}  // namespace stepscope::capture
