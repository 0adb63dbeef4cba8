// The critical path: the chain of events that a stretch of time waited for
// (docs/findings.md#critical-path).
#include "model/analysis/steps/critical_path.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "model/trace_builder.h"

using namespace stepscope;  // NOLINT

namespace {

using Kind = PathPart::Kind;

struct Event {
  std::string name;
  Ps start, dur;
};

// Planes of one track each, and arrows from launches to their work, by names.
class Maker {
 public:
  Maker() : host_(builder_.AddHost(Host())) {}

  void Add(PlaneKind kind, const std::vector<Event>& events) {
    Plane plane;
    plane.host = host_;
    plane.name = builder_.strings().Intern("plane " + std::to_string(planes_++));
    plane.kind = kind;
    TrackData data;
    data.track.plane = builder_.AddPlane(plane);
    data.track.kind = kind == PlaneKind::kGpu ? TrackKind::kStream : TrackKind::kThread;
    for (const Event& event : events) {
      if (!metas_.contains(event.name)) {
        EventMeta meta;
        meta.name = builder_.strings().Intern(event.name);
        metas_[event.name] = builder_.AddMeta(meta);
      }
      data.slices.Add(event.start, event.dur, metas_[event.name].value, Lane::kNoRef);
    }
    builder_.AddTrack(std::move(data));
  }
  void Finish() { trace = builder_.Finish().value(); }

  // The first event of that name on any plane.
  uint32_t Row(const std::string& name) const {
    for (uint32_t r = 0; r < trace->set.rows; ++r) {
      if (trace->set.Name(EventRow(r)) == name) return r;
    }
    FAIL(name);
    return 0;
  }
  FlowIndex Launches(const std::vector<std::pair<std::string, std::string>>& pairs) const {
    std::vector<FlowArrow> arrows;
    for (const auto& [from, to] : pairs) arrows.push_back({Row(from), Row(to), FlowKind::kLaunch});
    return FlowIndex(std::move(arrows));
  }
  // The parts as texts: "k1 device 100..200".
  std::vector<std::string> Texts(const CriticalPath& path) const {
    constexpr const char* kKinds[] = {"device", "launch", "host", "sync"};
    std::vector<std::string> out;
    for (const PathPart& part : path.parts) {
      out.push_back(std::string(trace->set.Name(part.row)) + " " +
                    kKinds[static_cast<size_t>(part.kind)] + " " +
                    std::to_string(part.range.begin) + ".." + std::to_string(part.range.end));
    }
    return out;
  }

  std::shared_ptr<const Trace> trace;

