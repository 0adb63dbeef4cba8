#include "loaders/xla/instruction_decoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <string>

#include "loaders/xla/hlo_text.h"

namespace stepscope::xla {

using namespace proto;

namespace {

constexpr size_t kMaxHloShapeBytes = size_t{16} << 20;

// --- Replica groups of collectives, in each form that XLA has written them -----------------------

// Appends a list of replicas: "{{0,1}}" and "2,3" become "{{0,1},{2,3}}".
void AddReplicaList(const Field& group, Communication* details) {
  std::vector<int64_t> replicas;
  ReadFields(group, Numbers(1, &replicas));
  std::string& text = details->replica_groups;
  if (!text.empty()) text.pop_back();
  fmt::format_to(std::back_inserter(text), "{}{{{}}}}}", text.empty() ? "{" : ",",
                 fmt::join(replicas, ","));
  details->largest_group = std::max(details->largest_group, static_cast<int64_t>(replicas.size()));
}

// A range that is reshaped and transposed: "[2,4]<=[4,2]T(1,0)".
void SetReplicaRange(const Field& range, Communication* details) {
  int64_t groups = 0, size = 0;
  std::vector<int64_t> reshape, transpose;
  ReadFields(range, Number(1, &groups), Number(2, &size), Numbers(3, &reshape),
             Numbers(4, &transpose));
  details->largest_group = size;
  details->replica_groups = fmt::format("[{},{}]<=[{}]", groups, size, fmt::join(reshape, ","));
  if (transpose.size() > 1)
    details->replica_groups += fmt::format("T({})", fmt::join(transpose, ","));
}

struct MeshAxis {
  std::string_view name;
  int64_t size = 0;
};

std::vector<MeshAxis> DecodeMesh(const Field& mesh) {
  std::vector<MeshAxis> axes;
  const auto add = [&axes](const Field& f) {
    MeshAxis& axis = axes.emplace_back();
    ReadFields(f, Text(1, &axis.name), Number(2, &axis.size));
  };
  ReadFields(mesh, Message(1, add));
  return axes;
}

// Some axes of a mesh: "mesh['x'=2,'y'=4] {'y'}".
void SetReplicaAxes(const Field& list, Communication* details) {
  std::vector<MeshAxis> axes;
  std::vector<uint64_t> chosen;
  const auto mesh = [&](const Field& f) { axes = DecodeMesh(f); };
  const auto choose = [&](const Field& f) { ReadFields(f, Number(1, &chosen.emplace_back(0))); };
  ReadFields(list, Message(1, mesh), Message(2, choose));
  std::vector<std::string> all, names;
  for (const MeshAxis& a : axes) all.push_back(fmt::format("'{}'={}", a.name, a.size));
  details->largest_group = 1;
  for (const uint64_t c : chosen) {
    if (c >= axes.size()) continue;
    names.push_back(fmt::format("'{}'", axes[c].name));
    details->largest_group = SaturatingProduct(details->largest_group, axes[c].size);
  }
  details->replica_groups =
      fmt::format("mesh[{}] {{{}}}", fmt::join(all, ","), fmt::join(names, ","));
}

void ReadReplicaGroups(const Field& f, InstructionDetails* d) {
  const auto list = [d](const Field& m) { AddReplicaList(m, &d->communication.Make()); };
  const auto range = [d](const Field& m) { SetReplicaRange(m, &d->communication.Make()); };
  const auto axes = [d](const Field& m) { SetReplicaAxes(m, &d->communication.Make()); };
  const auto list_or_range = [&](const Field& m) {
    d->communication.Make();
    ReadFields(m, Message(1, list), Message(2, range));
  };
  MatchField(f, Message(49, list), Message(87, list_or_range), Message(92, range),
             Message(93, axes));
}

// --- Dimensions ----------------------------------------------------------------------------------

// The integers of a message, by field number; 0 where they are missing.
template <size_t N>
std::array<int64_t, N + 1> NumbersOf(const Field& message) {
  std::array<int64_t, N + 1> values{};
  ForFields(message, [&](const Field& f) {
    if (f.wire == kVarint && f.number <= N) values[f.number] = f.Int();
  });
  return values;
}

// Appends the repeated integers of fields 1, 2, ... to the lists in that order; null skips one.
void DecodeLists(const Field& message, std::initializer_list<std::vector<int64_t>*> lists) {
  ForFields(message, [&](const Field& f) {
    if (f.number == 0 || f.number > lists.size()) return;
    std::vector<int64_t>* list = lists.begin()[f.number - 1];
    if (list != nullptr) AppendNumbers(f, list);
  });
}

void DecodeWindow(const Field& window, std::vector<WindowDimension>* out) {
  const auto dimension = [out](const Field& f) {
    const auto v = NumbersOf<7>(f);
    out->push_back({v[1], v[2], v[3], v[4], v[5], v[6], v[7] != 0});
  };
  ReadFields(window, Message(1, dimension));
}

void DecodeConvolution(const Field& message, ConvolutionDimensions* out) {
  ReadFields(message, Number(3, &out->kernel_input_feature), Number(4, &out->kernel_output_feature),
             Numbers(6, &out->kernel_spatial), Number(7, &out->input_batch),
             Number(8, &out->input_feature), Number(9, &out->output_batch),
             Number(10, &out->output_feature), Numbers(11, &out->input_spatial),
             Numbers(12, &out->output_spatial));
}

void DecodePadding(const Field& message, std::vector<PaddingRange>* out) {
  const auto range = [out](const Field& f) {
    const auto v = NumbersOf<3>(f);
    out->push_back({v[1], v[2], v[3]});
  };
  ReadFields(message, Message(1, range));
}

void DecodeDot(const Field& message, DotDimensions* out) {
  DecodeLists(message,
              {&out->lhs_contracting, &out->rhs_contracting, &out->lhs_batch, &out->rhs_batch});
}

void DecodeGather(const Field& message, GatherDimensions* out) {
  out->index_vector = NumbersOf<4>(message)[4];
  DecodeLists(message, {&out->offset, &out->collapsed_slice, &out->start_index_map, nullptr,
                        &out->operand_batching, &out->start_indices_batching});
}

void DecodeScatter(const Field& message, ScatterDimensions* out) {
  out->index_vector = NumbersOf<4>(message)[4];
  DecodeLists(message, {&out->update_window, &out->inserted_window, &out->scatter_to_operand,
                        nullptr, &out->input_batching, &out->indices_batching});
}

void DecodeRaggedDot(const Field& message, DotDimensions* out) {
  const auto dense = [out](const Field& f) { DecodeDot(f, out); };
  ReadFields(message, Message(1, dense), Numbers(2, &out->lhs_ragged), Numbers(3, &out->rhs_group));
}

void ReadDimensions(const Field& f, InstructionDetails* d) {
  const auto slice = [d](const Field& m) {
    const auto v = NumbersOf<3>(m);
    d->part.Make().slices.push_back({v[1], v[2], v[3]});
  };
  MatchField(f, Message(15, [d](const Field& m) { DecodeWindow(m, &d->window); }),
             Message(16, [d](const Field& m) { DecodeConvolution(m, &d->convolution.Make()); }),
             Message(17, slice),
             Message(21, [d](const Field& m) { DecodePadding(m, &d->part.Make().padding); }),
             Message(30, [d](const Field& m) { DecodeDot(m, &d->dot.Make()); }),
             Message(33, [d](const Field& m) { DecodeGather(m, &d->gather.Make()); }),
             Message(48, [d](const Field& m) { DecodeScatter(m, &d->scatter.Make()); }),
             Message(90, [d](const Field& m) { DecodeRaggedDot(m, &d->dot.Make()); }));
}

// --- Instructions --------------------------------------------------------------------------------

bool IsDetail(uint32_t number) {
  static constexpr auto kNumbers =
      std::to_array<uint32_t>({8,  11, 14, 15, 16, 17, 20, 21, 26, 28, 30, 32, 33, 34, 40,
                               43, 48, 49, 50, 52, 58, 60, 63, 68, 71, 87, 90, 92, 93, 99});
  return std::binary_search(kNumbers.begin(), kNumbers.end(), number);
}

OpMetadata DecodeMetadata(const Field& message) {
  OpMetadata m;
  ReadFields(message, Text(1, &m.op_type), Text(2, &m.op_name), Text(3, &m.source_file),
             Number(4, &m.source_line), Text(12, &m.deduplicated_name), Number(15, &m.stack_frame));
  return m;
}

}  // namespace

bool InstructionDecoder::Add(const Field& instruction) {
  draft_.Clear();
  const bool whole = ForFields(instruction, [&](const Field& f) {
    ReadCommon(f);
    if (!IsDetail(f.number)) return;
    draft_.has_details = true;
    ReadDetail(f);
  });
  builder_.Add(&draft_);
  return whole;
}

void InstructionDecoder::ReadCommon(const Field& f) {
  const auto shape = [this](const Field& m) { draft_.shape = ShapeIndex(m); };
  const auto metadata = [this](const Field& m) {
    draft_.has_metadata = m.end > m.begin;
    draft_.metadata = DecodeMetadata(m);
  };
  MatchField(f, Text(1, &draft_.name), Text(2, &draft_.opcode), Message(3, shape),
             Message(7, metadata), Number(9, &draft_.number), Number(13, &draft_.number),
             Number(35, &draft_.id), Numbers(36, &draft_.operands), Numbers(37, &draft_.control),
             Numbers(38, &draft_.called));
}

void InstructionDecoder::ReadDetail(const Field& f) {
  InstructionDetails* const d = &draft_.details;
  ReadDimensions(f, d);
  ReadReplicaGroups(f, d);
  if (f.wire == kVarint) {
    if (f.number == 26) d->communication.Make().channel_id = f.Int();
    if (f.number == 71) d->communication.Make().use_global_device_ids = f.value != 0;
    if (f.number == 99 && f.value < payloads_.size()) d->backend_config = payloads_[f.value];
  }
  if (f.number == 20) AppendNumbers(f, &d->part.Make().dynamic_slice_sizes);
  if (f.number == 32) AppendNumbers(f, &d->part.Make().fft_length);
  if (f.number == 34) AppendNumbers(f, &d->gather.Make().slice_sizes);
  const auto literal = [d](const Field& m) { d->literal = LiteralText(m); };
  const auto sharding = [d](const Field& m) { d->annotations.Make().sharding = ShardingText(m); };
  const auto frontend = [d](const Field& m) {
    d->annotations.Make().frontend_attributes = FrontendAttributesText(m);
  };
  const auto pair = [d](const Field& m) {
    const auto v = NumbersOf<2>(m);
    d->communication.Make().source_target_pairs.emplace_back(v[1], v[2]);
  };
  MatchField(f, Message(8, literal), Text(11, &d->fusion_kind), Numbers(14, &d->dimensions),
             Text(28, &d->custom_call_target), Message(40, sharding), Text(43, &d->backend_config),
             Number(50, &d->feature_groups), Message(52, pair), Number(58, &d->batch_groups),
             Number(60, &d->is_stable), Text(63, &d->comparison_direction), Message(68, frontend));
}

uint32_t InstructionDecoder::ShapeIndex(const Field& shape) {
  const std::string_view bytes = shape.text(kMaxHloShapeBytes);
  const auto [it, added] = shapes_.try_emplace(bytes, 0);
  if (added) it->second = builder_.AddShape(DecodeShape(MessageIn(bytes)));
  return it->second;
}

}  // namespace stepscope::xla
