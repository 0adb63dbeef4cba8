#include "loaders/xla/hlo_decoder.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/xla/hlo_text.h"
#include "loaders/xla/instruction_decoder.h"
#include "model/xla/hlo_module_builder.h"

namespace stepscope {
namespace xla {

using namespace proto;

namespace {

// A size in bytes. Sizes are not negative; those beyond all memory that there is saturate.
auto Size(uint32_t number, int64_t* out) {
  return AnyField(number, [out](const Field& f) {
    if (f.wire == kVarint) *out = f.Int() < 0 ? 0 : std::min(f.Int(), kMostElements);
  });
}

// Decodes BufferAssignmentProto into module().buffers. Names of buffers that the program does not
// have are left out and counted.
class BufferDecoder {
 public:
  explicit BufferDecoder(HloModuleBuilder* builder)
      : builder_(*builder), out_(builder->module().buffers) {}

  void Decode(const Field& assignment) {
    // Buffers first, whatever their place in the file: the rest names them.
    ReadFields(assignment, Message(1, [this](const Field& f) { AddBuffer(f); }));
    ReadFields(assignment, Message(3, [this](const Field& f) { AddAllocation(f); }),
               Message(4, [this](const Field& f) { AddHeapTrace(f); }));
  }

 private:
  void AddBuffer(const Field& message) {
    LogicalBuffer buffer;
    int64_t instruction = 0;
    const auto location = [&](const Field& f) {
      ReadFields(f, Numbers(3, &buffer.shape_index), Number(4, &instruction));
    };
    ReadFields(message, Number(1, &buffer.id), Size(2, &buffer.size), Message(3, location),
               Number(4, &buffer.memory_space));
    const uint32_t index = static_cast<uint32_t>(out_.buffers.size());
    index_of_.insert_or_assign(buffer.id, index);
    out_.buffers.push_back(std::move(buffer));
    builder_.SetBufferInstruction(index, instruction);
  }

  void AddAllocation(const Field& message) {
    BufferAllocation a;
    ReadFields(message, Number(1, &a.index), Size(2, &a.size), Number(3, &a.thread_local_memory),
               Number(5, &a.entry_parameter), Number(6, &a.parameter_number),
               Number(7, &a.live_out), Number(8, &a.memory_space),
               Message(9, [&](const Field& f) { AddAssigned(f, &a); }), Number(11, &a.tuple),
               Number(12, &a.constant));
    out_.allocations.push_back(std::move(a));
  }

  void AddHeapTrace(const Field& message) {
    std::vector<HeapEvent>& events = out_.heap_traces.emplace_back();
    ReadFields(message, Message(1, [&](const Field& f) { AddHeapEvent(f, &events); }));
  }

  void AddAssigned(const Field& message, BufferAllocation* a) {
    int64_t id = 0;
    AssignedBuffer assigned;
    ReadFields(message, Number(1, &id), Size(2, &assigned.offset), Size(3, &assigned.size));
    if (FindBuffer(id, &assigned.buffer)) a->assigned.push_back(assigned);
  }

  void AddHeapEvent(const Field& message, std::vector<HeapEvent>* events) {
    constexpr uint64_t kShareWith = 2;
    HeapEvent event;
    int64_t id = 0, share_with = 0;
    uint64_t kind = 0;
    ReadFields(message, Number(1, &kind), Number(2, &id), Text(4, &event.instruction),
               Number(5, &share_with));
    if (kind > kShareWith || !FindBuffer(id, &event.buffer)) return;
    event.kind = static_cast<HeapEvent::Kind>(kind);
    if (kind == kShareWith && !FindBuffer(share_with, &event.share_with)) return;
    events->push_back(event);
  }

  bool FindBuffer(int64_t id, uint32_t* index) {
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
  std::unordered_map<int64_t, uint32_t> index_of_;  // by the buffer's id
};

// Decodes one module. Instructions need the module's payloads, and buffers its instructions, so
// payloads are read first and buffers last.
class ModuleDecoder {
 public:
  explicit ModuleDecoder(std::stop_token stop)
      : stop_(std::move(stop)), instructions_(&builder_, &payloads_) {}

  Result<std::shared_ptr<const HloModule>> Run(std::string proto);

 private:
  void DecodeModule(const Field& module);
  void ReadModuleField(const Field& f);
  void AddComputation(const Field& message);
  void AddInstruction(const Field& message);
  void AddSchedule(const Field& schedule);
  void AddFrames(const Field& index);
  void CountGarbage(bool whole, std::string_view place);

