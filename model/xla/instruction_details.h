// InstructionDetails: the attributes that only some opcodes have, as HloInstructionProto has them.
// Plain data; texts are views of what the module owns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::xla {

// A part that few instructions have. Reading one that is not there gives an empty one.
template <typename T>
class Rare {
 public:
  bool has() const { return part_ != nullptr; }
  const T& operator*() const { return has() ? *part_ : Empty(); }
  const T* operator->() const { return &**this; }
  T& Make() {
    if (!has()) part_ = std::make_unique<T>();
    return *part_;
  }

 private:
  static const T& Empty() {
    static const T empty;
    return empty;
  }
  std::unique_ptr<T> part_;
};

struct WindowDimension {
  int64_t size = 0, stride = 0, padding_low = 0, padding_high = 0, window_dilation = 0,
          base_dilation = 0;
  bool reversal = false;
};

struct ConvolutionDimensions {
  int64_t kernel_input_feature = 0, kernel_output_feature = 0, input_batch = 0, input_feature = 0,
          output_batch = 0, output_feature = 0;
  std::vector<int64_t> kernel_spatial, input_spatial, output_spatial;
};

struct DotDimensions {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  std::vector<int64_t> lhs_ragged, rhs_group;  // of a ragged-dot
};

struct GatherDimensions {
  std::vector<int64_t> offset, collapsed_slice, start_index_map, operand_batching,
      start_indices_batching, slice_sizes;
  int64_t index_vector = 0;
};

struct ScatterDimensions {
  std::vector<int64_t> update_window, inserted_window, scatter_to_operand, input_batching,
      indices_batching;
  int64_t index_vector = 0;
};

struct SliceRange {
  int64_t start = 0, limit = 0, stride = 0;
};

struct PaddingRange {
  int64_t low = 0, high = 0, interior = 0;
};

// The part of an operand that is read, and its lengths.
struct PartDimensions {
  std::vector<SliceRange> slices;
  std::vector<PaddingRange> padding;
  std::vector<int64_t> dynamic_slice_sizes, fft_length;
};

struct Communication {
  std::string replica_groups;  // as XLA writes them: "{{0,1},{2,3}}", "[2,2]<=[4]"
  int64_t largest_group = 0;   // of the replica groups; 0: there are none
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  int64_t channel_id = 0;
  bool use_global_device_ids = false;
};

// Attributes that frameworks give XLA's partitioner and other passes, as XLA writes them, with
// braces.
struct Annotations {
  std::string sharding, frontend_attributes;
};

struct InstructionDetails {
  std::vector<int64_t> dimensions;
  std::vector<WindowDimension> window;
  Rare<ConvolutionDimensions> convolution;
  Rare<DotDimensions> dot;
  Rare<GatherDimensions> gather;
  Rare<ScatterDimensions> scatter;
  Rare<PartDimensions> part;
  Rare<Communication> communication;
  Rare<Annotations> annotations;
  std::string_view fusion_kind, custom_call_target, backend_config, comparison_direction;
  std::string literal;  // the values of a small constant as XLA writes them; else "{...}"
  int64_t feature_groups = 0, batch_groups = 0;
  bool is_stable = false;
};

}  // namespace stepscope::xla
