#include "model/analysis/kernels/graph_tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/demangle.h"

namespace stepscope {
namespace {

using V = ValueType;

constexpr size_t kMostRows = 5000;  // of graph_kernels: each is read from the file
constexpr uint32_t kNone = 0xffffffffu;

Value TextOrNothing(std::string_view text) {
  return text.empty() ? Value() : Value(SharedText(text));
}

// The sums of the kernels of one row.
struct GraphSum {
  Ps time = 0;
  std::vector<EventRow> rows;
  uint64_t matched = 0, of = 0;  // summed over their launches: kernels matched, and kernels
  void Add(Ps length, EventRow row, const GraphLaunch& launch) {
    time += length;
    rows.push_back(row);
    matched += launch.matched, of += launch.kernels;
  }
  Value Confidence() const {
    return of > 0 ? Value(static_cast<double>(matched) / static_cast<double>(of)) : Value();
  }
};

ColumnDesc ConfidenceColumn() {
  return {"confidence", "Confidence", Unit::kFraction, V::kReal,
          "share of the kernels of their launches that lie in the recording by name and order"};
}

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

ResultTable GraphTable(const GraphKernelReader& reader, const GraphOps& graphs) {
  ResultTable t{"graphs",
                "Graphs",
                {{"source", "Ops from", Unit::kNone, V::kString,
                  "where the ops of the launches were found", true},
                 {"mode", "Mode", Unit::kNone, V::kString, "what the capture says of itself"},
                 {"batch_size", "Batch", Unit::kCount, V::kInt, "what was recorded"},
                 {"launches", "Launches", Unit::kCount, V::kInt, "launches of graphs"},
                 {"kernels", "Kernels", Unit::kCount, V::kInt, "kernels, copies and fills"},
                 {"matched", "Matched", Unit::kCount, V::kInt,
                  "those that lie in the recording by name and order"},
                 ConfidenceColumn(),
                 {"alike", "Alike", Unit::kCount, V::kInt,
                  "the most recordings that fit a launch as well as the one that was taken"}}};
  struct Row {
    uint64_t kernels = 0, matched = 0;
    uint32_t alike = 0;
    std::vector<EventRow> calls;
    int64_t launches = 0;
  };
  std::map<uint32_t, Row> rows;  // by source
  for (size_t i = 0; i < graphs.launches.size(); ++i) {
    const GraphLaunch& launch = graphs.launches[i];
    if (!reader.Has(i)) continue;
    Row& row = rows[launch.source];
    row.kernels += launch.kernels, row.matched += launch.matched;
    row.alike = std::max(row.alike, launch.alike);
    if (launch.call.valid()) row.calls.push_back(launch.call);
    ++row.launches;
  }
  for (auto& [number, row] : rows) {
    const GraphSource* source = number != kNone ? &graphs.sources[number] : nullptr;
    const bool batch = source != nullptr && source->batch_size >= 0;
    t.AddRow({source != nullptr ? SharedText(SourceText(*source)) : SharedText("(unknown)"),
              source != nullptr ? TextOrNothing(source->mode) : Value(),
              batch ? Value(source->batch_size) : Value(), row.launches,
              static_cast<int64_t>(row.kernels), static_cast<int64_t>(row.matched),
              static_cast<double>(row.matched) / static_cast<double>(row.kernels),
              source != nullptr ? Value(int64_t{row.alike}) : Value()});
    t.links.push_back(LinkTo(EventRows(std::move(row.calls))));
  }
  return t;
}

ResultTable GraphOpTable(const GraphKernelReader& reader, const GraphOps& graphs) {
  ResultTable t{
      "graph_ops",
      "Ops of graphs",
      {{"name", "Op", Unit::kNone, V::kString,
        "the innermost op around the launch that was recorded", true},
       {"parent_module", "Module", Unit::kNone, V::kString,
        "class of the innermost module around it", true},
       {"occurrences", "Kernels", Unit::kCount, V::kInt, "kernels, copies and fills"},
       {"total_duration_us", "Total", Unit::kUs, V::kReal, "sum of their durations", true},
       ConfidenceColumn()}};
  std::vector<GraphSum> of_op(graphs.ops.size());
  reader.ForEach([&](const GraphKernel& kernel, Ps length) {
    of_op[kernel.op].Add(length, EventRow(kernel.row), graphs.launches[kernel.launch]);
  });
  std::map<std::pair<std::string, std::string>, GraphSum> sums;
  for (size_t i = 0; i < of_op.size(); ++i) {
    if (of_op[i].rows.empty()) continue;
    const GraphOp& op = graphs.ops[i];
    const std::string path = graphs.ModuleOf(op);
    const size_t slash = path.rfind(" / ");
    const std::string_view last =
        slash == std::string::npos ? path : std::string_view(path).substr(slash + 3);
    GraphSum& sum = sums[{std::string(graphs.NameOf(op)), std::string(ModuleClass(last))}];
    sum.time += of_op[i].time, sum.matched += of_op[i].matched, sum.of += of_op[i].of;
    sum.rows.insert(sum.rows.end(), of_op[i].rows.begin(), of_op[i].rows.end());
  }
  std::vector<std::pair<const std::pair<std::string, std::string>, GraphSum>*> order;
  order.reserve(sums.size());
  for (auto& row : sums) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->second.time > b->second.time; });
  for (auto* row : order) {
    auto& [name, sum] = *row;
    t.AddRow({name.first.empty() ? SharedText("(no op)") : SharedText(name.first),
              TextOrNothing(name.second), static_cast<int64_t>(sum.rows.size()), InUs(sum.time),
              sum.Confidence()});
    t.links.push_back(LinkTo(EventRows(std::move(sum.rows))));
  }
  return t;
}

