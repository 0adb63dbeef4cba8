// Rules that must hold for every profile: results depend neither on the order of planes and lines
// nor on the number of threads; busy time is a union; self times sum to it; shares sum to the
// whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/table_rows.h"

#include "loaders/loader.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::XSpaceBuilder;
constexpr int64_t kUs = kPsPerUs;

// The parts of a profile with two GPUs, two host threads and an allocator that both use, in the
// order of `shuffle`. Times and names depend on `seed` only.
struct Part {
  std::string plane, line;
  int64_t id;
};

void FillStream(test::LineBuilder& line, uint64_t gpu, uint64_t seed) {
  std::mt19937_64 random(seed * 7 + gpu);
  int64_t t = 0;
  for (uint64_t k = 0; k < 60; ++k) {
    const auto at = 20 + static_cast<int64_t>(random() % 50);
    const auto dur = 1 + static_cast<int64_t>(random() % 40);
    const std::string name = k % 7 == 6 ? "ncclKernel" : k % 5 == 4 ? "MemcpyH2D" : "gemm_half";
    t += at + dur;
    auto& event = line.Event(name, t * kUs, dur * kUs)
                      .Stat("correlation_id", 1000 * gpu + k)
                      .Stat("tf_op", "a/op" + std::to_string(random() % 4) + ":MatMul");
    if (name != "MemcpyH2D") {
      event.Stat("kernel_details", "regs:8 occ_pct:" + std::to_string(random() % 100));
    }
  }
}

void FillThread(test::LineBuilder& line, uint64_t gpu, uint64_t seed) {
  std::mt19937_64 random(seed * 11 + gpu);
  for (int64_t step = 0; step < 4; ++step) {
    const int64_t t = step * 1000;
    auto& root = line.Event("train", t * kUs, 990 * kUs);
    if (gpu == 0) root.Stat("_r", int64_t{1}).Stat("step_num", step);
    if (gpu == 0) root.Stat("_pt", int64_t{2}).Stat("_p", static_cast<uint64_t>(step));
    if (gpu == 1) root.Stat("_ct", int64_t{2}).Stat("_c", static_cast<uint64_t>(step));
    line.Event("IteratorGetNext:IteratorGetNext", (t + 5) * kUs, 20 * kUs);
    for (uint64_t k = 0; k < 15; ++k) {
      const auto at = t + 40 + static_cast<int64_t>(k) * 60;
      const auto id = 1000 * gpu + static_cast<uint64_t>(step) * 15 + k;
      line.Event("a:MatMul", at * kUs, 50 * kUs);
      line.Event("launch", (at + 5) * kUs, 4 * kUs).Stat("correlation_id", id);
      const auto size = static_cast<int64_t>(random() % 4096);
      line.Event(k % 2 ? "MemoryDeallocation" : "MemoryAllocation", (at + 20) * kUs, 0)
          .Stat("allocator_name", "bfc")
          .Stat("bytes_reserved", int64_t{0})
          .Stat("bytes_allocated", size)
          .Stat("bytes_available", int64_t{1 << 20})
          .Stat("peak_bytes_in_use", size + 100)
          .Stat("allocation_bytes", int64_t{64})
          .Stat("addr", static_cast<int64_t>(k / 2));
    }
  }
}

std::string MakeProfile(uint64_t seed, uint64_t shuffle) {
  std::vector<Part> parts = {{"/device:GPU:0", "Stream #1", 0},
                             {"/device:GPU:1", "Stream #1", 1},
                             {"/host:CPU", "thread 0", 0},
                             {"/host:CPU", "thread 1", 1}};
  std::mt19937_64 random(shuffle);
  if (shuffle > 0) std::shuffle(parts.begin(), parts.end(), random);
  XSpaceBuilder b;
  b.Hostname("h");
  std::map<std::string, test::PlaneBuilder*> planes;
  for (const Part& part : parts) {
    auto*& plane = planes[part.plane];
    if (!plane) plane = &b.Plane(part.plane).Id(part.id).Stat("device_vendor", "Nvidia");
    auto& line = plane->Line(part.id + 1, part.line);
    const auto n = static_cast<uint64_t>(part.id);
    if (part.plane == "/host:CPU") {
      FillThread(line, n, seed);
    } else {
      FillStream(line, n, seed);
    }
  }
  return b.Bytes();
}

std::shared_ptr<const Trace> Load(const std::string& bytes, unsigned threads = 0) {
  LoadOptions options;
  options.threads = threads;
  auto trace = LoadBytes("h.xplane.pb", bytes, options);
  REQUIRE(trace.ok());
  return *trace;
}

// All results as text. Rows that are equal in everything that they are sorted by may have any
// order.
std::string Report(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  std::string text;
  for (const AnalysisDesc& analysis : Analyses()) {
    const AnalysisResult r = analysis.run(context, {});
    for (const Property& p : r.properties) text += p.id + "=" + RawValue(p.value) + "\n";
    for (const ResultTable& t : r.tables) text += t.id + "\n" + ToCsv(t);
  }
  return text;
}

