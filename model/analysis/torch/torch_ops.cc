#include "model/analysis/torch/torch_ops.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/analysis/grouping/lane_parts.h"
#include "model/analysis/kernels/launching_ops.h"
#include "model/analysis/naming/collectives.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/scope.h"
#include "model/ancestor_reader.h"
#include "model/base/ascii.h"
#include "model/base/column.h"
#include "model/capabilities.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr int kMostDepth = 64;  // ops around a kernel that are looked at
constexpr uint32_t kNoSum = 0xffffffffu;

bool SaysTf32(std::string_view kernel) {
  return kernel.find("tf32") != std::string_view::npos ||
         kernel.find("s1688") != std::string_view::npos;
}

// Copies and fills belong to their op as kernels do: cuBLAS fills its workspace.
bool IsWork(EventCategory category) {
  return category == EventCategory::kKernel || category == EventCategory::kCommunication ||
         category == EventCategory::kMemcpy || category == EventCategory::kMemset;
}

// Bytes of an element as collectives name it: "BFloat16", "Float".
double CollectiveTypeBytes(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, double>, 8> kSizes = {{{"BFloat16", 2},
                                                                                 {"Byte", 1},
                                                                                 {"Char", 1},
                                                                                 {"Double", 8},
                                                                                 {"Float", 4},
                                                                                 {"Half", 2},
                                                                                 {"Int", 4},
                                                                                 {"Long", 8}}};
  for (const auto& [name, size] : kSizes) {
    if (name == type) return size;
  }
  return 0;
}

// One call of an op.
struct OpCall {
  EventRow op;                      // invalid: no op
  std::string_view operation;       // its name, or the collective's
  StringId dims{0}, types{0};       // of StatTable::strings
  const TorchCost* cost = nullptr;  // null: unknown
  std::string_view type;
  Ps time = 0;        // of all its kernels
  Ps first = kMaxPs;  // begin of its first kernel
  bool counted = false;
  uint32_t sum = kNoSum;  // its row among TorchOps::ops
};

struct Kernel {
  uint32_t row = 0, meta = 0, call = 0;
  PlaneId device;
  Ps begin = 0, duration = 0;
  EventRow op;  // that launched it; invalid if none is known
};

// Reads what tells the op that launched a kernel. One thread uses one.
struct LaunchCursors {
  LaunchCursors(const TrackSet& set, const StatTable& stats)
      : external(stats.Int(IntStat::kExternalId)),
        correlation(stats.Int(IntStat::kCorrelationId)),
        ancestors(set) {}
  ColumnCursor<int64_t> external, correlation;
  AncestorReader ancestors;
};

class TorchOpCollector {
 public:
  TorchOpCollector(AnalysisContext& context, const AnalysisParams& params)
      : trace_(context.trace()),
        stats_(context.stats()),
        scope_(ScopeOf(context, params)),
        launching_(context.Get<LaunchingOps>()),
        facts_(trace_.names().metas.size()) {}

  TorchOps Take(std::span<const OwnPeaks> own) {
    if (!CapabilitiesOf(trace_).pytorch_events) return {};
    FindDevice(own);
    call_of_op_.Zero(trace_.set.rows);
    call_at_.Zero(trace_.set.rows);
    ReadKernels();
    if (!any_device_) ReadCalls();
    AddUp();
    return std::move(out_);
  }

 private:
  std::string_view Text(StringId id) const { return stats_.strings->View(id); }
  StringId TextOf(StringStat stat, EventRow row) const {
    return stats_.Text(stat).Find(row).value_or(StringId(0));
  }
  EventCategory CategoryOf(EventRow row) const {
    return trace_.names().metas[trace_.set.Meta(row).value].category;
  }

  void FindDevice(std::span<const OwnPeaks> own) {
    out_.peaks = KnownPeaksOf(trace_, own);
    for (const Plane& plane : trace_.planes) {
      if (plane.kind != PlaneKind::kGpu) continue;
      any_device_ = true;
      out_.device = DeviceFactsOf(plane).name;
      return;
    }
    out_.on_cpu = true;
  }

