#include "loaders/xplane/stat_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

#include "model/jobs/job.h"

namespace stepscope::xplane {
namespace {

std::vector<StringId> InternAll(const StringPool& pool, StringPool* all) {
  std::vector<StringId> ids(pool.size());
  for (uint32_t s = 0; s < ids.size(); ++s) ids[s] = all->Intern(pool.View(StringId(s)));
  return ids;
}

template <typename T>
void Move(SparseColumn<T>* from, SparseColumn<T>* to) {
  to->Append(*from);
  from->Clear();
}

// `ids`: what the piece's texts are in the table.
template <typename T>
void Take(SparseColumn<T>* from, const std::vector<StringId>&, SparseColumn<T>* to) {
  Move(from, to);
}
void Take(SparseColumn<StringId>* from, const std::vector<StringId>& ids,
          SparseColumn<StringId>* to) {
  if (ids.size() <= 1) return Move(from, to);  // there is only the empty string
  std::vector<uint32_t> rows;
  std::vector<StringId> values;
  const auto flush = [&] {
    to->Append(rows, values);
    rows.clear(), values.clear();
  };
  from->ForAll([&](uint32_t row, StringId id) {
    if (!rows.empty() && row < rows.back()) flush();  // the next slice's
    rows.push_back(row);
    values.push_back((id.value & kLocalText) == 0 ? id : ids[id.value & ~kLocalText]);
  });
  flush();
  from->Clear();
}

}  // namespace

void SliceValues::MakeRoom(uint32_t column) {
  Entries& e = columns_[column];
  if (e.rows != nullptr) return;
  e.rows = std::make_unique_for_overwrite<uint32_t[]>(kRowsPerSlice);
  e.bits = std::make_unique_for_overwrite<uint64_t[]>(kRowsPerSlice);
}

void SliceValues::MoveTo(StatTable* table) {
  for (size_t c = 0; c < kStatColumns; ++c) {
    if (columns_[c].size == 0) continue;
    VisitColumn(
        c, [&](auto& to) { columns_[c].MoveTo(&to); }, *table);
  }
}

void AppendPieces(std::span<StatTable* const> pieces, StatTable* table) {
  std::vector<std::vector<StringId>> ids;
  for (const StatTable* piece : pieces)
    ids.push_back(InternAll(*piece->strings, table->strings.get()));
  ParallelFor(kStatColumns, [&](size_t c) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      VisitColumn(
          c, [&](auto& from, auto& to) { Take(&from, ids[i], &to); }, *pieces[i], *table);
    }
  });
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (ids[i].size() > 1) pieces[i]->strings = std::make_unique<StringPool>();
  }
}

