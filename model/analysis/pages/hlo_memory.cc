// The analysis `hlo_memory`: how a program fills a memory (docs/rules.md#hlo-memory).
#include <fmt/format.h>

#include <algorithm>

#include "model/analysis/definitions.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/xla/buffer_heap.h"

namespace stepscope {
namespace {

using V = ValueType;
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

// The program and the memory that rows of a table belong to.
struct Place {
  std::string program;
  int64_t space = 0;
};

const ColumnDesc kProgramColumn{"program", "Program", Unit::kNone, V::kString, ""};
const ColumnDesc kSpaceColumn{"memory_space", "Space", Unit::kNone, V::kInt, ""};

ResultTable EmptyPrograms() {
  ResultTable table{
      "programs",
      "Programs",
      {kProgramColumn,
       kSpaceColumn,
       {"memory", "Memory", Unit::kNone, V::kString, "", true},
       {"peak_bytes", "Peak", Unit::kBytes, V::kInt, "the most that is live at once", true},
       {"peak_unpadded_bytes", "Without padding", Unit::kBytes, V::kInt, ""},
       {"total_bytes", "Allocated", Unit::kBytes, V::kInt, "all allocations", true},
       {"indefinite_bytes", "Whole time", Unit::kBytes, V::kInt,
        "parameters, constants and outputs", true},
       {"parameters_bytes", "Parameters", Unit::kBytes, V::kInt, ""},
       {"live_out_bytes", "Outputs", Unit::kBytes, V::kInt, ""}}};
  table.columns.front().key = true;
  return table;
}

ResultTable EmptyHeap() {
  return {"heap",
          "Heap in program order",
          {kProgramColumn,
           kSpaceColumn,
           {"index", "Position", Unit::kNone, V::kInt, ""},
           {"instruction", "Instruction", Unit::kNone, V::kString, "", true},
           {"bytes", "Live", Unit::kBytes, V::kInt, "before the instruction", true},
           {"unpadded_bytes", "Without padding", Unit::kBytes, V::kInt, ""}}};
}

void AddHeap(const Place& place, const BufferHeap& heap, ResultTable* table) {
  int64_t index = 0;
  for (const xla::HeapPoint& point : heap.points) {
    table->AddRow({place.program, place.space, index++, SharedText(point.instruction), point.bytes,
                   point.unpadded});
  }
}

// The cells that all tables of buffers have for one buffer.
std::vector<Value> BufferCells(const Place& place, const HloModule& module,
                               const xla::LogicalBuffer& buffer) {
  const bool known = buffer.instruction != xla::kNone;
  const xla::Instruction* i = known ? &module.instructions[buffer.instruction] : nullptr;
  const xla::Shape& shape = BufferShape(module, buffer);
  return {place.program,
          place.space,
          buffer.id,
          NameOf(module, buffer),
          buffer.size,
          xla::BytesOf(shape),
          ToText(shape),
          SharedText(i == nullptr ? std::string_view() : i->opcode_name),
          SharedText(i == nullptr ? std::string_view() : module.MetadataOf(*i).op_name),
          i == nullptr ? std::string() : SourceLineOf(module, *i)};
}

std::vector<ColumnDesc> BufferColumns() {
  return {
      kProgramColumn,
      kSpaceColumn,
      {"buffer", "Buffer", Unit::kNone, V::kInt, ""},
      {"instruction", "Instruction", Unit::kNone, V::kString, "and the part of its tuple", true},
      {"bytes", "Size", Unit::kBytes, V::kInt, "", true},
      {"unpadded_bytes", "Without padding", Unit::kBytes, V::kInt, ""},
      {"shape", "Shape", Unit::kNone, V::kString, "", true},
      {"opcode", "Opcode", Unit::kNone, V::kString, ""},
      {"op_name", "Framework op", Unit::kNone, V::kString, ""},
      {"source", "Source", Unit::kNone, V::kString, ""}};
}

ResultTable EmptyPeak() {
  ResultTable table{"at_peak", "Live at the peak", BufferColumns()};
  table.AddColumn({"group", "Kind", Unit::kNone, V::kString, "", true});
  return table;
}

void AddPeak(const Place& place, const HloModule& module, const BufferHeap& heap, bool sum_small,
             ResultTable* table) {
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
    std::vector<Value> row = BufferCells(place, module, module.buffers.buffers[b.buffer]);
    row.emplace_back(SharedText(GroupOf(b.allocation)));
    table->AddRow(std::move(row));
  }
  if (small > 0) {
    table->AddRow({place.program, place.space, int64_t{-1},
                   fmt::format("small (<{} bytes)", kXprofSmallBytes), small, int64_t{0}, "", "",
                   "", "", ""});
  }
}

ResultTable EmptyBuffers() {
  ResultTable table{"buffers", "Buffers", BufferColumns()};
  table.AddColumn({"begin_index", "First", Unit::kNone, V::kInt, "position in the heap", true});
  table.AddColumn({"end_index", "Last", Unit::kNone, V::kInt, "position in the heap", true});
  table.AddColumn({"offset", "Offset", Unit::kBytes, V::kInt, "in its allocation"});
  return table;
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
void AddBuffers(const Place& place, const HloModule& module, const BufferHeap& heap,
                ResultTable* table) {
  const auto& buffers = module.buffers.buffers;
  const std::vector<int64_t> offsets = OffsetsOf(module);
  std::vector<uint32_t> order;
  for (uint32_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].memory_space == place.space || heap.spans[b]) order.push_back(b);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return buffers[a].size > buffers[b].size; });
  for (const uint32_t b : order) {
    std::vector<Value> row = BufferCells(place, module, buffers[b]);
    const auto& span = heap.spans[b];
    row.push_back(span ? Value(static_cast<int64_t>(span->first)) : Value());
    row.push_back(span ? Value(static_cast<int64_t>(span->last)) : Value());
    row.push_back(offsets[b] >= 0 ? Value(offsets[b]) : Value());
    table->AddRow(std::move(row));
  }
}

