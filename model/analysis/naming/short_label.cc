#include "model/analysis/naming/short_label.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 30> kDecoration = {
    "ampere",  "volta",    "turing", "hopper",    "sm75",   "sm80", "sm86", "sm90",
    "gfx90a",  "gfx942",   "void",   "optimized", "stages", "nhwc", "nchw", "kernel",
    "cutlass", "tensorop", "fp16",   "bf16",      "tf32",   "f16",  "new",  "ldg8",
    "nn",      "tn",       "nt",     "tt",        "static", "impl"};

// The verbs of GPU work: people call a kernel by this word of its name.
constexpr std::array<std::string_view, 24> kVerbs = {
    "fprop",     "wgrad",  "dgrad",     "gemm",          "gemv",      "conv",
    "softmax",   "reduce", "allreduce", "allgather",     "scatter",   "broadcast",
    "transpose", "memcpy", "memset",    "fusion",        "attention", "layernorm",
    "dropout",   "sort",   "copy",      "reducescatter", "relu",      "scan"};

// Collectives of several words: one of them would name another operation.
constexpr std::array<std::string_view, 4> kCollectives = {"all_reduce", "all_gather",
                                                          "reduce_scatter", "all_to_all"};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> out;
  size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && !IsWord(text[i])) ++i;
    const size_t begin = i;
    while (i < text.size() && IsWord(text[i])) ++i;
    if (i > begin) out.push_back(text.substr(begin, i - begin));
  }
  return out;
}

bool IsDecoration(std::string_view word) {
  const std::string lower = Lower(word);
  if (std::find(kDecoration.begin(), kDecoration.end(), lower) != kDecoration.end()) return true;
  // Tile sizes such as "32x5" and bare numbers.
  return std::all_of(lower.begin(), lower.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == 'x'; });
}

// Removes decoration from the end of snake_case names: "..._kernel_NHWC" -> "...".
std::string WithoutTail(std::string text) {
  for (;;) {
    const size_t cut = text.rfind('_');
    if (cut == std::string::npos || cut < 4) return text;
    if (!IsDecoration(std::string_view(text).substr(cut + 1))) return text;
    text.resize(cut);
  }
}

std::string WithoutHead(std::string text) {
  for (;;) {
    const size_t cut = text.find('_');
    if (cut == std::string::npos || text.size() - cut < 5) return text;
    const std::string_view word = std::string_view(text).substr(0, cut);
    const bool number =
        std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!IsDecoration(word) && !number && Lower(word) != "nccldevkernel") return text;
    text.erase(0, cut + 1);
  }
}

// "gloo:all_reduce" -> "all_reduce", "all-gather.3" -> "all-gather".
std::string_view CollectiveIn(std::string_view text) {
  std::string lower = Lower(text);
  std::replace(lower.begin(), lower.end(), '-', '_');
  for (const std::string_view name : kCollectives) {
    const size_t at = lower.find(name);
    if (at != std::string::npos) return text.substr(at, name.size());
  }
  return {};
}

std::string Tiny(std::string_view text) {
  if (const std::string_view collective = CollectiveIn(text); !collective.empty())
    return std::string(collective);
  const std::vector<std::string_view> words = Words(text);
  for (std::string_view word : words) {
    const std::string lower = Lower(word);
    for (std::string_view verb : kVerbs) {
      const size_t at = lower.find(verb);
      if (at == std::string::npos) continue;
      // A verb glued to a type ("s16816fprop") stands alone; one inside a word ("AllReduce") keeps
      // the word.
      const bool glued = at > 0 && lower[at - 1] >= '0' && lower[at - 1] <= '9';
      return std::string(glued ? word.substr(at, verb.size()) : word);
    }
  }
  for (std::string_view word : words) {
    if (word.size() >= 4 && !IsDecoration(word)) return std::string(word);
  }
  return {};
}

// "cutlass::Kernel2<ampere_sgemm_128x64>" is called by its first argument: all such kernels share
// the outer name. Empty if the outer name says something.
std::string_view FirstArgumentOfKernel(std::string_view name, std::string_view outer) {
  while (!outer.empty() && outer.back() >= '0' && outer.back() <= '9') outer.remove_suffix(1);
  const size_t open = name.find('<');
  if (Lower(outer) != "kernel" || open == std::string_view::npos) return {};
  const std::string_view argument = name.substr(open + 1);
  int depth = 0;
  for (size_t i = 0; i < argument.size(); ++i) {
    if (depth == 0 && (argument[i] == ',' || argument[i] == '>')) return argument.substr(0, i);
    depth += argument[i] == '<' ? 1 : argument[i] == '>' ? -1 : 0;
  }
  return {};
}

// The operation that an identifier among a kernel's arguments names: "CUDAFunctor_add" -> "add",
// "rsqrt_kernel_cuda" -> "rsqrt", "MulFunctor" -> "Mul", "MeanOps" -> "Mean". Empty: it names none.
std::string_view Computes(std::string_view word) {
  if (const size_t at = word.find("Functor"); at != std::string_view::npos) {
    if (const size_t bar = word.find('_', at); bar != std::string_view::npos)
      return word.substr(bar + 1);
    const std::string_view head = word.substr(0, at);
    return head.ends_with("Unary") || head == "Binary" || head == "CUDA" ? std::string_view()
                                                                         : head;
  }
  for (std::string_view tail : {"_kernel_cuda", "_kernel_impl", "Ops"}) {
    if (word.ends_with(tail) && word != "gpu_kernel_impl")
      return word.substr(0, word.size() - tail.size());
  }
  return {};
}

