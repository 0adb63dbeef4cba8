#include "model/query/find_events.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/trace_builder.h"
#include "tests/support/growth.h"
#include "tests/support/loaded.h"
#include "tests/support/stopped_job.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using TracePtr = std::shared_ptr<const Trace>;

std::string GpuAndHost() {
  test::XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0");
  gpu.EventMetadata(1, "_Z6mm_addPf");
  gpu.Line(14, "Stream #14(Compute)")
      .Event("_Z6mm_addPf", 1'000'000, 2'000'000)
      .Stat("correlation_id", uint64_t{5})
      .Stat("kernel_details", "regs:32 occ_pct:50")
      .Event("Memcpy", 5'000'000, 500'000)
      .Stat("correlation_id", uint64_t{6})
      .Stat("size", 1.5);
  b.Plane("/host:CPU")
      .Line(1, "python 3")
      .Event("MatMul", 0, 9'000'000)
      .Stat("tf_op", "dense/MatMul:MatMul")
      .Event("matmul_grad", 1'000'000, 3'000'000)
      .Stat("tf_op", "grad/MatMul:MatMul")
      .Stat("delta", int64_t{-7})
      .Event("mark", 2'000'000, 0);
  return b.Bytes();
}

TracePtr Load(const std::string& name, const std::string& bytes) {
  return test::Loaded(name, bytes);
}

// The names of the events found, in order. Also checks that typed stats change nothing.
std::string Found(const Trace& trace, std::string_view text) {
  const Result<EventQuery> query = EventQuery::Parse(text);
  CAPTURE(text);
  REQUIRE_MESSAGE(query.ok(), query.status().message());
  const Result<RowBits> rows = FindEvents(*query, trace, trace.set);
  REQUIRE(rows.ok());
  std::vector<std::string> names;
  rows->ForEach([&](uint32_t row) { names.emplace_back(trace.set.Name(EventRow(row))); });
  REQUIRE(names.size() == rows->Count());
  if (trace.source) {
    const auto typed = trace.source->LoadTyped(trace, {});
    REQUIRE(typed.ok());
    const Result<RowBits> again = FindEvents(*query, trace, trace.set, std::vector{typed->get()});
    REQUIRE(again.ok());
    std::vector<std::string> with_stats;
    again->ForEach([&](uint32_t row) { with_stats.emplace_back(trace.set.Name(EventRow(row))); });
    CHECK(names == with_stats);
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

}  // namespace

TEST_CASE("find: names, tracks, processes, categories, durations") {
  const TracePtr trace = Load("h.xplane.pb", GpuAndHost());
  CHECK(Found(*trace, "") == "MatMul Memcpy mark matmul_grad mm_add(float*)");
  CHECK(Found(*trace, "matmul") == "MatMul matmul_grad");
  CHECK(Found(*trace, "MATMUL -grad") == "MatMul");
  CHECK(Found(*trace, "mat mul grad") == "matmul_grad");
  CHECK(Found(*trace, "\"mat mul\"").empty());
  CHECK(Found(*trace, "=MatMul") == "MatMul");
  CHECK(Found(*trace, "=matmul").empty());
  CHECK(Found(*trace, "m -=\"MatMul\"") == "Memcpy mark matmul_grad mm_add(float*)");
  CHECK(Found(*trace, "track:stream") == "Memcpy mm_add(float*)");
  CHECK(Found(*trace, "-track:stream") == "MatMul mark matmul_grad");
  CHECK(Found(*trace, "track:\"python 3\" mark") == "mark");
  CHECK(Found(*trace, "process:\"gpu 0\"") == "Memcpy mm_add(float*)");
  CHECK(Found(*trace, "process:/device") == "Memcpy mm_add(float*)");
  CHECK(Found(*trace, "-process:/device:GPU") == "MatMul mark matmul_grad");
  CHECK(Found(*trace, "cat:kernel") == "mm_add(float*)");
  CHECK(Found(*trace, "cat:copy") == "Memcpy");
  CHECK(Found(*trace, "-cat:kernel -cat:copy process:gpu").empty());
  CHECK(Found(*trace, "dur>2us") == "MatMul matmul_grad");
  CHECK(Found(*trace, "dur>=2us") == "MatMul matmul_grad mm_add(float*)");
  CHECK(Found(*trace, "dur<=2us") == "Memcpy mark mm_add(float*)");
  CHECK(Found(*trace, "dur<2us") == "Memcpy mark");
  CHECK(Found(*trace, "dur=500ns") == "Memcpy");
  CHECK(Found(*trace, "dur>1us dur<4us -dur=2us") == "matmul_grad");
  CHECK(Found(*trace, "-dur>0ps") == "mark");
  CHECK(Found(*trace, "nothing of this").empty());
}

TEST_CASE("find: a mangled name is found as it is shown and as it is in the file") {
  const TracePtr trace = Load("h.xplane.pb", GpuAndHost());
  CHECK(Found(*trace, "=mm_add(float*)") == "mm_add(float*)");
  CHECK(Found(*trace, "=_Z6mm_addPf") == "mm_add(float*)");
  CHECK(Found(*trace, "_z6mm") == "mm_add(float*)");
}

TEST_CASE("find: arguments of an XSpace") {
  const TracePtr trace = Load("h.xplane.pb", GpuAndHost());
  CHECK(Found(*trace, "arg.correlation_id=5") == "mm_add(float*)");
  CHECK(Found(*trace, "arg.correlation_id=05") == "mm_add(float*)");
  CHECK(Found(*trace, "arg.correlation_id=5.0") == "mm_add(float*)");
  CHECK(Found(*trace, "-arg.correlation_id=5 process:gpu") == "Memcpy");
  CHECK(Found(*trace, "arg.correlation_id=50").empty());
  CHECK(Found(*trace, "arg.kernel_details:OCC_PCT") == "mm_add(float*)");
  CHECK(Found(*trace, "arg.kernel_details=\"regs:32 occ_pct:50\"") == "mm_add(float*)");
  CHECK(Found(*trace, "arg.kernel_details=regs:32").empty());
  CHECK(Found(*trace, "arg.tf_op:matmul") == "MatMul matmul_grad");
  CHECK(Found(*trace, "arg.tf_op:matmul -arg.tf_op:grad/") == "MatMul");
  CHECK(Found(*trace, "arg.tf_op=dense/MatMul:MatMul") == "MatMul");
  CHECK(Found(*trace, "arg.tf_op=dense/matmul:matmul").empty());
  CHECK(Found(*trace, "arg.delta=-7") == "matmul_grad");
  CHECK(Found(*trace, "arg.size=1.50") == "Memcpy");
  CHECK(Found(*trace, "arg.size:1.") == "Memcpy");
  CHECK(Found(*trace, "arg.tf_op:x dur<1ns").empty());
  CHECK(Found(*trace, "-arg.tf_op:matmul track:python") == "mark");
}

TEST_CASE("find: arguments and categories of a Chrome trace") {
  const TracePtr trace = Load("t.json", R"({"traceEvents":[
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"a","cat":"my work","args":{"k":"V","n":3}},
    {"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"a","cat":"other","args":{"n":3.5,"o":{"p":[1,2]}}},
    {"ph":"i","pid":1,"tid":1,"ts":3,"name":"b","s":"t"}]})");
  CHECK(Found(*trace, "cat:WORK") == "a");
  CHECK(Found(*trace, "-cat:work") == "a b");
  CHECK(Found(*trace, "cat:other dur<2us") == "a");
  CHECK(Found(*trace, "arg.k=V") == "a");
  CHECK(Found(*trace, "arg.k=v").empty());
  CHECK(Found(*trace, "arg.k:v") == "a");
  CHECK(Found(*trace, "arg.n=3") == "a");
  CHECK(Found(*trace, "arg.n:3") == "a a");
  CHECK(Found(*trace, "arg.o.p=[1,2]") == "a");
}