namespace {

struct Row {
  std::string_view name;
  StatColumn column;
};

constexpr Row Int(std::string_view name, IntStat s) {
  return {name, {StatColumn::Kind::kInt, static_cast<uint8_t>(s)}};
}
constexpr Row Text(std::string_view name, StringStat s) {
  return {name, {StatColumn::Kind::kText, static_cast<uint8_t>(s)}};
}
constexpr Row Real(std::string_view name, RealStat s) {
  return {name, {StatColumn::Kind::kReal, static_cast<uint8_t>(s)}};
}

constexpr std::array kRows = {
    Int("correlation_id", IntStat::kCorrelationId),
    Int("group_id", IntStat::kGroupId),
    Int("step_num", IntStat::kStepNum),
    Int("iter_num", IntStat::kIterNum),
    Int("id", IntStat::kId),
    Int("_r", IntStat::kRootLevel),
    Int("_pt", IntStat::kProducerType),
    Int("_p", IntStat::kProducerId),
    Int("_ct", IntStat::kConsumerType),
    Int("_c", IntStat::kConsumerId),
    Int("_a", IntStat::kIsAsync),
    Int("is_eager", IntStat::kIsEager),
    Int("is_func", IntStat::kIsFunc),
    Int("device_id", IntStat::kDeviceId),
    Int("program_id", IntStat::kProgramId),
    Int("symbol_id", IntStat::kSymbolId),
    Int("scope_range_id", IntStat::kScopeRangeId),
    Int("cuda_graph_exec_id", IntStat::kCudaGraphExecId),
    Int("_ipl_stage_id", IntStat::kIplStageId),
    Int("bytes_reserved", IntStat::kBytesReserved),
    Int("bytes_allocated", IntStat::kBytesAllocated),
    Int("bytes_available", IntStat::kBytesAvailable),
    Int("peak_bytes_in_use", IntStat::kPeakBytesInUse),
    Int("requested_bytes", IntStat::kRequestedBytes),
    Int("allocation_bytes", IntStat::kAllocationBytes),
    Int("addr", IntStat::kAddress),
    Int("data_type", IntStat::kDataType),
    Int("index_on_host", IntStat::kIndexOnHost),
    Int("device_ordinal", IntStat::kDeviceOrdinal),
    Int("run_id", IntStat::kRunId),
    Int("queue_id", IntStat::kQueueId),
    Int("core_type", IntStat::kCoreType),
    Int("request_id", IntStat::kRequestId),
    Int("queue_addr", IntStat::kQueueAddr),
    Int("device_offset_ps", IntStat::kDeviceOffset),
    Int("device_duration_ps", IntStat::kDeviceDuration),
    Int("dma_stall_duration_ps", IntStat::kDmaStall),
    Int("flops", IntStat::kFlops),
    Int("model_flops", IntStat::kModelFlops),
    Int("bytes_accessed", IntStat::kBytesAccessed),
    Text("tf_op", StringStat::kTfOp),
    Text("hlo_op", StringStat::kHloOp),
    Text("hlo_module", StringStat::kHloModule),
    Text("hlo_category", StringStat::kHloCategory),
    Text("kernel_details", StringStat::kKernelDetails),
    Text("memcpy_details", StringStat::kMemcpyDetails),
    Text("step_name", StringStat::kStepName),
    Text("graph_type", StringStat::kGraphType),
    Text("allocator_name", StringStat::kAllocatorName),
    Text("region_type", StringStat::kRegionType),
    Text("tensor_shapes", StringStat::kShape),
    Text("equation", StringStat::kEquation),
    Text("_ipl_stage_name", StringStat::kIplStageName),
    Text("_ipl_stage_cat", StringStat::kIplStageCategory),
    Text("source", StringStat::kSource),
    Text("device", StringStat::kDevice),
    Text("eager_op", StringStat::kEagerOp),
    Text("deduplicated_name", StringStat::kDeduplicatedName),
    Text("source_stack", StringStat::kSourceStack),
    Text("memory_access_breakdown", StringStat::kMemoryBreakdown),
    Row{"shape", {StatColumn::Kind::kText, static_cast<uint8_t>(StringStat::kShape), true}},
    Real("fragmentation", RealStat::kFragmentation),
    Real("theoretical_occupancy_pct", RealStat::kOccupancyPct),
    Real("Time Scale Multiplier", RealStat::kTimeScale),
};

}  // namespace

StatColumn ColumnOf(std::string_view stat_name) {
  const auto it =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == stat_name; });
  return it == kRows.end() ? StatColumn{} : it->column;
}

using namespace proto;

namespace {

// Writes a memory_access_breakdown, in which each field 1 has an operation, a memory and bytes.
std::string BreakdownText(std::string_view message) {
  std::string text;
  FieldReader accesses(message);
  Field access, part;
  while (accesses.Next(&access)) {
    if (access.number != 1 || access.wire != kLen) continue;
    std::array<int64_t, 3> values{};
    FieldReader parts(access.begin, access.end);
    while (parts.Next(&part)) {
      if (part.wire == kVarint && part.number >= 1 && part.number <= 3)
        values[part.number - 1] = part.Int();
    }
    if (!text.empty()) text += ';';
    text += fmt::format("{} {} {}", values[0], values[1], values[2]);
  }
  return text;
}

// The route of a stat that goes to one column for allocations and to another for other events.
StatRoute RouteOfShape(uint32_t number, StatRows rows) {
  if (rows == StatRows::kAll) return {};
  const bool allocations = rows == StatRows::kAllocations;
  const auto of_memory = static_cast<uint32_t>(StringStat::kTensorShape);
  return {TagBit(kRefTag), static_cast<uint32_t>(kIntStats) + (allocations ? of_memory : number)};
}

StatRoute RouteOf(const StatColumn& column, StatRows rows) {
  const auto number = static_cast<uint32_t>(column.column);
  switch (column.kind) {
    case StatColumn::Kind::kNone:
      return {TagBit(kDoubleTag) | TagBit(kUintTag) | TagBit(kIntTag) | TagBit(kRefTag),
              kStatColumns};
    case StatColumn::Kind::kInt:
      return {TagBit(kUintTag) | TagBit(kIntTag), number};
    case StatColumn::Kind::kReal:
      return {TagBit(kDoubleTag), static_cast<uint32_t>(kIntStats + kTextStats) + number};
    case StatColumn::Kind::kText:
      if (column.memory_shape) return RouteOfShape(number, rows);
      return {TagBit(kRefTag), static_cast<uint32_t>(kIntStats) + number};
  }
  return {};
}

}  // namespace

