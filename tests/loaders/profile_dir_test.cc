#include "loaders/profile_dir.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "loaders/loader.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// A folder that is removed at the end of the test.
class TempTree {
 public:
  TempTree()
      : root_(fs::temp_directory_path() / ("stepscope_tree_" + std::to_string(getpid()) + "_" +
                                           std::to_string(reinterpret_cast<uintptr_t>(this)))) {
    fs::create_directories(root_);
  }
  ~TempTree() { fs::remove_all(root_); }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  void Add(const std::string& relative, std::string_view bytes = "x") const {
    fs::create_directories((root_ / relative).parent_path());
    std::ofstream(root_ / relative, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string Path(const std::string& relative = "") const {
    return relative.empty() ? root_.string() : (root_ / relative).string();
  }

 private:
  fs::path root_;
};

std::vector<std::string> Names(const std::vector<ProfileRun>& runs) {
  std::vector<std::string> names;
  for (const ProfileRun& run : runs) names.push_back(run.name);
  return names;
}

std::vector<std::string> Hosts(const ProfileRun& run) {
  std::vector<std::string> hosts;
  for (const InputFile& file : run.files) hosts.push_back(file.host);
  return hosts;
}

bool Mentions(const std::vector<std::string>& lines, std::string_view start,
              std::string_view text) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) {
    return l.starts_with(start) && l.find(text) != std::string::npos;
  });
}

using Strings = std::vector<std::string>;

TEST_CASE("File names tell the format and the host") {
  CHECK(ClassifyFileName("vm.xplane.pb").kind == FileEnding::Kind::kOwn);
  CHECK(ClassifyFileName("vm.xplane.pb.gz").host == "vm");
  CHECK(ClassifyFileName("10.0.0.1_6009.xplane.pb.zst").host == "10.0.0.1_6009");
  CHECK(ClassifyFileName("vm.trace.json.gz").kind == FileEnding::Kind::kCommon);
  CHECK(ClassifyFileName("worker0.1234.pt.trace.json").host == "worker0.1234");
  CHECK(ClassifyFileName("anything.json").kind == FileEnding::Kind::kLoose);
  CHECK(ClassifyFileName("perfetto_trace.json.gz").foreign.has_value());
  CHECK(ClassifyFileName("ALL_HOSTS.op_stats_v2.pb").foreign.has_value());
  CHECK(ClassifyFileName("jit_f(12).hlo_proto.pb").foreign.has_value());
  CHECK(ClassifyFileName("vm.SSTABLE").foreign.has_value());
  CHECK(ClassifyFileName("events.out.tfevents.1.vm.profile-empty").loader == nullptr);
  CHECK(ClassifyFileName("").loader == nullptr);
}

TEST_CASE("Each loader owns the endings of its files, packed ones included") {
  std::vector<std::string> endings;
  for (const LoaderDesc* loader : Loaders()) {
    for (std::string& ending : ReadEndings(*loader)) endings.push_back(std::move(ending));
  }
  for (const char* ending : {".xplane.pb", ".xplane.pb.zst", ".pt.trace.json.gz", ".json.gz"})
    CHECK(std::count(endings.begin(), endings.end(), ending) == 1);
  CHECK(std::count(endings.begin(), endings.end(), ".SSTABLE") == 0);
  for (const LoaderDesc* loader : Loaders()) {
    CAPTURE(loader->format->name);
    CHECK(std::string_view(loader->filter).starts_with(loader->format->name));
    for (const FileEnding& ending : loader->endings) {
      const FileName name = ClassifyFileName("vm" + std::string(ending.text));
      CHECK(name.loader == loader);
      CHECK(name.kind == ending.kind);
      CHECK(name.host == "vm");
      CHECK(!name.foreign);
    }
  }
}

TEST_CASE("A log directory is recognised at any height, newest run first") {
  const TempTree tree;
  tree.Add("exp/plugins/profile/2026_11_20_10_00_00/a.xplane.pb");
  tree.Add("exp/plugins/profile/2026_11_21_10_00_00/a.xplane.pb");
  tree.Add("exp/plugins/profile/2026_11_21_10_00_00/b.xplane.pb");
  tree.Add("exp/train/plugins/profile/2026_11_22_09_00_00/a.xplane.pb");
  tree.Add("exp/train/events.out.tfevents.1.vm.profile-empty");
  const Strings expected = {"train/2026_11_22_09_00_00", "2026_11_21_10_00_00",
                            "2026_11_20_10_00_00"};
  const auto runs = FindRuns(tree.Path("exp"));
  REQUIRE(runs.ok());
  CHECK(Names(*runs) == expected);
  CHECK(Hosts((*runs)[1]) == Strings{"a", "b"});
  CHECK((*runs)[1].directory == tree.Path("exp/plugins/profile/2026_11_21_10_00_00"));
  CHECK(Names(FindRuns(tree.Path()).value()) == Strings{"exp/train/2026_11_22_09_00_00",
                                                        "exp/2026_11_21_10_00_00",
                                                        "exp/2026_11_20_10_00_00"});
  const Strings two = {"2026_11_21_10_00_00", "2026_11_20_10_00_00"};
  CHECK(Names(FindRuns(tree.Path("exp/plugins")).value()) == two);
  CHECK(Names(FindRuns(tree.Path("exp/plugins/profile")).value()) == two);
}

