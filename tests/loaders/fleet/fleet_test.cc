// A fleet gives the numbers that its profiles give when they are opened together, and what is
// planted in it is found. Its parts are hostile input.
#include <doctest/doctest.h>

#include <random>

#include "loaders/fleet/fleet_loader.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/fleet_folder.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::FleetFolder;
using test::LoadedFrom;
using test::MakeBoth;
using test::PageOf;
using test::PartFrom;

std::string Written(const AnalysisResult& result) {
  std::string text = result.empty_reason;
  for (const Property& p : result.properties) text += p.id + "=" + RawValue(p.value) + "\n";
  for (const ResultTable& t : result.tables) text += t.title + "\n" + ToCsv(t);
  for (const Finding& f : result.findings) text += f.text + f.next_step + "\n";
  return text;
}

test::RankJobOptions Planted() {
  test::RankJobOptions o;
  o.ranks = 16;
  o.steps = 8;
  o.collectives = 3;
  for (int r = 0; r < o.ranks; ++r) o.clock_offset_us.push_back(137.0 * r - 900);
  o.late_rank = 5;
  o.late_us = 400;
  o.late_by = test::LateBy::kInput;
  o.throttled_rank = 11;
  o.throttle = 1.3;
  o.group_ranks = 4;
  o.slow_group = 2;
  o.slow_us = 60;
  return o;
}

TEST_CASE("the page of ranks is the same of a fleet and of its profiles opened together") {
  test::RankJobOptions late = Planted();
  late.throttled_rank = late.slow_group = -1;
  test::RankJobOptions missing = Planted();
  missing.missing_rank = 3;
  missing.missing_step = 2;
  test::RankJobOptions plain = Planted();
  plain.arguments = false;
  plain.group_ranks = 0;
  int n = 0;
  for (const test::RankJobOptions& options : {Planted(), late, missing, plain}) {
    CAPTURE(n);
    const FleetFolder profiles(("p" + std::to_string(n)).c_str()),
        parts(("f" + std::to_string(n)).c_str());
    ++n;
    MakeBoth(options, profiles, parts);
    const std::string together = Written(PageOf(LoadedFrom(profiles.Path()), "ranks"));
    CHECK(together.find("cause") != together.npos);
    CHECK(Written(PageOf(LoadedFrom(parts.Path()), "ranks")) == together);
  }
}

TEST_CASE("a late rank, a throttled GPU and a slow link are found, with their sizes") {
  const FleetFolder profiles("planted_p"), parts("planted_f");
  MakeBoth(Planted(), profiles, parts);
  const std::shared_ptr<const Trace> trace = LoadedFrom(parts.Path());
  CHECK(trace->counts.events() == 0);
  const AnalysisResult fleet = PageOf(trace, "fleet");
  CHECK(test::PropertyText(fleet, "slowest_rank") == "5");
  CHECK(test::PropertyText(fleet, "slowest_cause").find("input") != std::string::npos);
  CHECK(test::PropertyText(fleet, "throttled_ranks") == "1");
  CHECK(test::PropertyText(fleet, "slow_links") == "1");
  const ResultTable& kernels = *fleet.Table("kernels");
  REQUIRE(kernels.size() == 1);
  CHECK(test::Int(fleet, "kernels", 0, "rank") == 11);
  CHECK(test::Real(fleet, "kernels", 0, "ratio") == doctest::Approx(1.3).epsilon(0.01));
  CHECK(test::Text(fleet, "links", 0, "ranks") == "8-11");
  CHECK(std::abs(test::Real(fleet, "links", 0, "transfer_us") -
                 test::Real(fleet, "links", 0, "others_us") - 60) < 5);
  CHECK(test::Real(fleet, "ranks", 5, "late_share_percent") > 10);
  CHECK(test::Text(fleet, "ranks", 5, "file") == profiles.Path(test::RankFileName(5)));
  CHECK(fleet.Table("steps")->size() == 16 * 8);
  // Each step is longer by 400 us of the late rank and 60 us of the slow group; the throttled rank
  // costs 60 us at each of the three collectives, of which one is hidden behind the late rank.
  CHECK(test::Real(fleet, "what_if", 0, "saved_ms_per_step") > 0.4);
  CHECK(test::Text(fleet, "what_if", 1, "detail") == "ranks 5");
}

