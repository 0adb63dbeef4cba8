#include "model/analysis/naming/core_op.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr std::string_view kHostMemory = "S(5)";

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Between devices: "send-done" is a collective, "host send-done" a copy to the host.
bool IsCollectiveText(std::string_view category) {
  static constexpr std::array<std::string_view, 6> kKinds = {
      "all-reduce",     "all-gather",         "all-to-all",
      "reduce-scatter", "collective-permute", "collective-broadcast"};
  const bool named = std::any_of(kKinds.begin(), kKinds.end(),
                                 [&](std::string_view kind) { return Has(category, kind); });
  return named || category.starts_with("send") || category.starts_with("recv");
}

// The opcode and its operands: what follows the result's type, whose layouts have brackets.
std::string_view CallOf(std::string_view text) {
  const size_t assign = text.find(" = ");
  if (assign == std::string_view::npos) return {};
  int depth = 0;
  for (size_t i = assign + 3; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (c == ' ' && depth == 0) return text.substr(i + 1);
  }
  return {};
}

// The text up to the bracket that closes the list of operands.
std::string_view WithoutAttributes(std::string_view call) {
  int depth = 0;
  for (size_t i = 0; i < call.size(); ++i) {
    if (call[i] == '(') ++depth;
    if (call[i] == ')' && --depth == 0) return call.substr(0, i);
  }
  return call;
}

CoreWork CopyOf(std::string_view text) {
  const std::string_view call = CallOf(text);
  const std::string_view result = text.substr(0, text.size() - call.size());
  if (Has(result, kHostMemory)) return CoreWork::kCopyToHost;
  return Has(WithoutAttributes(call), kHostMemory) ? CoreWork::kCopyFromHost
                                                   : CoreWork::kCopyOnDevice;
}

}  // namespace

bool IsDone(std::string_view category) { return category.ends_with("-done"); }
bool IsStart(std::string_view category) { return category.ends_with("-start"); }

CoreWork WorkOf(std::string_view category, std::string_view text) {
  if (IsStart(category)) return CoreWork::kCompute;
  if (category.starts_with("infeed")) return CoreWork::kInfeed;
  if (category.starts_with("outfeed")) return CoreWork::kOutfeed;
  if (category.starts_with("host send")) return CoreWork::kCopyToHost;
  if (category.starts_with("host recv")) return CoreWork::kCopyFromHost;
  if (IsCollectiveText(category)) return CoreWork::kCollective;
  if (!IsDone(category)) return CoreWork::kCompute;
  // The work that an async-done waits for is in its name or in the computation that it calls.
  return IsCollectiveText(text) ? CoreWork::kCollective : CopyOf(text);
}

std::string_view LastOperandOf(std::string_view text) {
  const std::string_view operands = WithoutAttributes(CallOf(text));
  const size_t sign = operands.rfind('%');
  return sign == std::string_view::npos ? std::string_view() : operands.substr(sign + 1);
}

}  // namespace stepscope
