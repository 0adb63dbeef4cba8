// TYPN, TYPE, ARGS: typed stats and arguments. They are read when someone asks.
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "loaders/store/byte_codec.h"
#include "loaders/store/sections.h"
#include "model/stats.h"

namespace stepscope::store {
namespace {

// The names of typed stats in a store. They never change: a column of another name is not read.
constexpr const char* kIntStatNames[] = {"correlation_id",
                                         "group_id",
                                         "step_num",
                                         "iter_num",
                                         "id",
                                         "root_level",
                                         "producer_type",
                                         "producer_id",
                                         "consumer_type",
                                         "consumer_id",
                                         "is_async",
                                         "is_eager",
                                         "is_func",
                                         "device_id",
                                         "program_id",
                                         "symbol_id",
                                         "scope_range_id",
                                         "cuda_graph_exec_id",
                                         "ipl_stage_id",
                                         "bytes_reserved",
                                         "bytes_allocated",
                                         "bytes_available",
                                         "peak_bytes_in_use",
                                         "requested_bytes",
                                         "allocation_bytes",
                                         "address",
                                         "data_type",
                                         "index_on_host",
                                         "device_ordinal",
                                         "registers",
                                         "static_shared",
                                         "dynamic_shared",
                                         "grid_x",
                                         "grid_y",
                                         "grid_z",
                                         "block_x",
                                         "block_y",
                                         "block_z",
                                         "bytes",
                                         "external_id",
                                         "run_id",
                                         "queue_id",
                                         "core_type",
                                         "request_id",
                                         "queue_addr",
                                         "collective_seq",
                                         "in_elements",
                                         "out_elements",
                                         "group_size",
                                         "source_rank",
                                         "target_rank",
                                         "device_offset_ps",
                                         "device_duration_ps",
                                         "dma_stall_ps",
                                         "flops",
                                         "model_flops",
                                         "bytes_accessed"};
static_assert(std::size(kIntStatNames) == static_cast<size_t>(IntStat::kCount));

constexpr const char* kTextStatNames[] = {"tf_op",         "hlo_op",           "hlo_module",
                                          "hlo_category",  "kernel_details",   "memcpy_details",
                                          "step_name",     "graph_type",       "allocator_name",
                                          "region_type",   "tensor_shape",     "shape",
                                          "equation",      "ipl_stage_name",   "ipl_stage_category",
                                          "source",        "device",           "input_types",
                                          "eager_op",      "collective_name",  "element_type",
                                          "process_group", "group_ranks",      "deduplicated_name",
                                          "source_stack",  "memory_breakdown", "op_name",
                                          "op_type"};
static_assert(std::size(kTextStatNames) == static_cast<size_t>(StringStat::kCount));

constexpr const char* kRealStatNames[] = {"fragmentation", "occupancy_pct", "time_scale"};
static_assert(std::size(kRealStatNames) == static_cast<size_t>(RealStat::kCount));

constexpr uint64_t kMostTexts = 0xffffffffu;
constexpr uint8_t kPlain = 0, kDeltas = 1;
constexpr uint8_t kIntColumn = 0, kTextColumn = 1, kRealColumn = 2;

void WriteList(ByteWriter* writer, std::string* out, std::vector<uint64_t>* values) {
  uint64_t plain = 0, deltas = 0;
  for (size_t i = 1; i < values->size(); ++i) {
    const auto step = static_cast<int64_t>((*values)[i] - (*values)[i - 1]);
    deltas |= static_cast<uint64_t>(step < 0 ? -(step + 1) : step);
    const auto far = static_cast<int64_t>((*values)[i] - (*values)[0]);
    plain |= static_cast<uint64_t>(far < 0 ? -(far + 1) : far);
  }
  const bool use_deltas = std::bit_width(deltas) + 4 < std::bit_width(plain);
  out->push_back(static_cast<char>(use_deltas ? kDeltas : kPlain));
  if (use_deltas) {
    for (size_t i = values->size(); i-- > 1;) (*values)[i] -= (*values)[i - 1];
    writer->Varint((*values)[0]);
    writer->Ints(std::span(*values).subspan(1));
  } else {
    writer->Ints(*values);
  }
}

void ReadList(ByteReader* reader, std::span<uint64_t> values) {
  const std::string_view mode = reader->Bytes(1);
  if (values.empty() || mode.empty()) return;
  if (mode.front() == kPlain) return reader->Ints(values);
  if (mode.front() != kDeltas) return reader->Fail();
  values[0] = reader->Varint();
  reader->Ints(values.subspan(1));
  for (size_t i = 1; i < values.size(); ++i) values[i] += values[i - 1];
}

template <typename T>
uint64_t Bits(T value) {
  if constexpr (std::is_same_v<T, StringId>) {
    return value.value;
  } else {
    return std::bit_cast<uint64_t>(value);
  }
}

template <typename T>
void WriteColumn(const SparseColumn<T>& column, uint8_t kind, const char* name, uint32_t first,
                 uint32_t count, std::string* out) {
  std::vector<uint64_t> rows, values;
  uint32_t last = first - 1;
  column.ForRange(first, first + count, [&](uint32_t row, T value) {
    rows.push_back(row - last);
    last = row;
    values.push_back(Bits(value));
  });
  if (rows.empty()) return;
  ByteWriter writer(out);
  out->push_back(static_cast<char>(kind));
  writer.Text(name);
  writer.Varint(rows.size());
  writer.Ints(rows);
  WriteList(&writer, out, &values);
}

template <typename Names>
size_t IndexOf(const Names& names, std::string_view name) {
  return static_cast<size_t>(std::find(std::begin(names), std::end(names), name) -
                             std::begin(names));
}

// Appends entries of rows that are there. Rows of the file ascend, so those of the trace do.
template <typename T>
void Append(const RowMap& map, std::span<const uint64_t> rows, std::span<const uint64_t> values,
            SparseColumn<T>* column) {
  std::vector<uint32_t> at;
  std::vector<uint64_t> bits;
  at.reserve(rows.size());
  bits.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const EventRow row = map.InPart(static_cast<uint32_t>(rows[i]));
    if (!row.valid()) continue;
    at.push_back(row.value);
    bits.push_back(values[i]);
  }
  if (!at.empty()) column->AppendBits(at, bits);
}

Status WriteStatRows(const WriteContext& context, uint32_t number, Payload* out) {
  out->key = uint64_t{number} * kStatRows;
  out->count =
      static_cast<uint32_t>(std::min<uint64_t>(kStatRows, context.trace.set.rows - out->key));
  WriteStats(*context.stats, static_cast<uint32_t>(out->key), out->count, &out->bytes);
  return {};
}

Status WriteArgumentRows(const WriteContext& context, uint32_t number, Payload* out) {
  out->key = uint64_t{number} * kArgumentRows;
  out->count =
      static_cast<uint32_t>(std::min<uint64_t>(kArgumentRows, context.trace.set.rows - out->key));
  return WriteArguments(context.trace, static_cast<uint32_t>(out->key), out->count, context.stop,
                        &out->bytes);
}

// Whether the section has rows that no other section of its kind has: the writer cuts the rows of a
// trace into sections of `most` rows.
bool HasOwnRows(const SectionHeader& header, uint32_t most) {
  return header.key < EventRow::kInvalid && header.key % most == 0 && header.count <= most;
}

// Memory snapshots keep their history instead, which has the arguments of their events.
bool HasArguments(const WriteContext& context) {
  return context.trace.source != nullptr && context.history == nullptr;
}

}  // namespace

