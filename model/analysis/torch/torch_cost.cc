#include "model/analysis/torch/torch_cost.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepscope {
namespace {

using Cost = std::optional<TorchCost>;

Cost Matrix(double flops, double bytes) {
  return TorchCost{flops, flops, bytes, TorchEngine::kMatrix, false};
}

double Dim(const TorchDims& dims, size_t i) { return static_cast<double>(dims[i]); }
double FromEnd(const TorchDims& dims, size_t i) { return Dim(dims, dims.size() - 1 - i); }
double SizeOf(const TorchCall& call, size_t i) { return BytesOfType(call.args[i].type); }

// The bytes of all arguments that are tensors.
double AllInputs(const TorchCall& call) {
  double bytes = 0;
  for (size_t i = 0; i < call.args.size(); ++i) bytes += call.BytesOf(i);
  return bytes;
}

// --- Products of matrices. `a` and `b` are the numbers of the arguments.

Cost Product(const TorchCall& call, size_t a, size_t b, size_t rank) {
  if (!call.Has(a, rank) || !call.Has(b, rank)) return std::nullopt;
  const TorchDims& x = call.args[a].dims();
  const TorchDims& y = call.args[b].dims();
  if (x.size() != rank || y.size() != rank || x.back() != y[rank - 2]) return std::nullopt;
  const double batch = rank == 3 ? Dim(x, 0) : 1;
  const double output = batch * Dim(x, rank - 2) * Dim(y, rank - 1);
  const double packed = IsPacked(call.args[a].type) ? 2 : 1;
  return Matrix(2 * output * FromEnd(x, 0) * packed,
                call.BytesOf(a) + call.BytesOf(b) + output * SizeOf(call, a));
}

Cost Mm(const TorchCall& call) { return Product(call, 0, 1, 2); }
Cost Bmm(const TorchCall& call) { return Product(call, 0, 1, 3); }

Cost Plus(Cost cost, double bytes) {
  if (cost) cost->bytes += bytes;
  return cost;
}
Cost Addmm(const TorchCall& call) {
  return call.args.empty() ? std::nullopt : Plus(Product(call, 1, 2, 2), call.BytesOf(0));
}
Cost Baddbmm(const TorchCall& call) {
  return call.args.empty() ? std::nullopt : Plus(Product(call, 1, 2, 3), call.BytesOf(0));
}

Cost Linear(const TorchCall& call) {
  if (!call.Has(0, 1) || !call.Has(1, 2)) return std::nullopt;
  const TorchDims& x = call.args[0].dims();
  const TorchDims& w = call.args[1].dims();
  const double inner = FromEnd(x, 0);
  if (w.size() != 2 || x.back() != w[1] || inner <= 0) return std::nullopt;
  const double output = ElementsOf(x) / inner * Dim(w, 0);
  return Matrix(2 * output * inner,
                call.BytesOf(0) + call.BytesOf(1) + call.BytesOf(2) + output * SizeOf(call, 0));
}

// mv(a[m,k], x[k]), dot(x[k], y[k]); addmv has its addend first.
Cost VectorProduct(const TorchCall& call, size_t a, size_t b) {
  if (!call.Has(a, 1) || !call.Has(b, 1)) return std::nullopt;
  const TorchDims& x = call.args[a].dims();
  if (x.back() != call.args[b].dims().back() || x.back() == 0) return std::nullopt;
  const double output = ElementsOf(x) / FromEnd(x, 0);
  return Matrix(2 * ElementsOf(x), call.BytesOf(a) + call.BytesOf(b) + output * SizeOf(call, a));
}
Cost Mv(const TorchCall& call) { return VectorProduct(call, 0, 1); }
Cost Addmv(const TorchCall& call) {
  return call.args.empty() ? std::nullopt : Plus(VectorProduct(call, 1, 2), call.BytesOf(0));
}

// matmul: the last two dimensions are multiplied, those before are broadcast.
Cost Matmul(const TorchCall& call) {
  if (!call.Has(0, 1) || !call.Has(1, 1)) return std::nullopt;
  const TorchDims& x = call.args[0].dims();
  const TorchDims& y = call.args[1].dims();
  const size_t inner_of_y = y.size() == 1 ? 0 : y.size() - 2;
  if (x.back() != y[inner_of_y] || x.back() == 0) return std::nullopt;
  double batch_x = 1, batch_y = 1;
  for (size_t i = 0; i + 2 < x.size(); ++i) batch_x *= Dim(x, i);
  for (size_t i = 0; i + 2 < y.size(); ++i) batch_y *= Dim(y, i);
  const double rows = x.size() == 1 ? 1 : Dim(x, x.size() - 2);
  const double columns = y.size() == 1 ? 1 : FromEnd(y, 0);
  const double output = std::max(batch_x, batch_y) * rows * columns;
  return Matrix(2 * output * FromEnd(x, 0),
                call.BytesOf(0) + call.BytesOf(1) + output * SizeOf(call, 0));
}

// --- Convolutions

struct Geometry {
  std::vector<int64_t> stride, padding, dilation, output_padding;
  bool transposed = false;
  double groups = 1;
};

int64_t At(const std::vector<int64_t>& numbers, size_t i, int64_t otherwise) {
  if (numbers.empty()) return otherwise;
  return numbers[std::min(i, numbers.size() - 1)];
}

std::vector<int64_t> NumbersOf(const TorchCall& call, size_t i) {
  return i < call.args.size() ? NumbersIn(call.args[i].concrete) : std::vector<int64_t>();
}

// The arguments of a convolution behind its three tensors, from `first` on.
Geometry GeometryOf(const TorchCall& call, size_t first) {
  Geometry g;
  g.stride = NumbersOf(call, first);
  g.padding = NumbersOf(call, first + 1);
  g.dilation = NumbersOf(call, first + 2);
  g.transposed = first + 3 < call.args.size() && call.args[first + 3].concrete == "True";
  g.output_padding = NumbersOf(call, first + 4);
  g.groups = static_cast<double>(std::max<int64_t>(1, At(NumbersOf(call, first + 5), 0, 1)));
  return g;
}

// cuDNN's and MIOpen's own ops have padding, stride, dilation, groups.
Geometry LibraryGeometryOf(const TorchCall& call, size_t first) {
  Geometry g;
  g.padding = NumbersOf(call, first);
  g.stride = NumbersOf(call, first + 1);
  g.dilation = NumbersOf(call, first + 2);
  g.groups = static_cast<double>(std::max<int64_t>(1, At(NumbersOf(call, first + 3), 0, 1)));
  return g;
}

// Positions of the output along all dimensions of space.
double OutputPositions(const TorchDims& x, const TorchDims& w, const Geometry& g) {
  double positions = 1;
  for (size_t i = 2; i < x.size(); ++i) {
    const int64_t stride = std::max<int64_t>(1, At(g.stride, i - 2, 1));
    const int64_t padding = At(g.padding, i - 2, 0), dilation = At(g.dilation, i - 2, 1);
    const double kernel = static_cast<double>(dilation) * static_cast<double>(w[i] - 1);
    const double in = Dim(x, i), pad = 2 * static_cast<double>(padding);
    const double out = g.transposed
                           ? (in - 1) * static_cast<double>(stride) - pad + kernel + 1 +
                                 static_cast<double>(At(g.output_padding, i - 2, 0))
                           : std::floor((in + pad - kernel - 1) / static_cast<double>(stride)) + 1;
    positions *= std::max(0.0, out);
  }
  return positions;
}

struct ConvolutionSizes {
  double flops = 0, output_bytes = 0;
};

std::optional<ConvolutionSizes> SizesOf(const TorchCall& call, size_t x_arg, size_t w_arg,
                                        const Geometry& g) {
  if (!call.Has(x_arg, 3) || !call.Has(w_arg, 3)) return std::nullopt;
  const TorchDims& x = call.args[x_arg].dims();
  const TorchDims& w = call.args[w_arg].dims();
  if (x.size() != w.size()) return std::nullopt;
  const double channels = g.transposed ? Dim(w, 1) * g.groups : Dim(w, 0);
  const double output = OutputPositions(x, w, g);
  double places = g.transposed ? 1 : output;
  for (size_t i = 2; g.transposed && i < x.size(); ++i) places *= Dim(x, i);
  ConvolutionSizes sizes;
  // ElementsOf(w) is Cout * Cin / groups * kernel, transposed Cin * Cout / groups * kernel.
  sizes.flops = 2 * Dim(x, 0) * ElementsOf(w) * places;
  sizes.output_bytes = Dim(x, 0) * channels * output * SizeOf(call, x_arg);
  return sizes;
}

Cost ConvolutionWith(const TorchCall& call, const Geometry& g) {
  const auto sizes = SizesOf(call, 0, 1, g);
  if (!sizes) return std::nullopt;
  return Matrix(sizes->flops,
                call.BytesOf(0) + call.BytesOf(1) + call.BytesOf(2) + sizes->output_bytes);
}
Cost Convolution(const TorchCall& call) { return ConvolutionWith(call, GeometryOf(call, 3)); }
Cost CudnnConvolution(const TorchCall& call) {
  return ConvolutionWith(call, LibraryGeometryOf(call, 2));
}
Cost MiopenConvolution(const TorchCall& call) {
  return ConvolutionWith(call, LibraryGeometryOf(call, 3));
}
// conv2d(x, w, bias, stride, padding, dilation, groups)
Cost ConvNd(const TorchCall& call) {
  Geometry g;
  g.stride = NumbersOf(call, 3), g.padding = NumbersOf(call, 4), g.dilation = NumbersOf(call, 5);
  g.groups = static_cast<double>(std::max<int64_t>(1, At(NumbersOf(call, 6), 0, 1)));
  return ConvolutionWith(call, g);
}

// convolution_backward(grad_out, x, w, bias_sizes, stride, padding, dilation, transposed,
// output_padding, groups, output_mask)
Cost ConvolutionBackward(const TorchCall& call) {
  if (call.args.size() < 11) return std::nullopt;
  const auto sizes = SizesOf(call, 1, 2, GeometryOf(call, 4));
  if (!sizes) return std::nullopt;
  std::array<bool, 3> asked{};  // the gradients of x, w, bias
  const std::string_view mask = call.args.back().concrete;
  size_t at = 0;
  for (bool& one : asked) {
    at = mask.find_first_of("TF", at);
    if (at == std::string_view::npos) return std::nullopt;
    one = mask[at++] == 'T';
  }
  const double flops = sizes->flops * (asked[0] + asked[1]);
  const double bytes = call.BytesOf(0) + call.BytesOf(1) + call.BytesOf(2) +
                       (asked[0] ? call.BytesOf(1) : 0) + (asked[1] ? call.BytesOf(2) : 0);
  return Matrix(flops, bytes);
}

// --- Attention

// How an op's arguments lie: the first of q, k, v, and where it says that it is causal.
struct AttentionForm {
  std::string_view name;
  size_t q;
  bool backward;
  bool heads_behind;  // [b, s, h, d]; else [b, h, s, d]
  size_t causal;      // index of is_causal, or of custom_mask_type, which is a number
};
constexpr AttentionForm kAttention[] = {
    {"scaled_dot_product_attention", 0, false, false, 5},
    {"_scaled_dot_product_flash_attention", 0, false, false, 4},
    {"_scaled_dot_product_flash_attention_for_cpu", 0, false, false, 4},
    {"_scaled_dot_product_efficient_attention", 0, false, false, 6},
    {"_scaled_dot_product_cudnn_attention", 0, false, false, 6},
    {"_flash_attention_forward", 0, false, true, 8},
    {"_efficient_attention_forward", 0, false, true, 9},
    {"_scaled_dot_product_flash_attention_backward", 1, true, false, 11},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", 1, true, false, 7},
    {"_scaled_dot_product_efficient_attention_backward", 1, true, false, 11},
    {"_scaled_dot_product_cudnn_attention_backward", 1, true, false, 14},
    {"_flash_attention_backward", 1, true, true, 11},
    {"_efficient_attention_backward", 1, true, true, 12},
};

std::string_view WithoutPrefix(std::string_view name) {
  return name.starts_with("aten::") ? name.substr(6) : name;
}

const AttentionForm* FormOf(std::string_view name) {
  const auto form =
      std::find_if(std::begin(kAttention), std::end(kAttention),
                   [&](const AttentionForm& f) { return f.name == WithoutPrefix(name); });
  return form != std::end(kAttention) ? form : nullptr;
}

struct AttentionSizes {
  double batch = 0, heads = 0, queries = 0, keys = 0, q_dim = 0, v_dim = 0;
};

// Tensors of several sequences, [tokens, heads, dim], have the longest sequence among the scalars,
// so the product is an upper bound.
std::optional<AttentionSizes> SizesOf(const TorchCall& call, const AttentionForm& form) {
  const size_t q = form.q;
  if (!call.Has(q, 3) || !call.Has(q + 1, 3) || !call.Has(q + 2, 3)) return std::nullopt;
  const TorchDims& x = call.args[q].dims();
  const TorchDims& k = call.args[q + 1].dims();
  const TorchDims& v = call.args[q + 2].dims();
  if (x.size() != k.size() || x.size() != v.size() || x.size() > 4) return std::nullopt;
  AttentionSizes s;
  s.q_dim = FromEnd(x, 0), s.v_dim = FromEnd(v, 0);
  if (x.size() == 4) {
    s.batch = Dim(x, 0);
    s.heads = Dim(x, form.heads_behind ? 2 : 1);
    s.queries = Dim(x, form.heads_behind ? 1 : 2), s.keys = Dim(k, form.heads_behind ? 1 : 2);
    return s;
  }
  if (!form.heads_behind) {  // [heads, s, d]
    s.batch = 1, s.heads = Dim(x, 0), s.queries = Dim(x, 1), s.keys = Dim(k, 1);
    return s;
  }
  const size_t max_k = form.backward ? 9 : 6;  // behind cum_seq_q, cum_seq_k, max_q
  s.batch = 1, s.heads = Dim(x, 1), s.queries = Dim(x, 0);
  s.keys = static_cast<double>(At(NumbersOf(call, max_k), 0, 0));
  return s.keys > 0 ? std::optional(s) : std::nullopt;
}

bool IsCausal(const TorchCall& call, const AttentionForm& form) {
  if (form.causal >= call.args.size()) return false;
  const std::string& text = call.args[form.causal].concrete;
  return text == "True" || At(NumbersIn(text), 0, 0) > 0;
}

Cost Attention(const TorchCall& call) {
  const AttentionForm* form = FormOf(call.name);
  const auto s = form != nullptr ? SizesOf(call, *form) : std::nullopt;
  if (!s) return std::nullopt;
  const double scores = s->batch * s->heads * s->queries * s->keys;
  const double size = SizeOf(call, form->q);
  const double output = s->batch * s->heads * s->queries * s->v_dim * size;
  const double inputs =
      call.BytesOf(form->q) + call.BytesOf(form->q + 1) + call.BytesOf(form->q + 2);
  Cost cost;
  if (form->backward) {  // the scores again, dP, dV, dQ, dK
    cost = Matrix(2 * scores * (3 * s->q_dim + 2 * s->v_dim), 2 * inputs + 2 * output);
  } else {
    const double sums = 4 * s->batch * s->heads * s->queries;  // float32
    cost = Matrix(2 * scores * (s->q_dim + s->v_dim), inputs + output + sums);
  }
  if (IsCausal(call, *form) && s->queries == s->keys) cost->flops /= 2;
  return cost;
}

// --- Work of one kind for each element

// How many operations an element of the output takes, and what the output is.
enum class Output : uint8_t {
  kBroadcast,  // the largest of the inputs
  kFirst,      // the first input, which is also read
  kInPlace,    // copy_: the first argument is written, not read
  kReduced,    // small beside the input
};
struct ElementForm {
  std::string_view name;
  double flops;
  Output output;
};
// By name.
constexpr ElementForm kElements[] = {
    {"_log_softmax", 5, Output::kFirst},
    {"_log_softmax_backward_data", 5, Output::kFirst},
    {"_softmax", 5, Output::kFirst},
    {"_softmax_backward_data", 5, Output::kFirst},
    {"abs", 1, Output::kFirst},
    {"add", 1, Output::kBroadcast},
    {"add_", 1, Output::kBroadcast},
    {"addcdiv_", 3, Output::kBroadcast},
    {"addcmul_", 3, Output::kBroadcast},
    {"all", 1, Output::kReduced},
    {"amax", 1, Output::kReduced},
    {"any", 1, Output::kReduced},
    {"argmax", 1, Output::kReduced},
    {"bitwise_and", 1, Output::kBroadcast},
    {"bitwise_not", 1, Output::kFirst},
    {"clamp", 1, Output::kFirst},
    {"clamp_min", 1, Output::kFirst},
    {"copy_", 1, Output::kInPlace},
    {"cos", 1, Output::kFirst},
    {"cumsum", 1, Output::kFirst},
    {"div", 1, Output::kBroadcast},
    {"div_", 1, Output::kBroadcast},
    {"eq", 1, Output::kBroadcast},
    {"exp", 1, Output::kFirst},
    {"fill_", 1, Output::kInPlace},
    {"ge", 1, Output::kBroadcast},
    {"gelu", 8, Output::kFirst},
    {"gelu_backward", 8, Output::kFirst},
    {"gt", 1, Output::kBroadcast},
    {"le", 1, Output::kBroadcast},
    {"lerp_", 3, Output::kBroadcast},
    {"log", 1, Output::kFirst},
    {"lt", 1, Output::kBroadcast},
    {"masked_fill", 1, Output::kFirst},
    {"masked_fill_", 1, Output::kFirst},
    {"max", 1, Output::kReduced},
    {"mean", 1, Output::kReduced},
    {"min", 1, Output::kReduced},
    {"mul", 1, Output::kBroadcast},
    {"mul_", 1, Output::kBroadcast},
    {"native_batch_norm", 8, Output::kFirst},
    {"native_batch_norm_backward", 8, Output::kFirst},
    {"native_dropout", 2, Output::kFirst},
    {"native_dropout_backward", 1, Output::kFirst},
    {"native_group_norm", 8, Output::kFirst},
    {"native_layer_norm", 8, Output::kFirst},
    {"native_layer_norm_backward", 8, Output::kFirst},
    {"ne", 1, Output::kBroadcast},
    {"neg", 1, Output::kFirst},
    {"pow", 1, Output::kBroadcast},
    {"reciprocal", 1, Output::kFirst},
    {"relu", 1, Output::kFirst},
    {"relu_", 1, Output::kFirst},
    {"rsqrt", 1, Output::kFirst},
    {"rsub", 1, Output::kBroadcast},
    {"sigmoid", 1, Output::kFirst},
    {"silu", 1, Output::kFirst},
    {"silu_backward", 1, Output::kFirst},
    {"sin", 1, Output::kFirst},
    {"sqrt", 1, Output::kFirst},
    {"sub", 1, Output::kBroadcast},
    {"sub_", 1, Output::kBroadcast},
    {"sum", 1, Output::kReduced},
    {"tanh", 1, Output::kFirst},
    {"tanh_backward", 1, Output::kFirst},
    {"threshold_backward", 1, Output::kFirst},
    {"where", 1, Output::kBroadcast},
    {"zero_", 1, Output::kInPlace},
};

const ElementForm* ElementFormOf(std::string_view name) {
  const std::string_view bare = WithoutPrefix(name);
  const auto form = std::lower_bound(
      std::begin(kElements), std::end(kElements), bare,
      [](const ElementForm& f, std::string_view wanted) { return f.name < wanted; });
  return form != std::end(kElements) && form->name == bare ? form : nullptr;
}

// The elements of all tensors broadcast together.
double BroadcastElements(const TorchCall& call) {
  TorchDims out;
  for (const TorchArg& arg : call.args) {
    if (!arg.tensor()) continue;
    const TorchDims& dims = arg.dims();
    if (dims.size() > out.size()) out.insert(out.begin(), dims.size() - out.size(), 1);
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t& dim = out[out.size() - dims.size() + i];
      dim = std::max(dim, dims[i]);
    }
  }
  return ElementsOf(out);
}

