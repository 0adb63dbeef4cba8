// The analysis `hlo_memory`: how a program fills a memory (docs/rules.md#hlo-memory).
#include "model/analysis/pages/hlo_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/analysis/definitions.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

using xla::BufferHeap;
using xla::HloModule;

constexpr int64_t kXprofSmallBytes = 16 * 1024;

// Memory spaces have no names in the program; these are those of TPUs.
std::string SpaceName(const Trace& trace, int64_t space) {
  constexpr const char* kTpuSpaces[] = {"HBM", "VMEM", "sync flags", "CMEM", "SMEM", "host memory"};
  const bool tpu = KindOf(trace) == DeviceKind::kTpu;
  if (tpu && space >= 0 && space < 6) return kTpuSpaces[space];
  return space == 0 ? "main memory" : fmt::format("space {}", space);
}

HloBuffer BufferOf(const HloPlace& place, const HloModule& module,
                   const xla::LogicalBuffer& buffer) {
  const xla::Shape& shape = BufferShape(module, buffer);
  HloBuffer b{place, buffer.id, NameOf(module, buffer), buffer.size, xla::BytesOf(shape)};
  b.shape = ToText(shape);
  if (buffer.instruction == xla::kNone) return b;
  const xla::Instruction& i = module.instructions[buffer.instruction];
  b.opcode = i.opcode_name, b.op_name = module.MetadataOf(i).op_name;
  b.source = SourceLineOf(module, i);
  return b;
}

void AddPeak(const HloPlace& place, const HloModule& module, const BufferHeap& heap, bool sum_small,
             std::vector<HloBuffer>* rows) {
  std::vector<xla::PeakBuffer> buffers = heap.at_peak;
  const auto size = [&](const xla::PeakBuffer& b) { return module.buffers.buffers[b.buffer].size; };
  std::stable_sort(buffers.begin(), buffers.end(),
                   [&](const auto& a, const auto& b) { return size(a) > size(b); });
  int64_t small = 0;
  for (const xla::PeakBuffer& b : buffers) {
    if (sum_small && size(b) < kXprofSmallBytes) {
      small += size(b);
      continue;
    }
    rows->push_back(BufferOf(place, module, module.buffers.buffers[b.buffer]));
    rows->back().group = GroupOf(b.allocation);
  }
  if (small > 0)
    rows->push_back({place, -1, fmt::format("small (<{} bytes)", kXprofSmallBytes), small});
}

// Where each buffer lies in its allocation; -1: in none.
std::vector<int64_t> OffsetsOf(const HloModule& module) {
  std::vector<int64_t> offsets(module.buffers.buffers.size(), -1);
  for (const xla::BufferAllocation& allocation : module.buffers.allocations) {
    for (const xla::AssignedBuffer& assigned : allocation.assigned)
      offsets[assigned.buffer] = assigned.offset;
  }
  return offsets;
}

// Every buffer of the space, with the time in which it is live.
void AddBuffers(const HloPlace& place, const HloModule& module, const BufferHeap& heap,
                std::vector<HloBuffer>* rows) {
  const auto& buffers = module.buffers.buffers;
  const std::vector<int64_t> offsets = OffsetsOf(module);
  std::vector<uint32_t> order;
  for (uint32_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].memory_space == place.space || heap.spans[b]) order.push_back(b);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return buffers[a].size > buffers[b].size; });
  for (const uint32_t b : order) {
    HloBuffer& row = rows->emplace_back(BufferOf(place, module, buffers[b]));
    if (const auto& span = heap.spans[b]) row.first = span->first, row.last = span->last;
    if (offsets[b] >= 0) row.offset = offsets[b];
  }
}

std::vector<HloBlock> BlocksOf(const HloModule& module, const BufferHeap& heap) {
  std::vector<HloBlock> blocks;
  for (const xla::HeapBlock& block : heap.blocks) {
    HloBlock& b =
        blocks.emplace_back(HloBlock{-1, "allocation", block.offset, block.size, block.span});
    if (block.buffer == xla::kNone) continue;
    const xla::LogicalBuffer& buffer = module.buffers.buffers[block.buffer];
    b.buffer_id = buffer.id, b.name = NameOf(module, buffer);
  }
  return blocks;
}

