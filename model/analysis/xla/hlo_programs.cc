#include "model/analysis/xla/hlo_programs.h"
#include "model/analysis/analysis.h"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace stepscope {

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

}  // namespace stepscope