TEST_CASE("of several runs the newest is shown, and profiles without facts are listed") {
  test::RankJobOptions options;
  options.ranks = 2;
  const FleetFolder profiles("runs_p"), parts("runs_f");
  MakeBoth(options, profiles, parts);
  FleetPart failed;
  failed.file.path = "/gone/rank7.json";
  failed.file.error = "/gone/rank7.json: No such file or directory";
  failed.run = "/gone";
  parts.Add("facts/bad.stepfacts", fleet::WritePart(failed));
  Result<FleetPart> old = fleet::ReadPart(PartFrom(profiles.Path(test::RankFileName(0)), "/old"));
  REQUIRE(old.ok());
  old->file.path = "/old/rank0.json";
  old->origin_unix_ns -= 1'000'000'000'000;
  parts.Add("facts/old.stepfacts", fleet::WritePart(*old));
  const AnalysisResult fleet = PageOf(LoadedFrom(parts.Path()), "fleet");
  CHECK(fleet.Table("ranks")->size() == 2);
  REQUIRE(fleet.Table("runs")->size() == 2);
  CHECK(test::Text(fleet, "runs", 0, "run") == profiles.Path());
  CHECK(test::Text(fleet, "runs", 1, "run") == "/old");
  REQUIRE(fleet.Table("failed")->size() == 1);
  CHECK(test::Text(fleet, "failed", 0, "file") == "/gone/rank7.json");
}

TEST_CASE("a run is chosen by its name, or by the last folders of it") {
  test::RankJobOptions options;
  options.ranks = 2;
  const FleetFolder profiles("choose_p"), parts("choose_f");
  MakeBoth(options, profiles, parts);
  for (const char* run : {"/logs/a/run1", "/logs/b/run1"}) {
    Result<FleetPart> old = fleet::ReadPart(PartFrom(profiles.Path(test::RankFileName(0)), run));
    REQUIRE(old.ok());
    old->file.path = std::string(run) + "/rank0.json";
    old->origin_unix_ns -= 1'000'000'000'000;
    parts.Add("facts/" + std::string(run).substr(6, 1) + ".stepfacts", fleet::WritePart(*old));
  }
  std::vector<std::string> runs;
  const auto load = [&](std::string run) {
    Progress progress;
    runs.clear();
    return LoadPath(parts.Path(), {.run = std::move(run)}, {}, progress, &runs);
  };
  for (const char* run : {"/logs/a/run1", "a/run1"}) {
    CAPTURE(run);
    const auto trace = load(run);
    REQUIRE(trace.ok());
    const AnalysisResult fleet = PageOf(*trace, "fleet");
    CHECK(fleet.Table("ranks")->size() == 1);
    CHECK(test::Text(fleet, "ranks", 0, "file") == "/logs/a/run1/rank0.json");
    CHECK(fleet.Table("runs")->size() == 3);
    REQUIRE(runs.size() == 3);
    CHECK((*trace)->run == runs[2]);  // of two as old the last name comes first
    const std::string newest = runs[0];
    const auto other = load(newest);
    REQUIRE(other.ok());
    CHECK((*other)->run == newest);
  }
  for (const char* run : {"run1", "c/run1"}) {  // two runs end like that, and none
    CAPTURE(run);
    const auto refused = load(run);
    CHECK(refused.status().code() == ErrorCode::kUsage);
    CHECK(refused.status().message().find("/logs/b/run1") != std::string::npos);
  }
}

