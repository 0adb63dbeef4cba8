#include "capi/stepscope.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/capi/arrow_reader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

using test::Released;

// A profile on disk that exists for one test.
class TempProfile {
 public:
  explicit TempProfile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("stepscope_capi_" + name + ".xplane.pb")) {
    test::GpuProfileOptions options;
    options.steps = 4;
    options.layers = 5;
    std::ofstream(path_, std::ios::binary) << MakeGpuProfile(options);
  }
  ~TempProfile() { std::filesystem::remove(path_); }
  stepscope_profile* Open() const {
    const std::string path = path_.string();
    const char* paths[] = {path.c_str()};
    stepscope_profile* profile = nullptr;
    char* error = nullptr;
    REQUIRE(stepscope_open(paths, 1, nullptr, &profile, &error) == STEPSCOPE_OK);
    CHECK(error == nullptr);
    return profile;
  }

 private:
  const std::filesystem::path path_;
};

// Returns the message of an error and frees it.
std::string Take(char* error) {
  const std::string text = error != nullptr ? error : "";
  stepscope_free_text(error);
  return text;
}

TEST_CASE("a profile has its path, run, hosts, counts and span") {
  const TempProfile file("is");
  stepscope_profile* profile = file.Open();
  CHECK(stepscope_abi() == STEPSCOPE_ABI);
  CHECK(std::string(stepscope_version()).find('.') != std::string::npos);
  CHECK(std::string(stepscope_profile_path(profile)).ends_with("is.xplane.pb"));
  CHECK(std::string(stepscope_profile_run(profile)) == stepscope_profile_run_name(profile, 0));
  CHECK(stepscope_profile_run_name(profile, 1) == nullptr);
  CHECK(stepscope_profile_host(profile, 0) != nullptr);
  CHECK(stepscope_profile_host(profile, 1) == nullptr);
  int64_t begin = -1, end = -1;
  stepscope_profile_span(profile, &begin, &end);
  CHECK(begin < end);
  CHECK(stepscope_profile_events(profile) > 100);
  stepscope_close(profile);
}

TEST_CASE("tables outlive their profile, and streams outlive their table") {
  const TempProfile file("outlive");
  stepscope_profile* profile = file.Open();
  const uint64_t count = stepscope_profile_events(profile);
  stepscope_table* table = nullptr;
  REQUIRE(stepscope_events(profile, nullptr, nullptr, 0, &table, nullptr) == STEPSCOPE_OK);
  stepscope_close(profile);
  CHECK(static_cast<uint64_t>(stepscope_table_rows(table)) == count);
  Released<ArrowArrayStream> first, second;
  REQUIRE(stepscope_table_stream(table, first.get(), nullptr) == STEPSCOPE_OK);
  REQUIRE(stepscope_table_stream(table, second.get(), nullptr) == STEPSCOPE_OK);
  stepscope_table_free(table);
  for (ArrowArrayStream* stream : {first.get(), second.get()}) {
    Released<ArrowArray> batch;
    REQUIRE(stream->get_next(stream, batch.get()) == 0);
    CHECK(static_cast<uint64_t>(batch->length) == count);
  }
}