std::vector<HloAllocation> AllocationsOf(const HloModule& module, int64_t space) {
  std::vector<HloAllocation> rows;
  for (const xla::BufferAllocation& a : module.buffers.allocations) {
    if (a.memory_space != space) continue;
    const xla::LogicalBuffer* largest = nullptr;
    for (const xla::AssignedBuffer& b : a.assigned) {
      const xla::LogicalBuffer& buffer = module.buffers.buffers[b.buffer];
      if (largest == nullptr || buffer.size > largest->size) largest = &buffer;
    }
    rows.push_back({a.index, a.size, a.thread_local_memory ? "Thread" : GroupOf(&a), a.indefinite(),
                    a.assigned.size(),
                    largest == nullptr ? std::string() : NameOf(module, *largest)});
  }
  return rows;
}

// Adds the rows that are of one memory of one program each.
class PlaceRows {
 public:
  PlaceRows(AnalysisContext& context, const HloChoice& choice, uint32_t chosen, HloMemory* out)
      : context_(context),
        choice_(choice),
        chosen_(chosen),
        xprof_(context.xprof().heap_of_first_trace),
        out_(*out) {}

  // `programs` has all that there are. The others have the chosen one, or all where that is asked
  // for and none is named.
  void Add() {
    const HloPrograms& programs = context_.Get<HloPrograms>();
    for (uint32_t p = 0; p < programs.list().size(); ++p) {
      CheckStop();
      const auto module = programs.Module(p);
      if (!module) continue;
      const std::vector<int64_t> real = MemorySpacesOf(*module);
      std::vector<int64_t> spaces = real;
      const int64_t asked = MemorySpaceOf(choice_);
      if (p == chosen_ && std::find(spaces.begin(), spaces.end(), asked) == spaces.end())
        spaces.push_back(asked);
      for (const int64_t space : spaces) AddSpace({programs.NameOf(p), space}, p, *module, real);
    }
  }

 private:
  bool Wanted(uint32_t program, int64_t space) const {
    const bool all_spaces = choice_.whole && choice_.memory_space == kAllMemorySpaces;
    const bool all_programs = choice_.whole && choice_.program.empty();
    return (all_programs || program == chosen_) && (all_spaces || space == MemorySpaceOf(choice_));
  }

  void AddSpace(const HloPlace& place, uint32_t program, const HloModule& module,
                const std::vector<int64_t>& real) {
    BufferHeap heap =
        ReplayHeap(module, place.space, xprof_ ? xla::HeapTraces::kFirst : xla::HeapTraces::kAll);
    if (std::find(real.begin(), real.end(), place.space) != real.end()) {
      out_.programs.push_back({place, SpaceName(context_.trace(), place.space), heap.peak,
                               heap.unpadded_peak, heap.total, heap.indefinite, heap.parameters,
                               heap.live_out});
    }
    if (Wanted(program, place.space)) {
      AddPeak(place, module, heap, xprof_, &out_.at_peak);
      int64_t index = 0;
      for (const xla::HeapPoint& point : heap.points)
        out_.points.push_back({place, index++, point.instruction, point.bytes, point.unpadded});
      AddBuffers(place, module, heap, &out_.buffers);
    }
    if (program == chosen_ && place.space == MemorySpaceOf(choice_)) out_.heap = std::move(heap);
  }

  AnalysisContext& context_;
  const HloChoice& choice_;
  const uint32_t chosen_;
  const bool xprof_;
  HloMemory& out_;
};

// --- Tables
template <typename Row>
typename Schema<Row>::Field ProgramField(ColumnRole role = kPlainColumn) {
  return {"program", "Program", Unit::kNone, &Row::program, "", role};
}

template <typename Row>
typename Schema<Row>::Field SpaceField() {
  return {"memory_space", "Space", Unit::kNone, &Row::space};
}

const Schema<HloPlaceSums>& ProgramsSchema() {
  using P = HloPlaceSums;
  static const Schema<P> schema(
      "programs", "Programs",
      {ProgramField<P>(kKeyColumn),
       SpaceField<P>(),
       {"memory", "Memory", Unit::kNone, &P::memory, "", kKeyColumn},
       {"peak_bytes", "Peak", Unit::kBytes, &P::peak, "the most that is live at once", kKeyColumn},
       {"peak_unpadded_bytes", "Without padding", Unit::kBytes, &P::unpadded_peak},
       {"total_bytes", "Allocated", Unit::kBytes, &P::total, "all allocations", kKeyColumn},
       {"indefinite_bytes", "Whole time", Unit::kBytes, &P::indefinite,
        "parameters, constants and outputs", kKeyColumn},
       {"parameters_bytes", "Parameters", Unit::kBytes, &P::parameters},
       {"live_out_bytes", "Outputs", Unit::kBytes, &P::live_out}});
  return schema;
}

