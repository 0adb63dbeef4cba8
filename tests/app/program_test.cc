// The program as scripts see it: exit statuses and what goes to standard error.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/system/paths.h"
#include "model/time.h"
#include "tests/app/program_run.h"
#include "tests/app/temp_dir.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/kineto_text.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/source_paths.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

std::string Sample() { return test::SourcePath("tests/data/tf_graph.xplane.pb.zst"); }

void CheckFails(const TempDir& dir, const std::string& arguments, int status) {
  const FinishedProgram run = RunProgram(dir, arguments);
  CAPTURE(arguments);
  CAPTURE(run.error);
  CHECK(run.status == status);
  CHECK(run.out.empty());
  REQUIRE_FALSE(run.error.empty());
  CHECK(run.error.find('\n') == run.error.size() - 1);  // one line
  CHECK(run.error.find("stepscope: ") == 0);
}

// Begin of rank 1's first collective after that of rank 0, in ms.
double FirstCollectiveApart(const std::string& events) {
  double first[2] = {-1, -1};
  const nlohmann::json list = nlohmann::json::parse(events);
  for (const auto& event : list["events"]) {
    const std::string process = event["process"];
    const size_t rank = process.find("GPU:1") != std::string::npos ? 1 : 0;
    const double ms = event["begin_ps"].get<double>() / static_cast<double>(kPsPerMs);
    if (first[rank] < 0 || ms < first[rank]) first[rank] = ms;
  }
  CAPTURE(events.substr(0, 400));
  REQUIRE(first[0] >= 0);
  REQUIRE(first[1] >= 0);
  return first[1] - first[0];
}

TEST_CASE("program: --clocks aligned puts all ranks on the clock of the first one") {
  const TempDir dir;
  test::RankJobOptions job;
  job.ranks = 2;
  job.clock_offset_us = {0, 41'000};
  const auto folder = dir.path() / "job";
  std::filesystem::create_directory(folder);
  for (int r = 0; r < job.ranks; ++r)
    std::ofstream(folder / test::RankFileName(r), std::ios::binary) << test::MakeRank(job, r);
  const std::string list =
      "events " + folder.string() + " --query 'track:stream nccl' --format json";
  CHECK(FirstCollectiveApart(RunProgram(dir, list).out) == doctest::Approx(41).epsilon(0.02));
  CHECK(std::abs(FirstCollectiveApart(RunProgram(dir, list + " --clocks aligned").out)) < 0.5);
  const std::string ranks = "report " + folder.string() + " --panel ranks --format csv";
  CHECK(RunProgram(dir, ranks + " --clocks aligned").out == RunProgram(dir, ranks).out);
  const std::string part = (dir.path() / "part.json").string();
  CHECK(RunProgram(dir, "export " + folder.string() + " --clocks aligned -o " + part).status == 0);
  const std::string written = "events " + part + " --query 'track:stream nccl' --format json";
  CHECK(std::abs(FirstCollectiveApart(RunProgram(dir, written).out)) < 0.5);
  CheckFails(dir, "export " + folder.string() + " --clocks aligned --host rank0", 2);
}

TEST_CASE("program: wrong usage has status 2, nothing usable has 3, each with one line") {
  const TempDir dir;
  CheckFails(dir, "info", 2);
  CheckFails(dir, "info --wrong", 2);
  CheckFails(dir, "report --panel no_such_panel " + Sample(), 2);
  CheckFails(dir, "report --host no_such_host " + Sample(), 2);
  CheckFails(dir, "info " + (dir.path() / "absent").string(), 3);
  CheckFails(dir, "events --query 'dur>' " + Sample(), 2);
  CheckFails(dir, "events --steps 700..800 " + Sample(), 2);
  CheckFails(dir, "events --range 5000s..5001s " + Sample(), 2);
  CheckFails(dir, "events --host nobody " + Sample(), 2);
  CheckFails(dir, "events " + (dir.path() / "absent").string(), 3);
  CheckFails(dir, "export --range 5000s..5001s " + Sample(), 2);
  CheckFails(dir, "export " + (dir.path() / "absent").string(), 3);
  CheckFails(dir, "compare " + Sample(), 2);
  CheckFails(dir, "compare " + Sample() + " " + (dir.path() / "absent").string(), 3);
  CheckFails(dir, "compare --panel none " + Sample() + " " + Sample(), 2);
  CheckFails(dir, "check " + Sample() + " " + Sample(), 2);
  CheckFails(dir, "reprot " + Sample(), 2);
  CheckFails(dir, (dir.path() / "absent").string(), 3);
  std::filesystem::create_directory(dir.path() / "empty");
  CheckFails(dir, "info " + (dir.path() / "empty").string(), 3);
  std::ofstream(dir.path() / "text.xplane.pb") << "this is no profile at all, just words";
  CheckFails(dir, "info " + (dir.path() / "text.xplane.pb").string(), 3);
}

TEST_CASE("program: info and report succeed in silence on standard error") {
  const TempDir dir;
  const FinishedProgram text = RunProgram(dir, "info " + Sample());
  CHECK(text.status == 0);
  CHECK(text.error.empty());
  CHECK(text.out.find("events") != std::string::npos);
  const FinishedProgram json = RunProgram(dir, "info --json " + Sample());
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out)["events"].get<int>() > 1000);
  const FinishedProgram report = RunProgram(dir, "report --format json " + Sample());
  CHECK(report.status == 0);
  CHECK(report.error.empty());
  CHECK_FALSE(nlohmann::json::parse(report.out)["panels"].empty());
  const FinishedProgram verbose = RunProgram(dir, "info --verbose " + Sample());
  CHECK(verbose.status == 0);
  CHECK_FALSE(verbose.error.empty());
}

