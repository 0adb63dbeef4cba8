// The attributes of instructions as XLA writes them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "model/xla/hlo_text.h"

namespace stepscope::xla {
namespace {

class AttributeWriter {
 public:
  AttributeWriter(const HloModule& module, const Instruction& instruction, TextForm form)
      : module_(module), i_(instruction), d_(module.DetailsOf(instruction)), form_(form) {}

  std::string Write() {
    if (!d_.window.empty()) Add("window={" + WindowText() + "}");
    if (d_.convolution.has()) AddConvolution();
    if (d_.dot.has()) AddDot();
    if (d_.communication.has()) AddCollective(*d_.communication);
    AddByOpcode();
    if (d_.communication->use_global_device_ids) Add("use_global_device_ids=true");
    if (d_.is_stable) Add("is_stable=true");
    if (d_.gather.has()) AddGather();
    if (d_.scatter.has()) AddScatter();
    AddCalled();
    AddCustomCall();
    AddAnnotations();
    AddBackendConfig();
    return std::move(text_);
  }

 private:
  void Add(std::string_view attribute) {
    text_ += ", ";
    text_ += attribute;
  }
  void AddList(std::string_view name, const std::vector<int64_t>& values) {
    Add(fmt::format("{}={{{}}}", name, fmt::join(values, ",")));
  }
  void AddNonEmpty(std::string_view name, const std::vector<int64_t>& values) {
    if (!values.empty()) AddList(name, values);
  }

  template <typename Get>
  std::string Joined(Get get) const {
    std::string text;
    for (const WindowDimension& w : d_.window) text += (text.empty() ? "" : "x") + get(w);
    return text;
  }

  template <typename Has, typename Get>
  void AddIfAny(const char* name, Has has, Get get, std::string* out) const {
    if (std::any_of(d_.window.begin(), d_.window.end(), has)) *out += name + Joined(get);
  }

  std::string WindowText() const {
    using W = const WindowDimension&;
    std::string text = "size=" + Joined([](W w) { return std::to_string(w.size); });
    AddIfAny(
        " stride=", [](W w) { return w.stride != 1; }, [](W w) { return std::to_string(w.stride); },
        &text);
    AddIfAny(
        " pad=", [](W w) { return w.padding_low != 0 || w.padding_high != 0; },
        [](W w) { return fmt::format("{}_{}", w.padding_low, w.padding_high); }, &text);
    AddIfAny(
        " lhs_dilate=", [](W w) { return w.base_dilation != 1; },
        [](W w) { return std::to_string(w.base_dilation); }, &text);
    AddIfAny(
        " rhs_dilate=", [](W w) { return w.window_dilation != 1; },
        [](W w) { return std::to_string(w.window_dilation); }, &text);
    AddIfAny(
        " rhs_reversal=", [](W w) { return w.reversal; },
        [](W w) { return std::string(w.reversal ? "1" : "0"); }, &text);
    return text;
  }

  // "bf01": which dimension is the batch, which the features, which is spatial.
  static std::string Labels(size_t rank, char first, int64_t first_at, char second,
                            int64_t second_at, const std::vector<int64_t>& spatial) {
    std::string labels(std::min<size_t>(rank, 64), '?');
    const auto put = [&](int64_t at, char label) {
      if (at >= 0 && static_cast<size_t>(at) < labels.size())
        labels[static_cast<size_t>(at)] = label;
    };
    put(first_at, first);
    put(second_at, second);
    for (size_t k = 0; k < spatial.size() && k < 10; ++k)
      put(spatial[k], static_cast<char>('0' + k));
    return labels;
  }

  void AddConvolution() {
    const ConvolutionDimensions& c = *d_.convolution;
    const auto rank = [](const std::vector<int64_t>& spatial) { return spatial.size() + 2; };
    Add(fmt::format(
        "dim_labels={}_{}->{}",
        Labels(rank(c.input_spatial), 'b', c.input_batch, 'f', c.input_feature, c.input_spatial),
        Labels(rank(c.kernel_spatial), 'i', c.kernel_input_feature, 'o', c.kernel_output_feature,
               c.kernel_spatial),
        Labels(rank(c.output_spatial), 'b', c.output_batch, 'f', c.output_feature,
               c.output_spatial)));
    if (d_.feature_groups > 1) Add(fmt::format("feature_group_count={}", d_.feature_groups));
    if (d_.batch_groups > 1) Add(fmt::format("batch_group_count={}", d_.batch_groups));
  }

  void AddDot() {
    const DotDimensions& dot = *d_.dot;
    AddNonEmpty("lhs_batch_dims", dot.lhs_batch);
    AddList("lhs_contracting_dims", dot.lhs_contracting);
    AddNonEmpty("rhs_batch_dims", dot.rhs_batch);
    AddList("rhs_contracting_dims", dot.rhs_contracting);
    AddNonEmpty("lhs_ragged_dims", dot.lhs_ragged);
    AddNonEmpty("rhs_group_dims", dot.rhs_group);
  }

  void AddCollective(const Communication& c) {
    if (c.channel_id != 0) Add(fmt::format("channel_id={}", c.channel_id));
    if (!c.replica_groups.empty()) Add("replica_groups=" + c.replica_groups);
    if (c.source_target_pairs.empty()) return;
    std::string pairs;
    for (const auto& [source, target] : c.source_target_pairs)
      pairs += fmt::format("{}{{{},{}}}", pairs.empty() ? "" : ",", source, target);
    Add("source_target_pairs={" + pairs + "}");
  }