TEST_CASE("errors are values with a line for people") {
  const TempProfile file("errors");
  stepscope_profile* profile = file.Open();
  stepscope_profile* none = nullptr;
  stepscope_table* table = nullptr;
  stepscope_report* report = nullptr;
  char* error = nullptr;
  const char* missing[] = {"/nowhere/at/all"};
  CHECK(stepscope_open(missing, 1, nullptr, &none, &error) != STEPSCOPE_OK);
  CHECK(Take(error).find("/nowhere/at/all") != std::string::npos);
  CHECK(none == nullptr);
  CHECK(stepscope_open(missing, 0, nullptr, &none, nullptr) == STEPSCOPE_USAGE);
  CHECK(stepscope_events(profile, nullptr, "dur>", 0, &table, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error).starts_with("query 'dur>'"));
  CHECK(stepscope_events(nullptr, nullptr, "", 0, &table, nullptr) == STEPSCOPE_USAGE);
  CHECK(stepscope_events(profile, nullptr, "", 0, nullptr, nullptr) == STEPSCOPE_USAGE);
  CHECK(table == nullptr);
  CHECK(stepscope_report_of(profile, "no_panel", nullptr, 0, &report, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error).find("kernel_stats") != std::string::npos);
  stepscope_part part{};
  CHECK(stepscope_events(profile, &part, "", 0, &table, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error).find("size") != std::string::npos);
  part.size = sizeof(part);
  part.host = "elsewhere";
  CHECK(stepscope_events(profile, &part, "", 0, &table, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error).starts_with("host elsewhere: "));
  part = {sizeof(part), nullptr, 0, 0, 1, 70, 80, nullptr, nullptr};
  CHECK(stepscope_report_of(profile, "overview", &part, 0, &report, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error).starts_with("steps 70..80: "));
  CHECK(report == nullptr);
  int64_t time = 0;
  CHECK(stepscope_parse_time("later", &time, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error) == "'later' is not a time; write it as 12ms");
  CHECK(stepscope_parse_time("1.5us", &time, nullptr) == STEPSCOPE_OK);
  CHECK(time == 1'500'000);
  stepscope_close(profile);
  stepscope_close(nullptr);
  stepscope_table_free(nullptr);
  stepscope_report_free(nullptr);
}

TEST_CASE("a report has its tables, its properties in one row, and its verdicts") {
  const TempProfile file("report");
  stepscope_profile* profile = file.Open();
  stepscope_report* report = nullptr;
  REQUIRE(stepscope_report_of(profile, "overview", nullptr, 0, &report, nullptr) == STEPSCOPE_OK);
  stepscope_close(profile);
  CHECK(std::string(stepscope_report_panel(report)) == "overview");
  CHECK(std::string(stepscope_report_empty_reason(report)).empty());
  CHECK(std::string(stepscope_report_table_id(report, 0)) == "steps");
  stepscope_table* table = nullptr;
  REQUIRE(stepscope_report_table(report, 0, &table, nullptr) == STEPSCOPE_OK);
  CHECK(stepscope_table_rows(table) == 4);
  stepscope_table_free(table);
  REQUIRE(stepscope_report_properties(report, &table, nullptr) == STEPSCOPE_OK);
  CHECK(stepscope_table_rows(table) == 1);
  stepscope_table_free(table);
  REQUIRE(stepscope_report_verdicts(report, &table, nullptr) == STEPSCOPE_OK);
  CHECK(stepscope_table_rows(table) > 0);
  stepscope_table_free(table);
  CHECK(stepscope_report_table(report, 99, &table, nullptr) == STEPSCOPE_USAGE);
  CHECK(stepscope_report_table_id(report, 99) == nullptr);
  stepscope_report_free(report);
}

