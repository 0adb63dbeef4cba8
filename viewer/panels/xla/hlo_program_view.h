// HloProgramView: a program with what the graph panel needs of it, made by a job: users of each
// instruction, times of those that ran, who calls each computation, and its lines of text.
// Immutable; jobs and the window share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/xla/hlo_module.h"
#include "model/xla/hlo_text.h"
#include "model/xla/neighbourhood.h"
#include "viewer/panels/xla/graph_layout.h"
#include "viewer/panels/xla/hlo_card.h"

namespace stepscope {

class HloProgramView {
 public:
  HloProgramView(std::shared_ptr<const xla::HloModule> of, uint64_t program_id,
                 std::string program_name);

  const std::shared_ptr<const xla::HloModule> module;
  const uint64_t id;
  const std::string name;  // "jit_step(10)"
  const xla::InstructionUsers users;
  const xla::ProgramText text;
  std::unordered_map<uint32_t, Ps> self_time;  // by instruction: of those that ran
  Ps busy = 0;                                 // sum of self times of all ops

  const xla::Instruction& At(uint32_t instruction) const {
    return module->instructions[instruction];
  }
  uint32_t Root() const;     // of the entry; kNone if there is none
  uint32_t Longest() const;  // the instruction with the most self time, else the root
  // The instruction that calls the computation which this one is in; kNone in the entry.
  uint32_t CallerOf(uint32_t instruction) const { return caller_[At(instruction).computation]; }
  HloRef RefOf(uint32_t instruction) const { return {id, std::string(At(instruction).name)}; }
  HloFacts FactsOf(uint32_t instruction) const;

 private:
  std::vector<uint32_t> caller_;  // by computation
};

// The program that params.hlo names. Null, with *why_not, if there is none. O(bytes of the program
// + events of ops), once for a trace.
std::shared_ptr<const HloProgramView> OpenProgramView(AnalysisContext& context,
                                                      const AnalysisParams& params,
                                                      std::string* why_not);

// --- The part of a program that is drawn
struct HloGraphNode {
  uint32_t instruction = 0;
  int distance = 0;
  std::string shape, time;  // time: "" if it did not run
  double share = 0;         // of the time of all ops
  size_t operands_left_out = 0, users_left_out = 0;
};

struct HloGraphScene {
  static constexpr size_t kMostNodes = 400;
  static constexpr size_t kMostExpanded = 64;  // neighbours that one click adds

  std::vector<HloGraphNode> nodes;  // the first is the centre
  std::vector<LayoutNode> sizes;    // in em
  std::vector<LayoutEdge> edges;
  std::vector<int64_t> edge_bytes;
  LayeredLayout layout;
  size_t left_out = 0;  // nodes in reach, but beyond kMostNodes
};

// `expanded`: instructions whose operands and users are all shown, in the order of the clicks.
HloGraphScene MakeGraphScene(const HloProgramView& program, uint32_t centre, int radius,
                             const std::vector<uint32_t>& expanded);

// The lines that contain the text, in any case; ascending. O(length of the text).
std::vector<uint32_t> FindLines(const HloProgramView& program, const std::string& text);

}  // namespace stepscope
