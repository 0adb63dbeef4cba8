#include "model/analysis/xla/hlo_op_builder.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "model/analysis/definitions.h"
#include "model/analysis/naming/core_op.h"
#include "model/analysis/xla/device_peaks.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/xla/hlo_text.h"

namespace stepscope {
namespace {

// The instruction that says which arithmetic a fusion does: a dot or convolution inside it.
const xla::Instruction& HeavyInstruction(const xla::HloModule& module,
                                         const xla::Instruction& instruction) {
  const xla::Computation* fused = module.FirstCalled(instruction);
  if (instruction.opcode != xla::Op("fusion") || fused == nullptr) return instruction;
  for (const xla::Instruction& i : module.InstructionsOf(*fused)) {
    if (i.opcode == xla::Op("dot") || i.opcode == xla::Op("convolution")) return i;
  }
  return instruction;
}

bool IsProduct(const xla::Instruction& heavy) {
  return heavy.opcode == xla::Op("dot") || heavy.opcode == xla::Op("convolution") ||
         heavy.opcode == xla::Op("custom-call");
}

xla::ElementType ComputeTypeOf(const xla::HloModule& module, const xla::Instruction& heavy) {
  const xla::Shape& operand = module.OperandShape(heavy, 0);
  return IsProduct(heavy) && operand.is_array() ? operand.type
                                                : xla::FirstArray(module.ShapeOf(heavy)).type;
}

}  // namespace

HloOpBuilder::HloOpBuilder(AnalysisContext& context, DeviceKind kind, std::span<const OwnPeaks> own)
    : context_(context), programs_(context.Get<HloPrograms>()), stats_(context.stats()) {
  table_.kind = kind;
  table_.peaks = DevicePeaksOf(context.trace(), context.xprof().hlo_peaks_of_recording, own);
}

InstructionNames::InstructionNames(const xla::HloModule& module) : module_(&module) {
  slots_.resize(std::bit_ceil(2 * module.instructions.size() + 2));
  for (const xla::Instruction& i : module.instructions) {
    const size_t hash = std::hash<std::string_view>()(i.name);
    Slot& slot = slots_[SlotOf(i.name, hash)];
    if (slot.instruction == xla::kNone) slot = {static_cast<uint32_t>(hash), module.IndexOf(i)};
  }
}

size_t InstructionNames::SlotOf(std::string_view name, size_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t at = (hash >> 20) & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.instruction == xla::kNone) return at;
    if (slot.hash == static_cast<uint32_t>(hash) &&
        module_->instructions[slot.instruction].name == name)
      return at;
  }
}

uint32_t InstructionNames::Find(std::string_view name) const {
  if (slots_.empty()) return xla::kNone;
  return slots_[SlotOf(name, std::hash<std::string_view>()(name))].instruction;
}

HloOpBuilder::Program& HloOpBuilder::ProgramOf(uint32_t index) {
  const auto [it, added] = opened_.try_emplace(index);
  Program& program = it->second;
  if (!added) return program;
  program.module = programs_.Module(index);
  if (!program.module) return program;
  program.names = InstructionNames(*program.module);
  return program;
}

uint32_t HloOpBuilder::InstructionOf(uint32_t program, std::string_view name) {
  if (program == HloPrograms::kNone) return xla::kNone;
  return ProgramOf(program).names.Find(name);
}

HloOpDraft* HloOpBuilder::Find(uint64_t program_id, std::string_view name,
                               std::string_view module) {
  const auto [it, added] = by_name_.try_emplace({program_id, std::string(name)}, nullptr);
  if (!added) return it->second;
  const uint32_t program = programs_.Find(program_id);
  const uint32_t instruction = InstructionOf(program, name);
  const bool named_only = instruction == xla::kNone && table_.kind != DeviceKind::kTpu;
  if (named_only && context_.xprof().unknown_programs_left_out) return nullptr;
  HloOpDraft& draft = drafts_.emplace_back();
  draft.op.program_id = program_id;
  draft.op.program = program;
  draft.op.instruction = instruction;
  draft.op.name = name;
  draft.op.module =
      program == HloPrograms::kNone ? std::string(module) : programs_.list()[program].name;
  ++ops_of_program_[program_id];
  it->second = &draft;
  return it->second;
}