  std::stop_token stop_;
  HloModuleBuilder builder_;
  std::vector<std::string_view> payloads_;
  InstructionDecoder instructions_;
};

Result<std::shared_ptr<const HloModule>> ModuleDecoder::Run(std::string proto) {
  Field module, buffers;
  const bool whole = ReadFields(MessageIn(builder_.Keep(std::move(proto))),
                                Message(1, [&](const Field& f) { module = f; }),
                                Message(3, [&](const Field& f) { buffers = f; }));
  if (module.begin == nullptr) return Status(ErrorCode::kFormat, "this is no HLO program");
  CountGarbage(whole, {});
  DecodeModule(module);
  if (buffers.begin != nullptr) BufferDecoder(&builder_).Decode(buffers);
  if (stop_.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  return builder_.Finish();
}

void ModuleDecoder::CountGarbage(bool whole, std::string_view place) {
  if (whole) return;
  builder_.module().diagnostics.Count(
      "hlo.garbage", Severity::kWarning,
      "Messages of HLO programs that do not parse: what came before the error is kept.",
      std::string(place.substr(0, 200)));
}

void ModuleDecoder::DecodeModule(const Field& module) {
  size_t instructions = 0;
  const auto count = [&](const Field& computation) {
    ReadFields(computation, Message(2, [&](const Field&) { ++instructions; }));
  };
  ReadFields(module, Message(3, count),
             Message(22, [this](const Field& f) { payloads_.push_back(f.text()); }));
  builder_.Reserve(std::min(instructions, kMaxHloModuleInstructions));
  const bool whole = ForFields(module, [this](const Field& f) { ReadModuleField(f); });
  CountGarbage(whole, builder_.module().name);
}

void ModuleDecoder::ReadModuleField(const Field& f) {
  HloModule& module = builder_.module();
  MatchField(f, Text(1, &module.name),
             Message(2, [&](const Field& m) { builder_.SetEntryName(m.text()); }),
             Message(3, [&](const Field& m) { AddComputation(m); }), Number(5, &module.id),
             Message(7, [&](const Field& m) { AddSchedule(m); }),
             Message(8, [&](const Field& m) { module.input_output_alias = AliasText(m); }),
             Message(17, [&](const Field& m) { AddFrames(m); }), Message(19, [&](const Field& m) {
               module.frontend_attributes = FrontendAttributesText(m);
             }));
  if (f.number == 6 && f.wire == kVarint) builder_.SetEntry(f.Int());
}

void ModuleDecoder::AddComputation(const Field& message) {
  if (stop_.stop_requested()) return;
  Computation& computation = builder_.BeginComputation();
  const auto root = [this](const Field& f) {
    if (f.wire == kVarint) builder_.SetRoot(f.Int());
  };
  const bool whole =
      ReadFields(message, Text(1, &computation.name),
                 Message(2, [this](const Field& f) { AddInstruction(f); }),
                 Number(5, &computation.id), AnyField(6, root), Number(7, &computation.fusion));
  CountGarbage(whole, computation.name);
}

void ModuleDecoder::AddInstruction(const Field& message) {
  HloModule& module = builder_.module();
  if (module.instructions.size() < kMaxHloModuleInstructions)
    return CountGarbage(instructions_.Add(message), module.name);
  module.diagnostics.Count("hlo.too_many_instructions", Severity::kWarning,
                           "Instructions beyond the first 4 million of a program: left out.");
}

void ModuleDecoder::AddSchedule(const Field& schedule) {
  const auto entry = [this](const Field& f) {
    int64_t computation = 0;
    std::vector<int64_t> order;
    const auto sequence = [&](const Field& ids) { ReadFields(ids, Numbers(1, &order)); };
    ReadFields(f, Number(1, &computation), Message(2, sequence));
    builder_.SetSchedule(computation, std::move(order));
  };
  ReadFields(schedule, Message(1, entry));
}

// The file or function with this number, which counts from 1.
std::string_view NumberedName(const std::vector<std::string_view>& names, uint64_t number) {
  return number == 0 || number > names.size() ? std::string_view() : names[number - 1];
}

void ModuleDecoder::AddFrames(const Field& index) {
  std::vector<std::string_view> files, functions;
  std::vector<StackFrame> places;
  ReadFields(index, Message(1, [&](const Field& f) { files.push_back(f.text()); }),
             Message(2, [&](const Field& f) { functions.push_back(f.text()); }));
  const auto place = [&](const Field& f) {
    uint64_t file = 0, function = 0;
    StackFrame& at = places.emplace_back();
    ReadFields(f, Number(1, &file), Number(2, &function), Number(3, &at.line),
               Number(4, &at.column));
    at.file = NumberedName(files, file);
    at.function = NumberedName(functions, function);
  };
  const auto frame = [&](const Field& f) {
    uint64_t at = 0;
    uint32_t parent = 0;
    ReadFields(f, Number(1, &at), Number(2, &parent));
    StackFrame& added = builder_.module().frames.emplace_back();
    if (at > 0 && at <= places.size()) added = places[at - 1];
    added.parent = parent;
  };
  ReadFields(index, Message(3, place), Message(4, frame));
}

}  // namespace
}  // namespace xla

Result<std::shared_ptr<const xla::HloModule>> DecodeHlo(std::string proto,
                                                        const std::stop_token& stop) {
  if (proto.size() > kMaxHloModuleBytes)
    return Status(ErrorCode::kLimit, "the HLO program is larger than 1 GiB");
  return xla::ModuleDecoder(stop).Run(std::move(proto));
}

}  // namespace stepscope
