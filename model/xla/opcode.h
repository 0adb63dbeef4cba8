// Opcodes of HLO instructions: numbers of the rows of one table of names. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope::xla {

using Opcode = uint8_t;
inline constexpr Opcode kUnknownOpcode = 0xff;

// How an opcode computes an element of its output.
enum class ElementwiseKind : uint8_t { kNone, kPlain, kTranscendental };

struct OpcodeRow {
  std::string_view name;
  ElementwiseKind elementwise = ElementwiseKind::kNone;
};

namespace opcode_table {
constexpr ElementwiseKind P = ElementwiseKind::kPlain, T = ElementwiseKind::kTranscendental;
inline constexpr auto kRows = std::to_array<OpcodeRow>({
    {"abs", P},
    {"acos", T},
    {"acosh", T},
    {"add", P},
    {"add-dependency"},
    {"after-all"},
    {"all-gather"},
    {"all-gather-done"},
    {"all-gather-start"},
    {"all-reduce"},
    {"all-reduce-done"},
    {"all-reduce-start"},
    {"all-to-all"},
    {"and", P},
    {"asin", T},
    {"asinh", T},
    {"async-done"},
    {"async-start"},
    {"async-update"},
    {"atan2", T},
    {"atanh", T},
    {"batch-norm-grad"},
    {"batch-norm-inference"},
    {"batch-norm-training"},
    {"bitcast"},
    {"bitcast-convert", P},
    {"broadcast"},
    {"call"},
    {"cbrt", T},
    {"ceil", P},
    {"cholesky"},
    {"clamp", P},
    {"collective-broadcast"},
    {"collective-permute"},
    {"collective-permute-done"},
    {"collective-permute-start"},
    {"compare", P},
    {"complex", P},
    {"concatenate"},
    {"conditional"},
    {"constant"},
    {"convert", P},
    {"convolution"},
    {"copy"},
    {"copy-done"},
    {"copy-start"},
    {"cosine", T},
    {"cosh", T},
    {"count-leading-zeros", P},
    {"custom-call"},
    {"divide", P},
    {"domain"},
    {"dot"},
    {"dynamic-reshape"},
    {"dynamic-slice"},
    {"dynamic-update-slice"},
    {"erf", T},
    {"exponential", T},
    {"exponential-minus-one", T},
    {"fft"},
    {"floor", P},
    {"fusion"},
    {"gather"},
    {"get-dimension-size"},
    {"get-tuple-element"},
    {"imag", P},
    {"infeed"},
    {"iota"},
    {"is-finite", P},
    {"log", T},
    {"log-plus-one", T},
    {"logistic", T},
    {"map"},
    {"maximum", P},
    {"minimum", P},
    {"multiply", P},
    {"multiply-high", P},
    {"negate", P},
    {"not", P},
    {"opt-barrier"},
    {"optimization-barrier"},
    {"or", P},
    {"outfeed"},
    {"pad"},
    {"parameter"},
    {"partition-id"},
    {"popcnt", P},
    {"power", T},
    {"ragged-all-to-all"},
    {"ragged-dot"},
    {"real", P},
    {"recv"},
    {"recv-done"},
    {"reduce"},
    {"reduce-precision", P},
    {"reduce-scatter"},
    {"reduce-window"},
    {"remainder", P},
    {"replica-id"},
    {"reshape"},
    {"reverse"},
    {"rng"},
    {"rng-bit-generator"},
    {"rng-get-and-update-state"},
    {"round-nearest-afz", P},
    {"round-nearest-even", P},
    {"rsqrt", T},
    {"scaled-dot"},
    {"scan"},
    {"scatter"},
    {"select", P},
    {"select-and-scatter"},
    {"send"},
    {"send-done"},
    {"set-dimension-size"},
    {"shift-left", P},
    {"shift-right-arithmetic", P},
    {"shift-right-logical", P},
    {"sign", P},
    {"sine", T},
    {"sinh", T},
    {"slice"},
    {"sort"},
    {"sqrt", T},
    {"stochastic-convert", P},
    {"subtract", P},
    {"tan", T},
    {"tanh", T},
    {"topk"},
    {"transpose"},
    {"triangular-solve"},
    {"tuple"},
    {"while"},
    {"xor", P},
});
static_assert(kRows.size() < 255);
}  // namespace opcode_table

// The opcode of a name that is in the table; any other name does not compile.
consteval Opcode Op(std::string_view name) {
  for (size_t i = 0; i < opcode_table::kRows.size(); ++i) {
    if (opcode_table::kRows[i].name == name) return static_cast<Opcode>(i);
  }
  throw "no such opcode";
}

// kUnknownOpcode for a name that is not in the table. O(1).
Opcode FindOpcode(std::string_view name);
ElementwiseKind ElementwiseOf(Opcode opcode);

}  // namespace stepscope::xla