TEST_CASE(
    "program: info counts the steps that the report lists, and --steps shows a part of them") {
  const TempDir dir;
  const std::string jax = test::SourcePath("tests/data/jax_cpu.xplane.pb.zst");
  const auto rows = [&](const std::string& flags) {
    const FinishedProgram report =
        RunProgram(dir, "report --panel overview --format json " + flags + " " + jax);
    CHECK_MESSAGE(report.status == 0, report.error);
    return nlohmann::json::parse(report.out)["panels"]["overview"]["tables"]["steps"]["rows"];
  };
  const auto all = rows("");
  CHECK(all.size() == 20);
  const FinishedProgram info = RunProgram(dir, "info --json " + jax);
  CHECK(nlohmann::json::parse(info.out)["steps"] == all.size());
  CHECK(rows("--steps 3..7").size() == 5);
  CHECK(rows("--steps 3..7")[0] == all[3]);
  CHECK(rows("--range 0ms..100s") == all);
}

std::string MadeProfile(const TempDir& dir, const char* name,
                        const test::GpuProfileOptions& options) {
  const std::string path = (dir.path() / name).string();
  std::ofstream(path, std::ios::binary) << test::MakeGpuProfile(options);
  return path;
}

TEST_CASE("program: check forbids findings of a rule") {
  const TempDir dir;
  test::GpuProfileOptions options;
  options.layers = 12;
  const std::string healthy = MadeProfile(dir, "healthy.xplane.pb", options);
  options.scenario = test::GpuScenario::kCopies;
  const std::string copies = MadeProfile(dir, "copies.xplane.pb", options);
  const FinishedProgram good = RunProgram(dir, "check --forbid copies " + copies + " " + healthy);
  CHECK(good.status == 0);
  CHECK(good.out.find("ok: copies") != std::string::npos);
  const FinishedProgram bad = RunProgram(dir, "check --forbid copies " + healthy + " " + copies);
  CHECK(bad.status == 1);
  CHECK(bad.out.find("FAILED: copies: found in B") != std::string::npos);
}