// The first line in which two reports differ.
std::string Difference(const std::string& a, const std::string& b) {
  size_t i = 0, line = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) {
    if (a[i++] == '\n') line = i;
  }
  if (i == a.size() && i == b.size()) return "";
  return a.substr(line, a.find('\n', line) - line) + " | " +
         b.substr(line, b.find('\n', line) - line);
}

double Sum(const ResultTable& table, const char* column) {
  double sum = 0;
  for (const auto& row : test::RowsOf(table))
    sum += std::get<double>(row[static_cast<size_t>(table.Column(column))]);
  return sum;
}

}  // namespace

TEST_CASE("By default no result depends on the order of planes and lines") {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const std::string expected = Report(Load(MakeProfile(seed, 0)));
    CHECK(expected.find("train 2") != std::string::npos);
    for (uint64_t shuffle = 1; shuffle <= 6; ++shuffle) {
      CAPTURE(seed);
      CAPTURE(shuffle);
      CHECK(Difference(Report(Load(MakeProfile(seed, shuffle))), expected) == std::string());
    }
  }
}

TEST_CASE("No result depends on the number of threads or on when it was asked") {
  const std::string bytes = MakeProfile(5, 0);
  const std::string expected = Report(Load(bytes, 1));
  for (unsigned threads : {2u, 3u, 8u})
    CHECK(Difference(Report(Load(bytes, threads)), expected) == std::string());
  AnalysisContext backwards(Load(bytes), Definitions::kStepscope);
  AnalysisContext forwards(Load(bytes), Definitions::kStepscope);
  backwards.Get("memory"), backwards.Get("op_stats"), backwards.Get("kernel_stats");
  for (const char* table : {"steps", "device_steps", "top_ops"}) {
    CHECK(ToCsv(*backwards.Get("overview")->Table(table)) ==
          ToCsv(*forwards.Get("overview")->Table(table)));
  }
}

TEST_CASE("Times of a step sum to it, and none is longer than the step") {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    AnalysisContext context(Load(MakeProfile(seed, 0)), Definitions::kStepscope);
    const StepDatabase& db = context.Get<StepDatabase>();
    REQUIRE_FALSE(db.device_steps.empty());
    for (const DeviceStep& d : db.device_steps) {
      const StepBreakdown& t = d.times;
      double sum = 0;
      for (double part : {t.compute, t.device_to_device, t.collectives, t.host_compute, t.launch,
                          t.input, t.output, t.compile, t.other}) {
        CHECK(part >= 0);
        sum += part;
      }
      CHECK(sum == doctest::Approx(t.total));
      CHECK(t.total == static_cast<double>(d.span.length()));
      CHECK(d.idle <= d.span.length());
      CHECK(d.h2d_hidden <= d.h2d);
    }
  }
}

TEST_CASE("Self times sum to the union, busy time is within the span, shares sum to one") {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    AnalysisContext context(Load(MakeProfile(seed, 0)), Definitions::kStepscope);
    const HostOps ops = context.Get<OpDatabase>(AnalysisParams())->hosts[0];
    for (const OpSide* side : {&ops.host_side, &ops.device_side}) {
      Ps self = 0;
      for (const OpRow& op : side->ops) {
        self += op.self;
        CHECK(op.self <= op.time);
        CHECK(op.rows.size() >= op.occurrences);  // on devices the largest count of an instruction
      }
      CHECK(self == side->busy);
      CHECK(side->busy <= side->total);
    }
    const auto r_kept = context.Get("op_stats");
    const AnalysisResult& r = *r_kept;
    for (const char* column : {"device_total_self_time_percent", "host_total_self_time_percent"}) {
      CHECK(Sum(*r.Table("ops"), column) == doctest::Approx(1));
      CHECK(Sum(*r.Table("ops_with_idle"), column) == doctest::Approx(1));
    }
    const auto kernels_kept = context.Get("kernel_stats");
    const AnalysisResult& kernels = *kernels_kept;
    for (const char* table : {"kernels", "by_kernel", "by_op", "by_stream"}) {
      CHECK(Sum(*kernels.Table(table), "share") == doctest::Approx(1));
    }
    const auto overview_kept = context.Get("overview");
    const AnalysisResult& overview = *overview_kept;
    const auto percent = [&](const char* id) { return std::get<double>(overview.Find(id)->value); };
    CHECK(percent("device_compute_16bit_percent") + percent("device_compute_32bit_percent") ==
          doctest::Approx(100));
    CHECK(percent("host_tf_op_percent") + percent("device_tf_op_percent") == doctest::Approx(100));
  }
}

}  // namespace stepscope