ResultTable BlocksTable(const HloModule& module, const BufferHeap& heap) {
  ResultTable table{"blocks",
                    "Places in memory",
                    {{"buffer_id", "Buffer", Unit::kNone, V::kInt, "-1: an allocation"},
                     {"name", "Instruction", Unit::kNone, V::kString, "", true},
                     {"offset", "Offset", Unit::kBytes, V::kInt, "", true},
                     {"size", "Size", Unit::kBytes, V::kInt, "", true},
                     {"first", "First", Unit::kNone, V::kInt, ""},
                     {"last", "Last", Unit::kNone, V::kInt, ""}}};
  for (const xla::HeapBlock& block : heap.blocks) {
    const bool container = block.buffer == xla::kNone;
    const auto* buffer = container ? nullptr : &module.buffers.buffers[block.buffer];
    table.AddRow({container ? int64_t{-1} : buffer->id,
                  container ? std::string("allocation") : NameOf(module, *buffer), block.offset,
                  block.size, static_cast<int64_t>(block.span.first),
                  static_cast<int64_t>(block.span.last)});
  }
  return table;
}

ResultTable AllocationsTable(const HloModule& module, int64_t space) {
  ResultTable table{"allocations",
                    "Allocations",
                    {{"allocation", "Allocation", Unit::kNone, V::kInt, ""},
                     {"size", "Size", Unit::kBytes, V::kInt, "", true},
                     {"kind", "Kind", Unit::kNone, V::kString, "", true},
                     {"indefinite", "Whole time", Unit::kNone, V::kBool, ""},
                     {"buffers", "Buffers", Unit::kCount, V::kInt, ""},
                     {"largest", "Largest buffer", Unit::kNone, V::kString, "", true}}};
  for (const xla::BufferAllocation& a : module.buffers.allocations) {
    if (a.memory_space != space) continue;
    const xla::LogicalBuffer* largest = nullptr;
    for (const xla::AssignedBuffer& b : a.assigned) {
      const xla::LogicalBuffer& buffer = module.buffers.buffers[b.buffer];
      if (largest == nullptr || buffer.size > largest->size) largest = &buffer;
    }
    table.AddRow({a.index, a.size,
                  a.thread_local_memory ? SharedText("Thread") : SharedText(GroupOf(&a)),
                  a.indefinite(), static_cast<int64_t>(a.assigned.size()),
                  largest == nullptr ? std::string() : NameOf(module, *largest)});
  }
  return table;
}

void AddBytes(const char* id, const char* label, int64_t bytes, const char* how,
              AnalysisResult* result) {
  result->properties.push_back({id, label, bytes, Unit::kBytes, how});
}

void AddSizes(const BufferHeap& heap, AnalysisResult* result) {
  AddBytes("peak", "Peak", heap.peak, "the most that is live at once", result);
  AddBytes("unpadded_peak", "Peak without padding", heap.unpadded_peak, "", result);
  result->properties.push_back({"peak_position", "Position of the peak",
                                static_cast<int64_t>(heap.peak_position), Unit::kNone,
                                "in the heap"});
  AddBytes("total", "Allocated", heap.total, "all allocations but those of threads", result);
  AddBytes("indefinite", "Whole time", heap.indefinite, "parameters, constants, outputs", result);
  AddBytes("parameters", "Parameters", heap.parameters, "of the entry", result);
  AddBytes("live_out", "Outputs", heap.live_out, "what may be live after the program", result);
  AddBytes("non_reusable", "Not reused", heap.non_reusable, "of threads, or tables of tuples",
           result);
  AddBytes("temporary_peak", "Temporary at the peak", heap.peak - heap.indefinite,
           "peak - whole time", result);
  const double room = static_cast<double>(heap.total - heap.indefinite);
  const double unused = static_cast<double>(heap.total - heap.peak);
  result->properties.push_back({"fragmentation", "Fragmentation",
                                room > 0 ? 100 * unused / room : 0.0, Unit::kPercent,
                                "(allocated - peak) / (allocated - whole time)"});
}

