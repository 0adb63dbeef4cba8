#include "loaders/xla/instruction_decoder.h"

#include <algorithm>
#include <array>

#include "loaders/xla/limits.h"
#include "loaders/xla/literal_text.h"
#include "loaders/xla/packed_ints.h"
#include "loaders/xla/replica_groups.h"

namespace stepscope::xla {

using namespace proto;

namespace {

OpMetadata DecodeMetadata(const Field& message) {
  OpMetadata m;
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.wire == kLen) {
      if (f.number == 1) m.op_type = f.text();
      if (f.number == 2) m.op_name = f.text();
      if (f.number == 3) m.source_file = f.text();
      if (f.number == 12) m.deduplicated_name = f.text();
    }
    if (f.number == 4 && f.wire == kVarint) m.source_line = static_cast<int32_t>(f.value);
    if (f.number == 15 && f.wire == kVarint) m.stack_frame = static_cast<uint32_t>(f.value);
  });
  return m;
}

// The integers of a message, by field number; 0 where they are missing.
template <size_t N>
std::array<int64_t, N + 1> Numbers(const Field& message) {
  std::array<int64_t, N + 1> values{};
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.wire == kVarint && f.number <= N) values[f.number] = f.Int();
  });
  return values;
}

void DecodeWindow(const Field& window, std::vector<WindowDimension>* out) {
  ForFields(window.begin, window.end, [&](const Field& f) {
    if (f.number != 1 || f.wire != kLen) return;
    const auto v = Numbers<7>(f);
    out->push_back({v[1], v[2], v[3], v[4], v[5], v[6], v[7] != 0});
  });
}

void DecodeConvolution(const Field& message, ConvolutionDimensions* out) {
  const auto v = Numbers<10>(message);
  out->kernel_input_feature = v[3], out->kernel_output_feature = v[4];
  out->input_batch = v[7], out->input_feature = v[8];
  out->output_batch = v[9], out->output_feature = v[10];
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.number == 6) AppendInts(f, &out->kernel_spatial);
    if (f.number == 11) AppendInts(f, &out->input_spatial);
    if (f.number == 12) AppendInts(f, &out->output_spatial);
  });
}

// Appends the repeated integers of fields 1, 2, ... to the lists in that order; null skips one.
void DecodeLists(const Field& message, std::initializer_list<std::vector<int64_t>*> lists) {
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.number == 0 || f.number > lists.size()) return;
    std::vector<int64_t>* list = lists.begin()[f.number - 1];
    if (list != nullptr) AppendInts(f, list);
  });
}

void DecodePadding(const Field& message, std::vector<PaddingRange>* out) {
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.number != 1 || f.wire != kLen) return;
    const auto v = Numbers<3>(f);
    out->push_back({v[1], v[2], v[3]});
  });
}

// Fields that hold one number.
void NumberDetail(const Field& f, InstructionDetails* d) {
  if (f.number == 26) d->channel_id = f.Int();
  if (f.number == 50) d->feature_groups = f.Int();
  if (f.number == 58) d->batch_groups = f.Int();
  if (f.number == 60) d->is_stable = f.value != 0;
  if (f.number == 71) d->use_global_device_ids = f.value != 0;
}

// Fields that hold dimensions.
void DimensionsDetail(const Field& f, InstructionDetails* d) {
  GatherDimensions& g = d->gather;
  ScatterDimensions& s = d->scatter;
  switch (f.number) {
    case 15:
      DecodeWindow(f, &d->window);
      break;
    case 16:
      d->has_convolution = true;
      DecodeConvolution(f, &d->convolution);
      break;
    case 21:
      DecodePadding(f, &d->padding);
      break;
    case 30:
      d->has_dot = true;
      DecodeLists(f, {&d->dot.lhs_contracting, &d->dot.rhs_contracting, &d->dot.lhs_batch,
                      &d->dot.rhs_batch});
      break;
    case 33:
      d->has_gather = true;
      g.index_vector = Numbers<4>(f)[4];
      DecodeLists(f, {&g.offset, &g.collapsed_slice, &g.start_index_map, nullptr,
                      &g.operand_batching, &g.start_indices_batching});
      break;
    case 48:
      d->has_scatter = true;
      s.index_vector = Numbers<4>(f)[4];
      DecodeLists(f, {&s.update_window, &s.inserted_window, &s.scatter_to_operand, nullptr,
                      &s.input_batching, &s.indices_batching});
      break;
    default:
      break;
  }
}

bool IsDetail(uint32_t number) {
  static constexpr auto kNumbers =
      std::to_array<uint32_t>({8,  11, 14, 15, 16, 17, 20, 21, 26, 28, 30, 32, 33, 34,
                               43, 48, 49, 50, 52, 58, 60, 63, 71, 87, 92, 93, 99});
  return std::binary_search(kNumbers.begin(), kNumbers.end(), number);
}

}  // namespace

bool InstructionDecoder::Add(const Field& instruction) {
  InstructionDraft draft;
  const bool whole = ForFields(instruction.begin, instruction.end, [&](const Field& f) {
    Common(f, &draft);
    if (!IsDetail(f.number)) return;
    draft.has_details = true;
    Detail(f, &draft.details);
  });
  builder_.Add(std::move(draft));
  return whole;
}

void InstructionDecoder::Common(const Field& f, InstructionDraft* draft) {
  if (f.number == 36) return AppendInts(f, &draft->operands);
  if (f.number == 37) return AppendInts(f, &draft->control);
  if (f.number == 38) return AppendInts(f, &draft->called);
  if (f.wire == kVarint) {
    if (f.number == 35) draft->id = f.Int();
    if (f.number == 9 || f.number == 13) draft->number = f.Int();
  }
  if (f.wire != kLen) return;
  if (f.number == 1) draft->name = f.text();
  if (f.number == 2) draft->opcode = f.text();
  if (f.number == 3) draft->shape = shapes_.Add(f.text(kMaxHloShapeBytes));
  if (f.number == 7) {
    draft->has_metadata = f.end > f.begin;
    draft->metadata = DecodeMetadata(f);
  }
}

void InstructionDecoder::Detail(const Field& f, InstructionDetails* d) {
  if (f.number == 14) return AppendInts(f, &d->dimensions);
  if (f.number == 20) return AppendInts(f, &d->dynamic_slice_sizes);
  if (f.number == 32) return AppendInts(f, &d->fft_length);
  if (f.number == 34) return AppendInts(f, &d->gather_slice_sizes);
  if (f.wire == kVarint) {
    NumberDetail(f, d);
    if (f.number == 99 && f.value < payloads_.size()) d->backend_config = payloads_[f.value];
  }
  if (f.wire != kLen) return;
  DimensionsDetail(f, d);
  AddReplicaGroups(f, d);
  if (f.number == 8) d->literal = LiteralText(f);
  if (f.number == 11) d->fusion_kind = f.text();
  if (f.number == 28) d->custom_call_target = f.text();
  if (f.number == 43) d->backend_config = f.text();
  if (f.number == 63) d->comparison_direction = f.text();
  if (f.number == 17) {
    const auto v = Numbers<3>(f);
    d->slices.push_back({v[1], v[2], v[3]});
  }
  if (f.number == 52) {
    const auto v = Numbers<2>(f);
    d->source_target_pairs.emplace_back(v[1], v[2]);
  }
}

}  // namespace stepscope::xla
