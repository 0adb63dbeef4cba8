// This folder is XLA's half of a profile: the programs (HLO modules) that it has, and what follows
// from them without events. Start here: HloModule is a program as it was compiled.
// hlo_module_builder.h makes one, hlo_source.h is where a trace keeps them undecoded, cost_model.h
// says how much an instruction computes and moves, buffer_heap.h how full memory is, hlo_text.h
// writes XLA's text and neighbourhood.h finds what is around an instruction.
//
// HloModule: an immutable program. Owns its texts. Any thread may read it. What the file gets wrong
// is repaired by the builder and counted in `diagnostics`: indices are valid or kNone, operands
// have no cycles, and no computation calls itself. Names need not be unique.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/diagnostics.h"
#include "model/xla/opcode.h"
#include "model/xla/shape.h"

namespace stepscope::xla {

inline constexpr uint32_t kNone = 0xffffffffu;

// --- Attributes that only some opcodes have, as HloInstructionProto has them. Texts are views of
// what the module owns.
// A part that few instructions have. Reading one that is not there gives an empty one.
template <typename T>
class Rare {
 public:
  bool has() const { return part_ != nullptr; }
  const T& operator*() const { return has() ? *part_ : Empty(); }
  const T* operator->() const { return &**this; }
  T& Make() {
    if (!has()) part_ = std::make_unique<T>();
    return *part_;
  }

 private:
  static const T& Empty() {
    static const T empty;
    return empty;
  }
  std::unique_ptr<T> part_;
};

struct WindowDimension {
  int64_t size = 0, stride = 0, padding_low = 0, padding_high = 0, window_dilation = 0,
          base_dilation = 0;
  bool reversal = false;
};

struct ConvolutionDimensions {
  int64_t kernel_input_feature = 0, kernel_output_feature = 0, input_batch = 0, input_feature = 0,
          output_batch = 0, output_feature = 0;
  std::vector<int64_t> kernel_spatial, input_spatial, output_spatial;
};

struct DotDimensions {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  std::vector<int64_t> lhs_ragged, rhs_group;  // of a ragged-dot
};

struct GatherDimensions {
  std::vector<int64_t> offset, collapsed_slice, start_index_map, operand_batching,
      start_indices_batching, slice_sizes;
  int64_t index_vector = 0;
};

struct ScatterDimensions {
  std::vector<int64_t> update_window, inserted_window, scatter_to_operand, input_batching,
      indices_batching;
  int64_t index_vector = 0;
};

struct SliceRange {
  int64_t start = 0, limit = 0, stride = 0;
};

struct PaddingRange {
  int64_t low = 0, high = 0, interior = 0;
};

// The part of an operand that is read, and its lengths.
struct PartDimensions {
  std::vector<SliceRange> slices;
  std::vector<PaddingRange> padding;
  std::vector<int64_t> dynamic_slice_sizes, fft_length;
};

struct Communication {
  std::string replica_groups;  // as XLA writes them: "{{0,1},{2,3}}", "[2,2]<=[4]"
  int64_t largest_group = 0;   // of the replica groups; 0: there are none
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  int64_t channel_id = 0;
  bool use_global_device_ids = false;
};

// Attributes that frameworks give XLA's partitioner and other passes, as XLA writes them, with
// braces.
struct Annotations {
  std::string sharding, frontend_attributes;
};

struct InstructionDetails {
  std::vector<int64_t> dimensions;
  std::vector<WindowDimension> window;
  Rare<ConvolutionDimensions> convolution;
  Rare<DotDimensions> dot;
  Rare<GatherDimensions> gather;
  Rare<ScatterDimensions> scatter;
  Rare<PartDimensions> part;
  Rare<Communication> communication;
  Rare<Annotations> annotations;
  std::string_view fusion_kind, custom_call_target, backend_config, comparison_direction;
  std::string literal;  // the values of a small constant as XLA writes them; else "{...}"
  int64_t feature_groups = 0, batch_groups = 0;
  bool is_stable = false;
};

// --- How XLA places the values of a program in memory, as BufferAssignmentProto has it. Sizes are
// bytes; they and all ids come from the file unchecked.
// A value that an instruction defines.
struct LogicalBuffer {
  int64_t id = 0, size = 0, memory_space = 0;
  uint32_t instruction = kNone;      // index in HloModule::instructions; kNone: unknown
  std::vector<int64_t> shape_index;  // the part of a tuple
};

struct AssignedBuffer {
  uint32_t buffer = 0;  // index in BufferAssignment::buffers
  int64_t offset = 0, size = 0;
};

// A block of memory that buffers share.
struct BufferAllocation {
  int64_t index = 0, size = 0, memory_space = 0, parameter_number = 0;
  bool thread_local_memory = false, entry_parameter = false, live_out = false, tuple = false,
       constant = false;
  std::vector<AssignedBuffer> assigned;

