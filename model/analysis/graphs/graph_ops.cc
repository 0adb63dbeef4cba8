#include "model/analysis/graphs/graph_ops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "model/analysis/devices/device_launches.h"
#include "model/analysis/graphs/graph_matcher.h"
#include "model/analysis/graphs/graph_replays.h"
#include "model/analysis/graphs/hlo_kernels.h"
#include "model/analysis/naming/op_name.h"
#include "model/graph_captures.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

// "32" of "step[DECODE bs=32]"; -1 where no batch size is named.
int64_t BatchSizeIn(std::string_view name) {
  for (const std::string_view key : {"bs=", "bs_", "batch_size=", "batch_size_"}) {
    const size_t at = name.find(key);
    if (at == std::string_view::npos) continue;
    int64_t size = -1;
    const char* begin = name.data() + at + key.size();
    if (std::from_chars(begin, name.data() + name.size(), size).ec == std::errc() && size >= 0)
      return size;
  }
  return -1;
}

// Turns a launch's kernels into the numbers of their names, stream by stream.
class LaunchNames {
 public:
  LaunchNames(const Trace& trace, KernelNames* names)
      : trace_(trace), names_(*names), number_(trace.names().metas.size(), kNone) {}

  StreamNames Of(std::span<const ReplayedKernel> kernels) {
    StreamNames streams;
    RowReader reader(trace_.set);
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (i == 0 || kernels[i].track != kernels[i - 1].track) streams.emplace_back();
      streams.back().push_back(NumberOf(MetaId(reader.Meta(kernels[i].row))));
    }
    return streams;
  }

 private:
  uint32_t NumberOf(MetaId meta) {
    uint32_t& number = number_[meta.value];
    if (number == kNone) number = names_.Of(ReplayedName(trace_.names(), meta));
    return number;
  }

  const Trace& trace_;
  KernelNames& names_;
  std::vector<uint32_t> number_;  // by meta
};

GraphLaunch LaunchOf(std::span<const ReplayedKernel> kernels) {
  GraphLaunch launch;
  if (kernels.front().launch < kUnknownLaunch)
    launch.call = EventRow(static_cast<uint32_t>(kernels.front().launch));
  launch.kernels = static_cast<uint32_t>(kernels.size());
  return launch;
}

// Finds the ops of launches in recordings and eager steps.
class RecordedOps {
 public:
  RecordedOps(AnalysisContext& context, const std::vector<bool>& graph, GraphOps* out)
      : trace_(context.trace()),
        annotations_(trace_, EventCategory::kUserAnnotation),
        launch_names_(trace_, &names_),
        out_(*out) {
    for (const GraphCapture& capture : CapturesOf(trace_)) {
      CheckStop();
      AddSource({GraphSourceKind::kCaptureFile, capture.trace.get(), capture.file, capture.mode,
                 capture.batch_size},
                RecordedGraphs(*capture.trace, true, &names_));
    }
    AddSource({GraphSourceKind::kRecordedHere, &trace_, "", ""},
              RecordedGraphs(trace_, false, &names_));
    AddSource({GraphSourceKind::kEagerHere, &trace_, "", ""},
              EagerStreams(trace_, context.Get<Grouping>(), graph, &names_));
  }

  void Attribute(std::span<const ReplayedKernel> kernels) {
    GraphLaunch launch = LaunchOf(kernels);
    const GraphMatch match = Matcher().Match(launch_names_.Of(kernels), BatchSizeOf(launch));
    if (match.candidate != kUnmatched) {
      launch.source = source_of_[match.candidate];
      launch.matched = static_cast<uint32_t>(match.matched);
      launch.alike = match.alike;
      AddKernels(kernels, match);
    }
    out_.launches.push_back(launch);
  }