TEST_CASE("program: compare gives the promised forms, check an exit status and the culprits") {
  const TempDir dir;
  test::GpuProfileOptions options;
  options.layers = 12;
  const std::string a = MadeProfile(dir, "a.xplane.pb", options);
  options.slower_op = "conv";
  options.slower_factor = 1.2;
  const std::string b = MadeProfile(dir, "b.xplane.pb", options), both = a + " " + b;
  const FinishedProgram json = RunProgram(dir, "compare --format json " + both);
  CHECK(json.status == 0);
  CHECK(json.error.empty());
  const auto object = nlohmann::json::parse(json.out);
  CHECK(object["a"] == a);
  CHECK(object["b"] == b);
  CHECK(object["properties"]["delta_ms"].get<double>() > 0);
  CHECK(object["properties"]["significance"] == "strong");
  CHECK(object["findings"][0]["text"].get<std::string>().starts_with("B's step is "));
  CHECK(object["findings"][0]["panel"] == "compare");
  const auto& row = object["tables"]["contributions"]["rows"][0];
  CHECK(row["rank"] == 1);
  CHECK(row["kind"] == "op");
  CHECK(row["change"] == "slower");
  CHECK(row["share_of_change"].get<double>() > 95);
  const FinishedProgram text = RunProgram(dir, "compare " + both);
  CHECK(text.out.find("B's step is ") != std::string::npos);
  CHECK(text.out.find("The median step takes") != std::string::npos);
  const FinishedProgram html = RunProgram(dir, "compare --format html " + both);
  CHECK(html.out.find("</html>") != std::string::npos);
  CHECK(html.out.find("From A to B") < html.out.find("Contributions to the change"));
  CHECK(html.out.find(">B&#39;s step</text>") != std::string::npos);
  CHECK(RunProgram(dir, "compare --format csv " + both).out.find("rank,kind,name,change") == 0);
  CHECK(RunProgram(dir, "compare --format csv --panel op_stats " + both).out.find("name,change") ==
        0);
  const auto ops = nlohmann::json::parse(
      RunProgram(dir, "compare --format json --panel op_stats " + both).out)["tables"];
  CHECK(ops.size() == 2);
  CHECK(ops.contains("ops"));
  CheckFails(dir, "compare --table none " + both, 2);
  CheckFails(dir, "compare --steps 900..901 " + both, 2);

  const FinishedProgram slower = RunProgram(dir, "check --max-step-regression 3% " + both);
  CHECK(slower.status == 1);
  CHECK(slower.error.empty());
  CHECK(slower.out.find("FAILED: step time") != std::string::npos);
  CHECK(slower.out.find("/conv/Conv2D") != std::string::npos);
  const FinishedProgram fine =
      RunProgram(dir,
                 "check --max-step-regression 50% --max-memory-regression 1% "
                 "--max overview.steptime_ms_average+40% " +
                     both);
  CHECK(fine.status == 0);
  CHECK(fine.out.find("ok: overview.steptime_ms_average") != std::string::npos);
  CHECK(RunProgram(dir, "check --max overview.steptime_ms_average+3% " + both).status == 1);
  CHECK(RunProgram(dir, "check --max-step-regression 0% " + a + " " + a).status == 0);
  CheckFails(dir, "check --max overview.no_such+3% " + both, 2);
  CheckFails(dir, "check --max none.x+3% " + both, 2);
}

// Twelve steps that scatter by 10 %; the median is `median` us.
std::string ScatteredSteps(const TempDir& dir, const std::string& name, double median) {
  test::KinetoText t;
  double at = 0;
  for (int s = 0; s < 12; ++s) {
    const double length = median * (1 + 0.1 * (s * 5 % 11 - 5) / 5);
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, length - 1);
    t.Launch(s + 1, at, 5).Kernel("gemm", s + 1, at + 10, length - 20);
    at += length;
  }
  const std::string path = (dir.path() / name).string();
  std::ofstream(path) << t.Text();
  return path;
}

TEST_CASE("program: check passes a change that may be chance, and says so") {
  const TempDir dir;
  const std::string a = ScatteredSteps(dir, "a.json", 1000);
  const FinishedProgram chance = RunProgram(
      dir, "check --max-step-regression 3% " + a + " " + ScatteredSteps(dir, "b.json", 1040));
  CHECK(chance.status == 0);
  CHECK(chance.out.find("a change may be chance") != std::string::npos);
  CHECK(RunProgram(
            dir, "check --max-step-regression 3% " + a + " " + ScatteredSteps(dir, "c.json", 1300))
            .status == 1);
  const FinishedProgram few = RunProgram(dir, "check --max-step-regression 3% --steps 1..3 " + a +
                                                  " " + (dir.path() / "b.json").string());
  CHECK(few.status == 1);
}