TEST_CASE("A run directory and a single file are runs of their own") {
  const TempTree tree;
  tree.Add("plugins/profile/run7/vm.xplane.pb.zst");
  const auto runs = FindRuns(tree.Path("plugins/profile/run7/"));
  REQUIRE(runs.ok());
  CHECK(Names(*runs) == Strings{"run7"});
  CHECK(Hosts(runs->front()) == Strings{"vm"});
  const auto file = FindRuns(tree.Path("plugins/profile/run7/vm.xplane.pb.zst"));
  REQUIRE(file.ok());
  CHECK(Names(*file) == Strings{"vm.xplane.pb.zst"});
  CHECK(Hosts(file->front()) == Strings{"vm"});
}

TEST_CASE("An XSpace wins over the JSON of its host, and caches are named as skipped") {
  const TempTree tree;
  const std::string run = "plugins/profile/r/";
  for (const char* name :
       {"vm.xplane.pb", "vm.xplane.pb.gz", "vm.trace.json.gz", "other.trace.json.gz",
        "ALL_HOSTS.op_stats_v2.pb", "vm.SSTABLE", "cache_version.txt", "perfetto_trace.json.gz",
        "vm.memory_profile.json.gz"}) {
    tree.Add(run + name);
  }
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  const ProfileRun& r = runs->front();
  REQUIRE(r.files.size() == 1);
  CHECK(r.files[0].path == tree.Path(run + "vm.xplane.pb"));
  CHECK(Mentions(r.skipped, "vm.trace.json.gz", "XSpace of this host"));
  CHECK(Mentions(r.skipped, "vm.xplane.pb.gz", "vm.xplane.pb"));
  CHECK(Mentions(r.skipped, "other.trace.json.gz", "open this file itself"));
  CHECK(Mentions(r.skipped, "ALL_HOSTS.op_stats_v2.pb", "cache"));
  CHECK(Mentions(r.skipped, "perfetto_trace.json.gz", "Perfetto"));
  CHECK(r.skipped.size() == 8);
}

TEST_CASE("A run that has only JSON files is read as Chrome traces") {
  const TempTree tree;
  tree.Add("plugins/profile/r/vm.trace.json.gz");
  tree.Add("plugins/profile/r/perfetto_trace.json.gz");
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  CHECK(Hosts(runs->front()) == Strings{"vm"});
}

TEST_CASE("JAX's copy for another viewer is read where it is alone") {
  const TempTree tree;
  tree.Add("plugins/profile/r/perfetto_trace.json",
           R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]})");
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  REQUIRE(runs->front().files.size() == 1);
  CHECK(runs->front().skipped.empty());
}

TEST_CASE("Loose JSON below the folder is left alone, in the folder itself its content decides") {
  const TempTree tree;
  tree.Add("deep/down/package.json", "{\"name\": 1}");
  CHECK(FindRuns(tree.Path()).status().code() == ErrorCode::kFormat);
  tree.Add("settings.json", "[1, 2, 3]");
  tree.Add("rank0.json",
           R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]})");
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  CHECK(Hosts(runs->front()) == Strings{"rank0"});
}

TEST_CASE("Riegeli files are XSpaces; one is read instead of an empty .xplane.pb") {
  const TempTree tree;
  tree.Add("plugins/profile/r/a.xplane.riegeli");
  tree.Add("plugins/profile/r/b.xplane.pb");
  tree.Add("plugins/profile/r/c.xplane.pb", "");
  tree.Add("plugins/profile/r/c.xplane.riegeli");
  tree.Add("plugins/profile/r/d.xplane.pb");
  tree.Add("plugins/profile/r/d.xplane.riegeli");
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  const ProfileRun& run = runs->front();
  CHECK(Hosts(run) == Strings{"a", "b", "c", "d"});
  CHECK(run.files[2].path == tree.Path("plugins/profile/r/c.xplane.riegeli"));
  CHECK(run.files[3].path == tree.Path("plugins/profile/r/d.xplane.pb"));
  CHECK(run.skipped == Strings{"c.xplane.pb: c.xplane.riegeli of this host is read instead",
                               "d.xplane.riegeli: d.xplane.pb of this host is read instead"});
}

