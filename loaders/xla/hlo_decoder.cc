#include "loaders/xla/hlo_decoder.h"

#include <algorithm>
#include <utility>

#include "loaders/xla/annotation_text.h"
#include "loaders/xla/buffer_decoder.h"
#include "loaders/xla/instruction_decoder.h"
#include "loaders/xla/packed_ints.h"

namespace stepscope {
namespace xla {

using namespace proto;

namespace {

// Decodes one module. Instructions need the module's payloads, and buffers its instructions, so
// those are looked for first and last.
class ModuleDecoder {
 public:
  explicit ModuleDecoder(std::stop_token stop)
      : stop_(std::move(stop)), instructions_(&builder_, &payloads_) {}

  Result<std::shared_ptr<const HloModule>> Run(std::string proto);

 private:
  void Module(const Field& module);
  void ModuleField(const Field& f);
  void ComputationField(const Field& f, Computation* computation);
  void AddComputation(const Field& message);
  void AddInstruction(const Field& message);
  void Schedule(const Field& schedule);
  void Frames(const Field& index);
  void CountGarbage(bool whole, std::string_view place);

  std::stop_token stop_;
  HloModuleBuilder builder_;
  std::vector<std::string_view> payloads_;
  InstructionDecoder instructions_;
};

Result<std::shared_ptr<const HloModule>> ModuleDecoder::Run(std::string proto) {
  const std::string_view bytes = builder_.Keep(std::move(proto));
  const Bytes begin = reinterpret_cast<Bytes>(bytes.data());
  Field module, buffers;
  const bool whole = ForFields(begin, begin + bytes.size(), [&](const Field& f) {
    if (f.wire != kLen) return;
    if (f.number == 1) module = f;
    if (f.number == 3) buffers = f;
  });
  if (module.begin == nullptr) return Status(ErrorCode::kFormat, "this is no HLO program");
  CountGarbage(whole, {});
  Module(module);
  if (buffers.begin != nullptr) DecodeBuffers(buffers, &builder_);
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

// How many instructions the computation has. Reads no instruction.
size_t InstructionsIn(const Field& computation) {
  size_t count = 0;
  ForFields(computation.begin, computation.end,
            [&](const Field& f) { count += f.number == 2 && f.wire == kLen ? 1 : 0; });
  return count;
}

void ModuleDecoder::Module(const Field& module) {
  size_t instructions = 0;
  ForFields(module.begin, module.end, [&](const Field& f) {
    if (f.wire != kLen) return;
    if (f.number == 22) payloads_.push_back(f.text());
    if (f.number == 3) instructions += InstructionsIn(f);
  });
  builder_.Reserve(std::min(instructions, kMaxHloModuleInstructions));
  const bool whole = ForFields(module.begin, module.end, [&](const Field& f) { ModuleField(f); });
  CountGarbage(whole, builder_.module().name);
}

void ModuleDecoder::ModuleField(const Field& f) {
  if (f.wire == kVarint) {
    if (f.number == 5) builder_.module().id = f.Int();
    if (f.number == 6) builder_.SetEntry(f.Int());
  }
  if (f.wire != kLen) return;
  if (f.number == 1) builder_.module().name = f.text();
  if (f.number == 2) builder_.SetEntryName(f.text());
  if (f.number == 3) AddComputation(f);
  if (f.number == 7) Schedule(f);
  if (f.number == 8) builder_.module().input_output_alias = AliasText(f);
  if (f.number == 17) Frames(f);
  if (f.number == 19) builder_.module().frontend_attributes = FrontendAttributesText(f);
}

void ModuleDecoder::AddComputation(const Field& message) {
  if (stop_.stop_requested()) return;
  Computation& computation = builder_.BeginComputation();
  const bool whole = ForFields(message.begin, message.end,
                               [&](const Field& f) { ComputationField(f, &computation); });
  CountGarbage(whole, computation.name);
}

void ModuleDecoder::ComputationField(const Field& f, Computation* computation) {
  if (f.number == 1 && f.wire == kLen) computation->name = f.text();
  if (f.number == 2 && f.wire == kLen) AddInstruction(f);
  if (f.wire != kVarint) return;
  if (f.number == 5) computation->id = f.Int();
  if (f.number == 6) builder_.SetRoot(f.Int());
  if (f.number == 7) computation->fusion = f.value != 0;
}

void ModuleDecoder::AddInstruction(const Field& message) {
  HloModule& module = builder_.module();
  if (module.instructions.size() < kMaxHloModuleInstructions)
    return CountGarbage(instructions_.Add(message), module.name);
  module.diagnostics.Count("hlo.too_many_instructions", Severity::kWarning,
                           "Instructions beyond the first 4 million of a program: left out.");
}

void ModuleDecoder::Schedule(const Field& schedule) {
  ForFields(schedule.begin, schedule.end, [&](const Field& entry) {
    if (entry.number != 1 || entry.wire != kLen) return;
    int64_t computation = 0;
    std::vector<int64_t> order;
    ForFields(entry.begin, entry.end, [&](const Field& f) {
      if (f.number == 1 && f.wire == kVarint) computation = f.Int();
      if (f.number != 2 || f.wire != kLen) return;
      ForFields(f.begin, f.end, [&](const Field& ids) {
        if (ids.number == 1) AppendInts(ids, &order);
      });
    });
    builder_.SetSchedule(computation, std::move(order));
  });
}

// A file's or function's name by its number, which counts from 1.
std::string_view NameOf(const std::vector<std::string_view>& names, uint64_t number) {
  return number == 0 || number > names.size() ? std::string_view() : names[number - 1];
}

void ModuleDecoder::Frames(const Field& index) {
  std::vector<std::string_view> files, functions;
  std::vector<StackFrame> places;
  ForFields(index.begin, index.end, [&](const Field& f) {
    if (f.wire != kLen) return;
    if (f.number == 1) files.push_back(f.text());
    if (f.number == 2) functions.push_back(f.text());
  });
  ForFields(index.begin, index.end, [&](const Field& f) {
    if (f.wire != kLen || f.number < 3 || f.number > 4) return;
    uint64_t v[5] = {};
    ForFields(f.begin, f.end, [&](const Field& part) {
      if (part.wire == kVarint && part.number < 5) v[part.number] = part.value;
    });
    if (f.number == 3)
      places.push_back({NameOf(files, v[1]), NameOf(functions, v[2]), static_cast<int32_t>(v[3]),
                        static_cast<int32_t>(v[4]), 0});
    if (f.number == 4) {
      StackFrame frame = v[1] > 0 && v[1] <= places.size() ? places[v[1] - 1] : StackFrame();
      frame.parent = static_cast<uint32_t>(v[2]);
      builder_.module().frames.push_back(frame);
    }
  });
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
