#include "model/analysis/torch/torch_call.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kMostArgs = 4096;
constexpr size_t kMostDims = 64;
constexpr int64_t kMostOfDim = int64_t{1} << 40;  // larger dimensions are no shape

bool IsNumber(char c) { return (c >= '0' && c <= '9') || c == '-'; }

// Reads the number at the begin of the text and moves the text behind it.
int64_t TakeNumber(std::string_view* text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const auto taken = static_cast<size_t>(end - text->data());
  text->remove_prefix(std::max<size_t>(1, taken));
  if (error == std::errc::result_out_of_range) return kMostOfDim;
  return error == std::errc() ? std::clamp<int64_t>(number, 0, kMostOfDim) : 0;
}

// Shapes: an argument is a list of numbers, an empty list, or a list of such lists.
class DimsReader {
 public:
  explicit DimsReader(std::vector<TorchArg>* args) : args_(*args) {}

  void Read(std::string_view text) {
    while (!text.empty() && args_.size() < kMostArgs) {
      if (IsNumber(text.front())) {
        const int64_t number = TakeNumber(&text);
        if (open_.size() < kMostDims) open_.push_back(number);
        continue;
      }
      if (text.front() == '[') Open();
      if (text.front() == ']') Close();
      text.remove_prefix(1);
    }
  }

 private:
  void Open() {
    if (++depth_ == 2) args_.emplace_back();
    open_.clear();
  }
  void Close() {
    const bool list = depth_ > 2 || (depth_ == 2 && !open_.empty());
    if (list && !args_.empty() && args_.back().tensors.size() < kMostArgs)
      args_.back().tensors.push_back(std::move(open_));
    open_.clear();
    if (depth_ > 0) --depth_;
  }

  std::vector<TorchArg>& args_;
  TorchDims open_;
  int depth_ = 0;
};

// The texts of a list of texts in double quotes, without escapes inside.
std::vector<std::string> TextsIn(std::string_view text) {
  std::vector<std::string> texts;
  size_t open = text.find('"');
  while (open != std::string_view::npos && texts.size() < kMostArgs) {
    const size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) break;
    texts.emplace_back(text.substr(open + 1, close - open - 1));
    open = text.find('"', close + 1);
  }
  return texts;
}

struct TypeSize {
  std::string_view name;
  double bytes;
};
constexpr std::array<TypeSize, 16> kSizes = {{{"double", 8},
                                              {"long int", 8},
                                              {"long", 8},
                                              {"c10::complex<float>", 8},
                                              {"c10::complex<double>", 16},
                                              {"float", 4},
                                              {"int", 4},
                                              {"c10::BFloat16", 2},
                                              {"c10::Half", 2},
                                              {"short int", 2},
                                              {"short", 2},
                                              {"signed char", 1},
                                              {"unsigned char", 1},
                                              {"bool", 1},
                                              {"c10::qint8", 1},
                                              {"c10::quint8", 1}}};

}  // namespace

bool TorchCall::Has(size_t i, size_t rank) const {
  return i < args.size() && args[i].tensor() && args[i].dims().size() >= rank;
}

double TorchCall::BytesOf(size_t i) const {
  return Has(i) ? ElementsOf(args[i].dims()) * BytesOfType(args[i].type) : 0;
}

TorchCall ParseTorchCall(std::string_view name, std::string_view dims, std::string_view types,
                         std::string_view concrete) {
  TorchCall call;
  call.name = name;
  DimsReader(&call.args).Read(dims);
  const std::vector<std::string> type_texts = TextsIn(types), concrete_texts = TextsIn(concrete);
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (i < type_texts.size()) call.args[i].type = type_texts[i];
    if (i < concrete_texts.size()) call.args[i].concrete = concrete_texts[i];
    // A tensor without dimensions has the shape of a scalar: its type tells them apart.
    const bool scalar_tensor = call.args[i].tensors.empty() && BytesOfType(call.args[i].type) > 0 &&
                               call.args[i].concrete.empty();
    if (scalar_tensor) call.args[i].tensors.emplace_back();
  }
  return call;
}

double ElementsOf(const TorchDims& dims) {
  double elements = 1;
  for (const int64_t dim : dims) elements *= static_cast<double>(dim);
  return elements;
}

bool IsPacked(std::string_view type) { return type.starts_with("c10::Float4"); }

double BytesOfType(std::string_view type) {
  if (type.starts_with("c10::Float8") || IsPacked(type)) return 1;
  for (const TypeSize& size : kSizes) {
    if (size.name == type) return size.bytes;
  }
  return 0;
}

std::vector<int64_t> NumbersIn(std::string_view text) {
  std::vector<int64_t> numbers;
  while (!text.empty() && numbers.size() < kMostDims) {
    if (IsNumber(text.front())) {
      numbers.push_back(TakeNumber(&text));
    } else {
      text.remove_prefix(1);
    }
  }
  return numbers;
}

}  // namespace stepscope