const Schema<HloHeapPoint>& PointsSchema() {
  using P = HloHeapPoint;
  static const Schema<P> schema(
      "heap", "Heap in program order",
      {ProgramField<P>(),
       SpaceField<P>(),
       {"index", "Position", Unit::kNone, &P::index},
       {"instruction", "Instruction", Unit::kNone, &P::instruction, "", kKeyColumn},
       {"bytes", "Live", Unit::kBytes, &P::bytes, "before the instruction", kKeyColumn},
       {"unpadded_bytes", "Without padding", Unit::kBytes, &P::unpadded}});
  return schema;
}

// The fields that all tables of buffers have.
std::vector<Schema<HloBuffer>::Field> BufferFields() {
  using B = HloBuffer;
  return {ProgramField<B>(),
          SpaceField<B>(),
          {"buffer", "Buffer", Unit::kNone, &B::id},
          {"instruction", "Instruction", Unit::kNone, &B::name, "and the part of its tuple",
           kKeyColumn},
          {"bytes", "Size", Unit::kBytes, &B::bytes, "", kKeyColumn},
          {"unpadded_bytes", "Without padding", Unit::kBytes, &B::unpadded},
          {"shape", "Shape", Unit::kNone, &B::shape, "", kKeyColumn},
          {"opcode", "Opcode", Unit::kNone, &B::opcode},
          {"op_name", "Framework op", Unit::kNone, &B::op_name},
          {"source", "Source", Unit::kNone, &B::source}};
}

Schema<HloBuffer> PeakSchema() {
  auto fields = BufferFields();
  fields.emplace_back("group", "Kind", Unit::kNone, &HloBuffer::group, "", kKeyColumn);
  return {"at_peak", "Live at the peak", std::move(fields)};
}

const Schema<HloBlock>& BlocksSchema() {
  using B = HloBlock;
  static const Schema<B> schema(
      "blocks", "Places in memory",
      {{"buffer_id", "Buffer", Unit::kNone, &B::buffer_id, "-1: an allocation"},
       {"name", "Instruction", Unit::kNone, &B::name, "", kKeyColumn},
       {"offset", "Offset", Unit::kBytes, &B::offset, "", kKeyColumn},
       {"size", "Size", Unit::kBytes, &B::size, "", kKeyColumn},
       {"first", "First", Unit::kNone, [](const B& b) { return b.span.first; }},
       {"last", "Last", Unit::kNone, [](const B& b) { return b.span.last; }}});
  return schema;
}

const Schema<HloAllocation>& AllocationsSchema() {
  using A = HloAllocation;
  static const Schema<A> schema(
      "allocations", "Allocations",
      {{"allocation", "Allocation", Unit::kNone, &A::index},
       {"size", "Size", Unit::kBytes, &A::size, "", kKeyColumn},
       {"kind", "Kind", Unit::kNone, &A::kind, "", kKeyColumn},
       {"indefinite", "Whole time", Unit::kNone, &A::indefinite},
       {"buffers", "Buffers", Unit::kCount, &A::buffers},
       {"largest", "Largest buffer", Unit::kNone, &A::largest, "", kKeyColumn}});
  return schema;
}

// (allocated - peak) / (allocated - whole time), in percent.
double Fragmentation(const HloMemory& m) {
  const BufferHeap& heap = m.heap;
  const double room = static_cast<double>(heap.total - heap.indefinite);
  const double unused = static_cast<double>(heap.total - heap.peak);
  return room > 0 ? 100 * unused / room : 0.0;
}

const Schema<HloMemory>& PropertySchema() {
  using M = HloMemory;
  const auto of_heap = [](auto member) { return [member](const M& m) { return m.heap.*member; }; };
  using H = BufferHeap;
  static const Schema<M> schema(
      "hlo_memory", "HLO memory",
      {{"program", "Program", Unit::kNone, [](const M& m) { return m.place.program; },
        "that of --program, else with the most time"},
       {"memory", "Memory", Unit::kNone, [](const M& m) { return m.place.memory; }},
       {"peak", "Peak", Unit::kBytes, of_heap(&H::peak), "the most that is live at once"},
       {"unpadded_peak", "Peak without padding", Unit::kBytes, of_heap(&H::unpadded_peak)},
       {"peak_position", "Position of the peak", Unit::kNone, of_heap(&H::peak_position),
        "in the heap"},
       {"total", "Allocated", Unit::kBytes, of_heap(&H::total),
        "all allocations but those of threads"},
       {"indefinite", "Whole time", Unit::kBytes, of_heap(&H::indefinite),
        "parameters, constants, outputs"},
       {"parameters", "Parameters", Unit::kBytes, of_heap(&H::parameters), "of the entry"},
       {"live_out", "Outputs", Unit::kBytes, of_heap(&H::live_out),
        "what may be live after the program"},
       {"non_reusable", "Not reused", Unit::kBytes, of_heap(&H::non_reusable),
        "of threads, or tables of tuples"},
       {"temporary_peak", "Temporary at the peak", Unit::kBytes,
        [](const M& m) { return m.heap.peak - m.heap.indefinite; }, "peak - whole time"},
       {"fragmentation", "Fragmentation", Unit::kPercent, Fragmentation,
        "(allocated - peak) / (allocated - whole time)"}});
  return schema;
}