 private:
  void AddSource(GraphSource source, std::vector<GraphRecipe> recipes) {
    if (recipes.empty()) return;
    source.modules = std::make_shared<ModuleTree>(*source.trace);
    const auto number = static_cast<uint32_t>(out_.sources.size());
    for (GraphRecipe& recipe : recipes) {
      recipes_.push_back(std::make_unique<GraphRecipe>(std::move(recipe)));
      candidates_.push_back({recipes_.back().get(), number, source.batch_size});
      source_of_.push_back(number);
      ops_.emplace_back(recipes_.back()->calls.size(), kNone);
    }
    out_.sources.push_back(std::move(source));
  }

  GraphMatcher& Matcher() {
    if (!matcher_) matcher_ = std::make_unique<GraphMatcher>(candidates_);
    return *matcher_;
  }

  int64_t BatchSizeOf(const GraphLaunch& launch) const {
    const EventRow around = annotations_.Around(launch.call);
    return around.valid() ? BatchSizeIn(trace_.set.Name(around)) : -1;
  }

  void AddKernels(std::span<const ReplayedKernel> kernels, const GraphMatch& match) {
    const auto launch = static_cast<uint32_t>(out_.launches.size());
    size_t next = 0;
    for (const std::vector<uint32_t>& stream : *match.to) {
      for (const uint32_t place : stream) {
        const uint32_t row = kernels[next++].row;
        if (place == kUnmatched) continue;
        const uint32_t op = OpOf(match.candidate, place);
        if (op != kNone) out_.kernels.push_back({row, op, launch});
      }
    }
  }

  // The op of a place in a recipe, looked up once. Calls within one op are one op; kNone: nothing
  // is known.
  uint32_t OpOf(uint32_t candidate, uint32_t place) {
    uint32_t& known = ops_[candidate][place];
    if (known != kNone) return known;
    const uint32_t source = source_of_[candidate];
    const ModuleTree& modules = *out_.sources[source].modules;
    const EventRow call = recipes_[candidate]->calls[place];
    const EventRow op = modules.OpAround(call), module = modules.ModuleAround(call);
    if (!op.valid() && !module.valid()) return kNone;
    const auto [it, added] = same_.try_emplace(std::array{source, op.value, module.value},
                                               static_cast<uint32_t>(out_.ops.size()));
    if (added) out_.ops.push_back({source, op, module});
    return known = it->second;
  }

  struct Hash {
    size_t operator()(const std::array<uint32_t, 3>& key) const {
      uint64_t h = (uint64_t{key[0]} << 32 | key[1]) * 0x9e3779b97f4a7c15ull;
      h = (h ^ h >> 32 ^ key[2]) * 0xff51afd7ed558ccdull;
      return static_cast<size_t>(h ^ h >> 29);
    }
  };

  const Trace& trace_;
  KernelNames names_;
  const Enclosing annotations_;
  LaunchNames launch_names_;
  GraphOps& out_;
  std::vector<std::unique_ptr<GraphRecipe>> recipes_;
  std::vector<GraphCandidate> candidates_;  // of the recipes
  std::vector<uint32_t> source_of_;         // as candidates_
  std::vector<std::vector<uint32_t>> ops_;  // by place in the recipe
  std::unordered_map<std::array<uint32_t, 3>, uint32_t, Hash> same_;
  std::unique_ptr<GraphMatcher> matcher_;
};

// Finds the ops of kernels in the profile's HLO.
class HloOps {
 public:
  HloOps(AnalysisContext& context, GraphOps* out)
      : trace_(context.trace()), stats_(context.stats()), kernels_(trace_.hlo), out_(*out) {
    GraphSource source{GraphSourceKind::kHlo, &trace_, "", ""};
    out_.sources.push_back(std::move(source));
  }

  void Attribute(std::span<const ReplayedKernel> kernels) {
    GraphLaunch launch = LaunchOf(kernels);
    for (const ReplayedKernel& kernel : kernels) {
      const int64_t program =
          stats_.Int(IntStat::kProgramId).Find(EventRow(kernel.row)).value_or(-1);
      const auto found =
          kernels_.Find(program, trace_.names().Name(trace_.set.Meta(EventRow(kernel.row))));
      if (!found) continue;
      ++launch.matched;
      out_.kernels.push_back(
          {kernel.row, OpOf(*found), static_cast<uint32_t>(out_.launches.size())});
    }
    if (launch.matched > 0) launch.source = 0, launch.alike = 1;
    out_.launches.push_back(launch);
  }