TEST_CASE("When nothing is found, the message says what was looked for and where") {
  const TempTree tree;
  tree.Add("plugins/profile/r/vm.SSTABLE");
  const Status status = FindRuns(tree.Path()).status();
  CHECK(status.code() == ErrorCode::kFormat);
  CHECK(status.message().find(tree.Path()) != std::string::npos);
  CHECK(status.message().find("plugins/profile/<run>/<host>.xplane.pb") != std::string::npos);
  CHECK(status.message().find("a cache of XProf") != std::string::npos);
  CHECK(FindRuns(tree.Path("nowhere")).status().code() == ErrorCode::kIo);
}

TEST_CASE("A folder of other JSON holds no profile, an empty file is called empty") {
  const TempTree tree;
  tree.Add("settings.json", R"({"a":1})");
  const auto error = [](const std::string& path) {
    Progress progress;
    return LoadPath(path, {}, {}, progress).status().message();
  };
  CHECK(error(tree.Path()).find("no profile was found in this folder") != std::string::npos);
  const TempTree other;
  other.Add("empty.sqlite", "");
  CHECK(error(other.Path("empty.sqlite")).ends_with("the file is empty"));
}

TEST_CASE("Loops of links and great depth end") {
  const TempTree tree;
  tree.Add("a/b/plugins/profile/r/vm.xplane.pb");
  fs::create_directory_symlink(tree.Path(), tree.Path("a/b/loop"));
  std::string deep = "d";
  for (int i = 0; i < 40; ++i) deep += "/d";
  tree.Add(deep + "/plugins/profile/r/vm.xplane.pb");
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  CHECK(Names(*runs) == Strings{"a/b/r"});
}

std::string SmallProfile(int events) {
  test::XSpaceBuilder space;
  auto& line = space.Plane("/host:CPU").Line(1, "main");
  for (int i = 0; i < events; ++i) line.Event("e", i * 10, 5);
  return space.Bytes();
}

TEST_CASE("LoadPath takes the newest run, or the one that is asked for, and filters hosts") {
  const TempTree tree;
  tree.Add("plugins/profile/r1/a.xplane.pb", SmallProfile(1));
  tree.Add("plugins/profile/r2/a.xplane.pb", SmallProfile(2));
  tree.Add("plugins/profile/r2/b.xplane.pb", SmallProfile(3));
  Progress progress;
  LoadOptions options;
  std::vector<std::string> runs;
  const auto newest = LoadPath(tree.Path(), options, {}, progress, &runs);
  REQUIRE(newest.ok());
  CHECK((*newest)->run == "r2");
  CHECK(runs == Strings{"r2", "r1"});
  CHECK((*newest)->counts.events() == 5);
  REQUIRE((*newest)->hosts.size() == 2);
  CHECK((*newest)->HostName(HostId(1)) == "b");
  options.host = "b";
  CHECK(LoadPath(tree.Path(), options, {}, progress).value()->counts.events() == 3);
  options.host = "c";
  CHECK(LoadPath(tree.Path(), options, {}, progress).status().code() == ErrorCode::kUsage);
  options.host.clear();
  options.run = "r1";
  CHECK(LoadPath(tree.Path(), options, {}, progress).value()->counts.events() == 1);
  options.run = "r3";
  const Status unknown = LoadPath(tree.Path(), options, {}, progress).status();
  CHECK(unknown.code() == ErrorCode::kUsage);
  CHECK(unknown.message().find("r1") != std::string::npos);
}

TEST_CASE("Content decides the loader, not the name; a broken host does not hide the others") {
  const TempTree tree;
  tree.Add("odd.json", SmallProfile(4));
  Progress progress;
  const auto odd = LoadPath(tree.Path("odd.json"), {}, {}, progress);
  REQUIRE(odd.ok());
  CHECK((*odd)->format->name == std::string_view("XSpace"));
  CHECK((*odd)->counts.events() == 4);
  tree.Add("run/a.xplane.pb", SmallProfile(2));
  tree.Add("run/b.xplane.pb", "");
  const auto run = LoadPath(tree.Path("run"), {}, {}, progress);
  REQUIRE(run.ok());
  CHECK((*run)->counts.events() == 2);
  CHECK(Mentions((*run)->skipped_files, tree.Path("run/b.xplane.pb"), "empty"));
  CHECK((*run)->diagnostics.problems() == 1);
  const std::vector<std::string> paths = {tree.Path("odd.json"), tree.Path("run/a.xplane.pb")};
  const auto both = LoadPaths(paths, {}, {}, progress);
  REQUIRE(both.ok());
  CHECK((*both)->counts.events() == 6);
  CHECK((*both)->hosts.size() == 2);
  tree.Add("notes.txt", "hello");
  const Status text = LoadPath(tree.Path("notes.txt"), {}, {}, progress).status();
  CHECK(text.code() == ErrorCode::kFormat);
  CHECK(text.message().find("XSpace") != std::string::npos);
}