// The size of an element of the result: that of the widest tensor; comparisons give a byte.
double OutputSize(const TorchCall& call, std::string_view name) {
  static constexpr std::array<std::string_view, 6> kCompare = {"eq", "ge", "gt", "le", "lt", "ne"};
  if (std::find(kCompare.begin(), kCompare.end(), name) != kCompare.end()) return 1;
  double size = 0;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const bool counts = call.Has(i, 1) || (call.Has(i) && size == 0);
    if (counts) size = std::max(size, SizeOf(call, i));
  }
  return size;
}

Cost Elementwise(const TorchCall& call) {
  const ElementForm* form = ElementFormOf(call.name);
  if (form == nullptr || !call.Has(0)) return std::nullopt;
  const double first = ElementsOf(call.args[0].dims());
  double elements = first, bytes = AllInputs(call);
  switch (form->output) {
    case Output::kBroadcast:
      elements = BroadcastElements(call);
      bytes += elements * OutputSize(call, form->name);
      break;
    case Output::kFirst:
      bytes += call.BytesOf(0);
      break;
    case Output::kInPlace:
    case Output::kReduced:
      break;
  }
  return TorchCost{form->flops * elements, form->flops * elements, bytes, TorchEngine::kVector,
                   true};
}

// embedding, index_select, gather: they read what they give, and the indices.
Cost Gather(const TorchCall& call) {
  const std::string_view name = WithoutPrefix(call.name);
  const size_t index = name == "embedding" ? 1 : 2;
  if (!call.Has(0, 1) || !call.Has(index)) return std::nullopt;
  const TorchDims& from = call.args[0].dims();
  const double indices = ElementsOf(call.args[index].dims());
  double output = indices;
  if (name != "gather") {
    const int64_t dim = name == "embedding" ? 0 : At(NumbersOf(call, 1), 0, 0);
    if (static_cast<size_t>(dim) >= from.size()) return std::nullopt;
    for (size_t i = 0; i < from.size(); ++i)
      output *= i == static_cast<size_t>(dim) ? 1 : Dim(from, i);
  }
  const double bytes = 2 * output * SizeOf(call, 0) + call.BytesOf(index);
  return TorchCost{0, 0, bytes, TorchEngine::kVector, false};
}

