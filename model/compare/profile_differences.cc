#include "model/compare/profile_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/analysis/devices/precision.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/short_label.h"
#include "model/base/digits.h"
#include "model/capabilities.h"
#include "model/compare/contributions.h"
#include "model/string_pool.h"

namespace stepscope::compare {
namespace {

constexpr double kStepsDiffer = 1.5;  // numbers of steps differ if they do by more than this factor
constexpr double kOtherPrecision = 20;  // points between two shares of 16-bit compute
constexpr size_t kLongSizes = 60;       // characters
constexpr size_t kMostStats = 40;       // facts, those about the environment included

// The sizes of the inputs that both profiles give to their heaviest op: they tell a change of the
// batch. PyTorch records them with `record_shapes`.
struct InputSizes {
  std::string op;    // "aten::addmm"
  std::string a, b;  // "[[8, 512], [512, 512]]"
};

class SizeReader {
 public:
  SizeReader(const ComparedProfile& profile)
      : stats_(profile.context.stats()),
        grouping_(profile.context.Get<Grouping>()),
        ops_(profile.context.trace(), EventCategory::kCpuOp) {}
  // The sizes at the item's first event; empty if they are unknown.
  std::string Of(const StepItem& item) const {
    if (item.rows.empty()) return {};
    const EventRow launch = grouping_.LaunchOf(item.rows.front().value);
    const EventRow op = ops_.Around(launch.valid() ? launch : item.rows.front());
    if (!op.valid()) return {};
    const auto text = stats_.Text(StringStat::kShape).Find(op);
    return text ? std::string(stats_.strings->View(*text)) : std::string();
  }

