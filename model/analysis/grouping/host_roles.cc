#include "model/analysis/grouping/host_roles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <string>

#include "model/analysis/grouping/frame_roles.h"
#include "model/base/lower.h"
#include "model/base/text_parts.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the text has the word by itself: "preprocess" is not in "sdd_preprocess_splits".
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !IsWordChar(text[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !IsWordChar(text[end]))) return true;
  }
  return false;
}

bool HasAnyWord(std::string_view text, std::span<const std::string_view> words,
                const WordSet& anywhere) {
  return anywhere.AnyIn(text) &&
         std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return HasWord(text, word); });
}

// Whether it is a call of CUDA or HIP: one of these prefixes and a capital letter.
bool IsRuntimeName(std::string_view name) {
  for (std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0) {
      return true;
    }
  }
  return false;
}

HostRole RuntimeRole(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("EventSynchronize")) return HostRole::kEvent;
  if (has("Synchronize")) return HostRole::kSync;
  if (has("GraphLaunch")) return HostRole::kGraph;
  if (has("ModuleLoad") || has("LibraryLoad") || has("LinkComplete")) return HostRole::kCompile;
  if (has("LaunchHostFunc")) return HostRole::kRuntime;
  if (has("Launch")) return HostRole::kLaunch;
  const bool copies = has("Memcpy") || has("Memset");
  if (copies) return has("Async") ? HostRole::kCopy : HostRole::kSync;
  return HostRole::kRuntime;
}

constexpr std::array<std::string_view, 2> kInputParts = {"dataloader", "data_loader"};
constexpr WordSet kInputPartSet(kInputParts);
constexpr WordSet kInputWordSet(kInputWords);
constexpr std::array<std::string_view, 6> kCompileParts = {
    "XlaCompile", "xla_compile", "autotun", "Autotun", "HloPassPipeline", "BuildExecutable"};
constexpr WordSet kCompilePartSet(kCompileParts);
constexpr std::array<std::string_view, 4> kAwaitWords = {
    "block_until_ready", "BlockUntilReady", "BlockHostUntilDone", "BufferSequencingEvent"};
constexpr WordSet kAwaitWordSet(kAwaitWords);
constexpr std::array<std::string_view, 3> kSyncWords = {"aten::item", "aten::_local_scalar_dense",
                                                        "aten::is_nonzero"};
constexpr WordSet kSyncWordSet(kSyncWords);
constexpr std::array<std::string_view, 4> kWaits = {"IteratorGetNext", "IteratorGetNextOp",
                                                    "InfeedEnqueue", "enumerate(DataLoader)"};
constexpr std::array<std::string_view, 6> kNothings = {
    "ThreadpoolListener::", "ProfilerStep#", "TraceContext",
    "PyTorch Profiler",     "end: ",         "FunctionRun"};

// Names that say what a host event is whatever its category. The first row that fits holds.
struct NamedRole {
  std::string_view begin;  // of the name
  std::string_view end;    // of the name; "": any
  HostRole role;
  std::string_view source;  // where the name comes from
};
constexpr std::string_view kPython = "CPython: the module gc",
                           kTorch = "PyTorch: torch.distributed",
                           kTensorFlow = "TensorFlow: save_restore_v2_ops";
constexpr std::array kNamedRoles = {
    NamedRole{"Python GC", "", HostRole::kGarbage, "PyTorch: torch.profiler"},
    NamedRole{"$gc collect", "", HostRole::kGarbage, kPython},
    NamedRole{"gc.collect", "", HostRole::kGarbage, kPython},
    NamedRole{"<built-in function collect>", "", HostRole::kGarbage, kPython},
    NamedRole{"<built-in method synchronize of Event", "", HostRole::kEvent, "PyTorch: torch.cuda"},
    NamedRole{"<built-in method synchronize of torch.cuda.Event", "", HostRole::kEvent,
              "PyTorch: torch.cuda"},
    NamedRole{"c10d::barrier", "", HostRole::kBarrier, kTorch},
    NamedRole{"c10d::monitored_barrier", "", HostRole::kBarrier, kTorch},
    NamedRole{"nccl:barrier", "", HostRole::kBarrier, kTorch},
    NamedRole{"MPI_Barrier", "", HostRole::kBarrier, "MPI"},
    NamedRole{"", "::WaitAtBarrier", HostRole::kBarrier, "TSL: the coordination service"},
    NamedRole{"SaveV2", "", HostRole::kSave, kTensorFlow},
    NamedRole{"", ":SaveV2", HostRole::kSave, kTensorFlow},
    NamedRole{"", ":MergeV2Checkpoints", HostRole::kSave, kTensorFlow},
    NamedRole{"MergeV2Checkpoints", "", HostRole::kSave, kTensorFlow},
};