void AddScopedVmem(const HloModule& module, AnalysisResult* result) {
  const xla::ScopedMemory scoped = LargestScopedVmem(module);
  if (scoped.bytes == 0) return;
  result->properties.push_back(
      {"scoped_vmem", "VMEM of one instruction", scoped.bytes, Unit::kBytes,
       "the most that an instruction reserves for itself; in no other sum"});
  result->properties.push_back({"scoped_vmem_instruction", "Instruction of that VMEM",
                                std::string(scoped.instruction), Unit::kNone, ""});
}

void AddDiagnostics(const HloModule& module, AnalysisResult* result) {
  for (const Diagnostic& d : module.diagnostics.rows()) {
    result->properties.push_back(
        {d.id, "Damage", static_cast<int64_t>(d.count), Unit::kCount, d.text});
  }
}

}  // namespace

std::string_view HloBuffer::instruction() const {
  const std::string_view all = name;
  return all.ends_with('}') ? all.substr(0, all.rfind('{')) : all;
}

Schema<HloBuffer> HloBufferSchema(const char* id, const char* title) {
  using B = HloBuffer;
  auto fields = BufferFields();
  fields.emplace_back("begin_index", "First", Unit::kNone, &B::first, "position in the heap",
                      kKeyColumn);
  fields.emplace_back("end_index", "Last", Unit::kNone, &B::last, "position in the heap",
                      kKeyColumn);
  fields.emplace_back("offset", "Offset", Unit::kBytes, &B::offset, "in its allocation");
  return {id, title, std::move(fields)};
}

std::vector<HloBuffer> HloMemory::LiveAt(int64_t position) const {
  std::vector<HloBuffer> live;
  for (const HloBuffer& buffer : at_peak) {
    if (buffer.group != "Temporary") live.push_back(buffer);
  }
  for (const HloBuffer& buffer : buffers) {
    if (buffer.first && *buffer.first <= position && position <= *buffer.last)
      live.push_back(buffer);
  }
  std::stable_sort(live.begin(), live.end(),
                   [](const HloBuffer& a, const HloBuffer& b) { return a.bytes > b.bytes; });
  return live;
}

HloMemory HloMemory::Compute(AnalysisContext& context, const AnalysisParams& params) {
  HloMemory memory;
  const HloChoiceFound found = FindHloProgram(context, params);
  memory.why_not = found.why_not;
  if (!found.why_not.empty()) return memory;
  const HloPrograms& programs = context.Get<HloPrograms>();
  const int64_t space = MemorySpaceOf(params.hlo);
  memory.module = programs.Module(found.program);
  memory.program_id = programs.list()[found.program].id;
  memory.place = {{programs.NameOf(found.program), space}, SpaceName(context.trace(), space)};
  PlaceRows(context, params.hlo, found.program, &memory).Add();
  memory.blocks = BlocksOf(*memory.module, memory.heap);
  memory.allocations = AllocationsOf(*memory.module, space);
  return memory;
}

AnalysisResult RunHloMemory(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "hlo_memory";
  const auto memory = context.Make<HloMemory>(params);
  result.empty_reason = memory->why_not;
  if (!memory->why_not.empty()) return result;
  result.properties = PropertySchema().Properties(*memory);
  if (memory->place.space == 1) AddScopedVmem(*memory->module, &result);
  AddDiagnostics(*memory->module, &result);
  result.tables = {ProgramsSchema().Make(memory->programs),
                   PeakSchema().Make(memory->at_peak),
                   PointsSchema().Make(memory->points),
                   HloBufferSchema("buffers", "Buffers").Make(memory->buffers),
                   BlocksSchema().Make(memory->blocks),
                   AllocationsSchema().Make(memory->allocations)};
  result.SetSource(memory);
  return result;
}

}  // namespace stepscope