std::string MessageOf(const std::string& path) {
  Progress progress;
  return LoadPath(path, {}, {}, progress).status().message();
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::string_view kSmallTrace =
    R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]})";
constexpr std::string_view kPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 77\n";

TEST_CASE("A folder without a profile says what lies there instead, the most telling first") {
  const TempTree tools;
  tools.Add("plugins/profile/r/vm.overview_page.pb");
  tools.Add("plugins/profile/r/vm.input_pipeline.json", R"([{"cols":[],"rows":[]}])");
  tools.Add("train.py", "import tensorflow\n");
  const std::string text = MessageOf(tools.Path());
  CHECK(Contains(text,
                 "and 1 more: what TensorFlow's profiler has computed from a profile (tool "
                 "data): the profile itself is not there"));
  const TempTree board;
  board.Add("train/events.out.tfevents.17.host.7.0.v2");
  CHECK(Contains(MessageOf(board.Path()), "TensorBoard's summaries (events.out.tfevents) without"));
  const TempTree pointers;
  pointers.Add("notes/a.json", kPointer);
  pointers.Add("picture.png", "\x89PNG\r\n\x1a\n");
  CHECK(Contains(MessageOf(pointers.Path()), "a.json: a Git LFS pointer, not the file itself (77"));
}

TEST_CASE("A file that is something else is called by its name, whatever it is called") {
  const TempTree tree;
  for (const char* name : {"a.sqlite", "a.json", "a.rpd", "a.xplane.pb", "a.pickle", "a.bin"}) {
    tree.Add(name, kPointer);
    CHECK_MESSAGE(MessageOf(tree.Path(name)) ==
                      tree.Path(name) +
                          ": a Git LFS pointer, not the file itself (77 bytes): run "
                          "`git lfs pull`",
                  name);
  }
  tree.Add("kernels.csv", "\"Name\",\"Calls\"\n\"gemm\",10\n");
  CHECK(Contains(MessageOf(tree.Path("kernels.csv")), "a table (CSV), no trace"));
  tree.Add("vm.input_pipeline.json", R"([{"cols":[{"id":"a"}],"rows":[]}])");
  CHECK(Contains(MessageOf(tree.Path("vm.input_pipeline.json")), "(tool data)"));
  tree.Add("vm.overview_page.pb", "\x0a\x05\x08\x01\x10\x02\x12");
  CHECK(Contains(MessageOf(tree.Path("vm.overview_page.pb")), "(tool data)"));
  tree.Add("cut.json.gz", std::string_view("\x1f\x8b\x08\x00\x00", 5));
  CHECK(!Contains(MessageOf(tree.Path("cut.json.gz")), "is empty"));
}

TEST_CASE("A file without events is an error that says how many names it has") {
  const TempTree tree;
  tree.Add("brackets.json", "[]");
  tree.Add("bracket.json", "[");
  tree.Add("names.json", R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
      {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}}])");
  CHECK(MessageOf(tree.Path("brackets.json")) == tree.Path("brackets.json") + ": no events in it");
  CHECK(MessageOf(tree.Path("bracket.json")) == tree.Path("bracket.json") + ": no events in it");
  CHECK(MessageOf(tree.Path("names.json")) ==
        tree.Path("names.json") + ": no events in it (0 events, 2 names)");
}

TEST_CASE("An empty or damaged XSpace does not hide the good trace of its host") {
  for (const std::string_view damaged : {std::string_view(), kPointer, std::string_view("junk")}) {
    const TempTree tree;
    tree.Add("plugins/profile/r/vm.xplane.pb", damaged);
    tree.Add("plugins/profile/r/vm.trace.json", kSmallTrace);
    Progress progress;
    const auto trace = LoadPath(tree.Path(), {}, {}, progress);
    REQUIRE(trace.ok());
    CHECK((*trace)->counts.events() == 1);
    const Diagnostic* missing = (*trace)->diagnostics.Find(kMissingFile);
    REQUIRE(missing != nullptr);
    CHECK(missing->first.front().starts_with("vm.xplane.pb: the file is "));
    CHECK(Mentions((*trace)->skipped_files, "vm.xplane.pb", "vm.trace.json of this host"));
  }
}