  // All threads find the kernels and the ops that launched them; one adds them up, in order.
  void ReadKernels() {
    std::vector<LanePart> parts;
    const uint32_t most = EventsOfKeptPart(trace_.set.rows);
    for (const Plane& plane : trace_.planes) {
      if (plane.kind != PlaneKind::kGpu || !scope_.HasHost(plane.host)) continue;
      for (const Lane* lane : WorkLanes(trace_, plane)) AppendParts({lane, 1}, &parts, most);
    }
    std::vector<std::vector<Kernel>> found = ReadParts(
        parts, [&] { return LaunchCursors(trace_.set, stats_); },
        [&](const LanePart& part, LaunchCursors& cursors) { return KernelsOf(part, &cursors); });
    size_t count = 0;
    for (const std::vector<Kernel>& part : found) count += part.size();
    kernels_.reserve(count),
        calls_.reserve(count);  // pages that nothing is written to cost nothing
    for (std::vector<Kernel>& part : found) {
      for (const Kernel& kernel : part) AddKernel(kernel);
      part = {};
    }
  }

  std::vector<Kernel> KernelsOf(const LanePart& part, LaunchCursors* cursors) const {
    const Lane& lane = *part.lane;
    const PlaneId device = trace_.set.tracks[lane.track.value].plane;
    cursors->external.Seek(lane.first_row + part.begin);
    cursors->correlation.Seek(lane.first_row + part.begin);
    std::vector<Kernel> kernels;
    kernels.reserve(part.end - part.begin);
    for (uint32_t i = part.begin; i < part.end; ++i) {
      if (!IsWork(trace_.names().metas[lane.meta[i]].category) || lane.dur[i] <= 0) continue;
      const uint32_t row = lane.first_row + i;
      kernels.push_back({row, lane.meta[i], 0, device, lane.start[i], lane.dur[i],
                         launching_.Find(cursors->external.Get(row, -1),
                                         cursors->correlation.Get(row, -1), &cursors->ancestors)});
    }
    return kernels;
  }

  // A name is read once for all of its events.
  struct NameFacts {
    bool known = false, collective = false, tf32 = false;
    bool has_cost = false, owns_inner = false, needs_concrete = false;  // as an op
  };
  const NameFacts& FactsOf(uint32_t meta) {
    NameFacts& facts = facts_[meta];
    if (facts.known) return facts;
    const std::string_view name = trace_.names().strings.View(trace_.names().metas[meta].name);
    const std::string_view op = trace_.names().DisplayName(MetaId(meta));
    return facts = {true,          IsCollective(name), SaysTf32(name), HasTorchCost(op),
                    OwnsInner(op), NeedsConcrete(op)};
  }

  void AddKernel(Kernel kernel) {
    const EventRow row(kernel.row);
    if (FactsOf(kernel.meta).collective) {
      kernel.call = CollectiveCall(row);
    } else {
      kernel.call = kernel.op.valid() ? CallAround(kernel.op) : KernelCall(row);
    }
    OpCall& call = calls_[kernel.call];
    call.time = SaturatingAdd(call.time, kernel.duration);
    call.first = std::min(call.first, kernel.begin);
    kernels_.push_back(kernel);
  }

  uint32_t Keep(const OpCall& call) {
    calls_.push_back(call);
    return static_cast<uint32_t>(calls_.size() - 1);
  }

  // The call whose formula counts for an op: the innermost that has one, or the op around it that
  // owns what runs inside.
  uint32_t CallAround(EventRow innermost) {
    uint32_t& known = call_of_op_[innermost.value];
    if (known != 0) return known - 1;
    EventRow found;
    const TorchCost* cost = nullptr;
    EventRow row = innermost;
    for (int depth = 0; row.valid() && depth < kMostDepth; ++depth) {
      const NameFacts& name = FactsOf(trace_.set.Meta(row).value);
      if (name.has_cost && (!found.valid() || name.owns_inner)) {
        if (const TorchCost* c = CostOfRow(row)) found = row, cost = c;
      }
      row = Parent(trace_.set, row);
    }
    const EventRow op = found.valid() ? found : innermost;
    uint32_t& of_op = call_at_[op.value];
    if (of_op == 0) of_op = Keep(CallOf(op, cost)) + 1;
    known = of_op;
    return known - 1;
  }