TEST_CASE("runs are summed up: step, busy time, slowdown, and what is slow in them") {
  const FleetFolder profiles("sums_p"), parts("sums_f");
  MakeBoth(Planted(), profiles, parts);
  const AnalysisResult fleet = PageOf(LoadedFrom(parts.Path()), "fleet");
  CHECK(test::Real(fleet, "runs", 0, "slowdown_percent") > 1);
  CHECK(test::Real(fleet, "runs", 0, "busy_ms_median") > 0);
  CHECK(test::Real(fleet, "runs", 0, "busy_ms_median") <
        test::Real(fleet, "runs", 0, "step_ms_median"));
  CHECK(test::Int(fleet, "runs", 0, "late_ranks") >= 1);
  CHECK(test::Int(fleet, "runs", 0, "throttled_ranks") == 1);
  CHECK(test::Int(fleet, "runs", 0, "slow_links") == 1);
}

TEST_CASE("the classes of each step are in a part, and a part without them is read") {
  test::RankJobOptions options;
  options.ranks = 2;
  const FleetFolder profiles("times_p");
  profiles.Add("rank0.pt.trace.json", test::MakeRank(options, 0));
  const Result<FleetPart> part =
      fleet::ReadPart(PartFrom(profiles.Path("rank0.pt.trace.json"), "run"));
  REQUIRE(part.ok());
  REQUIRE_FALSE(part->facts.front().steps.empty());
  for (const RankStep& step : part->facts.front().steps) {
    Ps sum = 0;
    for (const Ps time : step.losses) sum += time;
    CHECK(sum == step.total);
    CHECK(At(step.losses, StepTimeClass::kInput) > 0);
  }
  // As an older program wrote it.
  std::ifstream file(test::SourcePath("tests/data/fleet_part_1.stepfacts"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const Result<FleetPart> old = fleet::ReadPart(bytes);
  REQUIRE(old.ok());
  REQUIRE(old->facts.front().steps.size() == 3);
  CHECK(old->facts.front().steps.front().total == kPsPerMs);
  CHECK(At(old->facts.front().steps.front().losses, StepTimeClass::kInput) == 0);
}

TEST_CASE("other pages say that a fleet has no events, and a profile that it is no fleet") {
  test::RankJobOptions options;
  options.ranks = 2;
  const FleetFolder profiles("other_p"), parts("other_f");
  MakeBoth(options, profiles, parts);
  AnalysisContext context(LoadedFrom(parts.Path()), Definitions::kStepscope);
  for (const AnalysisDesc& analysis : Analyses()) {
    const std::string id = analysis.id;
    CAPTURE(id);
    const bool shown = id == "fleet" || id == "ranks" || id == "diagnostics";
    const AnalysisResult result = RunAnalysis(analysis, context, {});
    CHECK(result.panel == id);
    CHECK(result.empty_reason.starts_with("A fleet has the facts") != shown);
  }
  CHECK(PageOf(LoadedFrom(profiles.Path()), "fleet").empty_reason.find("stepscope-fleet") !=
        std::string::npos);
}

TEST_CASE("a part reads back, and damaged ones are refused") {
  test::RankJobOptions options;
  options.ranks = 2;
  const FleetFolder profiles("codec_p");
  profiles.Add("rank0.pt.trace.json", test::MakeRank(options, 0));
  const std::string bytes = PartFrom(profiles.Path("rank0.pt.trace.json"), "run");
  const Result<FleetPart> part = fleet::ReadPart(bytes);
  REQUIRE(part.ok());
  CHECK(fleet::WritePart(*part) == bytes);
  CHECK(part->facts.front().calls.size() == 24);
  CHECK_FALSE(part->facts.front().waits.empty());
  CHECK_FALSE(part->facts.front().kernels.empty());
  for (size_t n = 0; n < bytes.size(); n += 7)
    CHECK_FALSE(fleet::ReadPart(std::string_view(bytes).substr(0, n)).ok());
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
    const Result<FleetPart> read = fleet::ReadPart(damaged);
    CHECK_FALSE((read.ok() && fleet::WritePart(*read) == bytes));
  }
  std::string newer = bytes;
  newer[8] = 2;
  const Result<FleetPart> refused = fleet::ReadPart(newer);
  CHECK(refused.status().code() == ErrorCode::kUnsupported);
  CHECK(refused.status().message().find("newer") != std::string::npos);
}

}  // namespace
}  // namespace stepscope
