#include "model/analysis/ops/device_op_names.h"

#include <unordered_map>

#include "model/analysis/definitions.h"
#include "model/analysis/naming/op_name.h"
#include "model/string_pool.h"

namespace stepscope {

DeviceOpNames::DeviceOpNames(AnalysisContext& context)
    : trace_(context.trace()),
      stats_(context.stats()),
      grouping_(context.Get<Grouping>()),
      graphs_(context.Get<GraphOps>()),
      unknown_hlo_left_out_(context.xprof().unknown_hlo_left_out),
      traits_(CapabilitiesOf(trace_)),
      is_op_(MetasOf(trace_.names(), EventCategory::kCpuOp)) {
  NumberGraphOps();
}

void DeviceOpNames::NumberGraphOps() {
  std::unordered_map<std::string_view, uint32_t> first;
  uint32_t next = static_cast<uint32_t>(trace_.names().metas.size()) + 1;
  for (const GraphOp& op : graphs_.ops) {
    const std::string_view name = graphs_.NameOf(op);
    const uint32_t meta = next++;
    if (name.empty() || op.hlo != nullptr) {
      graph_meta_.push_back(name.empty() ? 0 : meta);
    } else {
      graph_meta_.push_back(first.try_emplace(name, meta).first->second);
    }
  }
}

DeviceOpNames::Named DeviceOpNames::GraphOpNamed(const GraphOp& op) const {
  Named n;
  if (op.hlo == nullptr) {
    n.key = n.provenance = graphs_.NameOf(op);
    return n;
  }
  n.key = std::to_string(op.program) + "/" + std::string(op.instruction);
  n.fallback = op.instruction;
  if (!op.hlo->op_name.empty()) n.provenance = op.hlo->op_name + ":" + op.hlo->op_type;
  return n;
}

DeviceOpNames::Named DeviceOpNames::NameOf(const DeviceOpKey& key) const {
  Named n;
  if (key.meta > trace_.names().metas.size())
    return GraphOpNamed(graphs_.ops[key.meta - trace_.names().metas.size() - 1]);
  if (key.meta) {
    const EventMeta& meta = trace_.names().metas[key.meta - 1];
    n.key = n.provenance = trace_.names().strings.View(meta.name);
    n.is_kernel = meta.category != EventCategory::kCpuOp;
    return n;
  }
  if (key.hlo_op) {
    std::string_view op = stats_.strings->View(StringId(key.hlo_op));
    if (size_t inner = op.rfind("::"); inner != std::string_view::npos) op.remove_prefix(inner + 2);
    const HloInstruction* hlo = trace_.hlo.Find(static_cast<uint64_t>(key.program), op);
    if (!hlo && unknown_hlo_left_out_) return n;
    n.key = std::to_string(key.program) + "/" + std::string(op);
    n.fallback = op;
    if (hlo && !hlo->op_name.empty()) n.provenance = hlo->op_name + ":" + hlo->op_type;
    return n;
  }
  n.provenance = stats_.strings->View(StringId(key.tf_op));
  // In a trace.json it may be a long_name, which kernels have too.
  if (traits_.long_names_for_tf_op && ParseOpName(n.provenance).category == OpCategory::kUnknown)
    return n;
  n.key = ":" + n.provenance;
  return n;
}

DeviceOpNames::Reader::Reader(const DeviceOpNames& names)
    : names_(names),
      tf_op_(names.stats_.Text(StringStat::kTfOp)),
      hlo_(names.stats_.Text(StringStat::kHloOp)),
      program_(names.stats_.Int(IntStat::kProgramId)),
      ancestors_(names.trace_.set) {}

void DeviceOpNames::Reader::Seek(uint32_t row) {
  tf_op_.Seek(row);
  hlo_.Seek(row);
  program_.Seek(row);
}

EventRow DeviceOpNames::Reader::LaunchingOp(uint32_t device_row) {
  return ancestors_.Find(names_.grouping_.LaunchOf(device_row), names_.is_op_);
}

uint32_t DeviceOpNames::Reader::GraphMetaOf(uint32_t row) const {
  const GraphKernel* kernel = names_.graphs_.Find(row);
  return kernel != nullptr ? names_.graph_meta_[kernel->op] : 0;
}

DeviceOpKey DeviceOpNames::Reader::KeyOf(uint32_t row, uint32_t meta) {
  DeviceOpKey key;
  key.meta = GraphMetaOf(row);
  if (key.meta != 0) return key;
  key.hlo_op = hlo_.Get(row, StringId(0)).value;
  if (key.hlo_op) {
    key.program = program_.Get(row, 0);
  } else {
    key.tf_op = tf_op_.Get(row, StringId(0)).value;
  }
  if (names_.traits_.pytorch_events) {
    const EventRow op = LaunchingOp(row);
    key.meta = (op.valid() ? names_.trace_.set.Meta(op).value : meta) + 1;
  }
  return key;
}

}  // namespace stepscope
