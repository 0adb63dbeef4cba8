// The analysis `hlo_profile`: the time of HLO ops as trees (docs/rules.md#hlo-profile).
#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kXprofChildren = 100;
constexpr int kMostParts = 100;  // of a provenance; the last one has the rest

struct TreeOptions {
  HloGrouping grouping = HloGrouping::kProgram;
  bool idle = true;
  bool as_xprof = false;  // with its cuts, and without ops called `region*`
};

struct TreeNode : HloTreeRow {
  std::vector<TreeNode> below;  // its children, by time, descending
  uint64_t left_out = 0;        // children beyond XProf's 100
};

// A node while ops are added.
struct Draft {
  HloSums sums;
  const HloOp* op = nullptr;
  std::map<std::string, std::unique_ptr<Draft>> children;
  bool duplicates = false;  // a group of ops with one deduplicated name
};

class TreeBuilder {
 public:
  TreeBuilder(const HloOpTable& table, const HloPrograms& programs, const TreeOptions& options)
      : table_(table), programs_(programs), options_(options) {}

  TreeNode Build() {
    for (const HloOp& op : table_.ops) {
      const bool lost = options_.as_xprof && op.name.starts_with("region");
      Add(&root_.sums, op, true);
      if (!lost) AddOp(op);
    }
    root_.sums.occurrences = 0;
    TreeNode root = Finish(RootName(), root_);
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

  TreeNode Finish(const std::string& name, const Draft& draft) {
    TreeNode node;
    node.name = draft.op == nullptr ? name : draft.op->name;
    node.sums = draft.sums;
    node.op = draft.op;
    for (const auto& [child_name, child] : draft.children)
      node.below.push_back(FinishChild(child_name, *child));
    std::stable_sort(node.below.begin(), node.below.end(),
                     [](const auto& a, const auto& b) { return a.sums.time > b.sums.time; });
    if (draft.duplicates) Limit(&node);
    if (node.op != nullptr && table_.kind == DeviceKind::kTpu) AddFused(&node);
    return node;
  }

  // A group of one op is that op.
  TreeNode FinishChild(const std::string& name, const Draft& draft) {
    TreeNode node = Finish(name, draft);
    if (!draft.duplicates || node.below.empty()) return node;
    if (node.below.size() == 1) return std::move(node.below.front());
    node.op = node.below.front().op;
    node.group = true;
    node.name = node.below.front().name + " and its duplicate(s)";
    return node;
  }

  void Limit(TreeNode* node) const {
    if (!options_.as_xprof || node->below.size() <= kXprofChildren) return;
    node->left_out = node->below.size() - kXprofChildren;
    node->below.resize(kXprofChildren);
  }

  void AddIdle(TreeNode* root) const {
    TreeNode idle;
    idle.name = idle.category = "IDLE";
    idle.sums.time = idle.sums.self = table_.idle();
    const auto at = std::find_if(root->below.begin(), root->below.end(),
                                 [&](const auto& c) { return c.sums.time < idle.sums.time; });
    root->below.insert(at, std::move(idle));
  }

  // The instructions of a fusion, which have neither time nor costs of their own.
  void AddFused(TreeNode* node) const {
    const HloOp& op = *node->op;
    if (op.program == HloPrograms::kNone || op.instruction == xla::kNone) return;
    const auto module = programs_.Module(op.program);
    const xla::Instruction& fusion = module->instructions[op.instruction];
    const xla::Computation* fused = module->FirstCalled(fusion);
    if (fusion.opcode != xla::Op("fusion") || fused == nullptr) return;
    for (const xla::Instruction& i : module->InstructionsOf(*fused)) {
      if (i.opcode == xla::Op("parameter") || i.opcode == xla::Op("tuple")) continue;
      TreeNode child;
      child.name = i.name;
      child.sums.occurrences = 1;
      child.category = HloCategoryOf(*module, i);
      child.provenance = std::string(module->MetadataOf(i).op_name) + ":";
      node->below.push_back(std::move(child));
    }
    Limit(node);
  }

  const HloOpTable& table_;
  const HloPrograms& programs_;
  const TreeOptions options_;
  Draft root_;
  Ps root_normalized_ = 0;
};

// Appends the node and, behind it, all below it. Trees are as deep as provenances have parts.
void Append(TreeNode node, int depth, std::vector<HloTreeRow>* rows) {
  node.depth = depth;
  node.children = node.below.size() + node.left_out;
  rows->push_back(std::move(static_cast<HloTreeRow&>(node)));
  for (TreeNode& child : node.below) Append(std::move(child), depth + 1, rows);
}

struct TreeFacts {
  const HloOpTable& ops;
  const HloTreeRow& root;
};

double Ns(const HloTreeRow& r) { return static_cast<double>(r.sums.time) / 1e3; }

// The share of the root's time.
double TimeShare(const HloTreeRow& r, const TreeFacts& f) {
  return Quotient(static_cast<double>(r.sums.time), static_cast<double>(f.root.sums.time));
}

// The share of the peak of arithmetic, which may exceed 1.
double ComputeShare(const HloTreeRow& r, const TreeFacts& f) {
  const HloSums& s = r.sums;
  const double time = static_cast<double>(s.time);
  const double normal = s.normalized > 0 ? Quotient(time, static_cast<double>(s.normalized)) : 1;
  const bool own = r.op != nullptr && r.op->peak_flops > 0;
  return Quotient(Quotient(s.flops, Ns(r)) * normal, own ? r.op->peak_flops : f.ops.peaks.flops);
}

// The share of a memory's peak in GiB/s, at most 1.
double UseOf(double HloSums::*bytes, double DevicePeaks::*peak, const HloTreeRow& r,
             const TreeFacts& f) {
  return std::min(1.0, Quotient(Quotient(r.sums.*bytes, Ns(r)) / kGBPerGiB, f.ops.peaks.*peak));
}

double HbmShare(const HloTreeRow& r, const TreeFacts& f) {
  return UseOf(&HloSums::hbm, &DevicePeaks::hbm, r, f);
}

Schema<HloTreeRow, TreeFacts> TreeSchema(const char* id, const char* title) {
  const auto sum = [](auto member) {
    return [member](const HloTreeRow& r) { return r.sums.*member; };
  };
  using R = HloTreeRow;
  using F = TreeFacts;
  return Schema<R, F>(
             id, title,
             {{"name", "Name", Unit::kNone, &R::name, "", kKeyColumn},
              {"depth", "Depth", Unit::kNone, &R::depth,
               "0 is the root; the children of a row follow it"},
              {"time_percent", "Time", Unit::kPercent,
               [](const R& r, const F& f) {
    return 100 * TimeShare(r, f); },
               "time / time of the root", kKeyColumn},
              {"flop_percent", "Compute", Unit::kPercent,
               [](const R& r, const F& f) {
    return 100 * ComputeShare(r, f); },
               "operations / time / the device's peak", kKeyColumn},
              {"hbm_percent", "Memory", Unit::kPercent,
               [](const R& r, const F& f) {
    return 100 * HbmShare(r, f); },
               "bytes of main memory / time / the device's peak, at most 100 %", kKeyColumn},
              {"wasted_percent", "Wasted", Unit::kPercent,
               [](const R& r, const F& f) {
    const double used = std::max(ComputeShare(r, f), HbmShare(r, f));
    return 100 * TimeShare(r, f) * (1 - std::clamp(used, 0.0, 1.0));
               },
               "time % * (1 - the larger of compute and memory)", kKeyColumn},
              {"total_time", "Total time", Unit::kUs, sum(&HloSums::time)},
              {"avg_time", "Average", Unit::kUs,
               [](const R& r) {
    return Quotient(InUs(r.sums.time), static_cast<double>(r.sums.occurrences));
               },
               "total time / count"},
              {"occurrences", "Count", Unit::kCount, sum(&HloSums::occurrences)},
              {"gflops", "Compute rate", Unit::kGflops,
               [](const R& r) {
    return Quotient(r.sums.model_flops, Ns(r)); },
               "model operations / time"},
              {"hbm_share_percent", "Share of bytes", Unit::kPercent,
               [](const R& r, const F& f) {
    return 100 * Quotient(r.sums.hbm, f.root.sums.hbm); },
               "bytes of main memory / those of the root"},
              {"category", "Category", Unit::kNone,
               [](const R& r) -> const auto& { return r.op == nullptr ? r.category : r.op->category;
}
}  // namespace
,
    {"program_id", "Program", Unit::kNone,
     [](const R& r) {
       return r.op != nullptr ? std::to_string(r.op->program_id)
                              : std::string(r.category.empty() ? "" : "0");
     }},
    {"provenance", "Framework op", Unit::kNone,
     [](const R& r) -> const auto& {return r.only_op() != nullptr ? r.op->provenance : r.provenance;
}  // namespace stepscope
}
, {"children", "Children", Unit::kNone, &R::children},
    {"raw_time_ps", "Time", Unit::kPs, sum(&HloSums::time)},
    {"raw_flops", "Model operations", Unit::kNone, sum(&HloSums::model_flops)},
    {"bf16_flops", "Operations", Unit::kNone, sum(&HloSums::flops)},
    {"flops", "Compute, capped", Unit::kFraction,
     [](const R& r, const F& f) { return std::min(1.0, ComputeShare(r, f)) * TimeShare(r, f); },
     "share of the peak, at most 1, * share of the root's time"},
    {"uncapped_flops", "Compute, of the whole", Unit::kFraction,
     [](const R& r, const F& f) { return ComputeShare(r, f) * TimeShare(r, f); },
     "share of the peak * share of the root's time"},
    {"normalized_time", "Time by nominal clock", Unit::kPs, sum(&HloSums::normalized), "of TPUs"},
    {"hbm_bytes", "Bytes in main memory", Unit::kBytes, sum(&HloSums::hbm)},
    {"on_chip_read_bytes", "Bytes read on chip", Unit::kBytes, sum(&HloSums::on_chip_read)},
    {"on_chip_written_bytes", "Bytes written on chip", Unit::kBytes,
     sum(&HloSums::on_chip_written)},
    {"flops_utilization", "Compute", Unit::kFraction, ComputeShare,
     "operations / time / the device's peak"},
    {"hbm_utilization", "Memory", Unit::kFraction, HbmShare},
    {"on_chip_read_use", "Reads on chip", Unit::kFraction,
     [](const R& r, const F& f) {
       return UseOf(&HloSums::on_chip_read, &DevicePeaks::sram_read, r, f);
     }},
{
  "on_chip_write_use", "Writes on chip", Unit::kFraction, [](const R& r, const F& f) {
    return UseOf(&HloSums::on_chip_written, &DevicePeaks::sram_write, r, f);
  }
}
},
             [](const R& r, const F&) {
  return r.only_op() ? LinkTo(*r.op) : RowLink(); })
      .WithReadable("name", [](const R& r, const F&) {
  return r.depth == 0 ? SharedText(r.shown()) : SharedText();
      });
}

struct TreeDesc {
  const char *id, *title;
};
constexpr TreeDesc kTrees[3][2] = {  // by grouping; with idle time, and without
    {{"by_program", "By program"}, {"by_program_exclude_idle", "By program, without idle time"}},
    {{"by_category", "By category"},
     {"by_category_exclude_idle", "By category, without idle time"}},
    {{"by_provenance", "By framework op"},
     {"by_provenance_exclude_idle", "By framework op, without idle time"}}};

}  // namespace