  void AddSlices() {
    const std::vector<SliceRange>& slices = d_.part->slices;
    const bool steps = std::any_of(slices.begin(), slices.end(),
                                   [](const SliceRange& s) { return s.stride != 1; });
    std::string text;
    for (const SliceRange& s : slices) {
      text += text.empty() ? "[" : ", [";
      fmt::format_to(std::back_inserter(text), "{}:{}", s.start, s.limit);
      if (steps) fmt::format_to(std::back_inserter(text), ":{}", s.stride);
      text += ']';
    }
    Add("slice={" + text + "}");
  }

  void AddPadding() {
    const std::vector<PaddingRange>& padding = d_.part->padding;
    const bool inner = std::any_of(padding.begin(), padding.end(),
                                   [](const PaddingRange& p) { return p.interior != 0; });
    std::string text;
    for (const PaddingRange& p : padding) {
      if (!text.empty()) text += 'x';
      fmt::format_to(std::back_inserter(text), "{}_{}", p.low, p.high);
      if (inner) fmt::format_to(std::back_inserter(text), "_{}", p.interior);
    }
    Add("padding=" + text);
  }

  void AddByOpcode() {
    const Opcode op = i_.opcode;
    if (op == Op("iota"))
      return Add(fmt::format("iota_dimension={}", d_.dimensions.empty() ? 0 : d_.dimensions[0]));
    if (op == Op("slice")) return AddSlices();
    if (op == Op("pad")) return AddPadding();
    if (op == Op("get-tuple-element")) return Add(fmt::format("index={}", i_.number));
    if (op == Op("compare")) return Add(fmt::format("direction={}", d_.comparison_direction));
    if (op == Op("dynamic-slice"))
      return AddList("dynamic_slice_sizes", d_.part->dynamic_slice_sizes);
    if (op == Op("fft")) return AddList("fft_length", d_.part->fft_length);
    if (op == Op("fusion")) return Add(fmt::format("kind={}", d_.fusion_kind));
    constexpr std::array kAlways = {Op("broadcast"), Op("concatenate"), Op("transpose"),
                                    Op("reverse"),   Op("reduce"),      Op("map"),
                                    Op("sort")};
    const bool always = std::find(kAlways.begin(), kAlways.end(), op) != kAlways.end();
    if (always || !d_.dimensions.empty()) AddList("dimensions", d_.dimensions);
  }

  void AddGather() {
    const GatherDimensions& g = *d_.gather;
    AddList("offset_dims", g.offset);
    AddList("collapsed_slice_dims", g.collapsed_slice);
    AddList("start_index_map", g.start_index_map);
    AddNonEmpty("operand_batching_dims", g.operand_batching);
    AddNonEmpty("start_indices_batching_dims", g.start_indices_batching);
    Add(fmt::format("index_vector_dim={}", g.index_vector));
    AddList("slice_sizes", g.slice_sizes);
  }

  void AddScatter() {
    const ScatterDimensions& s = *d_.scatter;
    AddList("update_window_dims", s.update_window);
    AddList("inserted_window_dims", s.inserted_window);
    AddList("scatter_dims_to_operand_dims", s.scatter_to_operand);
    AddNonEmpty("input_batching_dims", s.input_batching);
    AddNonEmpty("scatter_indices_batching_dims", s.indices_batching);
    Add(fmt::format("index_vector_dim={}", s.index_vector));
  }

  std::string CalledName(size_t k) const {
    const std::string_view name = module_.computations[module_.Called(i_)[k]].name;
    return fmt::format("{}{}", form_ == TextForm::kExpression ? "%" : "", name);
  }

  void AddCalled() {
    const size_t n = i_.called.count;
    if (n == 0) return;
    if (i_.opcode == Op("while") && n == 2) {
      Add("condition=" + CalledName(1));
      return Add("body=" + CalledName(0));
    }
    if (i_.opcode == Op("select-and-scatter") && n == 2) {
      Add("select=" + CalledName(0));
      return Add("scatter=" + CalledName(1));
    }
    if (i_.opcode == Op("fusion") || i_.opcode == Op("async-start"))
      return Add("calls=" + CalledName(0));
    if (i_.opcode != Op("conditional") && n == 1) return Add("to_apply=" + CalledName(0));
    std::vector<std::string> names;
    for (size_t k = 0; k < n; ++k) names.push_back(CalledName(k));
    const char* key =
        i_.opcode == Op("conditional") ? "branch_computations" : "called_computations";
    Add(fmt::format("{}={{{}}}", key, fmt::join(names, ", ")));
  }

  void AddCustomCall() {
    if (i_.opcode == Op("custom-call"))
      Add(fmt::format("custom_call_target=\"{}\"", d_.custom_call_target));
  }

  void AddAnnotations() {
    if (!d_.annotations->sharding.empty()) Add("sharding=" + d_.annotations->sharding);
    if (!d_.annotations->frontend_attributes.empty())
      Add("frontend_attributes=" + d_.annotations->frontend_attributes);
  }

  void AddBackendConfig() {
    if (form_ != TextForm::kShort || d_.backend_config.empty()) return;
    const bool json = d_.backend_config.starts_with('{');
    const char* quote = json ? "" : "\"";
    Add(fmt::format("backend_config={}{}{}", quote, d_.backend_config, quote));
  }

  const HloModule& module_;
  const Instruction& i_;
  const InstructionDetails& d_;
  const TextForm form_;
  std::string text_;
};

}  // namespace

std::string AttributeText(const HloModule& module, const Instruction& instruction, TextForm form) {
  return AttributeWriter(module, instruction, form).Write();
}

}  // namespace stepscope::xla
