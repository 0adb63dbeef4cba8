#include "model/analysis/kernels/graph_tables.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/tables/schema.h"
#include "model/base/demangle.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kMostKernels = 5000;  // each is read from the file
constexpr uint32_t kNone = 0xffffffffu;

// A row while kernels are added to it.
template <typename Row>
struct Draft {
  Row row;
  std::vector<EventRow> rows;

  void Add(Ps length, EventRow kernel, const GraphLaunch& launch) {
    row.total += length;
    rows.push_back(kernel);
    row.matched += launch.matched, row.of += launch.kernels;
  }
  Row Finish() {
    row.rows = EventRows(std::move(rows));
    return std::move(row);
  }
};

// The readable form of a mangled name; nothing where the name is readable as it is.
SharedText ReadableName(const NameTable& names, MetaId meta) {
  const std::string_view name = names.Name(meta), shown = names.DisplayName(meta);
  return name.starts_with("_Z") && shown != name ? SharedText(WithoutParameters(shown))
                                                 : SharedText();
}

// Reads the graph kernels in the part of the trace that was asked for.
class GraphKernelReader {
 public:
  GraphKernelReader(AnalysisContext& context, const AnalysisParams& params, const GraphOps& graphs)
      : trace_(context.trace()),
        graphs_(graphs),
        scope_(ScopeOf(context, params)),
        first_(graphs.launches.size(), kNone) {
    RowReader reader(trace_.set);
    for (const GraphKernel& kernel : graphs.kernels) {
      uint32_t& first = first_[kernel.launch];
      if (first == kNone || reader.Start(kernel.row) < trace_.set.Start(EventRow(first)))
        first = kernel.row;
    }
  }

  template <typename Fn>
  void ForEach(Fn fn) const {
    const TrackSet& set = trace_.set;
    RowReader reader(set);
    for (const GraphKernel& kernel : graphs_.kernels) {
      const Track& track = set.tracks[reader.TrackOf(kernel.row)];
      const HostId host = trace_.planes[track.plane.value].host;
      if (!scope_.HasHost(host)) continue;
      if (!scope_.OfHost(host).Contains(reader.Start(kernel.row))) continue;
      fn(kernel, reader.Duration(kernel.row));
    }
  }
  // A launch counts if the first of its kernels begins in the part, or its call if no op of its
  // kernels is known. A launch of which neither is known counts at the begin of the trace.
  bool Has(size_t launch) const {
    const EventRow row =
        first_[launch] != kNone ? EventRow(first_[launch]) : graphs_.launches[launch].call;
    if (!row.valid()) return scope_.OfHost(HostId()).Contains(trace_.span.begin);
    const Track& track = trace_.set.tracks[trace_.set.TrackOf(row).value];
    const HostId host = trace_.planes[track.plane.value].host;
    return scope_.HasHost(host) && scope_.OfHost(host).Contains(trace_.set.Start(row));
  }

 private:
  const Trace& trace_;
  const GraphOps& graphs_;
  const Scope scope_;
  std::vector<uint32_t> first_;  // by launch: the row of its first kernel; kNone: it has none
};

std::vector<GraphSourceSum> SumBySource(const GraphKernelReader& reader, const GraphOps& graphs) {
  std::map<uint32_t, std::pair<GraphSourceSum, std::vector<EventRow>>> sums;  // by source
  for (size_t i = 0; i < graphs.launches.size(); ++i) {
    const GraphLaunch& launch = graphs.launches[i];
    if (!reader.Has(i)) continue;
    auto& [sum, calls] = sums[launch.source];
    sum.kernels += launch.kernels, sum.matched += launch.matched;
    sum.alike = std::max(sum.alike, launch.alike);
    if (launch.call.valid()) calls.push_back(launch.call);
    ++sum.launches;
  }
  std::vector<GraphSourceSum> rows;
  for (auto& [number, found] : sums) {
    auto& [sum, calls] = found;
    sum.calls = EventRows(std::move(calls));
    if (number != kNone) {
      const GraphSource& source = graphs.sources[number];
      sum.source = SourceText(source);
      if (!source.mode.empty()) sum.mode = source.mode;
      if (source.batch_size >= 0) sum.batch_size = source.batch_size;
    }
    rows.push_back(std::move(sum));
  }
  return rows;
}

