// Short forms of event names. Kernel names share their beginnings and hide the verb in the middle,
// so the parts that say least are cut first: template and call arguments, then namespaces and
// paths, then known decoration (architecture, tile stages, layout). Pure; any thread; O(length).
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

struct ShortForms {
  std::string middle;  // arguments, namespaces and decoration removed
  std::string tiny;    // one telling word of at least 4 letters, or empty
};

std::string WithoutArguments(std::string_view name);  // "f<a<b>>(c)::g<d>" -> "f::g"
// "a::b::c<d::e>" -> "c<d::e>"; paths: "a/b/c:D" -> "c:D"
std::string WithoutNamespaces(std::string_view name);
ShortForms MakeShortForms(std::string_view name);

// A name as sentences have it: one of more than 80 bytes without arguments and namespaces, and cut
// with an ellipsis if it is still longer. A kernel's template may take 400 characters.
std::string InSentence(std::string_view name);

// The first `bytes` at most, cut at a UTF-8 boundary, without separators at the end. The caller
// adds the ellipsis.
std::string_view CutEnd(std::string_view text, size_t bytes);

}  // namespace stepscope