// Another shape of the same data.
Cost View(const TorchCall&) { return TorchCost{}; }

struct Formula {
  std::string_view name;
  Cost (*cost)(const TorchCall&);
  bool concrete;  // whether it reads `Concrete Inputs`
};
constexpr Formula kFormulas[] = {
    {"mm", Mm, false},
    {"_int_mm", Mm, false},
    {"_scaled_mm", Mm, false},
    {"addmm", Addmm, false},
    {"_addmm_activation", Addmm, false},
    {"bmm", Bmm, false},
    {"baddbmm", Baddbmm, false},
    {"linear", Linear, false},
    {"matmul", Matmul, false},
    {"mv", Mv, false},
    {"dot", Mv, false},
    {"addmv", Addmv, false},
    {"conv1d", ConvNd, true},
    {"conv2d", ConvNd, true},
    {"conv3d", ConvNd, true},
    {"convolution", Convolution, true},
    {"_convolution", Convolution, true},
    {"cudnn_convolution", CudnnConvolution, true},
    {"miopen_convolution", MiopenConvolution, true},
    {"convolution_backward", ConvolutionBackward, true},
    {"embedding", Gather, false},
    {"index_select", Gather, true},
    {"gather", Gather, false},
    {"view", View, false},
    {"t", View, false},
    {"transpose", View, false},
    {"expand", View, false},
    {"as_strided", View, false},
    {"slice", View, false},
    {"select", View, false},
    {"detach", View, false},
};

const Formula* FormulaOf(std::string_view name) {
  const auto found = std::find_if(std::begin(kFormulas), std::end(kFormulas),
                                  [&](const Formula& f) { return f.name == WithoutPrefix(name); });
  return found != std::end(kFormulas) ? found : nullptr;
}

}  // namespace

std::optional<TorchCost> CostOf(const TorchCall& call) {
  if (const Formula* formula = FormulaOf(call.name)) return formula->cost(call);
  if (FormOf(call.name) != nullptr) return Attention(call);
  return Elementwise(call);
}

bool HasTorchCost(std::string_view name) {
  return FormulaOf(name) != nullptr || FormOf(name) != nullptr || ElementFormOf(name) != nullptr;
}

bool NeedsConcrete(std::string_view name) {
  const Formula* formula = FormulaOf(name);
  return formula != nullptr ? formula->concrete : FormOf(name) != nullptr;
}

bool OwnsInner(std::string_view name) {
  const std::string_view bare = WithoutPrefix(name);
  return bare == "convolution" || bare == "convolution_backward" ||
         (bare.starts_with("_scaled_dot_product_") && FormOf(name) != nullptr);
}

}  // namespace stepscope
