// Memory snapshots that Python pickled, compared with the counts of the program that made them.
// Skipped where the recordings or Python are missing.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/table_rows.h"

#include "loaders/loader.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using nlohmann::json;

json BytesByFrame(const AnalysisResult& result, const char* table) {
  json bytes = json::object();
  for (const auto& row : test::RowsOf(test::TableOf(result, table)))
    bytes[std::get<SharedText>(row[0]).str()] = std::get<int64_t>(row[1]);
  return bytes;
}

AnalysisResult Report(const std::string& path) {
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return RunAnalysis(*FindAnalysis("memory_snapshot"), context, {});
}

void CheckTruth(const std::string& pickle, const std::string& truth_path) {
  const json truth = json::parse(std::ifstream(truth_path));
  const AnalysisResult result = Report(pickle);
  for (const char* property : {"events", "peak_bytes", "peak_time_us", "reserved_bytes"}) {
    CAPTURE(property);
    CHECK(test::PropertyText(result, property) == truth[property].dump());
  }
  CHECK(BytesByFrame(result, "at_peak") == truth["at_peak"]);
  CHECK(BytesByFrame(result, "at_end") == truth["at_end"]);
  const int64_t leak = truth["leak_bytes_per_step"];
  const ResultTable& leaks = test::TableOf(result, "leaks");
  REQUIRE(leaks.size() == (leak > 0 ? 1 : 0));
  if (leak == 0) return;
  CHECK(test::Text(result, "leaks", 0, "frame") == "train.py:88 loss_history");
  CHECK(test::Int(result, "leaks", 0, "bytes_per_step") == leak);
}

TEST_CASE(
    "The recorded snapshot agrees with its program's own counts; one with anonymous addresses "
    "opens") {
  const std::string folder = test::SharedPath("snapshots/");
  if (!std::filesystem::exists(folder + "train_leak_oom.pickle")) {
    MESSAGE("SKIPPED: " << folder << " is not there");
    return;
  }
  CheckTruth(folder + "train_leak_oom.pickle", folder + "train_leak_oom.json");
  if (!std::filesystem::exists(folder + "mosaic.pickle")) return;
  const AnalysisResult mosaic = Report(folder + "mosaic.pickle");
  CHECK(test::PropertyText(mosaic, "events") == "1040");
  CHECK(!test::TableOf(mosaic, "at_peak").empty());
}

TEST_CASE("Generated snapshots agree with what their generator counts") {
  const std::string tool = test::SharedPath("tools/make_memory_snapshot.py");
  if (!std::filesystem::exists(tool) || std::system("python3 -c pass >/dev/null 2>&1") != 0) {
    MESSAGE("SKIPPED: no generator or no python3");
    return;
  }
  const std::string base =
      (std::filesystem::temp_directory_path() / ("stepscope_truth_" + std::to_string(getpid())))
          .string();
  for (const char* flags : {"--steps 3 --layers 5 --protocol 2 --leak 700",
                            "--steps 2 --layers 9 --micro 2 --protocol 5 --oom"}) {
    CAPTURE(flags);
    const std::string command =
        "python3 '" + tool + "' '" + base + ".pickle' " + flags + " --truth '" + base + ".json'";
    REQUIRE(std::system(command.c_str()) == 0);
    CheckTruth(base + ".pickle", base + ".json");
  }
  std::filesystem::remove(base + ".pickle");
  std::filesystem::remove(base + ".json");
}

}  // namespace
}  // namespace stepscope
