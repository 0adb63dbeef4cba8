// BufferAssignment: how XLA places the values of a program in memory, as BufferAssignmentProto has
// it. Plain data. Sizes are bytes; they and all ids come from the file unchecked.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stepscope::xla {

// A value that an instruction defines.
struct LogicalBuffer {
  int64_t id = 0, size = 0, memory_space = 0;
  uint32_t instruction = 0xffffffffu;  // index in HloModule::instructions; 0xffffffff: unknown
  std::vector<int64_t> shape_index;    // the part of a tuple
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

}  // namespace stepscope::xla