HloOpDraft* HloOpBuilder::FindFramework(const std::string& name) {
  HloOpDraft*& draft = by_name_[{0, name}];
  if (draft == nullptr) {
    draft = &drafts_.emplace_back();
    draft->op.name = draft->op.expression = name;
  }
  return draft;
}

void HloOpBuilder::AddEvent(HloOpDraft* draft, EventRow row, Ps duration, Ps self) {
  HloOp& op = draft->op;
  ++op.events;
  op.time += duration;
  op.self += self;
  draft->rows.push_back(row);
  const auto of = [&](IntStat stat) {
    return static_cast<double>(stats_.Int(stat).Find(row).value_or(0));
  };
  if (!stats_.Int(IntStat::kFlops).empty()) draft->event_flops += of(IntStat::kFlops);
  if (!stats_.Int(IntStat::kModelFlops).empty())
    draft->event_model_flops += of(IntStat::kModelFlops);
  if (!stats_.Int(IntStat::kBytesAccessed).empty())
    draft->event_bytes += of(IntStat::kBytesAccessed);
  if (op.program == HloPrograms::kNone) ++table_.events_by_program;
}

void HloOpBuilder::AddDevice(Ps span, Ps busy) {
  ++table_.devices;
  table_.busy += busy;
  table_.total += std::max(span, busy);
}

// Executions were counted as runs of kernels between those of other ops. An op that is alone in its
// program has no others: each execution launches each of its kernels once.
void HloOpBuilder::CountExecutions(HloOpDraft* draft) {
  HloOp& op = draft->op;
  if (context_.xprof().hlo_costs_by_kernel || op.occurrences == 0) op.occurrences = op.events;
  const bool alone = ops_of_program_[op.program_id] == 1 && !draft->kernels.empty();
  if (context_.xprof().hlo_costs_by_kernel || !alone) return;
  const uint64_t kernels = draft->kernels.size();
  op.occurrences = (op.events + kernels - 1) / kernels;
}

void HloOpBuilder::Describe(HloOpDraft* draft) {
  HloOp& op = draft->op;
  CountExecutions(draft);
  if (op.instruction != xla::kNone && op.category.empty()) {
    const Program& program = ProgramOf(op.program);
    const xla::HloModule& module = *program.module;
    const xla::Instruction& i = module.instructions[op.instruction];
    op.category = HloCategoryOf(module, i);
    op.provenance = ProvenanceOf(module.MetadataOf(i));
    op.expression = InstructionText(module, i, xla::TextForm::kExpression);
    op.source = SourceLineOf(module, i);
    op.stack = StackOf(module, i);
    op.deduplicated_name = module.MetadataOf(i).deduplicated_name;
    const xla::Instruction& heavy = HeavyInstruction(module, i);
    const xla::ElementType type = ComputeTypeOf(module, heavy);
    op.peak_flops = table_.peaks.FlopsOf(type);
    AddCosts(draft);
    if (type == xla::ElementType::kF32 && IsProduct(heavy)) UseTf32(draft);
  }
  if (op.category.empty()) op.category = "unknown";
  if (op.peak_flops <= 0) op.peak_flops = table_.peaks.flops;
  UseEventCosts(draft);
  DropAsyncBytes(&op);
  op.rows = EventRows(std::move(draft->rows));
}