// PyTorch's elementwise and reduce kernels differ only in the argument that names the operation.
std::string_view ComputedBy(std::string_view name, std::string_view outer) {
  if (outer.find("elementwise") == outer.npos && outer.find("reduce") == outer.npos) return {};
  for (size_t i = std::min(name.find('<'), name.size()); i < name.size();) {
    size_t end = i;
    while (end < name.size() && (IsWord(name[end]) || name[end] == '_')) ++end;
    if (const std::string_view what = Computes(name.substr(i, end - i)); !what.empty()) return what;
    i = std::max(end, i + 1);
  }
  return {};
}

// The function in the name of a Python frame: "module.py(12): call" -> "call",
// "nn.Module: Net_0" -> "Net_0", "<built-in method conv2d of type object at 0x7f>" -> "conv2d".
// Empty: the name is no such frame's.
std::string_view PythonFunction(std::string_view name) {
  for (std::string_view prefix : {"<built-in method ", "<built-in function "}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return name.substr(0, name.find_first_of(" >"));
  }
  if (name.starts_with("nn.Module: ")) return name.substr(11);
  const size_t line = name.find(".py(");
  if (line == std::string_view::npos) return {};
  const size_t end = name.find("): ", line);
  return end == std::string_view::npos ? std::string_view() : name.substr(end + 3);
}

constexpr int kMostNested = 8;  // kernels called Kernel inside one another; names have one or two

// `nested`: how many kernels called Kernel the name was inside of.
ShortForms FormsOf(std::string_view name, int nested) {
  ShortForms forms;
  if (const std::string_view function = PythonFunction(name); !function.empty()) {
    forms.middle = std::string(function);
    return forms;
  }
  // Python frames "$file.py:12 function": the function is what matters.
  if (name.starts_with("$")) {
    const size_t space = name.find(' ');
    if (space != std::string_view::npos && space + 1 < name.size()) {
      forms.middle = std::string(name.substr(space + 1));
      return forms;
    }
  }
  const std::string outer = WithoutNamespaces(WithoutArguments(name));
  if (const std::string_view inner = FirstArgumentOfKernel(name, outer);
      !inner.empty() && nested < kMostNested)
    return FormsOf(inner, nested + 1);
  forms.middle = WithoutTail(WithoutHead(outer));
  if (const std::string_view what = ComputedBy(name, outer); !what.empty())
    forms.middle.append(" ").append(what);
  forms.tiny = Tiny(forms.middle);
  if (forms.tiny.size() < 4 || forms.tiny.size() >= forms.middle.size()) forms.tiny.clear();
  return forms;
}

// The size of the words in brackets at the begin of the text, with the brackets, if they are words
// of a language and no parameters: "(Not Overlapped)", but not "(unsigned int)". 0: they are not.
size_t BracketedWords(std::string_view text) {
  constexpr std::array<std::string_view, 14> kTypes = {
      "unsigned", "signed", "int",  "long",      "short",     "char",   "const",
      "float",    "double", "bool", "anonymous", "namespace", "struct", "void"};
  constexpr size_t kLongest = 64;
  const size_t close = text.substr(0, kLongest).find_first_of(")]");
  if (close == std::string_view::npos) return 0;
  const std::string_view inside = text.substr(1, close - 1);
  const bool plain = std::all_of(inside.begin(), inside.end(), [](char c) {
    return c == ' ' || c == '-' || std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
  const std::vector<std::string_view> words = Words(inside);
  const bool typed = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
  });
  return plain && !typed && words.size() > 1 ? close + 1 : 0;
}

}  // namespace

std::string WithoutArguments(std::string_view name) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && (c == '(' || c == '[')) {
      if (const size_t words = BracketedWords(name.substr(i)); words > 0) {
        out.append(name.substr(i, words));
        i += words - 1;
        continue;
      }
    }
    const bool opens = c == '<' || c == '(' || c == '[';
    const bool closes = c == '>' || c == ')' || c == ']';
    // "operator<", "->" and a name that starts with a bracket are text, not arguments.
    const bool arrow = c == '>' && i > 0 && (name[i - 1] == '-' || name[i - 1] == '=');
    if (opens && !(out.empty() && depth == 0)) {
      ++depth;
    } else if (closes && depth > 0 && !arrow) {
      --depth;
    } else if (depth == 0) {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.empty() ? std::string(name) : out;
}

std::string WithoutNamespaces(std::string_view name) {
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    if (depth != 0) continue;
    const bool scope = c == ':' && i + 2 < name.size() && name[i + 1] == ':';
    if (scope && IsWord(name[i + 2])) start = i + 2;
    if (c == '/' && i + 1 < name.size() && IsWord(name[i + 1])) start = i + 1;
    if (c == ' ' && name.substr(0, i) == "void") start = i + 1;
  }
  return std::string(name.substr(start));
}

ShortForms MakeShortForms(std::string_view name) { return FormsOf(name, 0); }

std::string InSentence(std::string_view name) {
  constexpr size_t kLongest = 80;
  if (name.size() <= kLongest) return std::string(name);
  std::string plain = WithoutNamespaces(WithoutArguments(name));
  if (plain.size() <= kLongest) return plain;
  return std::string(CutEnd(plain, kLongest)) + "\u2026";
}

std::string_view CutEnd(std::string_view text, size_t bytes) {
  if (bytes < text.size()) {
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0u) == 0x80u) --bytes;
    text = text.substr(0, bytes);
  }
  while (!text.empty() &&
         std::string_view(" _<:(/-.").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace stepscope