TEST_CASE("program: a range or steps that are not there have status 2 and one sentence") {
  const TempDir dir;
  CheckFails(dir, "report --steps 900..901 " + Sample(), 2);
  CheckFails(dir, "report --range 900s..901s " + Sample(), 2);
  CheckFails(dir, "report --steps 3-7 " + Sample(), 2);
  CHECK(
      RunProgram(dir, "report --steps 900..901 " + Sample()).error.find("this profile has steps") !=
      std::string::npos);
}

// A profile in which every name attacks the terminal with escape sequences.
std::string HostileProfile(const TempDir& dir) {
  const std::string evil =
      "\x1b]0;owned\x07\x1b[2J\nline\ttab\r\xc2\x9b"
      "31m\xe2\x80\xae\x9b <b onx=\"'>";
  test::XSpaceBuilder builder;
  builder.Hostname("host" + evil).Error("error" + evil).Warning("warning" + evil);
  test::PlaneBuilder& gpu = builder.Plane("/device:GPU:0").Id(0);
  test::LineBuilder& line = gpu.Line(14, "Stream #14" + evil).TimestampNs(1000);
  for (int i = 0; i < 3; ++i) {
    line.Event("kernel" + evil, i * 1000, 500)
        .Stat("kernel_details", "regs:32 grid:1,1,1 block:1,1,1 occ_pct:50")
        .Stat("tf_op", "op" + evil + ":MatMul");
  }
  test::PlaneBuilder& host = builder.Plane("/host:CPU").Id(1);
  host.Line(1, "thread" + evil).TimestampNs(1000).Event("op" + evil + ":Relu", 0, 5000);
  const std::string path = (dir.path() / ("evil\x1b[31m\n.xplane.pb")).string();
  std::ofstream(path, std::ios::binary) << builder.Bytes();
  return path;
}

TEST_CASE("program: escape sequences in names of profiles and files do not reach the terminal") {
  const TempDir dir;
  const std::string profile = "'" + HostileProfile(dir) + "'";
  const auto check = [&](const std::string& arguments, int status) {
    const FinishedProgram run = RunProgram(dir, arguments);
    CAPTURE(arguments);
    CHECK(run.status == status);
    const std::string all = run.out + run.error;
    for (unsigned char c : all) CHECK_MESSAGE((c >= 0x20 || c == '\n'), int{c});
    CHECK(all.find('\x7f') == std::string::npos);
    CHECK(all.find("\xc2\x9b") == std::string::npos);
    CHECK(all.find("\xe2\x80\xae") == std::string::npos);
    CHECK(all.find("\\x1b[") != std::string::npos);
    return run;
  };
  check("info " + profile, 0);
  check("info --verbose " + profile, 0);
  check("report --compat xprof " + profile, 0);
  const FinishedProgram report = check("report " + profile, 0);
  CHECK(report.out.find("kernel\\x1b]0;owned") != std::string::npos);
  check("report --panel kernel_stats --table kernels " + profile, 0);
  check("report --host 'no\x1b[31m' " + profile, 2);
  check("report --panel 'no\x1b[31m' " + profile, 2);
  check("info 'no such\x1b[31m\nfile'", 3);
  check("replay 'no\x1b[31m'", 2);
  check("info " + profile + " --wrong='\x1b[31m'", 2);
}

TEST_CASE("program: data formats keep hostile names by the rules of each format") {
  const TempDir dir;
  const std::string profile = "'" + HostileProfile(dir) + "'";
  const FinishedProgram json = RunProgram(dir, "report --format json " + profile);
  const auto panels = nlohmann::json::parse(json.out)["panels"];
  const std::string name = panels["kernel_stats"]["tables"]["kernels"]["rows"][0]["kernel_name"];
  CHECK(name.starts_with("kernel\x1b]0;owned\x07\x1b[2J\nline\ttab\r"));
  const FinishedProgram csv = RunProgram(dir, "report --format csv --table by_kernel " + profile);
  CHECK(csv.out.find("\"kernel\x1b]0;owned\x07\x1b[2J\nline\ttab\r") != std::string::npos);
  CHECK(csv.out.find("onx=\"\"'>\"") != std::string::npos);
  const FinishedProgram html = RunProgram(dir, "report --format html " + profile);
  CHECK(html.out.find("<b onx") == std::string::npos);
  CHECK(html.out.find("&lt;b onx=&quot;&#39;&gt;") != std::string::npos);
  CHECK(html.out.find('\x1b') == std::string::npos);
}