std::vector<GraphOpSum> SumByOp(const GraphKernelReader& reader, const GraphOps& graphs) {
  std::vector<Draft<GraphSum>> of_op(graphs.ops.size());
  reader.ForEach([&](const GraphKernel& kernel, Ps length) {
    of_op[kernel.op].Add(length, EventRow(kernel.row), graphs.launches[kernel.launch]);
  });
  std::map<std::pair<std::string, std::string>, GraphOpSum> sums;
  for (size_t i = 0; i < of_op.size(); ++i) {
    if (of_op[i].rows.empty()) continue;
    const GraphSum one = of_op[i].Finish();
    const GraphOp& op = graphs.ops[i];
    const std::string path = graphs.ModuleOf(op);
    const size_t slash = path.rfind(" / ");
    const std::string_view last =
        slash == std::string::npos ? path : std::string_view(path).substr(slash + 3);
    GraphOpSum& sum = sums[{std::string(graphs.NameOf(op)), std::string(ModuleClass(last))}];
    sum.total += one.total, sum.matched += one.matched, sum.of += one.of;
    sum.rows.Append(one.rows);
  }
  std::vector<GraphOpSum> rows;
  for (auto& [name, sum] : sums) {
    sum.name = name.first.empty() ? SharedText("(no op)") : SharedText(name.first);
    sum.parent_module = name.second;
    rows.push_back(std::move(sum));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const GraphOpSum& a, const GraphOpSum& b) { return a.total > b.total; });
  return rows;
}

std::vector<GraphKernelSum> SumByKernel(const Trace& trace, const GraphKernelReader& reader,
                                        const GraphOps& graphs) {
  std::map<std::pair<uint32_t, uint32_t>, Draft<GraphKernelSum>> sums;  // by op and name
  reader.ForEach([&](const GraphKernel& kernel, Ps length) {
    const uint32_t meta = trace.set.Meta(EventRow(kernel.row)).value;
    sums[{kernel.op, meta}].Add(length, EventRow(kernel.row), graphs.launches[kernel.launch]);
  });
  std::vector<GraphKernelSum> rows;
  for (auto& [key, draft] : sums) {  // the numbers of ops are the graph's order
    CheckStop();
    if (rows.size() == kMostKernels) break;
    const GraphOp& op = graphs.ops[key.first];
    GraphKernelSum& sum = rows.emplace_back(draft.Finish());
    sum.name = trace.names().Name(MetaId(key.second));
    sum.readable = ReadableName(trace.names(), MetaId(key.second));
    sum.op = graphs.NameOf(op), sum.layer = graphs.LayerOf(op), sum.module = graphs.ModuleOf(op);
    sum.shapes = graphs.ShapesOf(op), sum.source = SourceText(graphs.sources[op.source]);
  }
  return rows;
}

// A text that may be unknown.
template <typename Row>
auto Known(SharedText Row::*member) {
  return [member](const Row& row) {
    return (row.*member).empty() ? std::nullopt : std::optional(row.*member);
  };
}

constexpr const char* kConfidence =
    "share of the kernels of their launches that lie in the recording by name and order";

const Schema<GraphSourceSum>& GraphSourceSchema() {
  using S = GraphSourceSum;
  static const Schema<S> schema(
      "graphs", "Graphs",
      {{"source", "Ops from", Unit::kNone,
        [](const S& s) { return s.source.value_or("(unknown)"); },
        "where the ops of the launches were found", kKeyColumn},
       {"mode", "Mode", Unit::kNone, &S::mode, "what the capture says of itself"},
       {"batch_size", "Batch", Unit::kCount, &S::batch_size, "what was recorded"},
       {"launches", "Launches", Unit::kCount, &S::launches, "launches of graphs"},
       {"kernels", "Kernels", Unit::kCount, &S::kernels, "kernels, copies and fills"},
       {"matched", "Matched", Unit::kCount, &S::matched,
        "those that lie in the recording by name and order"},
       {"confidence", "Confidence", Unit::kFraction,
        [](const S& s) { return static_cast<double>(s.matched) / static_cast<double>(s.kernels); },
        kConfidence},
       {"alike", "Alike", Unit::kCount,
        [](const S& s) { return s.source ? std::optional(s.alike) : std::nullopt; },
        "the most recordings that fit a launch as well as the one that was taken"}},
      [](const S& s, const NoFacts&) { return LinkTo(s.calls); });
  return schema;
}

