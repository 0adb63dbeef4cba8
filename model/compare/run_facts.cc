#include "model/compare/run_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/analysis/device_type.h"
#include "model/capabilities.h"
#include "model/compare/contributions.h"

namespace stepscope {
namespace {

constexpr double kStepsDiffer = 1.5;  // numbers of steps that differ by less are alike
constexpr size_t kMostStats = 40;     // of what the recording says of its environment

struct Fact {
  std::string what, text;
  std::optional<double> number = {};  // may differ a little
};
using Facts = std::map<std::string, Fact>;

std::string StatText(const PlaneStat& stat) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
          return value;
        } else {
          return fmt::format("{}", value);
        }
      },
      stat.value);
}

// Versions and flags, where the recording has them; not when it was made.
void AddEnvironment(const ComparedRun& run, Facts* facts) {
  for (const Plane& plane : run.context.trace().planes) {
    if (plane.kind != PlaneKind::kEnvironment) continue;
    for (const PlaneStat& stat : plane.stats) {
      const bool time = stat.name.find("time") != std::string::npos;
      if (!time && facts->size() < kMostStats)
        (*facts)["environment." + stat.name] = {stat.name, StatText(stat)};
    }
  }
}

void AddDevices(const ComparedRun& run, Facts* facts) {
  const Trace& trace = run.context.trace();
  std::set<std::string> names, memories;
  size_t gpus = 0;
  for (const Plane& plane : trace.planes) {
    if (!run.params.WantsHost(trace.HostName(plane.host)) || plane.kind != PlaneKind::kGpu)
      continue;
    ++gpus;
    const DeviceFacts device = DeviceFactsOf(plane);
    if (!device.name.empty()) names.insert(device.name);
    if (device.memory_bytes > 0)
      memories.insert(FormatValue(Value(device.memory_bytes), Unit::kBytes));
  }
  const auto joined = [](const std::set<std::string>& all) {
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
  };
  (*facts)["gpus"] = {"GPUs", std::to_string(gpus)};
  (*facts)["device_type"] = {"Device", DeviceTypeOf(trace)};
  (*facts)["device_name"] = {"Device name", joined(names)};
  (*facts)["device_memory"] = {"Device memory", joined(memories)};
}

void AddWork(const ComparedRun& run, Facts* facts) {
  double kernels = 0, bytes = 0;
  for (const RunItem& item : run.items.items) {
    if (item.kind == ItemKind::kOp || item.kind == ItemKind::kKernel) kernels += item.count;
  }
  for (const RunWork& work : run.items.work) bytes += work.bytes;
  const bool cpu = run.steps.db->kind == DeviceKind::kCpuOnly;
  (*facts)["kernels_per_step"] = {cpu ? "Ops per step" : "Kernels per step",
                                  fmt::format("{:.4g}", kernels), kernels};
  (*facts)["copied_per_step"] = {"Bytes copied per step", FormatValue(Value(bytes), Unit::kBytes),
                                 bytes};
}

Facts FactsOf(const ComparedRun& run) {
  const Trace& trace = run.context.trace();
  Facts facts;
  AddDevices(run, &facts);
  AddWork(run, &facts);
  size_t hosts = 0;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h)
    hosts += run.params.WantsHost(trace.HostName(HostId(h)));
  facts["hosts"] = {"Hosts", std::to_string(hosts)};
  const bool kineto =
      trace.format == TraceFormat::kChromeJson && CapabilitiesOf(trace).pytorch_events;
  facts["format"] = {"Recording", kineto ? "PyTorch trace" : FormatName(trace.format)};
  const auto steps = static_cast<double>(run.steps.counted.size());
  facts["steps"] = {"Steps", fmt::format("{}", run.steps.counted.size()), steps};
  facts["steps_found"] = {"Steps are", !run.steps.found         ? "not found: all is one"
                                       : run.steps.db->inferred ? "inferred"
                                                                : "marked"};
  AddEnvironment(run, &facts);
  return facts;
}

bool Differs(const std::string& id, const Fact& a, const Fact& b) {
  if (!a.number || !b.number) return a.text != b.text;
  return id == "steps"
             ? std::max(*a.number, *b.number) > kStepsDiffer * std::min(*a.number, *b.number)
             : CountDiffers(*a.number, *b.number);
}

}  // namespace

std::vector<RunDifference> FindDifferences(const ComparedRun& a, const ComparedRun& b) {
  Facts of_a = FactsOf(a), of_b = FactsOf(b);
  for (const auto& [id, fact] : of_a) of_b.try_emplace(id, Fact{fact.what, ""});
  std::vector<RunDifference> found;
  for (const auto& [id, fact] : of_b) {
    const Fact& before = of_a.try_emplace(id, Fact{fact.what, ""}).first->second;
    if (!Differs(id, before, fact)) continue;
    const bool size = id == "gpus" || id == "hosts" || id == "steps";
    found.push_back({id, fact.what, before.text, fact.text, size});
  }
  // Where the kind of the device is its name, once is enough.
  const auto kind = std::find_if(found.begin(), found.end(),
                                 [](const RunDifference& d) { return d.id == "device_type"; });
  if (kind == found.end()) return found;
  const RunDifference same = *kind;
  std::erase_if(found, [&](const RunDifference& d) {
    return d.id == "device_name" && d.a == same.a && d.b == same.b;
  });
  return found;
}

void AddDifferenceTable(const std::vector<RunDifference>& differences, CompareResult* to) {
  if (differences.empty()) return;
  CompareTable t("differences", "The runs differ in");
  t.AddText("id", "Id");
  t.AddText("what", "What", "", true);
  t.AddText("a", "A", "", true);
  t.AddText("b", "B", "", true);
  for (const RunDifference& d : differences) {
    t.AddRow({CompareTable::Text(d.id), CompareTable::Text(d.what), CompareTable::Text(d.a),
              CompareTable::Text(d.b)});
  }
  t.Finish(to);
}

}  // namespace stepscope