TEST_CASE("program: events are listed and added up, and an export has the same events") {
  const TempDir dir;
  using Json = nlohmann::json;
  const auto stats = [&](const std::string& arguments) {
    const FinishedProgram run = RunProgram(dir, "events --stats --format json " + arguments);
    CAPTURE(run.error);
    REQUIRE(run.status == 0);
    CHECK(run.error.empty());
    Json json = Json::parse(run.out);
    json["total"].erase("stddev_ps");  // its last digits depend on the order of the sums
    for (Json& row : json["groups"]) row.erase("stddev_ps");
    return json;
  };
  const Json all = stats(Sample());
  REQUIRE(all["groups"].size() > 10);
  CHECK(all["total"]["count"].get<int>() > 1000);
  const FinishedProgram list =
      RunProgram(dir, "events --format json --args --query 'dur>0ps' " + Sample());
  REQUIRE(list.status == 0);
  const Json events = Json::parse(list.out)["events"];
  CHECK(events.size() == all["total"]["count"].get<size_t>());
  int64_t total = 0, last = INT64_MIN, with_args = 0;
  for (const Json& event : events) {
    total += event["duration_ps"].get<int64_t>();
    CHECK(event["begin_ps"].get<int64_t>() >= last);
    last = event["begin_ps"].get<int64_t>();
    with_args += event["args"].empty() ? 0 : 1;
  }
  CHECK(total == all["total"]["total_ps"].get<int64_t>());
  CHECK(with_args > 100);
  for (const char* group : {"track", "step"}) {
    const Json grouped = stats(std::string("--group ") + group + " " + Sample());
    CHECK((grouped["total"] == all["total"]));
    int64_t sum = 0;
    for (const Json& row : grouped["groups"]) sum += row["total_ps"].get<int64_t>();
    CHECK(sum == total);
  }
  const std::string copy = (dir.path() / "copy.trace.json.gz").string();
  CHECK(RunProgram(dir, "export " + Sample() + " -o " + copy).status == 0);
  CHECK((stats(copy) == all));
  const FinishedProgram piped = RunProgram(dir, "export " + Sample());
  CHECK(Json::parse(piped.out)["traceEvents"].size() >= events.size());
  const FinishedProgram text = RunProgram(dir, "events --stats --query iterator " + Sample());
  CHECK(text.status == 0);
  CHECK(text.out.find("query iterator") != std::string::npos);
}

TEST_CASE("program: a report is written into a pipe instead of replacing it") {
  const TempDir dir;
  const std::filesystem::path pipe = dir.path() / "pipe", link = dir.path() / "link",
                              target = dir.path() / "target";
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  CHECK(RunProgram(dir, "report --format json -o " + link.string() + " " + Sample()).status == 0);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(std::filesystem::file_size(target) > 1000);
  REQUIRE(std::system(("mkfifo " + pipe.string()).c_str()) == 0);
  const std::string copy = (dir.path() / "copy").string();
  const FinishedProgram run =
      RunProgram(dir, "report --format json -o " + pipe.string() + " " + Sample() + " & cat " +
                          pipe.string() + " > " + copy + "; wait; true");
  CHECK(run.status == 0);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(nlohmann::json::accept(ReadSmallFile(copy)));
}