  // Whether it is there from begin to end of the program.
  bool indefinite() const {
    return (entry_parameter || live_out || constant) && !thread_local_memory;
  }
  bool temporary() const { return !indefinite() && !thread_local_memory; }
};

struct HeapEvent {
  enum class Kind : uint8_t { kAlloc, kFree, kShare };
  Kind kind = Kind::kAlloc;
  uint32_t buffer = 0;      // index in BufferAssignment::buffers
  uint32_t share_with = 0;  // of kShare
  std::string_view instruction;
};

struct BufferAssignment {
  std::vector<LogicalBuffer> buffers;
  std::vector<BufferAllocation> allocations;
  std::vector<std::vector<HeapEvent>> heap_traces;  // of XLA's heap simulator, in program order
  bool empty() const { return allocations.empty(); }
};

// --- The program
// The program's source: OpMetadata.
struct OpMetadata {
  std::string_view op_type, op_name, source_file, deduplicated_name;
  int32_t source_line = 0;
  uint32_t stack_frame = 0;  // 1 is the first of HloModule::frames; 0: none
};

// A range of one of the module's pools.
struct PoolRange {
  uint32_t first = 0, count = 0;
};

struct Instruction {
  std::string_view name, opcode_name;
  int64_t id = 0;
  int64_t number = 0;  // of a parameter, or of the element of a tuple
  PoolRange operands, called, control;
  uint32_t computation = 0, shape = 0, metadata = 0, details = 0;  // indices; 0 is the empty one
  Opcode opcode = kUnknownOpcode;
};

struct Computation {
  std::string_view name;
  int64_t id = 0;
  uint32_t root = kNone;           // an instruction; kNone if it has no instructions
  PoolRange instructions;          // in HloModule::instructions
  std::vector<uint32_t> sequence;  // of all its instructions: the schedule, else operands first
  bool scheduled = false, fusion = false;
};

struct StackFrame {
  std::string_view file, function;
  int32_t line = 0, column = 0;
  uint32_t parent = 0;  // 0: none; always less deep than 1000 frames
};

struct HloModule {
  std::string_view name;
  int64_t id = 0;
  uint32_t entry = kNone;  // a computation
  std::vector<Computation> computations;
  std::vector<uint32_t> call_order;  // computations, callees before callers
  std::vector<Instruction> instructions;
  std::vector<Shape> shapes;
  std::vector<OpMetadata> metadata;
  std::vector<InstructionDetails> details;
  std::vector<StackFrame> frames;
  std::vector<uint32_t> operand_pool, called_pool, control_pool;
  std::string input_output_alias, frontend_attributes;  // as XLA writes them, with their braces
  BufferAssignment buffers;
  Diagnostics diagnostics;
  std::deque<std::string> texts;  // what string_views point into

  // Instructions, kNone where the file names none that there is.
  std::span<const uint32_t> Operands(const Instruction& i) const {
    return std::span(operand_pool).subspan(i.operands.first, i.operands.count);
  }
  std::span<const uint32_t> Control(const Instruction& i) const {
    return std::span(control_pool).subspan(i.control.first, i.control.count);
  }
  // Computations, without those that the module does not have.
  std::span<const uint32_t> Called(const Instruction& i) const {
    return std::span(called_pool).subspan(i.called.first, i.called.count);
  }
  std::span<const Instruction> InstructionsOf(const Computation& c) const {
    return std::span(instructions).subspan(c.instructions.first, c.instructions.count);
  }
  const Shape& ShapeOf(const Instruction& i) const { return shapes[i.shape]; }
  const OpMetadata& MetadataOf(const Instruction& i) const { return metadata[i.metadata]; }
  const InstructionDetails& DetailsOf(const Instruction& i) const { return details[i.details]; }
  uint32_t IndexOf(const Instruction& i) const {
    return static_cast<uint32_t>(&i - instructions.data());
  }
  // Null where there is no such operand.
  const Instruction* Operand(const Instruction& i, size_t k) const {
    if (k >= i.operands.count) return nullptr;
    const uint32_t index = operand_pool[i.operands.first + k];
    return index == kNone ? nullptr : &instructions[index];
  }
  // The empty shape where there is no such operand.
  const Shape& OperandShape(const Instruction& i, size_t k) const {
    const Instruction* operand = Operand(i, k);
    return shapes[operand == nullptr ? 0 : operand->shape];
  }
  // The first called computation; null if there is none.
  const Computation* FirstCalled(const Instruction& i) const {
    return i.called.count == 0 ? nullptr : &computations[called_pool[i.called.first]];
  }
  const Instruction* RootOf(const Computation& c) const {
    return c.root == kNone ? nullptr : &instructions[c.root];
  }
  // The instruction of that name: in the entry computation if it has one, else the first; kNone if
  // there is none. O(instructions).
  uint32_t Find(std::string_view instruction) const;
};

// The shape of the value that the buffer holds; the empty shape if it is not known.
const Shape& BufferShape(const HloModule& module, const LogicalBuffer& buffer);
// "FILE:LINE" of the instruction, else of its first stack frame; "" if neither is known.
std::string SourceLineOf(const HloModule& module, const Instruction& instruction);
// A line "FILE:LINE:COLUMN\n" for each stack frame, innermost first.
std::string StackOf(const HloModule& module, const Instruction& instruction);

}  // namespace stepscope::xla