 private:
  uint32_t OpOf(const HloKernels::Found& found) {
    const auto [it, added] = same_.try_emplace(found.hlo, static_cast<uint32_t>(out_.ops.size()));
    if (added) out_.ops.push_back({0, {}, {}, found.hlo, found.instruction, found.program});
    return it->second;
  }

  const Trace& trace_;
  const StatTable& stats_;
  const HloKernels kernels_;
  GraphOps& out_;
  std::unordered_map<const HloInstruction*, uint32_t> same_;
};

template <typename Attributor>
void AttributeAll(std::span<const ReplayedKernel> kernels, Attributor* attributor) {
  ForEachLaunch(kernels,
                [&](std::span<const ReplayedKernel> launch) { attributor->Attribute(launch); });
}

}  // namespace

std::string SourceText(const GraphSource& source) {
  switch (source.kind) {
    case GraphSourceKind::kCaptureFile:
      return "capture " + source.file;
    case GraphSourceKind::kRecordedHere:
      return "recording in this trace";
    case GraphSourceKind::kEagerHere:
      return "eager steps of this trace";
    case GraphSourceKind::kHlo:
      return "kernel names in the HLO";
  }
  return {};
}

const GraphKernel* GraphOps::Find(uint32_t row) const {
  const auto it = std::lower_bound(kernels.begin(), kernels.end(), row,
                                   [](const GraphKernel& k, uint32_t r) { return k.row < r; });
  return it != kernels.end() && it->row == row ? &*it : nullptr;
}

std::string_view GraphOps::NameOf(const GraphOp& op) const {
  if (op.hlo != nullptr) {
    const std::string_view name = ParseOpName(op.hlo->op_name).name;
    return name.empty() ? op.instruction : name;
  }
  return op.op.valid() ? sources[op.source].trace->set.Name(op.op) : std::string_view();
}

std::string GraphOps::ModuleOf(const GraphOp& op) const {
  if (!op.module.valid()) return {};
  return sources[op.source].modules->PathOf(op.module);
}

std::string_view GraphOps::LayerOf(const GraphOp& op) const {
  if (!op.module.valid()) return {};
  return sources[op.source].modules->LayerOf(op.module);
}

std::string GraphOps::ShapesOf(const GraphOp& op) const {
  if (!op.op.valid()) return {};
  const Trace& trace = *sources[op.source].trace;
  if (!trace.source) return {};
  const Result<std::vector<Stat>> stats = trace.source->Decode(trace, op.op);
  if (!stats.ok()) return {};
  for (const Stat& stat : *stats) {
    if (stat.name == "Input Dims" || stat.name == "Input dims") return ToText(stat);
  }
  return {};
}

GraphOps GraphOps::Compute(AnalysisContext& context) {
  GraphOps result;
  if (context.definitions() == Definitions::kXprof) return result;
  const std::vector<bool> graph = GraphLaunches(context.trace());
  const bool launched = std::find(graph.begin(), graph.end(), true) != graph.end();
  if (!launched && context.stats().Int(IntStat::kCudaGraphExecId).empty()) return result;
  const std::vector<ReplayedKernel> kernels = ReplayedKernels(context, graph);
  if (kernels.empty()) return result;
  if (context.trace().hlo.programs.empty()) {
    RecordedOps recorded(context, graph, &result);
    AttributeAll(kernels, &recorded);
  } else {
    HloOps hlo(context, &result);
    AttributeAll(kernels, &hlo);
  }
  std::sort(result.kernels.begin(), result.kernels.end(),
            [](const GraphKernel& a, const GraphKernel& b) { return a.row < b.row; });
  return result;
}

}  // namespace stepscope