TEST_CASE("program: a report does not depend on the number of threads") {
  const TempDir dir;
  if (std::system("taskset -c 0 true 2>/dev/null") != 0) {
    MESSAGE("SKIPPED: taskset cannot confine a program to one core here");
    return;
  }
  const std::string data = test::SourcePath("tests/data/");
  for (const std::string& path :
       {Sample(), data + "torch_cpu_stack.json.gz", test::SourcePath("share/samples/sample")}) {
    CAPTURE(path);
    const FinishedProgram all = RunProgram(dir, "report --format json " + path);
    const FinishedProgram one = RunProgram(dir, "report --format json " + path, "taskset -c 0 env");
    CHECK(all.status == 0);
    CHECK(one.status == 0);
    CHECK(all.out.size() > 1000);
    CHECK(all.out == one.out);
  }
}

TEST_CASE("program: a picture needs no display; without EGL, status 4 says what is missing") {
  const TempDir dir;
  const std::string png = (dir.path() / "shot.png").string();
  const FinishedProgram shot = RunProgram(
      dir, "screenshot " + Sample() + " -o " + png + " --size 640x400", "env -u DISPLAY");
  if (shot.status == 4) {
    MESSAGE("SKIPPED: no OpenGL here: " << shot.error);
    CHECK_FALSE(shot.error.empty());
    return;
  }
  CHECK_MESSAGE(shot.status == 0, shot.error);
  const std::string bytes = ReadSmallFile(png);
  CHECK(bytes.substr(1, 3) == "PNG");
  // A picture of one colour would compress to a few hundred bytes.
  CHECK(bytes.size() > 5000);
  CHECK_FALSE(std::filesystem::exists(dir.path() / "config"));  // pictures write no settings

  const FinishedProgram no_gl = RunProgram(dir, "screenshot " + Sample() + " -o " + png,
                                           "env __EGL_VENDOR_LIBRARY_FILENAMES=/dev/null");
  CHECK(no_gl.status == 4);
  CHECK(no_gl.error.find("EGL") != std::string::npos);
}

TEST_CASE("program: a crash leaves a report in the state directory, and ends by the signal") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  MESSAGE("SKIPPED: sanitizers have reports of their own");
#else
  const TempDir dir;
  const std::filesystem::path pipe = dir.path() / "pipe", script = dir.path() / "script";
  REQUIRE(std::system(("mkfifo " + pipe.string()).c_str()) == 0);
  // It waits for a reader of the pipe, which never comes. SigCgt says that the handler is in place.
  std::ofstream(script) << "ulimit -c 0\n'" + test::ProgramPath() + "' export " << Sample()
                        << " -o " << pipe.string()
                        << " &\npid=$!\n"
                           "for _ in $(seq 500); do\n"
                           "  caught=$(sed -n 's/^SigCgt:.*\\(...\\)$/\\1/p' /proc/$pid/status)\n"
                           "  [ $((0x${caught:-0} & 0x400)) -ne 0 ] && break\n  sleep 0.01\ndone\n"
                           "kill -SEGV $pid\nwait $pid\n";
  const std::string error = (dir.path() / "err").string();
  const int raw = std::system(
      ("XDG_STATE_HOME=" + dir.path().string() + "/state sh " + script.string() + " 2>" + error)
          .c_str());
  CHECK(WEXITSTATUS(raw) == 128 + SIGSEGV);
  size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(dir.path() / "state" / "stepscope")) {
    ++files;
    const std::string report = ReadSmallFile(entry.path());
    CHECK(report.find("\nstepscope 0.") != std::string::npos);
    CHECK(report.find("\n  stepscope 0x") != std::string::npos);
    const size_t build = report.find("\nbuild ");
    REQUIRE(build != std::string::npos);
    CHECK(report.find_first_not_of("0123456789abcdef", build + 7) >= build + 7 + 16);
    CHECK(report.find("tf_graph") == std::string::npos);
    CHECK(report.find(dir.path().string()) == std::string::npos);
    CHECK(ReadSmallFile(error).find(entry.path().string()) != std::string::npos);
  }
  CHECK(files == 1);
#endif
}

TEST_CASE("program: a window without a display has status 4") {
  const TempDir dir;
  const FinishedProgram run = RunProgram(dir, Sample(), "env -u DISPLAY -u WAYLAND_DISPLAY");
  CHECK(run.status == 4);
  CHECK(run.error.find("DISPLAY") != std::string::npos);
  CHECK(run.error.find('\n') == run.error.size() - 1);
}

}  // namespace
}  // namespace stepscope