  OpCall CallOf(EventRow op, const TorchCost* cost) const {
    OpCall call;
    call.op = op;
    call.operation = trace_.set.Name(op);
    call.dims = TextOf(StringStat::kShape, op);
    call.types = TextOf(StringStat::kInputTypes, op);
    call.cost = cost;
    return call;
  }

  // Null where there is no formula, or the shapes do not fit it.
  const TorchCost* CostOfRow(EventRow row) {
    const StringId dims = TextOf(StringStat::kShape, row);
    if (Text(dims).empty()) return nullptr;
    const StringId types = TextOf(StringStat::kInputTypes, row);
    const MetaId meta = trace_.set.Meta(row);
    if (FactsOf(meta.value).needs_concrete) {
      const auto [known, added] = cost_of_row_.try_emplace(row.value, nullptr);
      if (added) known->second = Keep(CostOfCall(row, dims, types, ArgOf(row, "Concrete Inputs")));
      return known->second;
    }
    const auto [known, added] = cost_of_like_.try_emplace({meta.value, dims.value, types.value});
    if (added) known->second = Keep(CostOfCall(row, dims, types, {}));
    return known->second;
  }
  std::optional<TorchCost> CostOfCall(EventRow row, StringId dims, StringId types,
                                      const std::string& concrete) const {
    return CostOf(ParseTorchCall(trace_.set.Name(row), Text(dims), Text(types), concrete));
  }
  const TorchCost* Keep(const std::optional<TorchCost>& cost) {
    return cost ? &costs_.emplace_back(*cost) : nullptr;
  }

  std::string ArgOf(EventRow row, std::string_view name) const {
    if (!trace_.source) return {};
    const Result<std::vector<Stat>> args = trace_.source->Decode(trace_, row);
    if (!args.ok()) return {};
    for (const Stat& arg : *args) {
      if (arg.name == name) return ToText(arg);
    }
    return {};
  }

  // A kernel of no op: one row for each name whose own arguments say what it costs (inductor's
  // estimates), and one for all others.
  uint32_t KernelCall(EventRow row) {
    const MetaId meta = trace_.set.Meta(row);
    const auto [known, added] = call_of_kernel_.try_emplace(meta.value, TorchCost());
    if (added && trace_.set.Name(row).starts_with("triton_")) known->second = OwnCost(row);
    OpCall call;
    if (known->second.bytes > 0 || known->second.flops > 0) {
      call.operation = trace_.set.Name(row);
      call.cost = &known->second;
    }
    return Keep(call);
  }

  TorchCost OwnCost(EventRow row) const {
    TorchCost cost;
    const auto number = [&](const char* name) {
      const std::string text = ArgOf(row, name);
      const double value = text.empty() ? 0 : std::strtod(text.c_str(), nullptr);
      return value > 0 && value < 1e18 ? value : 0;
    };
    cost.flops = cost.flops_uncut = number("kernel_flop");
    cost.bytes = number("kernel_num_gb") * 1e9;
    cost.estimate = true;
    return cost;
  }

  uint32_t CollectiveCall(EventRow row) {
    OpCall call;
    const StringId name = TextOf(StringStat::kCollectiveName, row);
    call.operation = name.value != 0 ? Text(name) : std::string_view("collective");
    call.type = Text(TextOf(StringStat::kElementType, row));
    const double elements =
        static_cast<double>(stats_.Int(IntStat::kInElements).Find(row).value_or(0)) +
        static_cast<double>(stats_.Int(IntStat::kOutElements).Find(row).value_or(0));
    TorchCost cost;
    cost.engine = TorchEngine::kNetwork;
    cost.bytes = std::max(0.0, elements) * CollectiveTypeBytes(call.type);
    if (cost.bytes > 0) call.cost = Keep(cost);
    return Keep(call);
  }