std::optional<HostRole> NamedRoleOf(std::string_view name) {
  const auto row = std::find_if(kNamedRoles.begin(), kNamedRoles.end(), [&](const NamedRole& r) {
    return name.starts_with(r.begin) && name.ends_with(r.end);
  });
  if (row != kNamedRoles.end()) return row->role;
  if (name == "barrier") return HostRole::kBarrier;
  if (name == "gc" || name == "GC") return HostRole::kGarbage;
  const bool saves = std::find(kSaveWords.begin(), kSaveWords.end(), name) != kSaveWords.end();
  return saves ? std::optional(HostRole::kSave) : std::nullopt;
}

bool IsExecutor(std::string_view name) {
  if (name == "ExecutorState::Process" || name == "GpuExecutable::ExecuteThunks") return true;
  if (name.find("Executable::Execute") != std::string_view::npos) return true;
  return name.find("PjRt") != std::string_view::npos &&
         name.find("Execute") != std::string_view::npos;
}

// The op or function itself: what stands before a slash is a scope or a folder of the program,
// which says nothing.
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// "compile_inner (dynamo_timed)": a phase of TorchDynamo's compilation (torch._dynamo.utils).
// "TorchDynamo Cache Lookup", which finds what is compiled already, is work.
bool Compiles(std::string_view name) {
  return kCompilePartSet.AnyIn(name) || name.ends_with(" (dynamo_timed)") ||
         name.ends_with("::Compile") || name == "Compile" ||
         name.find("::Compile(") != std::string_view::npos;
}

}  // namespace

HostRole RoleOfHostEvent(std::string_view name, EventCategory category) {
  if (category == EventCategory::kStep || BeginsWithAny(name, kNothings)) {
    return HostRole::kNothing;
  }
  if (const auto frame = ParsePythonFrame(name)) return RoleOfFrame(*frame);
  if (const auto role = NamedRoleOf(name)) return *role;
  if (category == EventCategory::kRuntimeCall || IsRuntimeName(name)) return RuntimeRole(name);
  if (BeginsWithAny(name, kWaits)) return HostRole::kWait;
  if (IsExecutor(name)) return HostRole::kExecutor;
  if (HasAnyWord(name, kSyncWords, kSyncWordSet)) return HostRole::kSync;
  if (HasAnyWord(name, kAwaitWords, kAwaitWordSet)) return HostRole::kAwait;
  const std::string_view last = LastPart(name);
  if (Compiles(last)) return HostRole::kCompile;
  if (name.starts_with("Iterator::")) return HostRole::kInput;
  const std::string lower = Lower(last);
  if (kInputPartSet.AnyIn(lower) || HasAnyWord(lower, kInputWords, kInputWordSet))
    return HostRole::kInput;
  return HostRole::kWork;
}

bool IsBlocking(HostRole role) {
  return role == HostRole::kSync || role == HostRole::kEvent || role == HostRole::kBarrier;
}

bool IsRuntimeWork(std::string_view name, EventCategory category) {
  if (category == EventCategory::kStep || category == EventCategory::kUserAnnotation ||
      category == EventCategory::kPythonFunction || ParsePythonFrame(name)) {
    return false;
  }
  static constexpr std::array<std::string_view, 4> kBegins = {"TFE_", "Eager", "PjitFunction",
                                                              "Pjrt"};
  return IsExecutor(name) || BeginsWithAny(name, kBegins) ||
         name.find("::") != std::string_view::npos;
}

}  // namespace stepscope