const Schema<GraphOpSum>& GraphOpSchema() {
  using S = GraphOpSum;
  static const Schema<S> schema(
      "graph_ops", "Ops of graphs",
      {{"name", "Op", Unit::kNone, &S::name, "the innermost op around the launch that was recorded",
        kKeyColumn},
       {"parent_module", "Module", Unit::kNone, Known(&S::parent_module),
        "class of the innermost module around it", kKeyColumn},
       {"occurrences", "Kernels", Unit::kCount, [](const S& s) { return s.rows.size(); },
        "kernels, copies and fills"},
       {"total_duration_us", "Total", Unit::kUs, &S::total, "sum of their durations", kKeyColumn},
       {"confidence", "Confidence", Unit::kFraction, &S::confidence, kConfidence}},
      [](const S& s, const NoFacts&) { return LinkTo(s.rows); });
  return schema;
}

const Schema<GraphKernelSum>& GraphKernelSchema() {
  using S = GraphKernelSum;
  static const Schema<S> schema =
      Schema<S>(
          "graph_kernels", "Kernels of graphs",
          {{"kernel_name", "Kernel", Unit::kNone, &S::name, "", kKeyColumn},
           {"op_name", "Op", Unit::kNone, Known(&S::op),
            "the innermost op around the launch that was recorded", kKeyColumn},
           {"layer", "Layer", Unit::kNone, Known(&S::layer),
            "the outermost module around it that has siblings of its class"},
           {"module", "Module", Unit::kNone, Known(&S::module),
            "the modules around it, outermost first"},
           {"shapes", "Shapes", Unit::kNone, Known(&S::shapes), "of the op's inputs"},
           {"occurrences", "Count", Unit::kCount, [](const S& s) { return s.rows.size(); }},
           {"total_duration_us", "Total", Unit::kUs, &S::total, "sum of durations", kKeyColumn},
           {"confidence", "Confidence", Unit::kFraction, &S::confidence, kConfidence},
           {"source", "Ops from", Unit::kNone, &S::source, "where that was found"}},
          [](const S& s, const NoFacts&) { return LinkTo(s.rows); })
          .WithReadable("kernel_name", [](const S& s, const NoFacts&) { return s.readable; });
  return schema;
}

}  // namespace

AnalysisParams GraphSums::KeyOf(AnalysisParams params) {
  params.hlo = {};
  params.peaks.clear();
  return params;
}

GraphSums GraphSums::Compute(AnalysisContext& context, const AnalysisParams& params) {
  GraphSums sums;
  const GraphOps& graphs = context.Get<GraphOps>();
  sums.any = !graphs.launches.empty(), sums.any_found = !graphs.kernels.empty();
  if (!sums.any) return sums;
  const GraphKernelReader reader(context, params, graphs);
  sums.sources = SumBySource(reader, graphs);
  sums.ops = SumByOp(reader, graphs);
  sums.kernels = SumByKernel(context.trace(), reader, graphs);
  return sums;
}

void AddGraphTables(const GraphSums& sums, AnalysisResult* result) {
  if (!sums.any) return;
  result->tables.push_back(GraphSourceSchema().Make(sums.sources));
  if (!sums.any_found) return;
  result->tables.push_back(GraphOpSchema().Make(sums.ops));
  result->tables.push_back(GraphKernelSchema().Make(sums.kernels));
}

}  // namespace stepscope