  // Without a device the calls themselves are the work: those with a formula that hold no other
  // such call.
  void ReadCalls() {
    std::vector<uint32_t> rows;
    stats_.Text(StringStat::kShape).ForAll([&](uint32_t row, StringId) {
      const EventRow op(row);
      if (CategoryOf(op) != EventCategory::kCpuOp || !FactsOf(trace_.set.Meta(op).value).has_cost)
        return;
      if (CostOfRow(op)) rows.push_back(row);
    });
    std::unordered_map<uint32_t, bool> holds;  // another call with a formula
    for (const uint32_t row : rows) {
      int depth = 0;
      for (EventRow p = Parent(trace_.set, EventRow(row)); p.valid() && depth < kMostDepth;
           p = Parent(trace_.set, p), ++depth)
        holds[p.value] = true;
    }
    std::unordered_map<uint32_t, bool> taken;  // calls
    for (const uint32_t row : rows) {
      CheckStop();
      if (holds.contains(row)) continue;
      const uint32_t index = CallAround(EventRow(row));
      if (taken.contains(index)) continue;
      taken[index] = true;
      OpCall& call = calls_[index];
      call.time = trace_.set.Duration(call.op);
      call.first = trace_.set.Start(call.op);
      kernels_.push_back({call.op.value,
                          trace_.set.Meta(call.op).value,
                          index,
                          PlaneId(),
                          call.first,
                          call.time,
                          {}});
    }
  }

  using Key = std::tuple<std::string_view, uint32_t, uint32_t, double, double>;

  static Key KeyOf(const OpCall& call) {
    return {call.operation, call.dims.value, call.types.value, call.cost ? call.cost->flops : -1,
            call.cost ? call.cost->bytes : -1};
  }

  void AddUp() {
    std::map<Key, uint32_t> index;
    std::vector<std::vector<EventRow>> rows;
    std::vector<Ps> tf32;
    for (const Kernel& kernel : kernels_) {
      OpCall& call = calls_[kernel.call];
      if (!ScopeOfKernel(kernel).Contains(kernel.begin)) continue;
      if (call.sum == kNoSum) {
        const auto size = static_cast<uint32_t>(out_.ops.size());
        const auto [at, added] = index.try_emplace(KeyOf(call), size);
        if (added) Start(call, &rows, &tf32);
        call.sum = at->second;
      }
      Add(kernel, &call, &out_.ops[call.sum]);
      rows[call.sum].emplace_back(kernel.row);
      if (FactsOf(kernel.meta).tf32) tf32[call.sum] += kernel.duration;
    }
    for (size_t i = 0; i < out_.ops.size(); ++i) {
      TorchOp& op = out_.ops[i];
      if (op.cost) {
        const TorchPeak peak = PeakOf(out_.peaks ? &out_.peaks->numbers : nullptr, op.cost->engine,
                                      op.type, 2 * tf32[i] > op.time);
        op.peak_tflops = peak.tflops, op.peak_of = peak.name;
      }
      op.rows = EventRows(std::move(rows[i]));
    }
    AddWork(index);
    std::stable_sort(out_.ops.begin(), out_.ops.end(),
                     [](const TorchOp& a, const TorchOp& b) { return a.time > b.time; });
  }

  TimeScope ScopeOfKernel(const Kernel& kernel) const {
    if (kernel.device.valid()) return scope_.OfHost(trace_.planes[kernel.device.value].host);
    const Track& track = trace_.set.tracks[trace_.set.TrackOf(EventRow(kernel.row)).value];
    const HostId host = trace_.planes[track.plane.value].host;
    return scope_.HasHost(host) ? scope_.OfHost(host) : TimeScope{kMaxPs, kMinPs};
  }

  void Start(const OpCall& call, std::vector<std::vector<EventRow>>* rows, std::vector<Ps>* tf32) {
    TorchOp op;
    op.operation = call.operation.empty() ? "(no op)" : call.operation;
    op.dims = Text(call.dims), op.types = Text(call.types);
    if (call.cost != nullptr) op.cost = *call.cost;
    op.type = call.type;
    if (op.type.empty()) {
      for (const TorchArg& arg : ParseTorchCall({}, op.dims, op.types, {}).args) {
        if (arg.tensor() && op.type.empty()) op.type = arg.type;
      }
    }
    out_.ops.push_back(std::move(op));
    rows->emplace_back();
    tf32->push_back(0);
  }

