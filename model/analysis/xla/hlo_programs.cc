#include "model/analysis/xla/hlo_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_ops.h"

namespace stepscope {
namespace {

// The program whose ops take the most time; the largest where none has ops.
uint32_t MainProgram(const HloPrograms& programs, const HloOpTable& ops) {
  std::map<uint32_t, Ps> times;
  for (const HloOp& op : ops.ops) {
    if (op.program != HloPrograms::kNone) times[op.program] += op.self;
  }
  uint32_t best = 0;
  for (uint32_t p = 1; p < programs.list().size(); ++p) {
    const auto rank = [&](uint32_t i) { return std::pair(times[i], programs.list()[i].bytes); };
    if (rank(p) > rank(best)) best = p;
  }
  return best;
}

std::string DilationOf(const xla::InstructionDetails& details) {
  std::string text;
  const auto any = [&](auto dilation) {
    return std::any_of(details.window.begin(), details.window.end(),
                       [&](const xla::WindowDimension& w) { return w.*dilation > 1; });
  };
  if (any(&xla::WindowDimension::base_dilation)) text += " base-dilated";
  if (any(&xla::WindowDimension::window_dilation)) text += " window-dilated";
  return text;
}

std::string FusionCategory(std::string_view kind) {
  if (kind == "kLoop") return "loop fusion";
  if (kind == "kInput") return "input fusion";
  if (kind == "kOutput") return "output fusion";
  return kind == "kCustom" ? "custom fusion" : "fusion";
}

}  // namespace

struct HloPrograms::Slots {
  struct Slot {
    std::mutex mutex;
    bool failed = false;
    std::string error;
    std::shared_ptr<const xla::HloModule> module;
    std::array<std::shared_ptr<const xla::CostModel>, 2> costs;  // by CostVariant
  };
  std::deque<Slot> slots;
  std::unordered_map<uint64_t, uint32_t> by_id;
};

HloPrograms::HloPrograms(const Trace& trace)
    : source_(xla::HloSourceOf(trace)), slots_(std::make_unique<Slots>()) {
  if (source_ != nullptr) list_ = source_->Programs();
  for (uint32_t i = 0; i < list_.size(); ++i) slots_->by_id.try_emplace(list_[i].id, i);
  slots_->slots.resize(list_.size());
}

HloPrograms::HloPrograms(HloPrograms&&) noexcept = default;
HloPrograms::~HloPrograms() = default;

uint32_t HloPrograms::Find(uint64_t program_id) const {
  const auto it = slots_->by_id.find(program_id);
  return it == slots_->by_id.end() ? kNone : it->second;
}

std::string HloPrograms::NameOf(uint32_t program) const {
  return fmt::format("{}({})", list_[program].name, list_[program].id);
}

uint32_t HloPrograms::FindByName(std::string_view name) const {
  uint32_t by_module = kNone;
  for (uint32_t i = 0; i < list_.size(); ++i) {
    if (name == NameOf(i) || name == std::to_string(list_[i].id)) return i;
    if (by_module == kNone && name == list_[i].name) by_module = i;
  }
  return by_module;
}

std::shared_ptr<const xla::HloModule> HloPrograms::Module(uint32_t program) const {
  Slots::Slot& slot = slots_->slots[program];
  std::lock_guard lock(slot.mutex);
  if (slot.module || slot.failed) return slot.module;
  auto read = source_->Read(list_[program], CurrentStopToken());
  if (read.ok()) {
    slot.module = read.value();
  } else if (read.status().code() != ErrorCode::kCancelled) {
    slot.failed = true;
    slot.error = read.status().message();
  }
  return slot.module;
}

std::string HloPrograms::Error(uint32_t program) const {
  std::lock_guard lock(slots_->slots[program].mutex);
  return slots_->slots[program].error;
}

std::shared_ptr<const xla::CostModel> HloPrograms::Costs(uint32_t program,
                                                         xla::CostVariant variant) const {
  const auto module = Module(program);
  if (!module) return nullptr;
  Slots::Slot& slot = slots_->slots[program];
  std::lock_guard lock(slot.mutex);
  auto& costs = slot.costs[static_cast<size_t>(variant)];
  if (!costs) costs = std::make_shared<const xla::CostModel>(*module, variant);
  return costs;
}

HloPrograms HloPrograms::Compute(AnalysisContext& context) { return HloPrograms(context.trace()); }

HloChoiceFound FindHloProgram(AnalysisContext& context, const AnalysisParams& params) {
  const HloPrograms& programs = context.Get<HloPrograms>();
  HloChoiceFound found;
  if (programs.list().empty()) {
    found.why_not = kNoHloPrograms;
  } else if (params.hlo.program.empty()) {
    found.program = MainProgram(programs, *context.Get<HloOpTable>(params));
  } else {
    found.program = programs.FindByName(params.hlo.program);
    if (found.program == HloPrograms::kNone)
      found.why_not = "The profile has no HLO program '" + params.hlo.program + "'.";
  }
  if (found.why_not.empty() && !programs.Module(found.program))
    found.why_not = fmt::format("The HLO program {} cannot be read: {}.",
                                programs.NameOf(found.program), programs.Error(found.program));
  return found;
}

std::string HloCategoryOf(const xla::HloModule& module, const xla::Instruction& i) {
  using xla::Op;
  switch (i.opcode) {
    case Op("fusion"):
      return FusionCategory(module.DetailsOf(i).fusion_kind);
    case Op("convolution"):
      return "convolution" + DilationOf(module.DetailsOf(i));
    case Op("transpose"):
    case Op("copy"):
    case Op("reshape"):
    case Op("dynamic-reshape"):
      return "data formatting";
    case Op("constant"):
      return "non-fusion elementwise";
    default:
      break;
  }
  const bool elementwise = xla::ElementwiseOf(i.opcode) != xla::ElementwiseKind::kNone;
  return elementwise ? "non-fusion elementwise" : std::string(i.opcode_name);
}

std::string ProvenanceOf(const xla::OpMetadata& metadata) {
  if (metadata.op_name.empty() && metadata.op_type.empty()) return {};
  return std::string(metadata.op_name) + ":" + std::string(metadata.op_type);
}

}  // namespace stepscope