 private:
  const StatTable& stats_;
  const Grouping& grouping_;
  const Enclosing ops_;
};

// The ops of a profile, the one with most time first.
std::vector<const StepItem*> OpsByTime(const StepItems& profile) {
  std::vector<const StepItem*> ops;
  for (const StepItem& item : profile.items) {
    if (item.kind == WorkKind::kOp) ops.push_back(&item);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const StepItem* x, const StepItem* y) {
    return x->time.total() > y->time.total();
  });
  return ops;
}

bool HasSizes(const ComparedProfile& profile) {
  return CapabilitiesOf(profile.context.trace()).torch_profiler &&
         !profile.context.stats().Text(StringStat::kShape).empty();
}

// The sizes at the first call in a step of one op: among those that both profiles have with sizes,
// the one that takes most time of A. nullopt if there is no such op. O(events).
std::optional<InputSizes> SizesOfHeaviestOp(const ComparedProfile& a, const ComparedProfile& b) {
  if (!HasSizes(a) || !HasSizes(b)) return std::nullopt;
  const SizeReader of_a(a), of_b(b);
  std::map<std::string_view, const StepItem*> by_name;
  for (const StepItem* op : OpsByTime(b.items)) by_name.emplace(op->name, op);
  for (const StepItem* op : OpsByTime(a.items)) {
    const auto same = by_name.find(op->name);
    if (same == by_name.end()) continue;
    InputSizes sizes{op->name, of_a.Of(*op), of_b.Of(*same->second)};
    if (!sizes.a.empty() && !sizes.b.empty()) return sizes;
  }
  return std::nullopt;
}

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

// Versions and flags, if they are recorded. Times of the recording always differ and are left out.
void AddEnvironment(const ComparedProfile& profile, Facts* facts) {
  for (const Plane& plane : profile.context.trace().planes) {
    if (plane.kind != PlaneKind::kEnvironment) continue;
    for (const PlaneStat& stat : plane.stats) {
      const bool time = stat.name.find("time") != std::string::npos;
      if (!time && facts->size() < kMostStats)
        (*facts)["environment." + stat.name] = {stat.name, StatText(stat)};
    }
  }
}

void AddDevices(const ComparedProfile& profile, Facts* facts) {
  const Trace& trace = profile.context.trace();
  std::set<std::string> names, memories;
  size_t gpus = 0;
  for (const Plane& plane : trace.planes) {
    if (!profile.params.WantsHost(trace.HostName(plane.host)) || plane.kind != PlaneKind::kGpu)
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

void AddWork(const ComparedProfile& profile, Facts* facts) {
  double kernels = 0, bytes = 0;
  for (const StepItem& item : profile.items.items) {
    if (item.kind == WorkKind::kOp || item.kind == WorkKind::kKernel) kernels += item.count;
  }
  for (const StepWork& work : profile.items.work) bytes += work.bytes;
  const bool cpu = profile.steps.db->kind == DeviceKind::kCpuOnly;
  (*facts)["kernels_per_step"] = {cpu ? "Ops per step" : "Kernels per step",
                                  fmt::format("{:.4g}", kernels), kernels};
  (*facts)["copied_per_step"] = {"Bytes copied per step", FormatValue(Value(bytes), Unit::kBytes),
                                 bytes};
}

void AddPrecision(const ComparedProfile& profile, Facts* facts) {
  if (profile.steps.db->kind != DeviceKind::kGpu) return;
  const PrecisionTimes times = ComputePrecision(profile.context, profile.params, *profile.steps.db);
  if (times.known <= 0) return;
  (*facts)["compute_16bit"] = {"16-bit compute", PercentText(times.percent(), 0), times.percent()};
  if (const NarrowType most = times.most(); most != NarrowType::kUnknown)
    (*facts)["compute_type"] = {"Type of most kernels", NameOf(most)};
}

bool Differs(const std::string& id, const Fact& a, const Fact& b) {
  // A type that is not known is no other one; the share of 16 bits tells wider types.
  if (id == "compute_type" && (a.text.empty() || b.text.empty())) return false;
  if (!a.number || !b.number) return a.text != b.text;
  if (id == "compute_16bit") return std::abs(*a.number - *b.number) >= kOtherPrecision;
  return id == "steps"
             ? std::max(*a.number, *b.number) > kStepsDiffer * std::min(*a.number, *b.number)
             : CountDiffers(*a.number, *b.number);
}

bool Leads(std::string_view id) {
  return id == "device_type" || id == "device_name" || id == "compute_16bit" ||
         id == "compute_type" || id == "input_sizes";
}

std::string ShortSizes(const std::string& sizes) {
  return sizes.size() <= kLongSizes ? sizes : std::string(CutEnd(sizes, kLongSizes)) + "…";
}

}  // namespace

Facts FactsOf(const ComparedProfile& profile) {
  const Trace& trace = profile.context.trace();
  Facts facts;
  AddDevices(profile, &facts);
  AddWork(profile, &facts);
  AddPrecision(profile, &facts);
  size_t hosts = 0;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h)
    hosts += profile.params.WantsHost(trace.HostName(HostId(h)));
  facts["hosts"] = {"Hosts", std::to_string(hosts)};
  facts["format"] = {"Recording",
                     CapabilitiesOf(trace).torch_profiler ? "PyTorch trace" : trace.format->name};
  const auto steps = static_cast<double>(profile.steps.counted.size());
  facts["steps"] = {"Steps", fmt::format("{}", profile.steps.counted.size()), steps};
  facts["steps_found"] = {"Steps are", !profile.steps.found         ? "not found: all is one"
                                       : profile.steps.db->inferred ? "inferred"
                                                                    : "marked"};
  AddEnvironment(profile, &facts);
  return facts;
}

std::vector<ProfileDifference> FindDifferences(const ComparedProfile& a, const ComparedProfile& b) {
  Facts of_a = a.facts, of_b = b.facts;
  if (const std::optional<InputSizes> sizes = SizesOfHeaviestOp(a, b)) {
    of_a["input_sizes"] = {"Inputs of " + sizes->op, ShortSizes(sizes->a)};
    of_b["input_sizes"] = {"Inputs of " + sizes->op, ShortSizes(sizes->b)};
  }
  for (const auto& [id, fact] : of_a) of_b.try_emplace(id, Fact{fact.what, ""});
  std::vector<ProfileDifference> found;
  for (const auto& [id, fact] : of_b) {
    const Fact& before = of_a.try_emplace(id, Fact{fact.what, ""}).first->second;
    if (!Differs(id, before, fact)) continue;
    const bool size = id == "gpus" || id == "hosts" || id == "steps";
    found.push_back({id, fact.what, before.text, fact.text, size, Leads(id)});
  }
  // The kind of the device may be its name; it is said once.
  const auto kind = std::find_if(found.begin(), found.end(),
                                 [](const ProfileDifference& d) { return d.id == "device_type"; });
  if (kind == found.end()) return found;
  const ProfileDifference same = *kind;
  std::erase_if(found, [&](const ProfileDifference& d) {
    return d.id == "device_name" && d.a == same.a && d.b == same.b;
  });
  return found;
}

ResultTable DifferenceTable(const std::vector<ProfileDifference>& differences) {
  using D = ProfileDifference;
  static const Schema<D> schema("differences", "The runs differ in",
                                {{"id", "Id", Unit::kNone, &D::id},
                                 {"what", "What", Unit::kNone, &D::what, "", kKeyColumn},
                                 {"a", "A", Unit::kNone, &D::a, "", kKeyColumn},
                                 {"b", "B", Unit::kNone, &D::b, "", kKeyColumn}});
  ResultTable table = schema.Make(differences);
  table.links.resize(table.size());
  table.links_b.resize(table.size());
  return table;
}

}  // namespace stepscope::compare
