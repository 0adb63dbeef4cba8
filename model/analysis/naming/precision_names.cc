#include "model/analysis/naming/precision_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "model/base/ascii.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

struct Word {
  std::string_view text;
  int bits;
};
// Words in lower case, the fewest bits first: a name with bf16 may also have float.
constexpr std::array kWords = {
    Word{"fp4", 4},        Word{"e2m1", 4},       Word{"mxf4", 4},       Word{"fp8", 8},
    Word{"e4m3", 8},       Word{"e5m2", 8},       Word{"float8", 8},     Word{"f8e4", 8},
    Word{"f8e5", 8},       Word{"half", 16},      Word{"fp16", 16},      Word{"bf16", 16},
    Word{"bfloat16", 16},  Word{"f16", 16},       Word{"s16816", 16},    Word{"h16816", 16},
    Word{"h1688", 16},     Word{"h884", 16},      Word{"bhs_bh", 16},    Word{"hhs_bh", 16},
    Word{"bbs_bh", 16},    Word{"bss_bh", 16},    Word{"hss_bh", 16},    Word{"_b_bs", 16},
    Word{"_h_hs", 16},     Word{"_bb_", 16},      Word{"_hb_", 16},      Word{"attn_fwd", 16},
    Word{"flash_fwd", 16}, Word{"flash_bwd", 16}, Word{"float", 32},     Word{"f32", 32},
    Word{"fp32", 32},      Word{"sgemm", 32},     Word{"s1688gemm", 32}, Word{"_sb_", 32},
    Word{"double", 64},    Word{"dgemm", 64},     Word{"f64", 64},       Word{"fp64", 64},
    Word{"d884", 64},      Word{"dmma", 64},      Word{"zgemm", 64},
};
constexpr auto kTexts = [] {
  std::array<std::string_view, kWords.size()> texts;
  for (size_t i = 0; i < texts.size(); ++i) texts[i] = kWords[i].text;
  return texts;
}();
constexpr WordSet kWordSet(kTexts);

// cuBLAS's nvjet kernels have the letter of their type behind the prefix and an architecture:
// nvjet_tst_..., nvjet_sm100_qqtst_...
int BitsOfNvjet(std::string_view name) {
  constexpr std::string_view kPrefix = "nvjet_";
  const size_t at = name.find(kPrefix);
  if (at == std::string_view::npos) return 0;
  name.remove_prefix(at + kPrefix.size());
  if (name.starts_with("sm")) name.remove_prefix(std::min(name.find('_'), name.size() - 1) + 1);
  switch (name.empty() ? ' ' : name.front()) {
    case 'o':
      return 4;
    case 'q':
      return 8;
    case 't':
    case 'h':
      return 16;
    case 's':
      return 32;
    case 'd':
      return 64;
    default:
      return 0;
  }
}

struct TypeWord {
  std::string_view text;
  NarrowType type;
};
// In lower case, the narrowest type first; words that say the bits only are left out.
constexpr std::array kTypes = {
    TypeWord{"fp4", NarrowType::kFp4},     TypeWord{"e2m1", NarrowType::kFp4},
    TypeWord{"mxf4", NarrowType::kFp4},    TypeWord{"float4", NarrowType::kFp4},
    TypeWord{"fp8", NarrowType::kFp8},     TypeWord{"e4m3", NarrowType::kFp8},
    TypeWord{"e5m2", NarrowType::kFp8},    TypeWord{"float8", NarrowType::kFp8},
    TypeWord{"bf16", NarrowType::kBf16},   TypeWord{"bfloat16", NarrowType::kBf16},
    TypeWord{"bbs_bh", NarrowType::kBf16}, TypeWord{"fp16", NarrowType::kFp16},
    TypeWord{"half", NarrowType::kFp16},   TypeWord{"f16", NarrowType::kFp16},
    TypeWord{"hhs_bh", NarrowType::kFp16},
};

// The first type that has a word in the text.
NarrowType TypeIn(std::string_view text) {
  const std::string lower = Lower(text);
  for (const TypeWord& word : kTypes) {
    if (lower.find(word.text) != std::string::npos) return word.type;
  }
  return NarrowType::kUnknown;
}

int BitsOfType(std::string_view type) {
  const auto has = [&](std::string_view part) { return type.find(part) != std::string_view::npos; };
  if (has("Float4")) return 4;
  if (has("Float8")) return 8;
  if (has("BFloat16") || has("Half")) return 16;
  if (has("float")) return 32;
  return has("double") ? 64 : 0;
}

}  // namespace

int BitsOfKernel(std::string_view kernel) {
  if (const int bits = BitsOfNvjet(kernel)) return bits;
  const size_t word = kWordSet.First(Lower(kernel));
  return word == WordSet::kNone ? 0 : kWords[word].bits;
}

NarrowType NarrowTypeOf(std::string_view text) { return TypeIn(text); }

bool IsWholeGraph(std::string_view kernel) {
  constexpr std::string_view kGraph = "CUDA graph ";
  return kernel.starts_with(kGraph) && kernel.size() > kGraph.size() &&
         IsDigit(kernel[kGraph.size()]);
}

const char* NameOf(NarrowType type) {
  static constexpr std::array<const char*, kNarrowTypes> kNames = {"", "fp4", "fp8", "bf16",
                                                                   "fp16"};
  return kNames[static_cast<size_t>(type)];
}

int BitsOfInputTypes(std::string_view input_types) {
  int bits = 0;
  while (!input_types.empty()) {
    const size_t comma = std::min(input_types.find(','), input_types.size());
    const int one = BitsOfType(input_types.substr(0, comma));
    if (one != 0 && bits != 0 && one != bits) return 0;
    if (one != 0) bits = one;
    input_types.remove_prefix(std::min(comma + 1, input_types.size()));
  }
  return bits;
}

}  // namespace stepscope
