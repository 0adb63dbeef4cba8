#include "loaders/xla/buffer_decoder.h"

#include <unordered_map>

#include "loaders/xla/packed_ints.h"

namespace stepscope::xla {

using namespace proto;

namespace {

class BufferDecoder {
 public:
  explicit BufferDecoder(HloModuleBuilder* builder)
      : builder_(*builder), out_(builder->module().buffers) {}

  void Buffer(const Field& message) {
    LogicalBuffer buffer;
    int64_t instruction = 0;
    ForFields(message.begin, message.end, [&](const Field& f) {
      if (f.number == 1 && f.wire == kVarint) buffer.id = f.Int();
      if (f.number == 2 && f.wire == kVarint) buffer.size = Size(f);
      if (f.number == 4 && f.wire == kVarint) buffer.memory_space = f.Int();
      if (f.number != 3 || f.wire != kLen) return;
      ForFields(f.begin, f.end, [&](const Field& location) {
        if (location.number == 4 && location.wire == kVarint) instruction = location.Int();
        if (location.number == 3) AppendInts(location, &buffer.shape_index);
      });
    });
    const uint32_t index = static_cast<uint32_t>(out_.buffers.size());
    index_of_.insert_or_assign(buffer.id, index);
    out_.buffers.push_back(std::move(buffer));
    builder_.SetBufferInstruction(index, instruction);
  }

  void Allocation(const Field& message) {
    BufferAllocation a;
    ForFields(message.begin, message.end, [&](const Field& f) {
      if (f.number == 9 && f.wire == kLen) Assigned(f, &a);
      if (f.wire == kVarint) SetFlag(f, &a);
    });
    out_.allocations.push_back(std::move(a));
  }

  void HeapTrace(const Field& message) {
    std::vector<HeapEvent>& events = out_.heap_traces.emplace_back();
    ForFields(message.begin, message.end, [&](const Field& f) {
      HeapEvent event;
      if (f.number == 1 && f.wire == kLen && Event(f, &event)) events.push_back(event);
    });
  }

 private:
  // Sizes are not negative; larger ones than all memory that there is saturate.
  static int64_t Size(const Field& f) {
    return f.value > static_cast<uint64_t>(kMostElements) ? (f.Int() < 0 ? 0 : kMostElements)
                                                          : f.Int();
  }

  static void SetFlag(const Field& f, BufferAllocation* a) {
    if (f.number == 1) a->index = f.Int();
    if (f.number == 2) a->size = Size(f);
    if (f.number == 3) a->thread_local_memory = f.value != 0;
    if (f.number == 5) a->entry_parameter = f.value != 0;
    if (f.number == 6) a->parameter_number = f.Int();
    if (f.number == 7) a->live_out = f.value != 0;
    if (f.number == 8) a->memory_space = f.Int();
    if (f.number == 11) a->tuple = f.value != 0;
    if (f.number == 12) a->constant = f.value != 0;
  }

  void Assigned(const Field& message, BufferAllocation* a) {
    int64_t id = 0;
    AssignedBuffer assigned;
    ForFields(message.begin, message.end, [&](const Field& f) {
      if (f.wire != kVarint) return;
      if (f.number == 1) id = f.Int();
      if (f.number == 2) assigned.offset = Size(f);
      if (f.number == 3) assigned.size = Size(f);
    });
    if (Find(id, &assigned.buffer)) a->assigned.push_back(assigned);
  }

  bool Event(const Field& message, HeapEvent* event) {
    int64_t id = 0, share_with = 0;
    uint64_t kind = 0;
    ForFields(message.begin, message.end, [&](const Field& f) {
      if (f.number == 1 && f.wire == kVarint) kind = f.value;
      if (f.number == 2 && f.wire == kVarint) id = f.Int();
      if (f.number == 4 && f.wire == kLen) event->instruction = f.text();
      if (f.number == 5 && f.wire == kVarint) share_with = f.Int();
    });
    if (kind > 2 || !Find(id, &event->buffer)) return false;
    event->kind = static_cast<HeapEvent::Kind>(kind);
    return kind != 2 || Find(share_with, &event->share_with);
  }

  bool Find(int64_t id, uint32_t* index) {
    const auto it = index_of_.find(id);
    if (it != index_of_.end()) {
      *index = it->second;
      return true;
    }
    builder_.module().diagnostics.Count("hlo.missing_buffer", Severity::kWarning,
                                        "Buffers that the program does not have: left out.");
    return false;
  }

  HloModuleBuilder& builder_;
  BufferAssignment& out_;
  std::unordered_map<int64_t, uint32_t> index_of_;
};

}  // namespace

void DecodeBuffers(const Field& assignment, HloModuleBuilder* builder) {
  BufferDecoder decoder(builder);
  // Buffers first, whatever their place in the file: the rest names them.
  ForFields(assignment.begin, assignment.end, [&](const Field& f) {
    if (f.number == 1 && f.wire == kLen) decoder.Buffer(f);
  });
  ForFields(assignment.begin, assignment.end, [&](const Field& f) {
    if (f.number == 3 && f.wire == kLen) decoder.Allocation(f);
    if (f.number == 4 && f.wire == kLen) decoder.HeapTrace(f);
  });
}

}  // namespace stepscope::xla
