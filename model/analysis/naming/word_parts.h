// The words that a name consists of, for rules that must not match inside a longer word: "gemm" is
// a word of "cutlass_80_simt_gemm" and none of "gemmology". Pure; any thread; O(length).
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// The words of the name in lower case, each between two underscores: "LayerNormFwd2d<float>" is
// "_layer_norm_fwd_2_d_float_". A word ends where letters, digits and other characters meet, before
// a capital behind a small letter, and before the last of several capitals that a small letter
// follows ("KVCache" is "kv", "cache"). Bytes beyond ASCII are letters.
//
// A rule looks for "_gemm_" to ask for the word, "_gemm" for its begin, and "gemm_" for its end.
std::string WordParts(std::string_view name);

}  // namespace stepscope
