// Groups and derived lines of TPU cores, on input built here: there is no
// real TPU profile to test with.
#include "model/analysis/grouping/grouping_tpu.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/lookup.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMs = kPsPerMs;
constexpr int64_t kRunIdWrap = int64_t{1} << 27;

std::shared_ptr<const Trace> LoadTpu(const test::XSpaceBuilder& b) {
  return test::Loaded("h.xplane.pb", b.Bytes());
}

// The names of the groups of all events with that name, in order of rows; "-" for no group.
std::string GroupsOf(const Trace& trace, const Grouping& grouping, std::string_view name) {
  std::string all;
  for (uint32_t r = 0; r < trace.set.rows; ++r) {
    if (trace.set.Name(EventRow(r)) != name) continue;
    const EventGroup* group = grouping.GroupOf(EventRow(r));
    all += (all.empty() ? "" : " ") + (group == nullptr ? std::string("-") : group->name);
  }
  return all;
}

std::string NamesOn(const TrackSet& set, TrackKind kind) {
  std::string all;
  for (const Track& track : set.tracks) {
    if (track.kind != kind) continue;
    for (const Lane& lane : set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        all += (all.empty() ? "" : " ") + std::string(set.Name(EventRow(lane.first_row + i)));
      }
    }
  }
  return all;
}

// Two cores with two modules each; each module has an op, and one op follows the last module.
void AddCores(test::XSpaceBuilder* b, bool steps_line) {
  for (int64_t c = 0; c < 2; ++c) {
    auto& core = b->Plane("/device:TPU:" + std::to_string(c)).Id(c);
    core.EventMetadata("%dot")
        .Stat("tf_op", "model/dense/MatMul:MatMul")
        .Stat("source", "a/m.py:3");
    core.EventMetadata("%copy");
    auto* steps = steps_line ? &core.Line(1, "Steps") : nullptr;
    auto& modules = core.Line(2, "XLA Modules");
    auto& ops = core.Line(3, "XLA Ops");
    for (int64_t k = 0; k < 2; ++k) {
      modules.Event("jit_f", (1 + 10 * k) * kMs, 7 * kMs)
          .Stat("run_id", kRunIdWrap + 40 + k)
          .Stat("queue_id", int64_t{5});
      ops.Event("%dot", (2 + 10 * k) * kMs, 2 * kMs);
      if (steps != nullptr) steps->Event(std::to_string(k), 10 * k * kMs, 9 * kMs);
    }
    ops.Event("%copy", 25 * kMs, kMs);
  }
}

TEST_CASE("TPU groups: without launches the k-th step of every core is one group") {
  for (const bool steps_line : {true, false}) {
    test::XSpaceBuilder b;
    b.Hostname("h");
    AddCores(&b, steps_line);
    b.Plane("/host:CPU").Line(1, "python").Event("other", 0, kMs).Stat("_r", int64_t{1});
    const auto trace = LoadTpu(b);
    AnalysisContext context(trace, Definitions::kStepscope);
    const Grouping& grouping = context.Get<Grouping>();
    REQUIRE(grouping.groups.size() ==
            3);  // the host's group, then those of the cores, with the next numbers
    CHECK(grouping.groups[1].id == 1);
    CHECK(GroupsOf(*trace, grouping, "%dot") == "1 2 1 2");
    CHECK(GroupsOf(*trace, grouping, "jit_f") == "1 2 1 2");
    CHECK(GroupsOf(*trace, grouping, "%copy") == "- -");  // they overlap no step
  }
}

TEST_CASE("TPU groups: a module belongs to the step that enqueued its run, and hands it on") {
  for (const bool steps_line : {true, false}) {
    test::XSpaceBuilder b;
    b.Hostname("h");
    auto& plane = b.Plane("/host:CPU");
    auto& host = plane.Line(1, "python");
    auto& done = plane.Line(2, "done");
    for (int64_t k = 0; k < 2; ++k) {
      host.Event("train", 10 * k * kMs, 5 * kMs).Stat("_r", int64_t{1}).Stat("step_num", 100 + k);
      for (int64_t c = 0; c < 2; ++c) {
        host.Event("DoEnqueueProgram", (10 * k + 1 + c) * kMs, kMs)
            .Stat("run_id", 40 + k)
            .Stat("queue_id", int64_t{5})
            .Stat("device_ordinal", c);
      }
      // The second one's queue differs, so it belongs to no run.
      done.Event("CompleteCallbacks", (8 + 10 * k) * kMs, kMs)
          .Stat("run_id", 40 + k)
          .Stat("queue_id", int64_t{k == 0 ? 5 : 6})
          .Stat("device_ordinal", int64_t{0});
    }
    AddCores(&b, steps_line);
    const auto trace = LoadTpu(b);
    AnalysisContext context(trace, Definitions::kStepscope);
    const Grouping& grouping = context.Get<Grouping>();
    CHECK(grouping.groups.size() == 2);
    CHECK(GroupsOf(*trace, grouping, "jit_f") == "train 100 train 101 train 100 train 101");
    CHECK(GroupsOf(*trace, grouping, "%dot") == "train 100 train 101 train 100 train 101");
    CHECK(GroupsOf(*trace, grouping, "CompleteCallbacks") == "train 100 -");
  }
}

TEST_CASE("TPU links: executors to TpuExecuteOp, requests to what they lead to") {
  test::XSpaceBuilder b;
  b.Hostname("h");
  auto& plane = b.Plane("/host:CPU");
  auto& python = plane.Line(1, "python");
  python.Event("train", 0, 5 * kMs).Stat("_r", int64_t{1});
  python.Event("ExecutorState::Process", kMs, kMs)
      .Stat("id", int64_t{3})
      .Stat("iter_num", int64_t{0});
  python.Event("EnqueueRequestLocked", 3 * kMs, kMs)
      .Stat("request_id", int64_t{8})
      .Stat("queue_addr", int64_t{77});
  auto& other = plane.Line(2, "worker");
  for (int64_t i = 0; i < 2; ++i) {
    other.Event("TpuExecuteOp", 6 * kMs + i * kMs, kMs).Stat("id", int64_t{3}).Stat("iter_num", i);
    other.Event("RunProgramRequest", 8 * kMs + i * kMs, kMs)
        .Stat("request_id", int64_t{8})
        .Stat("queue_addr", 77 + i);
  }
  const auto trace = LoadTpu(b);
  AnalysisContext context(trace, Definitions::kStepscope);
  CHECK(GroupsOf(*trace, context.Get<Grouping>(), "TpuExecuteOp") == "train 0 -");
  CHECK(GroupsOf(*trace, context.Get<Grouping>(), "RunProgramRequest") == "train 0 -");
}

TEST_CASE("TPU cores get framework ops, scopes and sources from their ops") {
  test::XSpaceBuilder b;
  b.Hostname("h");
  AddCores(&b, true);
  AnalysisContext context(LoadTpu(b), Definitions::kStepscope);
  const auto sets = context.Get<DerivedTracks>().sets;
  REQUIRE(sets.size() == 4);  // the last two say how busy each core is
  CHECK(NamesOn(*sets[0], TrackKind::kFrameworkOps) == "MatMul MatMul");
  CHECK(NamesOn(*sets[0], TrackKind::kNameScope) == "model model dense dense");
  CHECK(NamesOn(*sets[0], TrackKind::kSource) == "m.py:3 m.py:3");
}

}  // namespace
}  // namespace stepscope