HloProfile HloProfile::Compute(AnalysisContext& context, const AnalysisParams& params) {
  HloProfile profile;
  profile.ops = context.Get<HloOpTable>(params);
  for (size_t grouping = 0; grouping < profile.trees.size(); ++grouping) {
    for (const bool idle : {true, false}) {
      CheckStop();
      TreeBuilder builder(
          *profile.ops, context.Get<HloPrograms>(),
          {HloGrouping{static_cast<uint8_t>(grouping)}, idle, context.xprof().hlo_rows_limited});
      Append(builder.Build(), 0, &profile.trees[grouping][idle ? 0 : 1]);
    }
  }
  return profile;
}

AnalysisResult RunHloProfile(AnalysisContext& context, const AnalysisParams& params) {
  const auto profile = context.Make<HloProfile>(params);
  AnalysisResult result;
  result.panel = "hlo_profile";
  for (size_t grouping = 0; grouping < profile->trees.size(); ++grouping) {
    for (const size_t busy : {0, 1}) {
      const auto& rows = profile->trees[grouping][busy];
      const TreeDesc& desc = kTrees[grouping][busy];
      result.tables.push_back(
          TreeSchema(desc.id, desc.title).Make(rows, {*profile->ops, rows.front()}));
    }
  }
  AddHloFacts(*profile->ops, &result);
  result.empty_reason = NoHloOps(context, *profile->ops);
  result.SetSource(profile);
  return result;
}

}  // namespace stepscope
