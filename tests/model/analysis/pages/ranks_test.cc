// The analysis `ranks` finds what is planted in the traces of a job's ranks.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/table_rows.h"

#include "model/analysis/ops/op_database.h"
#include "model/analysis/ranks/collective_calls.h"
#include "model/analysis/ranks/host_clocks.h"
#include "model/analysis/ranks/rank_facts.h"
#include "model/analysis/ranks/rank_order.h"
#include "model/shift_hosts.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/growth.h"
#include "tests/support/kineto_text.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using test::Int;
using test::LateBy;
using test::PropertyText;
using test::RankJobOptions;
using test::Real;
using test::TableOf;
using test::Text;
using test::Unknown;

class Folder {
 public:
  Folder() {
    static int count = 0;
    root_ = fs::temp_directory_path() /
            ("stepscope_ranks_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    fs::create_directories(root_);
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(root_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void Add(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  std::shared_ptr<const Trace> Load() const {
    Progress progress;
    const auto trace = LoadPath(root_.string(), {}, {}, progress);
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    return *trace;
  }

 private:
  fs::path root_;
};

std::shared_ptr<const Trace> Job(const RankJobOptions& options) {
  const Folder folder;
  for (int r = 0; r < options.ranks; ++r)
    folder.Add(test::RankFileName(r), test::MakeRank(options, r));
  return folder.Load();
}

AnalysisResult Ranks(const std::shared_ptr<const Trace>& trace, const AnalysisParams& params = {}) {
  AnalysisContext context(trace, Definitions::kStepscope);
  return FindAnalysis("ranks")->run(context, params);
}

RankJobOptions Late(LateBy by, bool arguments = true) {
  RankJobOptions o;
  o.clock_offset_us = {0, 350, -1200, 47.5};
  o.late_rank = 2;
  o.late_us = 400;
  o.late_by = by;
  o.arguments = arguments;
  return o;
}

// All tables and properties, without the cells of `column` in the table of ranks.
std::string Everything(const AnalysisResult& result, const std::string& column = "") {
  std::string text;
  for (const Property& p : result.properties) text += p.id + "=" + RawValue(p.value) + "\n";
  for (const ResultTable& t : result.tables) {
    for (const auto& row : test::RowsOf(t)) {
      for (size_t c = 0; c < row.size(); ++c)
        text += t.columns[c].id == column ? "" : RawValue(row[c]) + ";";
      text += "\n";
    }
  }
  return text;
}

void CheckOffsets(const AnalysisResult& result, const RankJobOptions& o) {
  for (size_t r = 0; r < o.clock_offset_us.size(); ++r) {
    CAPTURE(r);
    const double expected = o.clock_offset_us[r] - o.clock_offset_us[0];
    CHECK(std::abs(Real(result, "ranks", r, "clock_offset_us") - expected) < 10);
    CHECK(Real(result, "ranks", r, "residual_us") < 5);
  }
}

// Processor time of the analysis in seconds, without what it shares with other analyses.
double Seconds(const std::shared_ptr<const Trace>& trace, AnalysisResult* result) {
  AnalysisContext context(trace, Definitions::kStepscope);
  context.stats();
  context.Get<StepDatabase>();
  return test::CpuSeconds([&] { *result = FindAnalysis("ranks")->run(context, {}); });
}

// Two ranks whose collectives have equal numbers and lists of ranks that do not fit: `n` in the
// second, half as many again in the first.
std::shared_ptr<const Trace> HostileGroups(size_t n) {
  const Folder folder;
  for (int r = 0; r < 2; ++r) {
    test::KinetoText text;
    const int count = static_cast<int>(r == 0 ? n + n / 2 : n);
    for (int i = 0; i < count; ++i) {
      const char* ranks = i % 3 == 0   ? "[0, 1]"
                          : i % 3 == 1 ? "[99999999999999999999]"
                                       : "[7, ..., 9]";
      text.Kernel("ncclKernel_AllReduce", i, 10.0 * i + 5 * r, 7,
                  std::string(R"("Collective name":"allreduce","Seq":)") +
                      (i % 2 == 0 ? "1" : "-9223372036854775808") +
                      R"(,"In msg nelems":9223372036854775807,"dtype":"Double","Group size":-4,)" +
                      R"("Process Group Name":"x","Process Group Ranks":")" + ranks + "\"");
    }
    folder.Add(test::RankFileName(r), "{\"distributedInfo\":{\"rank\":" + std::to_string(r) + "}," +
                                          text.Text().substr(1));
  }
  return folder.Load();
}

// PyTorch on CPUs with gloo: each step loads, computes, calls two all-reduces without waiting for
// the first, and ends when both are done. Rank 1 loads `late_us` longer.
std::shared_ptr<const Trace> GlooJob(double late_us, const std::vector<double>& clock_offset_us) {
  constexpr double kStep = 3000;
  const Folder folder;
  for (int r = 0; r < 3; ++r) {
    test::KinetoText text;
    for (int step = 0; step < 6; ++step) {
      const double begin = 1000 + step * (kStep + late_us) + clock_offset_us[size_t(r)];
      const double late = r == 1 ? late_us : 0, at = begin + 100 + late;
      text.Host("user_annotation", "ProfilerStep#" + std::to_string(step), begin, kStep + late_us);
      text.Host("user_annotation", "load", begin + 10, 80 + late);
      text.Host("cpu_op", "aten::addmm", at, 1000);
      text.Host("cpu_op", "aten::mm", at + 1100, 900);
      const double ends[] = {begin + late_us + 2600, begin + late_us + 2900};
      for (int c = 0; c < 2; ++c) {
        const double call = at + 1020 + c * 990.0;
        text.Raw(R"({"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":100,"tid":)" +
                 std::to_string(11 + (step + c) % 2) + ",\"ts\":" + std::to_string(call) +
                 ",\"dur\":" + std::to_string(ends[c] - call) + ",\"args\":{}}");
      }
    }
    folder.Add(test::RankFileName(r), "{\"distributedInfo\":{\"backend\":\"gloo\",\"rank\":" +
                                          std::to_string(r) + "}," + text.Text().substr(1));
  }
  return folder.Load();
}

// How far apart the ends of a collective are, at most.
Ps WidestEnds(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const PairedRanks paired = PairRanks(context, {});
  Ps widest = 0;
  for (const PairedCollective& c : paired.calls.paired) {
    const auto of = paired.calls.Of(c);
    const auto [first, last] = std::minmax_element(
        of.begin(), of.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    widest = std::max(widest, last->end - first->end);
  }
  return widest;
}

}  // namespace

TEST_CASE("Ranks: on CPUs the backend's own events are the collectives, and waits count once") {
  const AnalysisResult result = Ranks(GlooJob(3000, {0, 700, -150}));
  CHECK(PropertyText(result, "collectives") == "12");
  CHECK(PropertyText(result, "slowest_rank") == "1");
  CHECK(Real(result, "ranks", 1, "clock_offset_us") == doctest::Approx(700));
  CHECK(Real(result, "ranks", 1, "late_percent") == doctest::Approx(100));
  CHECK(Text(result, "ranks", 1, "cause") == "host");
  CHECK(Text(result, "ranks", 1, "cause_event") == "load");
  CHECK(Text(result, "collectives", 0, "name") == "AllReduce");
  CHECK(Real(result, "collectives", 0, "late_by_us") == doctest::Approx(3000).epsilon(0.001));
  CHECK(Real(result, "collectives", 6, "late_by_us") < 400);  // the second all-reduce of each step
  CHECK(result.findings.front().text.find("Rank 1 is the last in 100 % of the steps, by 3") == 0);
  AnalysisContext context(GlooJob(3000, {0, 0, 0}), Definitions::kStepscope);
  const AnalysisResult overview = FindAnalysis("overview")->run(context, {});
  CHECK(PropertyText(overview, "verdict") == "collectives");
  CHECK(PropertyText(overview, "verdict_causes") == "gloo:all_reduce 100 %");
  CHECK(Text(overview, "losses", 1, "causes").find("load") == 0);
  double sum = 0;
  for (size_t i = 0; i < TableOf(overview, "losses").size(); ++i)
    sum += Real(overview, "losses", i, "timeMs");
  CHECK(sum == doctest::Approx(6 - (1.9 - 0.09 * 2)).epsilon(0.05));  // a step without its ops
  const AnalysisResult even = Ranks(GlooJob(0, {0, 0, 0}));
  CHECK(PropertyText(even, "slowest_rank").empty());
}

// The numbers were computed from the files by a few lines of Python with decimal arithmetic.
TEST_CASE("Ranks: calls of HCCL are paired by the group in their names") {
  const Folder folder;
  for (int rank = 0; rank < 2; ++rank) {
    test::KinetoText t;
    for (int step = 0; step < 3; ++step) {
      const double at = 1000 + 1000 * step;
      const std::string number = "_" + std::to_string(step) + "_1";
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 990);
      t.Launch(2 * step + 1, at + 10, 5).Launch(2 * step + 2, at + 20, 5);
      // The ranks call the two groups in opposite order.
      const std::string first = rank == 0 ? "674" : "428", second = rank == 0 ? "428" : "674";
      t.Kernel("hcom_allReduce__" + first + number, 2 * step + 1, at + 100, 200);
      t.Kernel("hcom_allReduce__" + second + number, 2 * step + 2, at + 400, 200);
    }
    folder.Add("rank" + std::to_string(rank) + ".pt.trace.json", t.Text(test::kH100));
  }
  const AnalysisResult result = Ranks(folder.Load());
  CHECK(PropertyText(result, "collectives") == "6");
  CHECK(Text(result, "collectives", 0, "name") == "AllReduce");
  CHECK(Text(result, "collectives", 0, "group") != Text(result, "collectives", 5, "group"));
}

TEST_CASE("Ranks: the first sentence of a run names the rank that the others wait for") {
  const auto overview_of = [](const std::shared_ptr<const Trace>& trace, const char* page) {
    AnalysisContext context(trace, Definitions::kStepscope);
    return FindAnalysis(page)->run(context, {});
  };
  const auto late = GlooJob(3000, {0, 0, 0});
  const AnalysisResult ranks = Ranks(late);
  const double share = std::get<double>(ranks.Find("slowest_wait_percent")->value);
  CHECK(share > 40);
  const std::string number = fmt::format("{:.1f} % of", share);
  CHECK(ranks.findings.front().text.find(number + " it") != std::string::npos);
  for (const char* page : {"overview", "findings"}) {
    CAPTURE(page);
    const Finding said = overview_of(late, page).findings.front();
    CAPTURE(said.text);
    CHECK(said.text.starts_with("Waiting for rank 1: the other ranks wait " + number +
                                " each step for it in collectives; all ranks together spend "));
    CHECK(said.text.find("; the cause is host work (load)") != std::string::npos);
    CHECK(said.next_step == ranks.findings.front().next_step);
    CHECK(said.panel == "ranks");
  }
  // Three tenths of the time is waiting for a rank: the sentence ends with it.
  RankJobOptions part;
  part.ranks = 8;
  part.collectives = 10;
  part.late_rank = 5;
  part.late_us = 400;
  const auto some = Job(part);
  const double step_share = std::get<double>(Ranks(some).Find("slowest_wait_percent")->value);
  const AnalysisResult overview = overview_of(some, "overview");
  const double lost = std::get<double>(overview.Find("verdict_percent")->value);
  const double waited = step_share * 7 / 8 / lost;
  CHECK(waited == doctest::Approx(0.3).epsilon(0.1));
  const std::string& told = overview.findings.front().text;
  CAPTURE(told);
  CHECK(told.starts_with("Collective-bound: "));
  CHECK(told.find(fmt::format("; {:.0f} % of that waiting for rank 5.", waited * 100)) !=
        std::string::npos);
  // Collectives that are slow for all ranks are no rank's fault.
  RankJobOptions even;
  even.transfer_us = 3000;
  const auto slow = Job(even);
  CHECK(PropertyText(overview_of(slow, "overview"), "verdict") == "collectives");
  CHECK(overview_of(slow, "overview").findings.front().text.starts_with("Collective-bound: "));
}

TEST_CASE("Ranks: a recording of gloo, in which rank 1 sleeps 30 ms while it loads") {
  Progress progress;
  const auto trace = LoadPath(test::SourcePath("tests/data/torch_gloo"), {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  const AnalysisResult result = Ranks(*trace);
  CHECK(PropertyText(result, "collectives") == "24");
  CHECK(PropertyText(result, "missing") == "0");
  CHECK(PropertyText(result, "slowest_rank") == "1");
  CHECK(Real(result, "ranks", 1, "clock_offset_us") == doctest::Approx(-3.088));
  CHECK(Text(result, "ranks", 1, "cause") == "host");
  CHECK(Text(result, "ranks", 1, "cause_event") == "load");
  CHECK(Real(result, "collectives", 0, "late_by_us") == doctest::Approx(34200.972));
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult overview = FindAnalysis("overview")->run(context, {});
  CHECK(PropertyText(overview, "verdict") == "collectives");
}

TEST_CASE(
    "Ranks: the late rank, its lateness and its cause are found with clocks that differ by ms") {
  const std::pair<LateBy, const char*> kCauses[] = {{LateBy::kCompute, "compute"},
                                                    {LateBy::kInput, "input"},
                                                    {LateBy::kHost, "host"},
                                                    {LateBy::kCopy, "copies"}};
  for (const auto& [by, cause] : kCauses) {
    for (const bool arguments : {true, false}) {
      CAPTURE(cause);
      CAPTURE(arguments);
      const RankJobOptions o = Late(by, arguments);
      const AnalysisResult result = Ranks(Job(o));
      CheckOffsets(result, o);
      CHECK(PropertyText(result, "slowest_rank") == "2");
      CHECK(PropertyText(result, "ranks") == "4");
      CHECK(Int(result, "ranks", 2, "rank") == 2);
      CHECK(Real(result, "ranks", 2, "late_percent") == doctest::Approx(100));
      CHECK(Text(result, "ranks", 2, "cause") == cause);
      const ResultTable& t = TableOf(result, "collectives");
      REQUIRE(t.size() == 24);
      for (size_t i = 0; i < 8; ++i) {  // the first all-reduce of each step; the longest come first
        CHECK(Int(result, "collectives", i, "last_rank") == 2);
        CHECK(Real(result, "collectives", i, "late_by_us") == doctest::Approx(400).epsilon(0.02));
        CHECK(Text(result, "collectives", i, "cause") == cause);
      }
      CHECK(Real(result, "collectives", 8, "late_by_us") < 20);
      CHECK(result.findings.front().text.find("Rank 2 is the last in 100 %") == 0);
      CHECK(result.findings.front().text.find("\u00b5s a step (") != std::string::npos);
    }
  }
}

TEST_CASE("Ranks: the late host's event while the others wait is named") {
  const AnalysisResult result = Ranks(Job(Late(LateBy::kHost)));
  CHECK(Text(result, "ranks", 2, "cause_event") == "aten::unique_consecutive");
}

TEST_CASE("Ranks: if no rank is late, none is blamed for microseconds") {
  RankJobOptions o;
  o.jitter_us = 0;
  const AnalysisResult result = Ranks(Job(o));
  CHECK(PropertyText(result, "slowest_rank") == "");
  CHECK(result.findings.front().grade == Finding::Grade::kGood);
  CHECK(Real(result, "ranks", 1, "late_percent") == 0);
  CHECK(Text(result, "ranks", 1, "cause") == "");
}

TEST_CASE("Ranks: in a healthy run the last rank is late by a little, and is not to blame") {
  const Folder folder;
  for (const int host : {0, 1}) {
    test::GpuProfileOptions o;
    o.host = host == 0 ? "a" : "b";
    o.gpus = 2, o.steps = 11, o.layers = 19, o.seed = 41;
    folder.Add(o.host + ".xplane.pb", test::MakeGpuProfile(o));
  }
  const AnalysisResult result = Ranks(folder.Load());
  CHECK(std::holds_alternative<std::monostate>(result.Find("slowest_rank")->value));
  REQUIRE(!result.findings.empty());
  CHECK(result.findings.front().grade == Finding::Grade::kGood);
  CHECK(result.findings.front().text.starts_with("No rank is late"));
}

TEST_CASE("Ranks: a missing participant is listed, and later collectives are still paired") {
  for (const bool arguments : {true, false}) {
    CAPTURE(arguments);
    RankJobOptions o = Late(LateBy::kCompute, arguments);
    o.missing_rank = 1;
    o.missing_step = 3;
    o.missing_collective = 2;
    const AnalysisResult result = Ranks(Job(o));
    CheckOffsets(result, o);
    CHECK(PropertyText(result, "missing") == "1");
    CHECK(Int(result, "ranks", 1, "missing") == 1);
    CHECK(Text(result, "collectives", 0, "missing") == "1");
    CHECK(Int(result, "collectives", 0, "step") == 3);
    CHECK(Int(result, "collectives", 0, "participants") == 3);
    CHECK(Text(result, "collectives", 1, "missing") == "");
    CHECK(PropertyText(result, "slowest_rank") == "2");
  }
}

TEST_CASE("Ranks: bandwidth is computed from the recorded bytes, and empty without them") {
  RankJobOptions o = Late(LateBy::kInput);
  o.jitter_us = 0;
  const AnalysisResult result = Ranks(Job(o));
  const double us = Real(result, "collectives", 0, "duration_us");
  CHECK(us == doctest::Approx(80).epsilon(0.01));
  const double gbps = 2.0 * (1 << 20) / us / 1000;
  CHECK(Real(result, "collectives", 0, "algorithm_gbps") == doctest::Approx(gbps));
  CHECK(Real(result, "collectives", 0, "bus_gbps") == doctest::Approx(gbps * 2 * 3 / 4));
  CHECK(Int(result, "collectives", 0, "bytes") == 2 << 20);
  o.arguments = false;
  CHECK(Unknown(Ranks(Job(o)), "collectives", 0, "algorithm_gbps"));
}

TEST_CASE("Ranks: a shift of one clock changes its offset and nothing else") {
  RankJobOptions o = Late(LateBy::kHost);
  const AnalysisResult before = Ranks(Job(o));
  o.clock_offset_us[3] += 2500;
  const AnalysisResult after = Ranks(Job(o));
  CHECK(Real(after, "ranks", 3, "clock_offset_us") ==
        doctest::Approx(Real(before, "ranks", 3, "clock_offset_us") + 2500));
  CHECK(Everything(before, "clock_offset_us") == Everything(after, "clock_offset_us"));
  for (const size_t r : {0, 1, 2})
    CHECK(Real(after, "ranks", r, "clock_offset_us") ==
          Real(before, "ranks", r, "clock_offset_us"));
}

TEST_CASE("Ranks: the order of files does not matter") {
  const RankJobOptions o = Late(LateBy::kInput);
  const Folder other;
  const char* kNames[] = {"z", "m", "a", "k"};
  for (int r = 0; r < o.ranks; ++r)
    other.Add(std::string(kNames[r]) + ".pt.trace.json", test::MakeRank(o, r));
  CHECK(Everything(Ranks(Job(o)), "host") == Everything(Ranks(other.Load()), "host"));
}

TEST_CASE("Ranks: ranks without numbers get them and their coordinates from file names") {
  RankJobOptions o = Late(LateBy::kCompute);
  const Folder folder;
  for (int r = 0; r < o.ranks; ++r) {
    std::string text = test::MakeRank(o, r);
    const std::string number = "\"rank\":" + std::to_string(r);
    text.replace(text.find(number), number.size(), "\"rank\":0");  // both files say rank 0
    folder.Add("dp" + std::to_string(r / 2) + "_tp" + std::to_string(r % 2) + "-rank" +
                   std::to_string(r) + ".pt.trace.json",
               text);
  }
  const AnalysisResult result = Ranks(folder.Load());
  CHECK(PropertyText(result, "slowest_rank") == "2");
  CHECK(Text(result, "ranks", 3, "coordinates") == "dp 1, tp 1");
}

TEST_CASE("Ranks: on aligned clocks collectives end together, and the page says the same") {
  RankJobOptions o = Late(LateBy::kInput);
  o.clock_offset_us = {0, 41'000, -17'500, 260'000};
  const auto trace = Job(o);
  AnalysisContext context(trace, Definitions::kStepscope);
  const std::vector<Ps> offsets = HostClockOffsets(context);
  REQUIRE(offsets.size() == 4);
  for (size_t h = 0; h < offsets.size(); ++h) {
    const double expected = o.clock_offset_us[h] * static_cast<double>(kPsPerUs);
    CHECK(std::abs(static_cast<double>(offsets[h]) - expected) < 10.0 * kPsPerUs);
  }
  const auto aligned = ShiftHosts(trace, offsets);
  CHECK(WidestEnds(trace) > 270 * kPsPerMs);
  CHECK(WidestEnds(aligned) < 10 * kPsPerUs);
  CHECK(aligned->span.length() < trace->span.length() - 270 * kPsPerMs);
  const AnalysisResult as_recorded = Ranks(trace), on_one_clock = Ranks(aligned);
  CHECK(Everything(as_recorded) == Everything(on_one_clock));
  CheckOffsets(on_one_clock, o);
}

TEST_CASE("Ranks: clocks that agree are left alone") {
  const auto trace = Job(RankJobOptions{});
  AnalysisContext context(trace, Definitions::kStepscope);
  CHECK(HostClockOffsets(context).empty());
}

TEST_CASE("Ranks: a rank whose file is cut is named, with the step after which it is cut") {
  RankJobOptions options;
  options.ranks = 2;
  const Folder folder;
  folder.Add(test::RankFileName(0), test::MakeRank(options, 0));
  const std::string whole = test::MakeRank(options, 1);
  folder.Add(test::RankFileName(1), whole.substr(0, whole.size() / 2));
  const AnalysisResult result = Ranks(folder.Load());
  REQUIRE(result.findings.size() == 2);
  const std::string& text = result.findings[0].text;
  CAPTURE(text);
  CHECK(text.starts_with("The file of rank 1 is cut after step "));
  CHECK(text.ends_with(": its later steps are missing."));
  CHECK(Ranks(Job(options)).findings.size() == 1);
}

TEST_CASE("Ranks: a single rank waits for no other") {
  RankJobOptions o;
  o.ranks = 1;
  const AnalysisResult result = Ranks(Job(o));
  CHECK(result.tables.empty());
  CHECK(result.empty_reason.find("a folder with several ranks") != std::string::npos);
  AnalysisParams params;
  params.hosts = {"rank 1"};
  CHECK(!Ranks(Job(Late(LateBy::kHost)), params).empty_reason.empty());
}

TEST_CASE("Ranks: hosts of an XSpace with GPUs are ranks by host and device") {
  const Folder folder;
  for (const char* host : {"b", "a"}) {
    test::GpuProfileOptions o;
    o.host = host;
    o.scenario = test::GpuScenario::kStaggered;
    folder.Add(std::string(host) + ".xplane.pb", test::MakeGpuProfile(o));
  }
  const std::shared_ptr<const Trace> trace = folder.Load();
  const AnalysisResult result = Ranks(trace);
  REQUIRE(TableOf(result, "ranks").size() == 4);
  CHECK(Text(result, "ranks", 0, "host") == "a");
  CHECK(Text(result, "ranks", 1, "device") == "GPU 1");
  // The last GPU of each host is late.
  const std::string slowest = PropertyText(result, "slowest_rank");
  CHECK((slowest == "1" || slowest == "3"));
  CHECK(std::abs(Real(result, "ranks", 3, "clock_offset_us")) < 10);
  AnalysisContext xprof(trace, Definitions::kXprof);  // has no device steps
  const AnalysisResult theirs = FindAnalysis("ranks")->run(xprof, {});
  for (size_t r = 0; r < 4; ++r) CHECK(Int(theirs, "ranks", r, "steps") > 0);
}

TEST_CASE("Ranks: if ends drift apart, the clocks cannot tell which rank is late") {
  const Folder folder;
  for (const char* host : {"a", "b"}) {  // no job of both: one is twice as fast
    test::GpuProfileOptions o;
    o.host = host;
    o.gpus = 1;
    o.input_wait_us = host[0] == 'a' ? 100 : 5000;
    folder.Add(std::string(host) + ".xplane.pb", test::MakeGpuProfile(o));
  }
  const AnalysisResult result = Ranks(folder.Load());
  CHECK(PropertyText(result, "collectives") == "10");
  CHECK(PropertyText(result, "slowest_rank") == "");
  CHECK(Real(result, "ranks", 1, "residual_us") > 1000);
}

TEST_CASE("Ranks: numbers in names, and names of collectives") {
  CHECK(CoordinatesText(CoordinatesIn("1749-TP-0-DP-1.trace.json.gz")) == "tp 0, dp 1");
  CHECK(CoordinatesIn("dp0_pp0_tp1_rank3.json").back() == RankCoordinate{"rank", 3});
  CHECK(CoordinatesIn("http0 sdp1 rank rank99999999999").empty());
  CHECK(KindOfCollective("_reduce_scatter_base") == CollectiveKind::kReduceScatter);
  CHECK(KindOfCollective("ncclDevKernel_AllGather_RING_LL(x)") == CollectiveKind::kAllGather);
  CHECK(KindOfCollective("all_to_allv") == CollectiveKind::kAllToAll);
  CHECK(BusFactor(CollectiveKind::kAllReduce, 8) == doctest::Approx(1.75));
  CHECK(BusFactor(CollectiveKind::kAllGather, 4) == doctest::Approx(0.75));
  CHECK(BusFactor(CollectiveKind::kBroadcast, 4) == 1);
  CHECK(ElementBytes("BFloat16") == 2);
  CHECK(ElementBytes("Nonsense") == 0);
}

TEST_CASE("Ranks: 64 ranks with 500 collectives each, in time that grows with them") {
  AnalysisResult result;
  const auto seconds = [&](size_t collectives) {
    RankJobOptions o;
    o.ranks = 64;
    o.steps = 5;
    o.collectives = static_cast<int>(collectives);
    o.late_rank = 17;
    o.late_us = 30 * static_cast<double>(collectives);
    return Seconds(Job(o), &result);
  };
  const double growth = test::GrowthOfFour(25, seconds);
  CHECK(PropertyText(result, "slowest_rank") == "17");
  CHECK(PropertyText(result, "collectives") == "500");
  CHECK(growth < test::kNearlyLinear);
}

TEST_CASE(
    "Ranks: hostile groups: equal numbers, lists of ranks that do not fit, many of one group") {
  AnalysisResult result;
  const double growth =
      test::GrowthOfFour(5'000, [&](size_t n) { return Seconds(HostileGroups(n), &result); });
  CHECK(growth < test::kNearlyLinear);
  CHECK(TableOf(result, "collectives").size() == 20'000);
  CHECK(Unknown(result, "collectives", 0, "bytes"));
}

TEST_CASE("A rank that is late in too few steps to tell it from chance is named, not hidden") {
  RankJobOptions o = Late(LateBy::kHost);
  o.ranks = 2;
  o.steps = 3;
  o.late_rank = 1;
  o.late_us = 100;
  const AnalysisResult result = Ranks(Job(o));
  CHECK(result.Find("slowest_rank")->value == Value());
  CHECK(Real(result, "ranks", 1, "late_percent") == 100);
  const Finding& finding = result.findings.front();
  CAPTURE(finding.text);
  CHECK(finding.text.starts_with("Rank 1 is the last in 100 % of the steps, by "));
  CHECK(finding.text.ends_with(". In 3 steps that may be chance."));
  CHECK(finding.grade == Finding::Grade::kInfo);
}

TEST_CASE("The device time of an op on a host is that of what this host launched") {
  const Folder folder;
  for (int rank = 0; rank < 2; ++rank) {
    test::KinetoText t;
    t.Host("cpu_op", "aten::mm", 0, 100).Launch(1, 20, 5).Kernel("gemm", 1, 50, 30 + 10 * rank);
    folder.Add(test::RankFileName(rank), t.Text(test::kH100));
  }
  AnalysisContext context(folder.Load(), Definitions::kStepscope);
  const auto ops = context.Get<OpDatabase>(AnalysisParams());
  REQUIRE(ops->hosts.size() == 2);
  for (size_t host = 0; host < 2; ++host) {
    REQUIRE(ops->hosts[host].host_side.ops.size() == 1);
    CHECK(ops->hosts[host].host_side.ops[0].device_time ==
          static_cast<Ps>(30 + 10 * host) * kPsPerUs);
  }
}

TEST_CASE("ranks: for pictures of all ranks the latest comes first, with the tracks of its work") {
  const auto trace = Job(Late(LateBy::kCompute));
  AnalysisContext context(trace, Definitions::kStepscope);
  const std::vector<RankTracks> ranks = RanksByLateness(context, PairRanks(context, {}));
  REQUIRE(ranks.size() == 4);
  CHECK(ranks[0].number == 2);
  CHECK(ranks[0].late_percent > 90);
  for (size_t r = 1; r + 1 < ranks.size(); ++r)
    CHECK(ranks[r].late_percent >= ranks[r + 1].late_percent);
  for (const RankTracks& rank : ranks) {
    REQUIRE_FALSE(rank.tracks.empty());
    CHECK(rank.tracks.size() <= 2);
    for (const TrackId id : rank.tracks) {
      const Track& track = trace->set.tracks[id.value];
      const HostId host = trace->planes[track.plane.value].host;
      CHECK(trace->hosts[host.value].rank == rank.number);
    }
    // The last track has the collectives.
    uint32_t collectives = 0;
    for (const Lane& lane : trace->set.LanesOf(trace->set.tracks[rank.tracks.back().value])) {
      for (const uint32_t meta : lane.meta)
        collectives += trace->names().Name(MetaId(meta)).starts_with("nccl");
    }
    CHECK(collectives > 0);
  }
}

TEST_CASE("ranks: a single rank, and ranks without collectives, are not ordered") {
  RankJobOptions one;
  one.ranks = 1;
  RankJobOptions none;
  none.collectives = 0;
  for (const RankJobOptions& options : {one, none}) {
    const auto trace = Job(options);
    AnalysisContext context(trace, Definitions::kStepscope);
    CHECK(RanksByLateness(context, PairRanks(context, {})).empty());
  }
}

}  // namespace stepscope
