// HloModuleBuilder: the only writer of an HloModule. Takes what a file says, with the file's ids;
// Finish() resolves them, cuts cycles and orders computations. One thread. O(n) in instructions,
// operands and calls, without recursion.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/xla/hlo_module.h"
#include "model/xla/id_index.h"

namespace stepscope::xla {

// An instruction with the ids of the file.
struct InstructionDraft {
  std::string_view name, opcode;
  int64_t id = 0, number = 0;
  uint32_t shape = 0;  // from AddShape
  std::vector<int64_t> operands, called, control;
  bool has_metadata = false, has_details = false;
  OpMetadata metadata;
  InstructionDetails details;

  // Empties it, and keeps the memory of its lists.
  void Clear();
};

class HloModuleBuilder {
 public:
  HloModuleBuilder();

  HloModule& module() { return *module_; }
  // Makes room for that many instructions, so that nothing moves while they come.
  void Reserve(size_t instructions);
  // Keeps the text as long as the module, and returns where it is.
  std::string_view Keep(std::string text);
  uint32_t AddShape(Shape shape);
  // Begins a computation, to which the next instructions belong.
  Computation& BeginComputation();
  void SetRoot(int64_t instruction_id) { root_ids_.back() = instruction_id; }
  // Takes the details out of the draft, which may then be used again.
  void Add(InstructionDraft* draft);
  void SetEntry(int64_t computation_id) { entry_id_ = computation_id; }
  void SetEntryName(std::string_view name) { entry_name_ = name; }
  // The order in which a computation runs.
  void SetSchedule(int64_t computation_id, std::vector<int64_t> instruction_ids);
  // The id of the instruction that defines the buffer with that index in module().buffers.
  void SetBufferInstruction(uint32_t buffer, int64_t instruction_id);

  std::shared_ptr<const HloModule> Finish();

 private:
  void ResolveOperands();
  void ResolveCalls();
  void ResolveRoots();
  void ResolveBuffers();
  void CutOperandCycles();
  void OrderComputations();
  void RemoveCutCalls();
  void OrderInstructions();
  std::vector<uint32_t> PostOrder(const Computation& computation) const;
  bool UseSchedule(Computation* computation);
  void FindEntry();
  void Count(std::string_view id, std::string_view text, std::string_view place);

  std::shared_ptr<HloModule> module_;
  std::vector<int64_t> operand_ids_, called_ids_, control_ids_;  // beside the module's pools
  std::vector<int64_t> root_ids_;                                // by computation
  IdIndex instruction_by_id_, computation_by_id_;
  std::unordered_map<int64_t, std::vector<int64_t>> schedules_;
  std::vector<std::pair<uint32_t, int64_t>> buffer_instructions_;
  int64_t entry_id_ = -1;
  std::string_view entry_name_;
};

}  // namespace stepscope::xla