PlaneActions ActionsOf(const PlaneTables& tables, StringPool* pool, StatRows rows) {
  PlaneActions plane;
  plane.tables = &tables;
  plane.actions.reserve(tables.stat_names.size());
  for (const std::string& name : tables.stat_names) {
    plane.actions.push_back({ColumnOf(name), pool->Intern(name)});
  }
  for (size_t id = 0; id < tables.stat_ids.dense_size(); ++id) {
    const uint32_t index = tables.stat_ids.Find(static_cast<int64_t>(id));
    plane.by_id.push_back(index == IdMap::kNone ? StatAction{} : plane.actions[index]);
    if (id < plane.routes.size()) plane.routes[id] = RouteOf(plane.by_id.back().column, rows);
  }
  return plane;
}

void StatDecoder::LearnForm(Bytes p, Bytes event_end, uint32_t meta, SliceValues* out) {
  StatForm& form = forms_[meta % kForms];
  form.size = 0;
  form.cut = true;
  while (p < event_end) {
    CommonStat stat{};
    uint64_t value = 0;
    if (form.size == StatForm::kMost || !IsCommon(p, &stat)) return;
    p = ReadCommon(p, event_end, stat.kind, &value);
    const auto same = [&](const CommonStat& other) {
      return stat.kind != StatKind::kIgnored && other.column == stat.column;
    };
    if (p == nullptr || std::any_of(form.stats.begin(), form.stats.begin() + form.size, same))
      return;
    if (stat.kind != StatKind::kIgnored) out->MakeRoom(stat.column);
    form.stats[form.size++] = stat;
  }
  form.cut = false;
}

bool StatDecoder::ToValue(const Field& value, const StatAction* action, uint32_t meta,
                          StatBits* out) {
  if (action == nullptr || value.number == 0) return false;
  const StatColumn& column = action->column;
  switch (column.kind) {
    case StatColumn::Kind::kNone:
      return false;
    case StatColumn::Kind::kInt:
      out->column = column.column;
      return Int(value, &out->bits);
    case StatColumn::Kind::kReal:
      out->column = static_cast<uint32_t>(kIntStats + kTextStats) + column.column;
      return Real(value, &out->bits);
    case StatColumn::Kind::kText:
      out->column = static_cast<uint32_t>(kIntStats) + column.column;
      if (column.memory_shape && IsMemoryEvent(meta)) {
        out->column =
            static_cast<uint32_t>(kIntStats) + static_cast<uint32_t>(StringStat::kTensorShape);
      }
      if (column.column == static_cast<uint8_t>(StringStat::kMemoryBreakdown))
        return Breakdown(value, &out->bits);
      return Text(value, &out->bits);
  }
  return false;
}
bool StatDecoder::Breakdown(const Field& f, uint64_t* bits) {
  if (f.wire != kLen || f.number != 6) return false;
  *bits = Own(BreakdownText(f.text()));
  return true;
}
std::string_view StatDecoder::TextOf(const Field& f) const {
  if (f.number == 7 && f.wire == kVarint) {
    const std::string* name = plane_->tables->StatName(f.Int());
    return name == nullptr ? std::string_view() : *name;
  }
  return f.number == 5 && f.wire == kLen ? f.text() : std::string_view();
}
bool StatDecoder::Int(const Field& f, uint64_t* bits) const {
  if (f.wire == kVarint && (f.number == 3 || f.number == 4)) {
    *bits = f.value;
    return true;
  }
  int64_t number = 0;
  if (f.number == 2 && f.wire == kFixed64) {
    const double d = f.Double();
    if (!(d > -9.2e18 && d < 9.2e18)) return false;
    number = static_cast<int64_t>(d);
  } else {
    const std::string_view text = TextOf(f);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return false;
  }
  *bits = static_cast<uint64_t>(number);
  return true;
}
bool StatDecoder::Real(const Field& f, uint64_t* bits) const {
  double d = 0;
  if (f.number == 2 && f.wire == kFixed64) {
    d = f.Double();
  } else if (f.wire == kVarint && f.number == 3) {
    d = static_cast<double>(f.value);
  } else if (f.wire == kVarint && f.number == 4) {
    d = static_cast<double>(f.Int());
  } else {
    return false;
  }
  *bits = std::bit_cast<uint64_t>(d);
  return true;
}
bool StatDecoder::Text(const Field& f, uint64_t* bits) {
  if (f.number == 7 && f.wire == kVarint) {
    const StatAction* named = plane_->Find(f.value);
    *bits = named == nullptr ? 0 : named->name_as_value.value;
    return true;
  }
  if (f.number == 5 && f.wire == kLen) {
    *bits = Own(f.text());
  } else if (f.wire == kVarint && f.number == 3) {
    *bits = Own(std::to_string(f.value));
  } else if (f.wire == kVarint && f.number == 4) {
    *bits = Own(std::to_string(f.Int()));
  } else {
    return false;
  }
  return true;
}

}  // namespace stepscope::xplane