TEST_CASE("find: a file that is gone is an error, not an empty answer") {
  class Broken : public StatSource {
    Result<std::vector<Stat>> Decode(const Trace&, EventRow) const override {
      return Status(ErrorCode::kIo, "the file changed");
    }
    Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&,
                                                       std::stop_token) const override {
      return Status(ErrorCode::kIo, "the file changed");
    }
  };
  TraceBuilder builder;
  EventMeta meta;
  meta.name = builder.strings().Intern("a");
  builder.AddMeta(meta);
  TrackData data;
  data.slices.Add(0, 5, 0, 0);
  builder.AddTrack(std::move(data));
  builder.trace().source = std::make_shared<Broken>();
  const auto trace = builder.Finish();
  REQUIRE(trace.ok());
  const auto query = EventQuery::Parse("arg.k=1");
  const Result<RowBits> rows = FindEvents(*query, **trace, (*trace)->set);
  CHECK(rows.status().code() == ErrorCode::kIo);
  CHECK(FindEvents(*EventQuery::Parse("a"), **trace, (*trace)->set)->Count() == 1);
}

TEST_CASE("find: a derived event has the arguments of the one that it comes from") {
  const TracePtr trace = Load("h.xplane.pb", GpuAndHost());
  const auto source = FindEvents(*EventQuery::Parse("arg.correlation_id=5"), *trace, trace->set);
  EventRow own;
  source->ForEach([&](uint32_t row) { own = EventRow(row); });
  std::vector<TrackData> tracks(1);
  tracks[0].slices.Add(0, 5, trace->set.Meta(own).value, 0);
  tracks[0].slices.Add(10, 5, trace->set.Meta(own).value, 0);
  const TrackSet derived =
      TraceBuilder::BuildSet("d", trace->set.names, std::move(tracks), {{EventRow(), own}});
  const auto found = FindEvents(*EventQuery::Parse("arg.correlation_id=5"), *trace, derived);
  REQUIRE(found.ok());
  CHECK(found->Count() == 1);
  CHECK(found->Has(1));
}

