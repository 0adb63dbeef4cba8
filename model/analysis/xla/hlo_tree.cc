#include "model/analysis/xla/hlo_tree.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "model/analysis/xla/hlo_category.h"

namespace stepscope {
namespace {

constexpr size_t kXprofChildren = 100;
constexpr int kMostParts = 100;  // of a provenance; the last one has the rest

// A node while ops are added.
struct Draft {
  HloSums sums;
  const HloOp* op = nullptr;
  std::map<std::string, std::unique_ptr<Draft>> children;
  bool duplicates = false;  // a group of ops with one deduplicated name
};

class TreeBuilder {
 public:
  TreeBuilder(const HloOpTable& table, const HloPrograms& programs, const HloTreeOptions& options)
      : table_(table), programs_(programs), options_(options) {}

  HloTreeNode Build() {
    for (const HloOp& op : table_.ops) {
      const bool lost = options_.as_xprof && op.name.starts_with("region");
      Add(&root_.sums, op, true);
      if (!lost) AddOp(op);
    }
    root_.sums.occurrences = 0;
    HloTreeNode root = Finish(RootName(), root_);
    root.sums.time = options_.idle ? table_.total : table_.busy;
    root.sums.normalized = root_normalized_;
    if (options_.idle) AddIdle(&root);
    return root;
  }

 private:
  std::string RootName() const {
    switch (options_.grouping) {
      case HloGrouping::kProgram:
        return "by_program";
      case HloGrouping::kCategory:
        return "by_category";
      case HloGrouping::kProvenance:
        return "by_provenance";
    }
    return {};
  }

  // Programs and parts of provenances have the ops' self times and no occurrences.
  void Add(HloSums* sums, const HloOp& op, bool self_only) {
    const HloSums before = *sums;
    *sums += op;
    if (!self_only) return;
    sums->time = before.time + op.self;
    sums->occurrences = 0;
    if (sums == &root_.sums) root_normalized_ += op.normalized;
  }

  Draft* Child(Draft* parent, const std::string& name, const HloOp& op, bool self_only) {
    std::unique_ptr<Draft>& child = parent->children[name];
    if (!child) child = std::make_unique<Draft>();
    Add(&child->sums, op, self_only);
    return child.get();
  }

  std::string ProgramName(const HloOp& op) const {
    if (op.program != HloPrograms::kNone) return programs_.NameOf(op.program);
    if (op.module.empty() || options_.as_xprof) return "main";
    return op.module + "(" + std::to_string(op.program_id) + ")";
  }

  Draft* AddProvenance(Draft* at, const HloOp& op) {
    std::string_view path = op.provenance;
    for (int depth = 1; !path.empty(); ++depth) {
      const size_t slash = depth < kMostParts ? path.find('/') : path.npos;
      const bool last = slash == path.npos;
      std::string_view part = path.substr(0, slash);
      path = last ? std::string_view() : path.substr(slash + 1);
      if (last) part = part.substr(0, part.find(':'));
      if (!part.empty()) at = Child(at, std::string(part), op, true);
    }
    return at;
  }

  void AddOp(const HloOp& op) {
    Draft* at = &root_;
    if (options_.grouping != HloGrouping::kCategory) at = Child(at, ProgramName(op), op, true);
    if (options_.grouping == HloGrouping::kProvenance) at = AddProvenance(at, op);
    at = Child(at, op.category, op, false);
    at = Child(at, op.deduplicated_name.empty() ? op.name : op.deduplicated_name, op, false);
    at->duplicates = true;
    // Ops of several programs may have one name.
    at = Child(at, op.name + '\n' + std::to_string(op.program_id), op, false);
    at->op = &op;
  }

  HloTreeNode Finish(const std::string& name, const Draft& draft) {
    HloTreeNode node;
    node.name = draft.op == nullptr ? name : draft.op->name;
    node.sums = draft.sums;
    node.op = draft.op;
    for (const auto& [child_name, child] : draft.children)
      node.children.push_back(FinishChild(child_name, *child));
    std::stable_sort(node.children.begin(), node.children.end(),
                     [](const auto& a, const auto& b) { return a.sums.time > b.sums.time; });
    if (draft.duplicates) Limit(&node);
    if (node.op != nullptr && table_.kind == DeviceKind::kTpu) AddFused(&node);
    return node;
  }

  // A group of one op is that op.
  HloTreeNode FinishChild(const std::string& name, const Draft& draft) {
    HloTreeNode node = Finish(name, draft);
    if (!draft.duplicates || node.children.empty()) return node;
    if (node.children.size() == 1) return std::move(node.children.front());
    node.op = node.children.front().op;
    node.group = true;
    node.name = node.children.front().name + " and its duplicate(s)";
    return node;
  }

  void Limit(HloTreeNode* node) const {
    if (!options_.as_xprof || node->children.size() <= kXprofChildren) return;
    node->left_out = node->children.size() - kXprofChildren;
    node->children.resize(kXprofChildren);
  }

  void AddIdle(HloTreeNode* root) const {
    HloTreeNode idle;
    idle.name = idle.category = "IDLE";
    idle.sums.time = idle.sums.self = table_.idle();
    const auto at = std::find_if(root->children.begin(), root->children.end(),
                                 [&](const auto& c) { return c.sums.time < idle.sums.time; });
    root->children.insert(at, std::move(idle));
  }

  // The instructions of a fusion, which have neither time nor costs of their own.
  void AddFused(HloTreeNode* node) const {
    const HloOp& op = *node->op;
    if (op.program == HloPrograms::kNone || op.instruction == xla::kNone) return;
    const auto module = programs_.Module(op.program);
    const xla::Instruction& fusion = module->instructions[op.instruction];
    const xla::Computation* fused = module->FirstCalled(fusion);
    if (fusion.opcode != xla::Op("fusion") || fused == nullptr) return;
    for (const xla::Instruction& i : module->InstructionsOf(*fused)) {
      if (i.opcode == xla::Op("parameter") || i.opcode == xla::Op("tuple")) continue;
      HloTreeNode child;
      child.name = i.name;
      child.sums.occurrences = 1;
      child.category = HloCategoryOf(*module, i);
      child.provenance = std::string(module->MetadataOf(i).op_name) + ":";
      node->children.push_back(std::move(child));
    }
    Limit(node);
  }

  const HloOpTable& table_;
  const HloPrograms& programs_;
  const HloTreeOptions options_;
  Draft root_;
  Ps root_normalized_ = 0;
};

}  // namespace

HloTreeNode BuildHloTree(const HloOpTable& table, const HloPrograms& programs,
                         const HloTreeOptions& options) {
  return TreeBuilder(table, programs, options).Build();
}

}  // namespace stepscope
