#include "model/xla/hlo_module_builder.h"

#include <algorithm>
#include <utility>

#include "model/xla/depth_first.h"

namespace stepscope::xla {
namespace {

PoolRange AppendIds(const std::vector<int64_t>& ids, std::vector<int64_t>* pool) {
  const PoolRange range{static_cast<uint32_t>(pool->size()), static_cast<uint32_t>(ids.size())};
  pool->insert(pool->end(), ids.begin(), ids.end());
  return range;
}

}  // namespace

HloModuleBuilder::HloModuleBuilder() : module_(std::make_shared<HloModule>()) {
  module_->shapes.emplace_back();
  module_->metadata.emplace_back();
  module_->details.emplace_back();
}

void HloModuleBuilder::Reserve(size_t instructions) {
  module_->instructions.reserve(instructions);
  module_->metadata.reserve(instructions + 1);
  module_->details.reserve(instructions + 1);
  operand_ids_.reserve(2 * instructions);
}

std::string_view HloModuleBuilder::Keep(std::string text) {
  return module_->texts.emplace_back(std::move(text));
}

uint32_t HloModuleBuilder::AddShape(Shape shape) {
  module_->shapes.push_back(std::move(shape));
  return static_cast<uint32_t>(module_->shapes.size() - 1);
}

Computation& HloModuleBuilder::BeginComputation() {
  Computation& computation = module_->computations.emplace_back();
  computation.instructions.first = static_cast<uint32_t>(module_->instructions.size());
  root_ids_.push_back(-1);
  return computation;
}

void InstructionDraft::Clear() {
  name = opcode = {};
  id = number = 0;
  shape = 0;
  for (std::vector<int64_t>* list : {&operands, &called, &control}) list->clear();
  if (has_metadata) metadata = {};
  if (has_details) details = {};
  has_metadata = has_details = false;
}

void HloModuleBuilder::Add(InstructionDraft* from) {
  InstructionDraft& draft = *from;
  HloModule& m = *module_;
  Instruction i;
  i.name = draft.name;
  i.opcode_name = draft.opcode;
  i.opcode = FindOpcode(draft.opcode);
  i.id = draft.id;
  i.number = draft.number;
  i.shape = draft.shape < m.shapes.size() ? draft.shape : 0;
  i.computation = static_cast<uint32_t>(m.computations.size() - 1);
  i.operands = AppendIds(draft.operands, &operand_ids_);
  i.called = AppendIds(draft.called, &called_ids_);
  i.control = AppendIds(draft.control, &control_ids_);
  if (draft.has_metadata) {
    i.metadata = static_cast<uint32_t>(m.metadata.size());
    m.metadata.push_back(draft.metadata);
  }
  if (draft.has_details) {
    i.details = static_cast<uint32_t>(m.details.size());
    m.details.push_back(std::move(draft.details));
  }
  ++m.computations.back().instructions.count;
  m.instructions.push_back(i);
}

void HloModuleBuilder::SetSchedule(int64_t computation_id, std::vector<int64_t> instruction_ids) {
  schedules_[computation_id] = std::move(instruction_ids);
}

void HloModuleBuilder::SetBufferInstruction(uint32_t buffer, int64_t instruction_id) {
  buffer_instructions_.emplace_back(buffer, instruction_id);
}

void HloModuleBuilder::Count(std::string_view id, std::string_view text, std::string_view place) {
  module_->diagnostics.Count(id, Severity::kWarning, text, std::string(place.substr(0, 200)));
}

namespace {

// Room that was made for one entry an instruction, of which few came. A copy of many would cost
// more than it gives.
template <typename T>
void GiveBack(std::vector<T>* entries) {
  if (entries->size() < entries->capacity() / 2) entries->shrink_to_fit();
}

}  // namespace

std::shared_ptr<const HloModule> HloModuleBuilder::Finish() {
  computation_by_id_.Reset(module_->computations.size());
  for (uint32_t c = 0; c < module_->computations.size(); ++c)
    computation_by_id_.Add(module_->computations[c].id, c);
  instruction_by_id_.Reset(module_->instructions.size());
  for (uint32_t i = 0; i < module_->instructions.size(); ++i) {
    if (!instruction_by_id_.Add(module_->instructions[i].id, i))
      Count("hlo.duplicate_id", "Instructions with the id of another one: operands mean the first.",
            module_->instructions[i].name);
  }
  ResolveOperands();
  ResolveCalls();
  ResolveRoots();
  ResolveBuffers();
  CutOperandCycles();
  OrderInstructions();
  FindEntry();
  OrderComputations();
  GiveBack(&module_->metadata);
  GiveBack(&module_->details);
  return std::move(module_);
}

// Turns ids into indices. An operand lies in its user's computation; others are no operands.
void HloModuleBuilder::ResolveOperands() {
  HloModule& m = *module_;
  m.operand_pool.assign(operand_ids_.size(), kNone);
  m.control_pool.assign(control_ids_.size(), kNone);
  const auto resolve = [&](const Instruction& user, PoolRange range, std::vector<int64_t>& ids,
                           std::vector<uint32_t>* pool) {
    for (uint32_t k = range.first; k < range.first + range.count; ++k) {
      const uint32_t index = instruction_by_id_.Of(ids[k]);
      const bool known = index != kNone && m.instructions[index].computation == user.computation;
      if (known) (*pool)[k] = index;
      if (!known)
        Count("hlo.missing_operand", "Operands that the program does not have.", user.name);
    }
  };
  for (const Instruction& i : m.instructions) {
    resolve(i, i.operands, operand_ids_, &m.operand_pool);
    resolve(i, i.control, control_ids_, &m.control_pool);
  }
}

void HloModuleBuilder::ResolveCalls() {
  HloModule& m = *module_;
  for (Instruction& i : m.instructions) {
    const PoolRange ids = i.called;
    i.called = {static_cast<uint32_t>(m.called_pool.size()), 0};
    for (uint32_t k = ids.first; k < ids.first + ids.count; ++k) {
      const uint32_t computation = computation_by_id_.Of(called_ids_[k]);
      if (computation == kNone) {
        Count("hlo.missing_computation", "Called computations that the program does not have.",
              i.name);
        continue;
      }
      m.called_pool.push_back(computation);
      ++i.called.count;
    }
  }
}

void HloModuleBuilder::ResolveRoots() {
  for (uint32_t c = 0; c < module_->computations.size(); ++c) {
    Computation& computation = module_->computations[c];
    const PoolRange range = computation.instructions;
    if (range.count == 0) continue;
    const uint32_t root = instruction_by_id_.Of(root_ids_[c]);
    const bool inside = root >= range.first && root < range.first + range.count;
    computation.root = inside ? root : range.first + range.count - 1;
    if (!inside)
      Count("hlo.missing_root", "Computations without a root: the last instruction counts as it.",
            computation.name);
  }
}

void HloModuleBuilder::ResolveBuffers() {
  for (const auto& [buffer, id] : buffer_instructions_)
    module_->buffers.buffers[buffer].instruction = instruction_by_id_.Of(id);
}

// Removes operands and control edges that lead back to their own user.
void HloModuleBuilder::CutOperandCycles() {
  HloModule& m = *module_;
  DepthFirst search(m.instructions.size());
  const auto cut = [&](uint32_t user, uint32_t edge) {
    const Instruction& i = m.instructions[user];
    const bool operand = edge < i.operands.count;
    (operand ? m.operand_pool[i.operands.first + edge]
             : m.control_pool[i.control.first + edge - i.operands.count]) = kNone;
    Count("hlo.operand_cycle", "Operands that depend on their own user: left out.", i.name);
  };
  const auto target = [&](uint32_t user, uint32_t edge) {
    const Instruction& i = m.instructions[user];
    return edge < i.operands.count ? m.operand_pool[i.operands.first + edge]
                                   : m.control_pool[i.control.first + edge - i.operands.count];
  };
  const auto edges = [&](uint32_t i) {
    return m.instructions[i].operands.count + m.instructions[i].control.count;
  };
  for (uint32_t i = 0; i < m.instructions.size(); ++i)
    search.Visit(i, edges, target, cut, [](uint32_t) {});
}

// Instructions after their operands and control predecessors, as XLA orders them: from those
// without users.
std::vector<uint32_t> HloModuleBuilder::PostOrder(const Computation& computation) const {
  const HloModule& m = *module_;
  const PoolRange range = computation.instructions;
  std::vector<bool> used(range.count);
  std::vector<uint32_t> order;
  for (const Instruction& i : m.InstructionsOf(computation)) {
    for (const uint32_t o : m.Operands(i)) {
      if (o != kNone) used[o - range.first] = true;
    }
  }
  DepthFirst search(range.count, range.first);
  const auto edges = [&](uint32_t i) {
    return m.instructions[i].operands.count + m.instructions[i].control.count;
  };
  // XLA takes control predecessors first, the last of them before the others.
  const auto target = [&](uint32_t user, uint32_t edge) {
    const Instruction& i = m.instructions[user];
    if (edge >= i.control.count) return m.operand_pool[i.operands.first + edge - i.control.count];
    return m.control_pool[i.control.first + i.control.count - 1 - edge];
  };
  const auto emit = [&](uint32_t i) { order.push_back(i); };
  for (const bool roots : {true, false}) {
    for (uint32_t i = range.first; i < range.first + range.count; ++i) {
      if (used[i - range.first] != roots)
        search.Visit(
            i, edges, target, [](uint32_t, uint32_t) {}, emit);
    }
  }
  return order;
}

// False where the file's order is not one of all instructions of the computation.
bool HloModuleBuilder::UseSchedule(Computation* computation) {
  const auto it = schedules_.find(computation->id);
  if (it == schedules_.end()) return false;
  const PoolRange range = computation->instructions;
  std::vector<bool> seen(range.count);
  for (const int64_t id : it->second) {
    const uint32_t i = instruction_by_id_.Of(id);
    if (i < range.first || i >= range.first + range.count || seen[i - range.first]) break;
    seen[i - range.first] = true;
    computation->sequence.push_back(i);
  }
  computation->scheduled =
      computation->sequence.size() == range.count && it->second.size() == range.count;
  if (!computation->scheduled) {
    computation->sequence.clear();
    Count("hlo.bad_schedule", "Schedules that do not name each instruction once: not used.",
          computation->name);
  }
  return computation->scheduled;
}

void HloModuleBuilder::OrderInstructions() {
  for (Computation& computation : module_->computations) {
    if (!UseSchedule(&computation)) computation.sequence = PostOrder(computation);
  }
}

void HloModuleBuilder::FindEntry() {
  HloModule& m = *module_;
  m.entry = computation_by_id_.Of(entry_id_);
  for (uint32_t c = 0; c < m.computations.size() && m.entry == kNone; ++c) {
    if (m.computations[c].name == entry_name_) m.entry = c;
  }
  if (m.entry == kNone && !m.computations.empty()) {
    m.entry = static_cast<uint32_t>(m.computations.size() - 1);
    Count("hlo.missing_entry", "Programs without an entry: the last computation counts as it.",
          m.name);
  }
}

// Orders computations as XLA writes them, callees first, and cuts calls that lead back to their
// own caller.
void HloModuleBuilder::OrderComputations() {
  HloModule& m = *module_;
  std::vector<bool> called(m.computations.size());
  for (const uint32_t c : m.called_pool) called[c] = true;
  // The calls of a computation stand in the pool one after another.
  const auto first = [&](uint32_t c) {
    const PoolRange range = m.computations[c].instructions;
    return range.count == 0 ? 0 : m.instructions[range.first].called.first;
  };
  const auto end = [&](uint32_t c) {
    const PoolRange range = m.computations[c].instructions;
    if (range.count == 0) return uint32_t{0};
    const PoolRange last = m.instructions[range.first + range.count - 1].called;
    return last.first + last.count;
  };
  const auto edges = [&](uint32_t c) { return end(c) - first(c); };
  const auto target = [&](uint32_t c, uint32_t edge) { return m.called_pool[first(c) + edge]; };
  const auto cut = [&](uint32_t c, uint32_t edge) {
    m.called_pool[first(c) + edge] = kNone;
    Count("hlo.call_cycle", "Calls of a computation by itself: left out.", m.computations[c].name);
  };
  const auto emit = [&](uint32_t c) { m.call_order.push_back(c); };
  DepthFirst search(m.computations.size());
  for (const bool roots : {true, false}) {
    for (uint32_t c = 0; c < m.computations.size(); ++c) {
      if (called[c] != roots) search.Visit(c, edges, target, cut, emit);
    }
  }
  RemoveCutCalls();
}

void HloModuleBuilder::RemoveCutCalls() {
  for (Instruction& i : module_->instructions) {
    const auto first = module_->called_pool.begin() + i.called.first;
    i.called.count =
        static_cast<uint32_t>(std::remove(first, first + i.called.count, kNone) - first);
  }
}

}  // namespace stepscope::xla