// A trace with one event for each of `names` names.
std::shared_ptr<const Trace> ManyNames(size_t names) {
  TraceBuilder builder;
  TrackData data;
  for (uint32_t i = 0; i < names; ++i) {
    EventMeta meta;
    meta.name = builder.strings().Intern("kernel_" + std::to_string(i));
    builder.AddMeta(meta);
    data.slices.Add(Ps{i} * 10, 5, i, i);
  }
  builder.AddTrack(std::move(data));
  auto trace = builder.Finish();
  REQUIRE(trace.ok());
  return *trace;
}

TEST_CASE("find: many names take one pass, and a stop ends it") {
  size_t found = 0;
  const auto seconds = [&](size_t names) {
    const auto trace = ManyNames(names);
    return test::CpuSeconds([&] {
      found =
          FindEvents(*EventQuery::Parse("kernel 9999 -=kernel_9999"), *trace, trace->set)->Count();
    });
  };
  CHECK(test::GrowthOfFour(100'000, seconds) < test::kNearlyLinear);
  CHECK(found == 75);  // 39 of 400,000 names end with it, 36 more have it before the last digit
  const auto trace = ManyNames(1'000);
  CHECK_THROWS_AS(test::RunStopped([&] {
                    static_cast<void>(FindEvents(*EventQuery::Parse("k"), *trace, trace->set));
                  }),
                  Stopped);
}

TEST_CASE("row bits: set, cleared, counted and visited") {
  RowBits bits(200);
  for (const uint32_t row : {0u, 63u, 64u, 127u, 199u}) bits.Set(row);
  bits.Set(200);  // outside the set
  CHECK(bits.Count() == 5);
  std::vector<uint32_t> some;
  bits.ForEach(63, 199, [&](uint32_t row) { some.push_back(row); });
  CHECK(some == std::vector<uint32_t>{63, 64, 127});
  bits.ForEach([&](uint32_t row) { bits.Clear(row); });
  CHECK(bits.Count() == 0);
  RowBits().ForEach([](uint32_t) { FAIL("there are none"); });
}

}  // namespace stepscope
