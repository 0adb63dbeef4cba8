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
struct AnalysisParams;  // model/analysis/params.h

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

inline constexpr const char* kNoHloPrograms =
    "The profile has no HLO programs. XLA writes them: record a program of JAX, or one of "
    "TensorFlow with jit_compile=True. Other ops are on the page Operations.";

struct HloChoiceFound {
  uint32_t program = 0xffffffffu;  // index in HloPrograms::list()
  std::string why_not;             // "" if the program can be read
};
// The program that a page is about: the one that params.hlo names, else the one whose ops take the
// most time, or the largest where none has ops. Decodes it. Any thread.
HloChoiceFound FindHloProgram(AnalysisContext& context, const AnalysisParams& params);

// --- Names that XProf gives an instruction. Pure.
// The op's category as XProf names it: "loop fusion", "data formatting", "convolution".
std::string HloCategoryOf(const xla::HloModule& module, const xla::Instruction& instruction);
// "OP_NAME:OP_TYPE", or "" where neither is known.
std::string ProvenanceOf(const xla::OpMetadata& metadata);

}  // namespace stepscope
