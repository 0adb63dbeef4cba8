// Derived GPU lines (docs/rules.md#derived-lines): each rule with a case to which it does not
// apply.
#include "model/analysis/derived_tracks/derived_lines.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "loaders/loader.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::Ref;
using test::XSpaceBuilder;

// A GPU with one stream and a host thread; kernels are launched by the calls given.
struct Gpu {
  XSpaceBuilder space;
  test::PlaneBuilder* plane = &space.Plane("/device:GPU:0").Stat("device_vendor", "Nvidia");
  test::LineBuilder* stream = &plane->Line(14, "Stream #14(Compute)");
  test::LineBuilder* host = &space.Plane("/host:CPU").Line(1, "python");

  test::EventBuilder& Kernel(const char* name, int64_t at_us, int64_t us) {
    return stream->Event(name, at_us * kPsPerUs, us * kPsPerUs)
        .Stat("correlation_id", static_cast<uint64_t>(at_us))
        .Stat("kernel_details", Ref{"regs:1"});
  }
  void Step(int64_t number, int64_t at_us, int64_t us) {
    host->Event("train", at_us * kPsPerUs, us * kPsPerUs)
        .Stat("_r", int64_t{1})
        .Stat("step_num", number);
  }
  void Launch(const char* name, int64_t at_us, int64_t us, int64_t kernel_at_us) {
    host->Event(name, at_us * kPsPerUs, us * kPsPerUs)
        .Stat("correlation_id", static_cast<uint64_t>(kernel_at_us))
        .Stat("device_id", int64_t{0});
  }
};

struct Derived {
  std::shared_ptr<const Trace> trace;
  std::vector<std::shared_ptr<const TrackSet>> sets;

  explicit Derived(const XSpaceBuilder& space, Definitions definitions = Definitions::kXprof) {
    auto loaded = LoadBytes("h.xplane.pb", space.Bytes(), {});
    REQUIRE(loaded.ok());
    trace = *loaded;
    AnalysisContext context(trace, definitions);
    sets = BuildDerivedLines(context);
  }
  // "begin+duration name" of each event of the track, in us, by start; outer events first.
  std::string Events(std::string_view track_name) const {
    std::string out;
    for (const auto& set : sets) {
      for (const Track& track : set->tracks) {
        if (set->names->strings.View(track.name) != track_name) continue;
        std::vector<std::tuple<Ps, uint32_t, std::string>> events;
        for (const Lane& lane : set->LanesOf(track)) {
          for (uint32_t i = 0; i < lane.size(); ++i) {
            events.push_back({lane.start[i], lane.depth,
                              std::to_string(lane.start[i] / kPsPerUs) + "+" +
                                  std::to_string(lane.dur[i] / kPsPerUs) + " " +
                                  std::string(set->names->Name(MetaId(lane.meta[i])))});
          }
        }
        std::sort(events.begin(), events.end());
        for (const auto& e : events) out += (out.empty() ? "" : ", ") + std::get<2>(e);
      }
    }
    return out;
  }
};

}  // namespace

TEST_CASE("Framework ops and scopes continue over any gap while op and group stay the same") {
  Gpu gpu;
  gpu.Kernel("k1", 0, 10).Stat("tf_op", "a/b/MatMul:MatMul");
  gpu.Kernel("k2", 200, 10).Stat("tf_op", "a/b/MatMul:MatMul");
  gpu.Kernel("k3", 300, 10).Stat("tf_op", "a/c/Conv2D:Conv2D");
  gpu.Kernel("k4", 340, 10).Stat("tf_op", "a/b/MatMul:MatMul");
  gpu.Kernel("k5", 360, 10);  // has no op
  gpu.Kernel("k6", 370, 10).Stat("tf_op", "Root:Root");
  Derived d(gpu.space);
  CHECK(d.Events("Framework Ops - from #14") ==
        "0+210 a/b/MatMul:MatMul, 300+10 a/c/Conv2D:Conv2D, 340+10 a/b/MatMul:MatMul, 370+10 "
        "Root:Root");
  CHECK(d.Events("Framework Name Scope - from #14") == "0+350 a, 0+210 b, 300+10 c, 340+10 b");
}

TEST_CASE("Another step and another scope range begin new events; a missing scope range does not") {
  Gpu gpu;
  gpu.Step(0, 0, 50), gpu.Launch("launch", 1, 1, 10);
  gpu.Step(1, 50, 50), gpu.Launch("launch", 51, 1, 60);
  gpu.Kernel("k", 10, 5).Stat("tf_op", "x:A");
  gpu.Kernel("k", 60, 5).Stat("tf_op", "x:A").Stat("scope_range_id", int64_t{1});
  gpu.Kernel("k", 70, 5).Stat("tf_op", "x:A").Stat("scope_range_id", int64_t{2});
  gpu.Kernel("k", 80, 5).Stat("tf_op", "x:A");
  Derived d(gpu.space);
  CHECK(d.Events("Framework Ops - from #14") == "10+5 x:A, 60+5 x:A, 70+15 x:A");
  CHECK(d.Events("Steps") == "10+5 0, 60+25 1");
}