  void Add(const Kernel& kernel, OpCall* call, TorchOp* op) {
    const double share =
        call->time > 0 ? static_cast<double>(kernel.duration) / static_cast<double>(call->time) : 0;
    op->time = SaturatingAdd(op->time, kernel.duration);
    out_.total = SaturatingAdd(out_.total, kernel.duration);
    if (!call->cost) out_.unknown = SaturatingAdd(out_.unknown, kernel.duration);
    if (call->cost) op->flops += share * call->cost->flops, op->bytes += share * call->cost->bytes;
    if (kernel.begin == call->first && !std::exchange(call->counted, true)) ++op->calls;
  }

  void AddWork(const std::map<Key, uint32_t>& index) {
    for (const Kernel& kernel : kernels_) {
      OpCall& call = calls_[kernel.call];
      if (!call.cost || call.cost->engine != TorchEngine::kMatrix || call.time <= 0) continue;
      if (call.sum == kNoSum) {  // none of its kernels is in the part; those of a like call may be
        const auto at = index.find(KeyOf(call));
        if (at == index.end()) continue;
        call.sum = at->second;
      }
      const double flops =
          call.cost->flops * static_cast<double>(kernel.duration) / static_cast<double>(call.time);
      const double peak = out_.ops[call.sum].peak_tflops * 1e12;
      out_.work.push_back({kernel.device, kernel.begin, flops, peak > 0 ? flops / peak : 0});
    }
    const auto key = [](const TorchWork& w) { return std::pair(w.device.value, w.begin); };
    std::sort(out_.work.begin(), out_.work.end(),
              [&](const TorchWork& a, const TorchWork& b) { return key(a) < key(b); });
  }

  const Trace& trace_;
  const StatTable& stats_;
  const Scope scope_;
  const LaunchingOps& launching_;
  std::vector<NameFacts> facts_;  // by MetaId
  bool any_device_ = false;
  std::vector<OpCall> calls_;
  std::vector<Kernel> kernels_;
  // By row of the innermost op, and of the op whose formula counts: its call + 1, or 0.
  Column<uint32_t> call_of_op_, call_at_;
  std::unordered_map<uint32_t, TorchCost> call_of_kernel_;  // by MetaId
  // By MetaId, shapes and types: the cost of all calls that are alike. Others are by row.
  std::map<std::array<uint32_t, 3>, const TorchCost*> cost_of_like_;
  std::unordered_map<uint32_t, const TorchCost*> cost_of_row_;
  std::deque<TorchCost> costs_;  // that calls have
  TorchOps out_;
};

}  // namespace

TorchPeak PeakOf(const PeakNumbers* peaks, TorchEngine engine, std::string_view type, bool tf32) {
  if (peaks == nullptr || engine == TorchEngine::kNetwork) return {};
  const bool matrix = engine == TorchEngine::kMatrix;
  if (type == "double") {
    return matrix ? TorchPeak{peaks->fp64_matrix, "fp64 matrix"}
                  : TorchPeak{peaks->fp64, "fp64 vector"};
  }
  if (!matrix) return {peaks->fp32, "fp32 vector"};
  if (type == "c10::BFloat16") return {peaks->bf16, "bf16 matrix"};
  if (type == "c10::Half") return {peaks->fp16, "fp16 matrix"};
  if (type.starts_with("c10::Float4")) return {peaks->fp4, "fp4 matrix"};
  if (type.starts_with("c10::Float8")) return {peaks->fp8, "fp8 matrix"};
  if (type == "signed char" || type == "unsigned char") return {peaks->int8, "int8 matrix"};
  if (tf32 && peaks->tf32 > 0) return {peaks->tf32, "tf32 matrix"};
  return {peaks->fp32, "fp32 vector"};
}

TorchOps TorchOps::Compute(AnalysisContext& context, const AnalysisParams& params) {
  return TorchOpCollector(context, params).Take(params.peaks);
}

AnalysisParams TorchOps::KeyOf(AnalysisParams params) {
  params.hlo = {};
  return params;
}

}  // namespace stepscope
