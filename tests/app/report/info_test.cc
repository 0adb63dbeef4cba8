#include "app/report/info.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "loaders/loader.h"
#include "model/trace_builder.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> SmallTrace(Ps begin = 0) {
  TraceBuilder builder;
  StringPool& strings = builder.strings();
  Host host;
  host.name = strings.Intern("vm");
  const HostId host_id = builder.AddHost(host);
  Plane plane;
  plane.host = host_id;
  plane.name = strings.Intern("/device:GPU:0 \xff");  // not UTF-8
  plane.kind = PlaneKind::kGpu;
  const PlaneId plane_id = builder.AddPlane(plane);
  EventMeta meta;
  meta.name = strings.Intern("gemm");
  const MetaId meta_id = builder.AddMeta(meta);
  TrackData data;
  data.track.plane = plane_id;
  data.track.name = strings.Intern("Stream #14");
  data.track.kind = TrackKind::kStream;
  for (uint32_t i = 0; i < 1234; ++i) {
    data.slices.Add(begin + i * kPsPerUs, kPsPerUs / 2, meta_id.value, Lane::kNoRef);
  }
  builder.AddTrack(std::move(data));
  builder.trace().run = "r1";
  builder.trace().skipped_files = {"vm.trace.json.gz: the XSpace of this host is read instead"};
  builder.trace().diagnostics.Count("test.id", Severity::kWarning, "Something was repaired.",
                                    "line 3", 2);
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  return *trace;
}

std::string JsonOf(const InfoInput& input) {
  return Collected([&input](const TextSink& sink) { WriteInfoJson(input, sink); });
}

TEST_CASE("info --json: the promised fields") {
  const auto trace = SmallTrace();
  const nlohmann::json json = nlohmann::json::parse(JsonOf({"/p", {"r1", "r0"}, trace.get()}));
  CHECK(json["path"] == "/p");
  CHECK(json["runs"] == nlohmann::json{"r1", "r0"});
  CHECK(json["run"] == "r1");
  CHECK(json["hosts"] == nlohmann::json{"vm"});
  CHECK(json["events"] == 1234);
  CHECK(json["slices"] == 1234);
  CHECK(json["instants"] == 0);
  CHECK(json["counter_samples"] == 0);
  CHECK(json["flows"] == 0);
  CHECK(json["steps"] == 0);
  CHECK(json["span_ps"] == 1233 * kPsPerUs + kPsPerUs / 2);
  REQUIRE(json["planes"].size() == 1);
  CHECK(json["planes"][0]["host"] == "vm");
  CHECK(json["planes"][0]["name"] == "/device:GPU:0 \xef\xbf\xbd");
  REQUIRE(json["planes"][0]["tracks"].size() == 1);
  CHECK(json["planes"][0]["tracks"][0] == nlohmann::json{{"name", "Stream #14"}, {"events", 1234}});
  CHECK(json["skipped_files"].size() == 1);
  REQUIRE(json["diagnostics"].size() == 1);
  CHECK(json["diagnostics"][0]["severity"] == "warning");
  CHECK(json["diagnostics"][0]["count"] == 2);
  CHECK(json["diagnostics"][0]["first"] == nlohmann::json{"line 3"});
}

TEST_CASE("info: the text has tracks with counts, what was skipped, and diagnostics") {
  const auto trace = SmallTrace();
  const InfoInput input{"/p", {"r1", "r0"}, trace.get()};
  const std::string text =
      Collected([&input](const TextSink& sink) { WriteInfoText(input, sink); });
  for (const char* part : {"r1 (of 2: r1, r0)", "Stream #14", "1\u2009234", "Not read",
                           "warning 2: Something was repaired.", "line 3"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("info says from when to when a trace goes, exactly, if it does not begin at 0") {
  const auto trace = SmallTrace(95 * kPsPerUs);
  const InfoInput input{"/p", {}, trace.get()};
  const nlohmann::json json = nlohmann::json::parse(JsonOf(input));
  CHECK(json["begin_ps"] == 95 * kPsPerUs);
  CHECK(json["end_ps"] == 1328 * kPsPerUs + kPsPerUs / 2);
  const std::string text =
      Collected([&input](const TextSink& sink) { WriteInfoText(input, sink); });
  CHECK(text.find("(from 95 \u00B5s to 1.3285 ms)") != std::string::npos);
}

// In real recordings the counts of the tracks add up to those of the profile.
TEST_CASE("info --json: counts of recorded samples add up") {
  const std::filesystem::path data = test::SourcePath("tests/data");
  int checked = 0;
  for (const char* name : {"tf_graph.xplane.pb.zst", "jax_cpu.xplane.pb.zst"}) {
    const std::string path = (data / name).string();
    if (!std::filesystem::exists(path)) continue;
    CAPTURE(path);
    Progress progress;
    const auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    const nlohmann::json json = nlohmann::json::parse(JsonOf({path, {}, trace->get()}));
    uint64_t events = 0;
    for (const auto& plane : json["planes"]) {
      for (const auto& track : plane["tracks"]) events += track["events"].get<uint64_t>();
    }
    CHECK(events > 1000);
    CHECK(json["events"] == events);
    CHECK(json["slices"].get<uint64_t>() + json["instants"].get<uint64_t>() == events);
    CHECK(json["span_ps"].get<int64_t>() > 0);
    ++checked;
  }
  if (checked == 0) MESSAGE("SKIPPED: no recorded samples in tests/data");
}

}  // namespace
}  // namespace stepscope
