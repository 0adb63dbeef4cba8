#include "viewer/panels/xla/hlo_program_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/base/ascii.h"
#include "model/jobs/job.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

HloProgramView::HloProgramView(std::shared_ptr<const xla::HloModule> of, uint64_t program_id,
                               std::string program_name)
    : module(std::move(of)),
      id(program_id),
      name(std::move(program_name)),
      users(*module),
      text(*module),
      caller_(module->computations.size(), xla::kNone) {
  for (const xla::Instruction& i : module->instructions) {
    for (const uint32_t called : module->Called(i)) {
      if (caller_[called] == xla::kNone) caller_[called] = module->IndexOf(i);
    }
  }
}

uint32_t HloProgramView::Root() const {
  return module->entry == xla::kNone ? xla::kNone : module->computations[module->entry].root;
}

uint32_t HloProgramView::Longest() const {
  uint32_t longest = Root();
  Ps most = 0;
  for (const auto& [instruction, time] : self_time) {
    if (time < most || (time == most && instruction > longest)) continue;
    longest = instruction;
    most = time;
  }
  return longest;
}

HloFacts HloProgramView::FactsOf(uint32_t instruction) const {
  const xla::Instruction& i = At(instruction);
  return {HloCategoryOf(*module, i), ProvenanceOf(module->MetadataOf(i)), SourceLineOf(*module, i),
          StackOf(*module, i), InstructionText(*module, i, xla::TextForm::kExpression)};
}

std::shared_ptr<const HloProgramView> OpenProgramView(AnalysisContext& context,
                                                      const AnalysisParams& params,
                                                      std::string* why_not) {
  const HloChoiceFound found = FindHloProgram(context, params);
  *why_not = found.why_not;
  if (!found.why_not.empty()) return nullptr;
  const HloPrograms& programs = context.Get<HloPrograms>();
  auto view = std::make_shared<HloProgramView>(programs.Module(found.program),
                                               programs.list()[found.program].id,
                                               programs.NameOf(found.program));
  const auto ops = context.Get<HloOpTable>(params);
  view->busy = ops->busy;
  for (const HloOp& op : ops->ops) {
    if (op.program == found.program && op.instruction != xla::kNone)
      view->self_time[op.instruction] = op.self;
  }
  return view;
}

namespace {

constexpr size_t kMostShapeLetters = 200;  // of a shape: more have no room in a box

// Chooses the instructions to draw, and makes their texts.
class SceneMaker {
 public:
  SceneMaker(const HloProgramView& program, HloGraphScene* scene)
      : program_(program), module_(*program.module), scene_(*scene) {}

  void Add(uint32_t instruction, int distance) {
    const auto [it, added] =
        place_.try_emplace(instruction, static_cast<uint32_t>(scene_.nodes.size()));
    if (!added) return;
    if (scene_.nodes.size() >= HloGraphScene::kMostNodes) {
      place_.erase(it);
      ++scene_.left_out;
      return;
    }
    HloGraphNode node;
    node.instruction = instruction;
    node.distance = distance;
    node.shape = ToText(module_.ShapeOf(program_.At(instruction))).substr(0, kMostShapeLetters);
    const auto time = program_.self_time.find(instruction);
    if (time != program_.self_time.end()) {
      node.time = WithoutZeros(FormatDuration(time->second, 3));
      node.share = program_.busy > 0
                       ? static_cast<double>(time->second) / static_cast<double>(program_.busy)
                       : 0;
    }
    scene_.nodes.push_back(std::move(node));
  }

  void Expand(uint32_t instruction) {
    const auto it = place_.find(instruction);
    if (it == place_.end()) return;
    const int distance = scene_.nodes[it->second].distance + 1;
    size_t most = HloGraphScene::kMostExpanded;
    const auto add = [&](uint32_t other) {
      if (other == xla::kNone || place_.contains(other) || most == 0) return;
      --most;
      Add(other, distance);
    };
    for (const uint32_t operand : module_.Operands(program_.At(instruction))) add(operand);
    for (const uint32_t user : program_.users.Of(instruction)) add(user);
  }

  void Connect() {
    for (uint32_t to = 0; to < scene_.nodes.size(); ++to) {
      HloGraphNode& node = scene_.nodes[to];
      std::vector<uint32_t> operands;
      for (const uint32_t operand : module_.Operands(program_.At(node.instruction)))
        if (operand != xla::kNone) operands.push_back(operand);
      std::sort(operands.begin(), operands.end());
      operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
      for (const uint32_t operand : operands) {
        const auto from = place_.find(operand);
        if (from == place_.end()) {
          ++node.operands_left_out;
          continue;
        }
        scene_.edges.push_back({from->second, to});
        scene_.edge_bytes.push_back(xla::BytesOf(module_.ShapeOf(program_.At(operand))));
      }
      for (const uint32_t user : program_.users.Of(node.instruction))
        node.users_left_out += place_.contains(user) ? 0 : 1;
    }
  }

  // In em: as wide as the longer of its texts, within limits.
  void Measure() {
    for (const HloGraphNode& node : scene_.nodes) {
      const xla::Instruction& i = program_.At(node.instruction);
      const size_t letters = std::max(
          i.name.size(), std::min<size_t>(i.opcode_name.size() + node.shape.size() + 2, 30));
      scene_.sizes.push_back({std::clamp(static_cast<float>(letters) * 0.56f + 1.6f, 7.0f, 18.0f),
                              node.time.empty() ? 3.2f : 4.5f});
    }
  }

 private:
  const HloProgramView& program_;
  const xla::HloModule& module_;
  HloGraphScene& scene_;
  std::unordered_map<uint32_t, uint32_t> place_;  // in scene_.nodes, by instruction
};

}  // namespace

HloGraphScene MakeGraphScene(const HloProgramView& program, uint32_t centre, int radius,
                             const std::vector<uint32_t>& expanded) {
  HloGraphScene scene;
  SceneMaker maker(program, &scene);
  const auto around = NeighbourhoodOf(*program.module, program.users, centre, radius);
  for (const xla::GraphNode& node : around.nodes) maker.Add(node.instruction, node.distance);
  for (const uint32_t instruction : expanded) maker.Expand(instruction);
  maker.Connect();
  maker.Measure();
  scene.layout = LayOut(scene.sizes, scene.edges, {1.4f, 2.6f});
  return scene;
}

std::vector<uint32_t> FindLines(const HloProgramView& program, const std::string& text) {
  constexpr size_t kPart = 4096;  // lines that a thread looks at in one go
  const std::string lower = Lower(text);
  const size_t lines = program.text.size(), parts = (lines + kPart - 1) / kPart;
  std::vector<std::vector<uint32_t>> found(parts);
  ParallelFor(parts, [&](size_t part) {
    const size_t end = std::min(lines, (part + 1) * kPart);
    for (size_t line = part * kPart; line < end; ++line) {
      if (ContainsLower(program.text.Line(line).text, lower))
        found[part].push_back(static_cast<uint32_t>(line));
    }
  });
  std::vector<uint32_t> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace stepscope
