// HloOpBuilder: collects the events of HLO ops into an HloOpTable. Collectors add events; Finish()
// asks the programs what each op is and costs. Internal to this folder. One thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {

// An op while its events are read.
struct HloOpDraft {
  HloOp op;
  std::vector<EventRow> rows;
  std::vector<uint32_t> kernels;  // MetaIds of its events, each once, as many as are looked at
  double event_flops = 0, event_model_flops = 0, event_bytes = 0;  // sums of the events' own stats
  HloSums breakdown;                                               // of one execution, by stats
};

// Finds the instructions of a module by name; the first of several with one name. It is one array:
// a program of 300,000 instructions is opened for the sake of a few. Making it O(instructions).
class InstructionNames {
 public:
  InstructionNames() = default;
  explicit InstructionNames(const xla::HloModule& module);
  uint32_t Find(std::string_view name) const;  // xla::kNone if there is none

 private:
  // The slot that holds the name, or the free one where it belongs.
  size_t SlotOf(std::string_view name, size_t hash) const;

  struct Slot {
    uint32_t hash = 0, instruction = xla::kNone;
  };
  const xla::HloModule* module_ = nullptr;
  std::vector<Slot> slots_;  // a power of two, less than half full
};

class HloOpBuilder {
 public:
  HloOpBuilder(AnalysisContext& context, DeviceKind kind, std::span<const OwnPeaks> own);

  // The op of that program and name. Null, and counted, where XProf's definitions drop it because
  // no program of the file has it. `events`: how many it is asked for. O(log ops).
  HloOpDraft* Find(uint64_t program_id, std::string_view name, std::string_view module);
  // An op of no program, which XProf makes of a framework's op.
  HloOpDraft* FindFramework(const std::string& name);
  // Adds an event and what its own stats say of its costs.
  void AddEvent(HloOpDraft* draft, EventRow row, Ps duration, Ps self);
  void AddDevice(Ps span, Ps busy);
  void CountDropped() { ++table_.dropped_events; }

  HloOpTable Finish();

 private:
  struct Program {
    std::shared_ptr<const xla::HloModule> module;
    std::shared_ptr<const xla::CostModel> costs;
    InstructionNames names;
  };
  Program& ProgramOf(uint32_t index);
  uint32_t InstructionOf(uint32_t program, std::string_view name);
  void Describe(HloOpDraft* draft);
  void AddCosts(HloOpDraft* draft);
  void UseTf32(HloOpDraft* draft) const;
  void UseEventCosts(HloOpDraft* draft);
  void DropAsyncBytes(HloOp* op) const;
  void CountExecutions(HloOpDraft* draft);

  AnalysisContext& context_;
  const HloPrograms& programs_;
  const StatTable& stats_;
  std::deque<HloOpDraft> drafts_;
  std::map<std::pair<uint64_t, std::string>, HloOpDraft*> by_name_;
  std::unordered_map<uint32_t, Program> opened_;
  std::unordered_map<uint64_t, size_t> ops_of_program_;
  HloOpTable table_;
};

// Reads the ops of devices of one kind. `scope` says which events count.
void CollectGpuOps(AnalysisContext& context, const AnalysisParams& params, HloOpBuilder* builder);
void CollectTpuOps(AnalysisContext& context, const AnalysisParams& params, HloOpBuilder* builder);
void CollectCpuOps(AnalysisContext& context, const AnalysisParams& params, HloOpBuilder* builder);

}  // namespace stepscope