// XLA rounds products of float32 to TF32 unless the program forbids it, which no profile says. They
// were rounded if a kernel's name says so, or if they were faster than float32 can be.
void HloOpBuilder::UseTf32(HloOpDraft* draft) const {
  HloOp& op = draft->op;
  if (op.peak_flops <= 0 || table_.peaks.tf32 <= op.peak_flops) return;
  const NameTable& names = context_.trace().names();
  const bool named =
      std::any_of(draft->kernels.begin(), draft->kernels.end(), [&](uint32_t kernel) {
        return names.Name(MetaId(kernel)).find("tf32") != std::string_view::npos;
      });
  constexpr double kGflopsOfPs = 1e3;  // an operation a picosecond
  const bool faster = op.flops * kGflopsOfPs > op.peak_flops * static_cast<double>(op.self);
  if (named || faster) op.peak_flops = table_.peaks.tf32;
}

void HloOpBuilder::AddCosts(HloOpDraft* draft) {
  HloOp& op = draft->op;
  const bool gpu = table_.kind == DeviceKind::kGpu;
  const auto costs =
      programs_.Costs(op.program, gpu ? xla::CostVariant::kGpu : xla::CostVariant::kBase);
  if (!costs) return;
  const xla::HloModule& module = *ProgramOf(op.program).module;
  const xla::Instruction& i = module.instructions[op.instruction];
  const xla::Cost& cost = costs->Of(op.instruction);
  const double n = static_cast<double>(op.occurrences);
  const bool as_xprof = context_.xprof().hlo_tuples_free;
  op.model_flops = cost.flops * n;
  op.flops = op.model_flops * (as_xprof ? DeviceFlopsShare(module, i) : 1);
  op.bytes = cost.bytes * n;
  op.hbm = (as_xprof ? cost.read + cost.written : std::max(0.0, cost.bytes - cost.elsewhere)) * n;
  op.split = op.hbm > 0;
  if (cost.bytes > 0 || cost.flops > 0) return;
  if (table_.unknown_costs++ == 0) table_.first_unknown = op.name;
}

// An asynchronous op moves its bytes while others run: not in the time of the op that starts it,
// and not in a wait that is too short for them.
void HloOpBuilder::DropAsyncBytes(HloOp* op) const {
  if (table_.kind != DeviceKind::kTpu || context_.xprof().async_bytes_in_own_time) return;
  const double ns = static_cast<double>(op->time) / 1e3;
  const double room = table_.peaks.hbm * kGBPerGiB * ns;  // 0: the peak is not known
  const bool too_short = IsDone(op->category) && room > 0 && std::max(op->bytes, op->hbm) > room;
  if (!IsStart(op->category) && !too_short) return;
  op->bytes = op->hbm = op->on_chip_read = op->on_chip_written = 0;
  op->cmem_read = op->cmem_written = op->vmem_read = op->vmem_written = 0;
}

// The events' own stats stand in for what the cost model does not know. On TPUs there are only
// those.
void HloOpBuilder::UseEventCosts(HloOpDraft* draft) {
  HloOp& op = draft->op;
  if (op.flops <= 0) op.flops = draft->event_flops;
  if (op.model_flops <= 0)
    op.model_flops = draft->event_model_flops > 0 ? draft->event_model_flops : op.flops;
  if (op.bytes <= 0) op.bytes = draft->event_bytes;
}

HloOpTable HloOpBuilder::Finish() {
  for (HloOpDraft& draft : drafts_) {
    if (draft.op.events == 0) continue;
    Describe(&draft);
    table_.ops.push_back(std::move(draft.op));
  }
  std::stable_sort(table_.ops.begin(), table_.ops.end(), [](const HloOp& a, const HloOp& b) {
    return a.self != b.self ? a.self > b.self : a.name < b.name;
  });
  return std::move(table_);
}

HloOpTable HloOpTable::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const DeviceKind kind = KindOf(context.trace());
  HloOpBuilder builder(context, kind, params.peaks);
  if (kind == DeviceKind::kGpu) CollectGpuOps(context, params, &builder);
  if (kind == DeviceKind::kTpu) CollectTpuOps(context, params, &builder);
  const bool host_ops = kind == DeviceKind::kCpuOnly && !context.xprof().hlo_ops_of_cpu_left_out;
  if (host_ops) CollectCpuOps(context, params, &builder);
  return builder.Finish();
}

}  // namespace stepscope