 private:
  TraceBuilder builder_;
  HostId host_;
  int planes_ = 0;
  std::map<std::string, MetaId> metas_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("critical path: from the device over a launch and the host to what a sync waited for") {
  Maker m;
  m.Add(PlaneKind::kGpu, {{"k1", 100, 100}, {"k2", 200, 100}, {"k3", 420, 80}});
  m.Add(PlaneKind::kHostThreads, {{"launch1", 0, 10},
                                  {"launch2", 10, 10},
                                  {"cudaStreamSynchronize", 20, 290},
                                  {"work", 310, 90},
                                  {"inner", 320, 20},
                                  {"launch3", 400, 10}});
  m.Finish();
  const FlowIndex flows = m.Launches({{"launch1", "k1"}, {"launch2", "k2"}, {"launch3", "k3"}});
  const CriticalPath path = FindCriticalPath(*m.trace, flows, {0, 500});
  CHECK(m.Texts(path) == Texts{"launch1 launch 0..100", "k1 device 100..200", "k2 device 200..300",
                               "cudaStreamSynchronize sync 300..310", "work host 310..320",
                               "inner host 320..340", "work host 340..400",
                               "launch3 launch 400..420", "k3 device 420..500"});
  CHECK(path.covered() == 500);
  CHECK(path.times[static_cast<size_t>(Kind::kDevice)] == 280);
  CHECK(path.whole);
  // A path lies within the span that is asked for.
  const CriticalPath part = FindCriticalPath(*m.trace, flows, {330, 450});
  CHECK(m.Texts(part) == Texts{"inner host 330..340", "work host 340..400",
                               "launch3 launch 400..420", "k3 device 420..450"});
}

TEST_CASE("critical path: work behind a blocking copy waits for the device, not for its call") {
  Maker m;
  m.Add(PlaneKind::kGpu, {{"k", 10, 190}, {"copy", 200, 10}});
  m.Add(PlaneKind::kHostThreads, {{"launch", 0, 5}, {"hipMemcpyWithStream", 20, 200}});
  m.Finish();
  const FlowIndex flows = m.Launches({{"launch", "k"}, {"hipMemcpyWithStream", "copy"}});
  const CriticalPath path = FindCriticalPath(*m.trace, flows, {0, 210});
  CHECK(m.Texts(path) == Texts{"launch launch 0..10", "k device 10..200", "copy device 200..210"});
}

TEST_CASE("critical path: what is too short to be seen is part of what is around it") {
  Maker m;
  std::vector<Event> host{{"outer", 0, 90'000}, {"long", 50'000, 10'000}, {"launch", 90'000, 10}};
  for (Ps t = 0; t < 50'000; t += 10) host.push_back({"short", t, 5});
  for (Ps t = 60'000; t < 90'000; t += 10) host.push_back({"short", t, 5});
  m.Add(PlaneKind::kGpu, {{"k", 90'010, 9'990}});
  m.Add(PlaneKind::kHostThreads, host);
  m.Finish();
  const CriticalPath path = FindCriticalPath(*m.trace, m.Launches({{"launch", "k"}}), {0, 100'000});
  CHECK(m.Texts(path) == Texts{"outer host 0..50000", "long host 50000..60000",
                               "outer host 60000..90000", "launch launch 90000..90010",
                               "k device 90010..100000"});
}

TEST_CASE("critical path: a collective waits for the participant that comes last") {
  Maker m;
  m.Add(PlaneKind::kGpu, {{"a", 0, 10}, {"ncclDevKernel_AllReduce", 10, 90}});
  m.Add(PlaneKind::kGpu, {{"slow", 0, 60}, {"ncclDevKernel_AllReduce", 60, 40}});
  m.Finish();
  const CriticalPath path = FindCriticalPath(*m.trace, FlowIndex({}), {0, 100});
  CHECK(m.Texts(path) == Texts{"slow device 0..60", "ncclDevKernel_AllReduce device 60..100"});
}

TEST_CASE("critical path: an idle thread was started by another one") {
  Maker m;
  m.Add(PlaneKind::kGpu, {{"k", 100, 50}});
  m.Add(PlaneKind::kHostThreads, {{"early", 0, 5}, {"run", 80, 20}, {"launch", 90, 5}});
  m.Add(PlaneKind::kHostThreads, {{"schedule", 20, 65}});
  m.Finish();
  const FlowIndex flows(
      std::vector<FlowArrow>{{m.Row("launch"), m.Row("k"), FlowKind::kLaunch},
                             {m.Row("schedule"), m.Row("run"), FlowKind::kContext}});
  const CriticalPath path = FindCriticalPath(*m.trace, flows, {0, 150});
  CHECK(m.Texts(path) == Texts{"early host 0..5", "schedule host 20..80", "run host 80..90",
                               "launch launch 90..100", "k device 100..150"});
}

TEST_CASE("critical path: without an arrow it goes on in what the busiest thread did meanwhile") {
  Maker m;
  m.Add(PlaneKind::kGpu, {{"k", 100, 50}});
  m.Add(PlaneKind::kHostThreads, {{"run", 80, 20}, {"launch", 80, 5}});
  m.Add(PlaneKind::kHostThreads, {{"other", 10, 5}});
  m.Add(PlaneKind::kHostThreads, {{"train", 0, 200}, {"input", 10, 65}});
  m.Finish();
  const CriticalPath path = FindCriticalPath(*m.trace, m.Launches({{"launch", "k"}}), {0, 150});
  CHECK(m.Texts(path) == Texts{"train host 0..10", "input host 10..75", "train host 75..80",
                               "launch launch 80..100", "k device 100..150"});
}

TEST_CASE("critical path: nothing without device work, and every path ends") {
  Maker m;
  m.Add(PlaneKind::kGpu, {{"k", 100, 50}});
  m.Add(PlaneKind::kHostThreads, {{"launch", 90, 5}});
  m.Finish();
  CHECK_FALSE(FindCriticalPath(*m.trace, FlowIndex({}), {0, 90}).device.valid());
  // Arrows that form a circle, and a launch that ends after its work.
  const FlowIndex odd(std::vector<FlowArrow>{{m.Row("launch"), m.Row("k"), FlowKind::kLaunch},
                                             {m.Row("k"), m.Row("launch"), FlowKind::kContext},
                                             {m.Row("k"), m.Row("k"), FlowKind::kLaunch}});
  CHECK(FindCriticalPath(*m.trace, odd, {0, 200}).covered() <= 200);
}