void AddDiagnostics(const HloModule& module, AnalysisResult* result) {
  for (const Diagnostic& d : module.diagnostics.rows()) {
    result->properties.push_back(
        {d.id, "Damage", static_cast<int64_t>(d.count), Unit::kCount, d.text});
  }
}

void AddScopedVmem(const HloModule& module, AnalysisResult* result) {
  const xla::ScopedMemory scoped = LargestScopedVmem(module);
  if (scoped.bytes == 0) return;
  AddBytes("scoped_vmem", "VMEM of one instruction", scoped.bytes,
           "the most that an instruction reserves for itself; in no other sum", result);
  result->properties.push_back({"scoped_vmem_instruction", "Instruction of that VMEM",
                                std::string(scoped.instruction), Unit::kNone, ""});
}

// The tables whose rows are of one memory of one program each.
class PlaceTables {
 public:
  PlaceTables(AnalysisContext& context, const HloChoice& choice, uint32_t chosen)
      : context_(context), choice_(choice), chosen_(chosen) {}

  // `programs` has all that there are. The others have the chosen one, or all where that is asked
  // for and none is named.
  void Add() {
    const HloPrograms& programs = context_.Get<HloPrograms>();
    for (uint32_t p = 0; p < programs.list().size(); ++p) {
      CheckStop();
      const auto module = programs.Module(p);
      if (!module) continue;
      std::vector<int64_t> spaces = MemorySpacesOf(*module);
      const int64_t asked = MemorySpaceOf(choice_);
      if (p == chosen_ && std::find(spaces.begin(), spaces.end(), asked) == spaces.end())
        spaces.push_back(asked);
      for (const int64_t space : spaces) AddSpace({programs.NameOf(p), space}, p, *module);
    }
  }

  void Move(AnalysisResult* result) {
    for (ResultTable* table : {&programs_, &peak_, &heap_, &buffers_})
      result->tables.push_back(std::move(*table));
  }

 private:
  bool Wanted(uint32_t program, int64_t space) const {
    const bool all_spaces = choice_.whole && choice_.memory_space == kAllMemorySpaces;
    const bool all_programs = choice_.whole && choice_.program.empty();
    return (all_programs || program == chosen_) && (all_spaces || space == MemorySpaceOf(choice_));
  }

  void AddSpace(const Place& place, uint32_t program, const HloModule& module) {
    const bool xprof = context_.xprof().heap_of_first_trace;
    const BufferHeap heap =
        ReplayHeap(module, place.space, xprof ? xla::HeapTraces::kFirst : xla::HeapTraces::kAll);
    const std::vector<int64_t> real = MemorySpacesOf(module);
    if (std::find(real.begin(), real.end(), place.space) != real.end()) {
      programs_.AddRow({place.program, place.space, SpaceName(context_.trace(), place.space),
                        heap.peak, heap.unpadded_peak, heap.total, heap.indefinite, heap.parameters,
                        heap.live_out});
    }
    if (!Wanted(program, place.space)) return;
    AddPeak(place, module, heap, xprof, &peak_);
    AddHeap(place, heap, &heap_);
    AddBuffers(place, module, heap, &buffers_);
  }

  AnalysisContext& context_;
  const HloChoice& choice_;
  const uint32_t chosen_;
  ResultTable programs_ = EmptyPrograms(), peak_ = EmptyPeak(), heap_ = EmptyHeap(),
              buffers_ = EmptyBuffers();
};

}  // namespace

AnalysisResult RunHloMemory(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "hlo_memory";
  const bool xprof = context.xprof().heap_of_first_trace;
  const auto traces = xprof ? xla::HeapTraces::kFirst : xla::HeapTraces::kAll;
  const HloChoiceFound found = FindHloProgram(context, params);
  result.empty_reason = found.why_not;
  if (!found.why_not.empty()) return result;
  const auto module = context.Get<HloPrograms>().Module(found.program);
  const int64_t space = MemorySpaceOf(params.hlo);
  const BufferHeap heap = ReplayHeap(*module, space, traces);
  result.properties.push_back({"program", "Program",
                               context.Get<HloPrograms>().NameOf(found.program), Unit::kNone,
                               "that of --program, else with the most time"});
  result.properties.push_back(
      {"memory", "Memory", SpaceName(context.trace(), space), Unit::kNone, ""});
  AddSizes(heap, &result);
  if (space == 1) AddScopedVmem(*module, &result);
  AddDiagnostics(*module, &result);
  PlaceTables places(context, params.hlo, found.program);
  places.Add();
  places.Move(&result);
  result.tables.push_back(BlocksTable(*module, heap));
  result.tables.push_back(AllocationsTable(*module, space));
  return result;
}

}  // namespace stepscope
