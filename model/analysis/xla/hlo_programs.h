// HloPrograms: the HLO programs of a trace, each decoded when someone asks for it first, and kept
// from then on. Thread-safe: of several threads that ask for one program, one decodes it and the
// others wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"
#include "model/xla/cost_model.h"
#include "model/xla/hlo_source.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

class HloPrograms {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  static HloPrograms Compute(AnalysisContext& context);
  // Lists the programs, but decodes none. The trace must outlive it.
  explicit HloPrograms(const Trace& trace);
  HloPrograms(HloPrograms&&) noexcept;
  ~HloPrograms();

  // In order of the file. What follows takes their indices.
  const std::vector<xla::ProgramEntry>& list() const { return list_; }
  // The index of the program; kNone if the trace does not have it. O(1).
  uint32_t Find(uint64_t program_id) const;
  // By "jit_step(10)", "10" or "jit_step", the first that fits; kNone if none does.
  uint32_t FindByName(std::string_view name) const;
  std::string NameOf(uint32_t program) const;  // "jit_step(10)"

  // Null if it cannot be read; Error() says why. Decoding takes O(bytes).
  std::shared_ptr<const xla::HloModule> Module(uint32_t program) const;
  std::string Error(uint32_t program) const;
  // The costs of its instructions. Null as Module.
  std::shared_ptr<const xla::CostModel> Costs(uint32_t program, xla::CostVariant variant) const;

 private:
  struct Slots;
  const xla::HloSource* source_;
  std::vector<xla::ProgramEntry> list_;
  std::unique_ptr<Slots> slots_;
};

}  // namespace stepscope
