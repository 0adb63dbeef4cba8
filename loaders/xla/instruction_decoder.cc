#include "loaders/xla/instruction_decoder.h"

#include <algorithm>
#include <array>

#include "loaders/xla/annotation_text.h"
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

void DecodeDot(const Field& message, DotDimensions* out) {
  DecodeLists(message,
              {&out->lhs_contracting, &out->rhs_contracting, &out->lhs_batch, &out->rhs_batch});
}

void DecodeRaggedDot(const Field& message, DotDimensions* out) {
  ForFields(message.begin, message.end, [&](const Field& f) {
    if (f.number == 1 && f.wire == kLen) DecodeDot(f, out);
    if (f.number == 2) AppendInts(f, &out->lhs_ragged);
    if (f.number == 3) AppendInts(f, &out->rhs_group);
  });
}

void DecodeGather(const Field& message, GatherDimensions* out) {
  out->index_vector = Numbers<4>(message)[4];
  DecodeLists(message, {&out->offset, &out->collapsed_slice, &out->start_index_map, nullptr,
                        &out->operand_batching, &out->start_indices_batching});
}

void DecodeScatter(const Field& message, ScatterDimensions* out) {
  out->index_vector = Numbers<4>(message)[4];
  DecodeLists(message, {&out->update_window, &out->inserted_window, &out->scatter_to_operand,
                        nullptr, &out->input_batching, &out->indices_batching});
}

// Fields that hold one number.
void NumberDetail(const Field& f, InstructionDetails* d) {
  if (f.number == 26) d->communication.Make().channel_id = f.Int();
  if (f.number == 50) d->feature_groups = f.Int();
  if (f.number == 58) d->batch_groups = f.Int();
  if (f.number == 60) d->is_stable = f.value != 0;
  if (f.number == 71) d->communication.Make().use_global_device_ids = f.value != 0;
}

// Fields that hold dimensions.
void DimensionsDetail(const Field& f, InstructionDetails* d) {
  switch (f.number) {
    case 15:
      DecodeWindow(f, &d->window);
      break;
    case 16:
      DecodeConvolution(f, &d->convolution.Make());
      break;
    case 17: {
      const auto v = Numbers<3>(f);
      d->part.Make().slices.push_back({v[1], v[2], v[3]});
      break;
    }
    case 21:
      DecodePadding(f, &d->part.Make().padding);
      break;
    case 30:
      DecodeDot(f, &d->dot.Make());
      break;
    case 33:
      DecodeGather(f, &d->gather.Make());
      break;
    case 48:
      DecodeScatter(f, &d->scatter.Make());
      break;
    case 90:
      DecodeRaggedDot(f, &d->dot.Make());
      break;
    default:
      break;
  }
}

bool IsDetail(uint32_t number) {
  static constexpr auto kNumbers =
      std::to_array<uint32_t>({8,  11, 14, 15, 16, 17, 20, 21, 26, 28, 30, 32, 33, 34, 40,
                               43, 48, 49, 50, 52, 58, 60, 63, 68, 71, 87, 90, 92, 93, 99});
  return std::binary_search(kNumbers.begin(), kNumbers.end(), number);
}

}  // namespace

bool InstructionDecoder::Add(const Field& instruction) {
  draft_.Clear();
  const bool whole = ForFields(instruction.begin, instruction.end, [&](const Field& f) {
    Common(f, &draft_);
    if (!IsDetail(f.number)) return;
    draft_.has_details = true;
    Detail(f, &draft_.details);
  });
  builder_.Add(&draft_);
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
  if (f.number == 20) return AppendInts(f, &d->part.Make().dynamic_slice_sizes);
  if (f.number == 32) return AppendInts(f, &d->part.Make().fft_length);
  if (f.number == 34) return AppendInts(f, &d->gather.Make().slice_sizes);
  if (f.wire == kVarint) {
    NumberDetail(f, d);
    if (f.number == 99 && f.value < payloads_.size()) d->backend_config = payloads_[f.value];
  }
  if (f.wire != kLen) return;
  DimensionsDetail(f, d);
  if (HasReplicaGroups(f)) AddReplicaGroups(f, &d->communication.Make());
  if (f.number == 8) d->literal = LiteralText(f);
  if (f.number == 11) d->fusion_kind = f.text();
  if (f.number == 28) d->custom_call_target = f.text();
  if (f.number == 43) d->backend_config = f.text();
  if (f.number == 63) d->comparison_direction = f.text();
  if (f.number == 40) d->annotations.Make().sharding = ShardingText(f);
  if (f.number == 68) d->annotations.Make().frontend_attributes = FrontendAttributesText(f);
  if (f.number == 52) {
    const auto v = Numbers<2>(f);
    d->communication.Make().source_target_pairs.emplace_back(v[1], v[2]);
  }
}

}  // namespace stepscope::xla