void WriteStats(const StatTable& stats, uint32_t first, uint32_t count, std::string* out) {
  for (size_t i = 0; i < stats.ints.size(); ++i)
    WriteColumn(stats.ints[i], kIntColumn, kIntStatNames[i], first, count, out);
  for (size_t i = 0; i < stats.texts.size(); ++i)
    WriteColumn(stats.texts[i], kTextColumn, kTextStatNames[i], first, count, out);
  for (size_t i = 0; i < stats.reals.size(); ++i)
    WriteColumn(stats.reals[i], kRealColumn, kRealStatNames[i], first, count, out);
}

bool ReadStats(std::string_view bytes, const RowMap& map, const SectionHeader& header,
               std::span<const StringId> names, StatTable* out) {
  ByteReader reader(bytes);
  std::vector<char> seen(3 * std::size(kIntStatNames), 0);
  while (reader.ok() && reader.left() > 0) {
    const std::string_view kind_byte = reader.Bytes(1);
    const std::string_view name = reader.Text();
    std::vector<uint64_t> rows(reader.Count(kStatRows)), values(rows.size());
    reader.Ints(rows);
    ReadList(&reader, values);
    if (!reader.ok() || rows.empty() || kind_byte.empty()) return false;
    uint64_t row = header.key - 1;
    for (uint64_t& r : rows) {
      if (r == 0 || r > kStatRows) return false;
      r = row += r;
    }
    if (row >= std::min<uint64_t>(header.key + header.count, EventRow::kInvalid)) return false;
    const auto kind = static_cast<uint8_t>(kind_byte.front());
    size_t index = 0;
    if (kind == kIntColumn) index = IndexOf(kIntStatNames, name);
    if (kind == kTextColumn) index = IndexOf(kTextStatNames, name);
    if (kind == kRealColumn) index = IndexOf(kRealStatNames, name);
    const size_t known = kind == kIntColumn    ? std::size(kIntStatNames)
                         : kind == kTextColumn ? std::size(kTextStatNames)
                         : kind == kRealColumn ? std::size(kRealStatNames)
                                               : 0;
    if (index >= known) continue;  // a column of a newer program
    if (std::exchange(seen[index * 3 + kind], 1) != 0) return false;
    if (out == nullptr) continue;
    if (kind == kTextColumn) {  // a text that is missing is empty
      for (uint64_t& id : values) id = id < names.size() ? names[id].value : 0;
    }
    if (kind == kIntColumn) Append(map, rows, values, &out->ints[index]);
    if (kind == kTextColumn) Append(map, rows, values, &out->texts[index]);
    if (kind == kRealColumn) Append(map, rows, values, &out->reals[index]);
  }
  return reader.ok();
}