TEST_CASE("An XSpace that looks whole and cannot be read does not hide the traces beside it") {
  const TempTree tree;
  tree.Add("plugins/profile/r/vm.xplane.pb", std::string_view("\x0a\x02\x08\x01", 4));
  tree.Add("plugins/profile/r/other.trace.json", kSmallTrace);
  Progress progress;
  const auto trace = LoadPath(tree.Path(), {}, {}, progress);
  REQUIRE(trace.ok());
  CHECK((*trace)->counts.events() == 1);
  CHECK((*trace)->diagnostics.Find(kMissingFile) != nullptr);
}

TEST_CASE("A good XSpace of another host is read, and the empty one is named as missing") {
  const TempTree tree;
  tree.Add("plugins/profile/r/a.xplane.pb", "");
  tree.Add("plugins/profile/r/a.trace.json", kSmallTrace);
  tree.Add("plugins/profile/r/b.xplane.pb", SmallProfile(3));
  Progress progress;
  const auto trace = LoadPath(tree.Path(), {}, {}, progress);
  REQUIRE(trace.ok());
  CHECK((*trace)->counts.events() == 3);
  CHECK((*trace)->diagnostics.Find(kMissingFile) != nullptr);
  CHECK(Mentions((*trace)->skipped_files, "a.trace.json", "open this file itself"));
}

TEST_CASE("A pointer among loose traces of a folder is named as missing") {
  const TempTree tree;
  tree.Add("rank0.json", kSmallTrace);
  tree.Add("rank1.json", kPointer);
  tree.Add("rank2.json", "");
  tree.Add("settings.json", "[1, 2]");
  Progress progress;
  const auto trace = LoadPath(tree.Path(), {}, {}, progress);
  REQUIRE(trace.ok());
  const Diagnostic* missing = (*trace)->diagnostics.Find(kMissingFile);
  REQUIRE(missing != nullptr);
  CHECK(missing->count == 2);
  CHECK(missing->first[0].starts_with("rank1.json: a Git LFS pointer"));
  CHECK(missing->first[1] == "rank2.json: the file is empty");
}

TEST_CASE("Ascend's folders are ranks of one run, by profiler_info") {
  const TempTree tree;
  for (const int rank : {0, 1}) {
    const std::string folder =
        "out/node_" + std::to_string(70 + rank) + "_20240101120000123_ascend_pt/";
    tree.Add(folder + "ASCEND_PROFILER_OUTPUT/trace_view.json", kSmallTrace);
    tree.Add(folder + "ASCEND_PROFILER_OUTPUT/communication.json", R"({"step1": {}})");
    tree.Add(folder + "profiler_info_" + std::to_string(1 - rank) + ".json", R"({"config": {}})");
    tree.Add(folder + "PROF_000001_2024/mindstudio_profiler_output/msprof_2024.json", kSmallTrace);
  }
  const auto runs = FindRuns(tree.Path("out"));
  REQUIRE(runs.ok());
  REQUIRE(runs->size() == 1);
  CHECK(runs->front().name == "out");
  CHECK(Hosts(runs->front()) == Strings{"node_70_20240101120000123", "node_71_20240101120000123"});
  Progress progress;
  const auto trace = LoadPath(tree.Path("out"), {}, {}, progress);
  REQUIRE(trace.ok());
  REQUIRE((*trace)->hosts.size() == 2);
  CHECK((*trace)->hosts[0].rank == 0);
  CHECK((*trace)->hosts[1].rank == 1);
  CHECK((*trace)->HostName(HostId(0)) == "node_71_20240101120000123 rank 0");
  const std::string one = "out/node_70_20240101120000123_ascend_pt";
  CHECK(Hosts(FindRuns(tree.Path(one)).value().front()) == Strings{"node_70_20240101120000123"});
  CHECK(FindRuns(tree.Path(one + "/ASCEND_PROFILER_OUTPUT")).value().front().files.size() == 1);
}

TEST_CASE("What msprof writes is found where torch_npu wrote nothing") {
  const TempTree tree;
  tree.Add("PROF_000001_20240101/mindstudio_profiler_output/msprof_20240101.json", kSmallTrace);
  tree.Add("PROF_000001_20240101/mindstudio_profiler_output/op_summary_1.csv", "a,b\n1,2\n");
  const auto runs = FindRuns(tree.Path());
  REQUIRE(runs.ok());
  CHECK(Hosts(runs->front()) == Strings{"PROF_000001_20240101"});
}

}  // namespace
}  // namespace stepscope
