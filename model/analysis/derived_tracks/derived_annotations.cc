#include "model/analysis/derived_tracks/derived_annotations.h"

#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/naming/op_name.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

// A ColumnCursor for rows in any order; a row that follows the last one costs O(1).
template <typename T>
class AnyRowCursor {
 public:
  explicit AnyRowCursor(const SparseColumn<T>& column) : cursor_(column) {}
  T Get(uint32_t row, T missing) {
    if (row != next_) cursor_.Seek(row);
    next_ = row + 1;
    return cursor_.Get(row, missing);
  }

 private:
  ColumnCursor<T> cursor_;
  uint32_t next_ = 0;
};

constexpr int64_t kNoScope = -1;

std::string_view Basename(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The text that XProf's trace viewer shows for an op: its type; the last part of an iterator; the
// name of an unknown op.
std::string DisplayOf(const OpName& op) {
  if (op.category == OpCategory::kTfData) {
    size_t last = op.name.rfind("::");
    return "Iterator::" +
           std::string(last == std::string_view::npos ? op.name : op.name.substr(last + 2));
  }
  if (op.category != OpCategory::kUnknown) return std::string(op.type);
  std::string_view name = op.name;
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return std::string(name);
}

}  // namespace

struct Annotator::Stats {
  explicit Stats(const StatTable& table)
      : kernel(table.Text(StringStat::kKernelDetails)),
        tf_op(table.Text(StringStat::kTfOp)),
        hlo_op(table.Text(StringStat::kHloOp)),
        module(table.Text(StringStat::kHloModule)),
        source(table.Text(StringStat::kSource)),
        graph(table.Int(IntStat::kCudaGraphExecId)),
        program(table.Int(IntStat::kProgramId)),
        scope(table.Int(IntStat::kScopeRangeId)) {}
  AnyRowCursor<StringId> kernel, tf_op, hlo_op, module, source;
  AnyRowCursor<int64_t> graph, program, scope;
};

Annotator::Annotator(const Trace& trace, const StatTable& stats, const EventOrder& order,
                     const Grouping& grouping, DerivedNames* names)
    : trace_(trace),
      stats_(stats),
      order_(order),
      grouping_(grouping),
      names_(*names),
      tf_op_of_text_(stats.strings ? stats.strings->size() : 0) {}

const Annotator::TfOp* Annotator::TfOpOf(std::string_view full_name) {
  auto [it, added] = tf_ops_.try_emplace(full_name);
  if (!added) return &it->second;
  TfOp& op = it->second;
  OpName parsed = ParseOpName(full_name);
  op.meta = names_.Meta(full_name, DisplayOf(parsed));
  if (parsed.category != OpCategory::kTensorFlow && parsed.category != OpCategory::kJax) return &op;
  std::string_view rest = parsed.name;  // all parts but the last are scopes
  for (size_t slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    op.scopes.push_back(names_.Meta(rest.substr(0, slash)));
    rest.remove_prefix(slash + 1);
  }
  return &op;
}

const Annotator::XlaOp& Annotator::XlaOpOf(const XlaKey& key) {
  auto [it, added] = xla_ops_.try_emplace(key);
  XlaOp& xla = it->second;
  if (!added) return xla;
  std::string_view module = stats_.strings->View(StringId(key.module));
  std::string program = key.program >= 0 ? std::to_string(key.program) : std::string();
  if (!module.empty()) {
    std::string name(module);
    if (!program.empty()) name += "(" + program + ")";
    xla.module = names_.Meta(name);
  }
  std::string_view rest = stats_.strings->View(StringId(key.op));
  std::string prefix = (program.empty() ? std::string(module) : program) + "/";
  std::string_view inner = rest;
  while (!rest.empty()) {
    size_t end = rest.find("::");
    inner = rest.substr(0, end);
    xla.levels.push_back(names_.Meta(prefix + std::string(inner), inner));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  }
  const HloInstruction* hlo =
      inner.empty() ? nullptr : trace_.hlo.Find(static_cast<uint64_t>(key.program), inner);
  if (!hlo) return xla;
  if (!hlo->op_name.empty()) {
    std::string full = hlo->op_name + ":" + hlo->op_type;
    auto known = tf_ops_.find(full);
    if (known == tf_ops_.end()) {
      owned_.push_back(std::make_unique<std::string>(std::move(full)));
      xla.tf_op = TfOpOf(*owned_.back());
    } else {
      xla.tf_op = &known->second;
    }
  }
  if (!hlo->source_file.empty()) {
    xla.source = names_.Meta(std::string(Basename(hlo->source_file)) + ":" +
                             std::to_string(hlo->source_line));
  }
  return xla;
}

