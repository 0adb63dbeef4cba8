// Whether this is a build with a sanitizer, where everything takes ten times as long. Tests of
// thousands of damaged files, or of many parts of a file, then try a tenth of them; the fuzzers do
// the rest.
#pragma once

namespace stepscope {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace stepscope
