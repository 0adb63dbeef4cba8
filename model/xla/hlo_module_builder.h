// HloModuleBuilder: the only writer of an HloModule. Takes what a file says, with the file's ids;
// Finish() resolves them, cuts cycles and orders computations. One thread. O(n) in instructions,
// operands and calls, without recursion.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/number_hash.h"
#include "model/xla/hlo_module.h"

namespace stepscope::xla {

// Finds what a file calls by a number. The first of several with one number wins. One
// thread. Ids are as the file has them, so each table hashes them in its own way.
class IdIndex {
 public:
  static constexpr uint32_t kNowhere = 0xffffffffu;

  // Forgets everything and makes room for `count` ids. O(count).
  void Reset(size_t count) { rows_.assign(std::bit_ceil(2 * count + 1), {0, kNowhere}); }
  // False if the id is known already. At most as many ids as there is room for. O(1).
  bool Add(int64_t id, uint32_t place) {
    Row& row = rows_[Find(id)];
    if (row.place != kNowhere) return false;
    row = {id, place};
    return true;
  }
  // kNowhere for an unknown id. O(1).
  uint32_t Of(int64_t id) const { return rows_.empty() ? kNowhere : rows_[Find(id)].place; }

 private:
  struct Row {
    int64_t id;
    uint32_t place;
  };
  size_t Find(int64_t id) const {
    const size_t mask = rows_.size() - 1;
    size_t at = hash_(static_cast<uint64_t>(id)) & mask;
    while (rows_[at].place != kNowhere && rows_[at].id != id) at = (at + 1) & mask;
    return at;
  }

  SeededHash hash_;
  std::vector<Row> rows_;
};

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
