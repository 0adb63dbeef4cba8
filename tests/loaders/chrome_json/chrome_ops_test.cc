// The op statistics of a TensorFlow or JAX trace.json equal those of its XSpace.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "model/analysis/ops/op_database.h"
#include "tests/loaders/chrome_json/chrome_support.h"

namespace stepscope {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Stats that ops and groups read and that xplane_to_trace_events leaves out as internal.
bool IsInternal(std::string_view stat) {
  return stat.starts_with("_") || stat == "program_id" || stat == "kernel_details" ||
         stat.starts_with("producer_") || stat.starts_with("consumer_");
}

std::string ArgsOf(const Trace& trace, EventRow row, std::string_view long_name) {
  std::string args;
  if (!long_name.empty()) args = "\"long_name\":" + Quoted(long_name);
  const auto stats = trace.source->Decode(trace, row);
  REQUIRE(stats.ok());
  for (const Stat& stat : *stats) {
    if (IsInternal(stat.name)) continue;
    args += (args.empty() ? "" : ",") + Quoted(stat.name) + ":" + Quoted(ToText(stat));
  }
  return args;
}

std::string EventText(const Trace& trace, const Lane& lane, uint32_t i, uint32_t tid) {
  const NameTable& names = trace.names();
  const MetaId meta(lane.meta[i]);
  const bool display = names.DisplayName(meta) != names.Name(meta);
  const EventRow row(lane.first_row + i);
  return fmt::format(
      ",\n{{\"ph\":\"X\",\"pid\":701,\"tid\":{},\"ts\":{}.{:06},\"dur\":{}.{:06},\"name\":{},"
      "\"args\":{{{}}}}}",
      tid, lane.start[i] / kPsPerUs, lane.start[i] % kPsPerUs, lane.dur[i] / kPsPerUs,
      lane.dur[i] % kPsPerUs, Quoted(names.DisplayName(meta)),
      ArgsOf(trace, row, display ? names.Name(meta) : std::string_view()));
}

// The host threads of an XSpace as TensorFlow writes them to trace.json: the display name, with
// the name as long_name.
std::string AsTraceJson(const Trace& trace) {
  std::string out = R"([{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}})";
  for (const Plane& plane : trace.planes) {
    if (trace.names().strings.View(plane.name) != "/host:CPU") continue;
    for (const TrackId id : plane.tracks) {
      for (const Lane& lane : trace.set.LanesOf(trace.set.tracks[id.value])) {
        for (uint32_t i = 0; i < lane.size(); ++i) out += EventText(trace, lane, i, id.value);
      }
    }
  }
  return out + "]";
}

using Row = std::tuple<std::string, std::string, uint64_t, Ps, Ps>;

std::vector<Row> RowsOf(const OpSide& side) {
  std::vector<Row> rows;
  for (const OpRow& op : side.ops) {
    if (!op.stage) rows.emplace_back(op.name, op.type, op.occurrences, op.time, op.self);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

HostOps OpsOf(const TracePtr& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  REQUIRE(context.stats_error().empty());
  return context.Get<OpDatabase>(AnalysisParams())->Of(*trace, {});
}

size_t Differences(const std::vector<Row>& a, const std::vector<Row>& b) {
  size_t n = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) n += a[i] == b[i] ? 0u : 1u;
  return n;
}

// An XSpace counts the MemoryAllocation instants of an op, whose tf_op is its bare name, as
// occurrences of it. In a trace.json a bare name is no op, or every long_name would be one.
OpSide WithoutAllocations(const Trace& trace, OpSide side) {
  uint64_t left_out = 0;
  for (OpRow& op : side.ops) {
    REQUIRE(op.rows.size() == op.occurrences);  // all of them are linked
    const auto n = std::count_if(op.rows.begin(), op.rows.end(), [&](EventRow row) {
      return trace.set.Name(row) == "MemoryAllocation";
    });
    op.occurrences -= static_cast<uint64_t>(n);
    left_out += static_cast<uint64_t>(n);
  }
  CHECK(left_out >= 100);
  return side;
}

TEST_CASE("chrome ops: TensorFlow's trace.json has the host ops of its XSpace") {
  for (const auto& [name, ops] : {std::pair("tf_keras", 277u), std::pair("tf_graph", 1u)}) {
    const std::string sample = name;  // clang 14 captures no structured binding
    CAPTURE(sample);
    const TracePtr space = LoadSample(sample + ".xplane.pb.zst");
    const TracePtr json = Chrome(AsTraceJson(*space));
    CHECK_FALSE(json->kineto);
    const std::vector<Row> expected = RowsOf(WithoutAllocations(*space, OpsOf(space).host_side));
    CHECK(expected.size() >= ops);
    CHECK(Differences(RowsOf(OpsOf(json).host_side), expected) == 0);
  }
}

TEST_CASE("chrome ops: JAX on the CPU has no ops in either file, though its thunks name HLO ops") {
  const HostOps space = OpsOf(LoadSample("jax_cpu.xplane.pb.zst"));
  const HostOps json = OpsOf(LoadSample("jax_cpu.trace.json.gz"));
  CHECK(space.host_side.ops.empty());
  CHECK(RowsOf(json.host_side) == RowsOf(space.host_side));
  CHECK(RowsOf(json.device_side) == RowsOf(space.device_side));
}

TEST_CASE("chrome ops: kernels on streams of /device:GPU:N count for their tf_op or hlo_op") {
  const HostOps ops = OpsOf(Chrome(R"json([
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
    {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"Stream #7(Compute)"}},
    {"ph":"X","pid":1,"tid":7,"ts":0,"dur":2,"name":"sgemm",
     "args":{"long_name":"void sgemm<int>()","tf_op":"a/b:MatMul"}},
    {"ph":"X","pid":1,"tid":7,"ts":3,"dur":4,"name":"sgemm","args":{"tf_op":"a/b:MatMul"}},
    {"ph":"X","pid":1,"tid":7,"ts":8,"dur":1,"name":"loop",
     "args":{"hlo_op":"fusion.1","hlo_module":"jit_f"}},
    {"ph":"X","pid":1,"tid":7,"ts":9,"dur":1,"name":"own",
     "args":{"long_name":"void own<int>()"}}])json"));
  const std::vector<Row> expected = {{"a/b", "MatMul", 2, 6 * kPsPerUs, 6 * kPsPerUs},
                                     {"fusion.1", "Unknown", 1, kPsPerUs, kPsPerUs}};
  CHECK(RowsOf(ops.device_side) == expected);
}

TEST_CASE(
    "chrome ops: names in traces of other programs are not ops, even if they look like ones") {
  CHECK(OpsOf(Chrome(R"([{"ph":"X","pid":1,"tid":7,"ts":0,"dur":2,"name":"mutex:Lock"}])"))
            .host_side.ops.empty());
}

}  // namespace
}  // namespace stepscope
