// NameChanges: the time of each name in a step of two profiles.
#include "model/compare/name_changes.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "model/trace_builder.h"
#include "tests/support/stopped_job.h"

using namespace stepscope;  // NOLINT

namespace {

using ChangeKind = NameChange::Kind;

struct Work {
  std::string name;
  Ps start, dur;
};

// A trace with `gpus` GPUs, each with a stream of these events.
std::shared_ptr<const Trace> TraceOf(const std::vector<Work>& work, int gpus = 1) {
  TraceBuilder builder;
  const HostId host = builder.AddHost(Host());
  std::map<std::string, MetaId> metas;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    Plane plane;
    plane.host = host;
    plane.name = builder.strings().Intern("GPU " + std::to_string(gpu));
    plane.kind = PlaneKind::kGpu;
    TrackData data;
    data.track.plane = builder.AddPlane(plane);
    data.track.kind = TrackKind::kStream;
    for (const Work& w : work) {
      if (!metas.contains(w.name)) {
        EventMeta meta;
        meta.name = builder.strings().Intern(w.name);
        metas[w.name] = builder.AddMeta(meta);
      }
      data.slices.Add(w.start, w.dur, metas[w.name].value, Lane::kNoRef);
    }
    builder.AddTrack(std::move(data));
  }
  return builder.Finish().value();
}

NameChange Of(const Trace& trace, const std::vector<std::vector<NameChange>>& changes,
              const std::string& name) {
  for (uint32_t m = 0; m < trace.set.names->metas.size(); ++m) {
    if (trace.set.names->DisplayName(MetaId(m)) == name) return changes[0][m];
  }
  FAIL("no such name");
  return {};
}

}  // namespace

TEST_CASE("name changes: slower, faster, the same and only here, per step") {
  // A has two steps of 100, B four of them.
  std::vector<Work> a, b;
  for (Ps s = 0; s < 2; ++s) {
    a.insert(a.end(),
             {{"gemm", s * 100, 10}, {"copy", s * 100 + 20, 20}, {"old", s * 100 + 50, 5}});
    a.push_back({"same", s * 100 + 60, 10});
  }
  for (Ps s = 0; s < 4; ++s) {
    b.insert(b.end(),
             {{"gemm", s * 100, 20}, {"copy", s * 100 + 20, 15}, {"new", s * 100 + 50, 5}});
    b.push_back({"same", s * 100 + 60, 10});
  }
  const auto trace_a = TraceOf(a), trace_b = TraceOf(b);
  const NamesOfProfile run_a{trace_a.get(), {}, {{0, 100}, {100, 200}}};
  const NamesOfProfile run_b{trace_b.get(), {}, {{0, 100}, {100, 200}, {200, 300}, {300, 400}}};
  const NameChanges found = FindNameChanges(run_a, run_b);
  const NameChange gemm = Of(*trace_b, found.b, "gemm");
  CHECK(gemm.kind == ChangeKind::kSlower);
  CHECK(gemm.strength == NameChange::kMostStrength);  // B takes twice the time
  CHECK(gemm.own == 20);
  CHECK(gemm.other == 10);
  CHECK(Of(*trace_a, found.a, "gemm").kind == ChangeKind::kSlower);  // the same on both sides
  CHECK(Of(*trace_b, found.b, "copy").kind == ChangeKind::kFaster);
  CHECK(Of(*trace_a, found.a, "copy").strength < NameChange::kMostStrength);
  CHECK(Of(*trace_a, found.a, "same").kind == ChangeKind::kSame);
  CHECK(Of(*trace_a, found.a, "old").kind == ChangeKind::kOnlyHere);
  CHECK(Of(*trace_b, found.b, "new").kind == ChangeKind::kOnlyHere);
}

TEST_CASE("name changes: what lies outside of the steps does not count, GPUs are averaged") {
  const auto one = TraceOf({{"gemm", 0, 10}, {"gemm", 500, 80}});
  const auto two = TraceOf({{"gemm", 0, 10}}, 2);
  const NameChanges found =
      FindNameChanges({one.get(), {}, {{0, 100}}}, {two.get(), {}, {{0, 100}}});
  CHECK(Of(*one, found.a, "gemm").kind == ChangeKind::kSame);
  CHECK(Of(*two, found.b, "gemm").own == 10);
  // Without steps in one of them the recordings are compared.
  const NameChanges whole = FindNameChanges({one.get(), {}, {}}, {two.get(), {}, {{0, 100}}});
  CHECK(Of(*one, whole.a, "gemm").kind == ChangeKind::kFaster);
}

TEST_CASE(
    "name changes: a name that one side lacks is compared with names that differ in numbers only") {
  const auto a = TraceOf({{"fusion_12", 0, 10}, {"fusion_13", 20, 10}});
  const auto b = TraceOf({{"fusion_13", 0, 10}, {"fusion_14", 20, 20}});
  const NameChanges found = FindNameChanges({a.get(), {}, {}}, {b.get(), {}, {}});
  CHECK(Of(*a, found.a, "fusion_13").kind == ChangeKind::kSame);
  CHECK(Of(*a, found.a, "fusion_12").kind == ChangeKind::kSlower);
  CHECK(Of(*b, found.b, "fusion_14").other == 10);
}

TEST_CASE("name changes: a profile has none against itself, and a search can be stopped") {
  const auto a = TraceOf({{"gemm", 0, 10}, {"copy", 20, 3}});
  const NamesOfProfile run{a.get(), {&a->set}, {{0, 100}}};
  const NameChanges found = FindNameChanges(run, run);
  REQUIRE(found.b.size() == 2);
  for (const auto& set : found.b) {
    for (const NameChange& change : set) CHECK(change.kind == ChangeKind::kSame);
  }
  CHECK_THROWS_AS(test::RunStopped([&] { FindNameChanges(run, run); }), Stopped);
}