ResultTable GraphKernelTable(const Trace& trace, const GraphKernelReader& reader,
                             const GraphOps& graphs) {
  ResultTable t{
      "graph_kernels",
      "Kernels of graphs",
      {{"kernel_name", "Kernel", Unit::kNone, V::kString, "", true},
       {"op_name", "Op", Unit::kNone, V::kString,
        "the innermost op around the launch that was recorded", true},
       {"layer", "Layer", Unit::kNone, V::kString,
        "the outermost module around it that has siblings of its class"},
       {"module", "Module", Unit::kNone, V::kString, "the modules around it, outermost first"},
       {"shapes", "Shapes", Unit::kNone, V::kString, "of the op's inputs"},
       {"occurrences", "Count", Unit::kCount, V::kInt, ""},
       {"total_duration_us", "Total", Unit::kUs, V::kReal, "sum of durations", true},
       ConfidenceColumn(),
       {"source", "Ops from", Unit::kNone, V::kString, "where that was found"}}};
  std::map<std::pair<uint32_t, uint32_t>, GraphSum> sums;  // by op and name
  reader.ForEach([&](const GraphKernel& kernel, Ps length) {
    const uint32_t meta = trace.set.Meta(EventRow(kernel.row)).value;
    sums[{kernel.op, meta}].Add(length, EventRow(kernel.row), graphs.launches[kernel.launch]);
  });
  for (auto& [key, sum] : sums) {  // the numbers of ops are the graph's order
    CheckStop();
    if (t.size() == kMostRows) break;
    const GraphOp& op = graphs.ops[key.first];
    t.AddRow({SharedText(trace.names().Name(MetaId(key.second))), TextOrNothing(graphs.NameOf(op)),
              TextOrNothing(graphs.LayerOf(op)), TextOrNothing(graphs.ModuleOf(op)),
              TextOrNothing(graphs.ShapesOf(op)), static_cast<int64_t>(sum.rows.size()),
              InUs(sum.time), sum.Confidence(), SharedText(SourceText(graphs.sources[op.source]))});
    t.links.push_back(LinkTo(EventRows(std::move(sum.rows))));
    t.readable.push_back(ReadableName(trace.names(), MetaId(key.second)));
  }
  t.readable_column = t.Column("kernel_name");
  return t;
}

}  // namespace

void AddGraphTables(AnalysisContext& context, const AnalysisParams& params,
                    AnalysisResult* result) {
  const GraphOps& graphs = context.Get<GraphOps>();
  if (graphs.launches.empty()) return;
  const Trace& trace = context.trace();
  const GraphKernelReader reader(context, params, graphs);
  result->tables.push_back(GraphTable(reader, graphs));
  if (graphs.kernels.empty()) return;
  result->tables.push_back(GraphOpTable(reader, graphs));
  result->tables.push_back(GraphKernelTable(trace, reader, graphs));
}

}  // namespace stepscope