const SectionDesc kStatNameSection = {
    "TYPN",
    1,
    SectionCount::kMany,
    ReadMode::kLater,
    "texts of typed stats",
    [](const WriteContext& c) { return c.stats ? TextSections(*c.stats->strings) : 0u; },
    [](const WriteContext& c, uint32_t number, Payload* out) {
      WriteTexts(*c.stats->strings, number, out);
      return Status();
    },
    [](ReadContext& c, const Section& section, std::string_view) {
      c.arguments.stat_names.push_back({section.header, section.at});
      return true;
    },
    [](const Section& section, std::string&& bytes) {
      ByteReader reader(bytes);
      if (section.header.key > kMostTexts || section.header.count > kMaxItems) return false;
      reader.Texts(section.header.count);
      return reader.ok();
    }};
const SectionDesc kStatSection = {
    "TYPE",
    1,
    SectionCount::kMany,
    ReadMode::kLater,
    "typed stats",
    [](const WriteContext& c) { return c.stats ? PartsOf(c.trace.set.rows, kStatRows) : 0u; },
    WriteStatRows,
    [](ReadContext& c, const Section& section, std::string_view) {
      c.arguments.stats.push_back({section.header, section.at});
      return true;
    },
    [](const Section& section, std::string&& bytes) {
      return HasOwnRows(section.header, kStatRows) &&
             ReadStats(bytes, {}, section.header, {}, nullptr);
    }};
const SectionDesc kArgumentSection = {
    "ARGS",
    1,
    SectionCount::kMany,
    ReadMode::kLater,
    "arguments of events",
    [](const WriteContext& c) {
      return HasArguments(c) ? PartsOf(c.trace.set.rows, kArgumentRows) : 0u;
    },
    WriteArgumentRows,
    [](ReadContext& c, const Section& section, std::string_view) {
      c.arguments.arguments.push_back({section.header, section.at});
      return true;
    },
    [](const Section& section, std::string&& bytes) {
      return HasOwnRows(section.header, kArgumentRows) &&
             ArgumentBlock::Parse(std::move(bytes), section.header.count) != nullptr;
    }};

}  // namespace stepscope::store