TEST_CASE("XLA modules close the ops in them; ops nest by their parts") {
  Gpu gpu;
  gpu.Kernel("k1", 0, 10)
      .Stat("hlo_op", "x::y")
      .Stat("hlo_module", "f")
      .Stat("program_id", int64_t{5});
  gpu.Kernel("k2", 20, 10)
      .Stat("hlo_op", "x::z")
      .Stat("hlo_module", "f")
      .Stat("program_id", int64_t{5});
  gpu.Kernel("k3", 40, 10).Stat("hlo_op", "w").Stat("hlo_module", "g");
  gpu.Kernel("k4", 60, 10)
      .Stat("hlo_op", "x::z")
      .Stat("hlo_module", "f")
      .Stat("program_id", int64_t{5});
  Derived d(gpu.space);
  CHECK(d.Events("XLA Modules - from #14") == "0+30 f(5), 40+10 g, 60+10 f(5)");
  CHECK(d.Events("XLA Ops - from #14") ==
        "0+30 5/x, 0+10 5/y, 20+10 5/z, 40+10 g/w, 60+10 5/x, 60+10 5/z");
  CHECK(d.Events("Framework Ops - from #14").empty());  // there is no HLO to name them
}

TEST_CASE("Copies derive nothing; events of a CUDA graph do") {
  Gpu gpu;
  gpu.stream->Event("MemcpyD2H", 0, 10 * kPsPerUs)
      .Stat("memcpy_details", Ref{"kind_src:device"})
      .Stat("tf_op", "q/R:R");
  Derived none(gpu.space);
  CHECK(none.Events("Framework Ops - from #14").empty());
  gpu.stream->Event("graph", 20 * kPsPerUs, 10 * kPsPerUs)
      .Stat("cuda_graph_exec_id", uint64_t{3})
      .Stat("tf_op", "q/R:R");
  Derived graph(gpu.space);
  CHECK(graph.Events("Framework Ops - from #14") == "20+10 q/R:R");
}

TEST_CASE("Launch statistics: XProf leaves out calls named cu*, ours counts what launched") {
  Gpu gpu;
  gpu.Step(3, 0, 90);
  gpu.Launch("cuLaunchKernel", 10, 2, 40), gpu.Launch("launch", 20, 6, 50);
  gpu.Launch("launch", 95, 1, 60);  // is in no step
  gpu.Kernel("k", 40, 5), gpu.Kernel("k", 50, 5), gpu.Kernel("k", 96, 5);
  CHECK(Derived(gpu.space).Events("Launch Stats") == "20+6 Launch Stats for train 3");
  Derived own(gpu.space, Definitions::kStepscope);
  CHECK(own.Events("Launch Stats") == "10+16 Launch Stats for train 3");
  CHECK(own.sets[0]->Name(EventRow(1)).find("2 launches") != std::string_view::npos);
}

TEST_CASE("The Steps line shows the definition in use, and rows point back to their events") {
  Gpu gpu;
  gpu.Step(0, 0, 90);
  gpu.Launch("launch", 10, 2, 40);
  gpu.Kernel("k", 40, 5).Stat("tf_op", "x:A");
  Derived xprof(gpu.space), own(gpu.space, Definitions::kStepscope);
  CHECK(xprof.Events("Steps") == "40+5 0");
  CHECK(own.Events("Steps") == "0+45 train 0");  // begins with the step on the host
  const TrackSet& set = *xprof.sets[0];
  REQUIRE(set.source.size() == set.rows);
  for (uint32_t row = 0; row < set.rows; ++row) {
    REQUIRE(set.source[row].valid());
    CHECK(set.source[row].value < xprof.trace->set.rows);
  }
  CHECK(set.tracks[0].plane == xprof.trace->set.tracks[0].plane);
}

TEST_CASE("Nothing is derived without GPUs, or where the file brings derived lines") {
  XSpaceBuilder cpu;
  cpu.Plane("/host:CPU").Line(1, "python").Event("train", 0, 10).Stat("_r", int64_t{1});
  CHECK(Derived(cpu).sets.empty());
  Gpu gpu;
  gpu.Kernel("k", 0, 10).Stat("tf_op", "x:A");
  CHECK(Derived(gpu.space).sets.size() == 1);
  gpu.plane->Line(-559038737, "Steps").Event("0", 0, 10);
  CHECK(Derived(gpu.space).sets.empty());
}

}  // namespace stepscope