TEST_CASE("a report of a program shows the program and instruction that are asked for") {
  const std::string path = test::SourcePath("tests/data/jax_cpu.xplane.pb.zst");
  const char* paths[] = {path.c_str()};
  stepscope_profile* profile = nullptr;
  REQUIRE(stepscope_open(paths, 1, nullptr, &profile, nullptr) == STEPSCOPE_OK);
  const auto nodes = [&](const stepscope_part* part) {
    stepscope_report* report = nullptr;
    stepscope_table* table = nullptr;
    REQUIRE(stepscope_report_of(profile, "hlo_graph", part, 0, &report, nullptr) == STEPSCOPE_OK);
    const bool empty = *stepscope_report_empty_reason(report) != 0;
    int64_t rows = -1;
    if (!empty && stepscope_report_table(report, 0, &table, nullptr) == STEPSCOPE_OK)
      rows = stepscope_table_rows(table);
    stepscope_table_free(table);
    stepscope_report_free(report);
    return rows;
  };
  CHECK(nodes(nullptr) > 1);
  stepscope_hlo hlo{sizeof(stepscope_hlo), nullptr, nullptr, 0, 1, 0};
  stepscope_part part{};
  part.size = sizeof(part);
  part.hlo = &hlo;
  CHECK(nodes(&part) == 1);  // the instruction alone
  hlo.radius = -5;
  CHECK(nodes(&part) == 1);
  hlo.program = "no_such_program";
  CHECK(nodes(&part) == -1);
  part.size = offsetof(stepscope_part, hlo);  // of a program that knows no such member
  CHECK(nodes(&part) > 1);
  part.size = sizeof(part);
  hlo.program = nullptr;
  part.peaks = "CPU: fp17=3";
  stepscope_report* refused = nullptr;
  char* wrong = nullptr;
  CHECK(stepscope_report_of(profile, "hlo_graph", &part, 0, &refused, &wrong) == STEPSCOPE_USAGE);
  CHECK(Take(wrong).find("fp17") != std::string::npos);
  part.size = offsetof(stepscope_part, peaks);  // of a program that knows no such member
  CHECK(nodes(&part) == 1);
  part.size = sizeof(part);
  part.peaks = "CPU: fp32=3";
  CHECK(nodes(&part) == 1);
  hlo.size = 1;
  stepscope_report* report = nullptr;
  char* error = nullptr;
  CHECK(stepscope_report_of(profile, "hlo_graph", &part, 0, &report, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error).find("stepscope_hlo.size") != std::string::npos);
  stepscope_close(profile);
}

TEST_CASE("a profile has steps, tracks and statistics, and does not differ from itself") {
  const TempProfile file("compare");
  stepscope_profile* profile = file.Open();
  stepscope_report* report = nullptr;
  REQUIRE(stepscope_compare(profile, profile, nullptr, nullptr, &report, nullptr) == STEPSCOPE_OK);
  CHECK(std::string(stepscope_report_table_id(report, 0)) == "contributions");
  stepscope_report_free(report);
  stepscope_table* table = nullptr;
  REQUIRE(stepscope_steps(profile, &table, nullptr) == STEPSCOPE_OK);
  CHECK(stepscope_table_rows(table) == 4);
  stepscope_table_free(table);
  REQUIRE(stepscope_tracks(profile, &table, nullptr) == STEPSCOPE_OK);
  CHECK(stepscope_table_rows(table) > 2);
  stepscope_table_free(table);
  REQUIRE(stepscope_event_stats(profile, nullptr, "", "all", &table, nullptr) == STEPSCOPE_OK);
  CHECK(stepscope_table_rows(table) == 1);
  stepscope_table_free(table);
  char* error = nullptr;
  CHECK(stepscope_event_stats(profile, nullptr, "", "colour", &table, &error) == STEPSCOPE_USAGE);
  CHECK(Take(error) == "by 'colour': known are name, track, step and all");
  stepscope_close(profile);
}

TEST_CASE("several threads may ask one profile at a time") {
  const TempProfile file("threads");
  stepscope_profile* profile = file.Open();
  std::vector<int64_t> rows(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < rows.size(); ++t) {
    threads.emplace_back([&rows, t, profile] {
      stepscope_report* report = nullptr;
      const uint32_t flags = t % 2 == 0 ? STEPSCOPE_COMPAT_XPROF : 0;
      if (stepscope_report_of(profile, "kernel_stats", nullptr, flags, &report, nullptr)) return;
      stepscope_table* table = nullptr;
      if (stepscope_report_table(report, 0, &table, nullptr) == STEPSCOPE_OK)
        rows[t] = stepscope_table_rows(table);
      stepscope_table_free(table);
      stepscope_report_free(report);
    });
  }
  for (std::thread& thread : threads) thread.join();
  stepscope_close(profile);
  for (const int64_t count : rows) CHECK(count == rows[0]);
  CHECK(rows[0] > 0);
}

}  // namespace
}  // namespace stepscope