void Annotator::AddTfOp(const TfOp& op, const NestedSpanBuilder::Source& source,
                        AnnotationLines* lines) {
  if (!op.scopes.empty()) lines->scopes.Add(op.scopes, source);
  lines->ops.Add({&op.meta, 1}, source);
}

void Annotator::Annotate(const Track& stream, AnnotationLines* lines) {
  lines->modules.AddDependent(&lines->scopes);
  lines->modules.AddDependent(&lines->xla_ops);
  lines->scopes.AddDependent(&lines->ops);
  Stats stats(stats_);
  RowRange range = RowsOf(trace_.set, stream);
  RowReader reader(trace_.set);
  for (uint32_t pos = range.first; pos < range.end(); ++pos) {
    uint32_t row = order_.row[pos];
    bool kernel = stats.kernel.Get(row, StringId(0)).value != 0 || stats.graph.Get(row, 0) != 0;
    if (!kernel) continue;
    NestedSpanBuilder::Source source{
        reader.Start(row), reader.End(row), grouping_.group[row], {}, EventRow(row)};
    int64_t scope = stats.scope.Get(row, kNoScope);
    if (scope != kNoScope) source.scope = scope;
    XlaKey key{stats.program.Get(row, -1), stats.module.Get(row, StringId(0)).value,
               stats.hlo_op.Get(row, StringId(0)).value};
    StringId tf_op = stats.tf_op.Get(row, StringId(0));
    if (key.op == 0 && key.module == 0) {
      if (tf_op.value == 0 || tf_op.value >= tf_op_of_text_.size()) continue;
      const TfOp*& op = tf_op_of_text_[tf_op.value];
      if (!op) op = TfOpOf(stats_.strings->View(tf_op));
      AddTfOp(*op, source, lines);
      continue;
    }
    const XlaOp& xla = XlaOpOf(key);
    if (xla.module != kNone) lines->modules.Add({&xla.module, 1}, source);
    if (xla.levels.empty()) {
      if (tf_op.value != 0) AddTfOp(*TfOpOf(stats_.strings->View(tf_op)), source, lines);
      continue;
    }
    if (xla.tf_op) AddTfOp(*xla.tf_op, source, lines);
    lines->xla_ops.Add(xla.levels, source);
    if (xla.source != kNone) lines->source.Add({&xla.source, 1}, source);
  }
}

void Annotator::AnnotateCore(const Plane& core, AnnotationLines* lines) {
  lines->scopes.AddDependent(&lines->ops);
  Stats stats(stats_);
  std::vector<const Lane*> lanes;
  for (TrackId t : core.tracks) {
    const Track& track = trace_.set.tracks[t.value];
    if (track.kind == TrackKind::kAsyncXlaOps) continue;
    for (const Lane& lane : trace_.set.LanesOf(track)) lanes.push_back(&lane);
  }
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    const uint32_t row = lane.first_row + i;
    const NestedSpanBuilder::Source from{
        lane.start[i], lane.end(i), grouping_.group[row], {}, EventRow(row)};
    const StringId tf_op = stats.tf_op.Get(row, StringId(0));
    if (tf_op.value != 0) AddTfOp(*TfOpOf(stats_.strings->View(tf_op)), from, lines);
    const StringId source = stats.source.Get(row, StringId(0));
    if (source.value == 0) return;
    const uint32_t meta = names_.Meta(Basename(stats_.strings->View(source)));
    lines->source.Add({&meta, 1}, from);
  });
}

}  // namespace stepscope
