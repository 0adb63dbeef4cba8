#include "model/analysis/grouping/host_roles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

#include "model/analysis/grouping/frame_roles.h"
#include "model/base/ascii.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

using Match = HostNameRow::Match;

constexpr std::string_view kGc = "CPython: the module gc", kSelect = "CPython: selectmodule.c",
                           kCuda = "PyTorch: torch.cuda", kProfiler = "PyTorch: torch.profiler",
                           kTorchSource = "PyTorch: torch.distributed",
                           kData = "PyTorch: torch.utils.data",
                           kNative = "PyTorch: native_functions.yaml",
                           kTensorFlowSource = "TensorFlow: save_restore_v2_ops",
                           kKernels = "TensorFlow: core/kernels", kXla = "OpenXLA: xla",
                           kJaxSource = "JAX", kPrograms = "what programs call it",
                           kProcesses = "CPython: the module _multiprocessing",
                           kSocket = "CPython: socketmodule.c",
                           kPosix = "POSIX, as Nsight Systems names calls";

// These hold before anything else; the first that fits.
constexpr std::array kFirstRows = {
    HostNameRow{Match::kBegin, "ThreadpoolListener::", HostRole::kNothing, "TSL: profiler"},
    HostNameRow{Match::kBegin, "ProfilerStep#", HostRole::kNothing, kProfiler},
    HostNameRow{Match::kBegin, "TraceContext", HostRole::kNothing, "TSL: profiler"},
    HostNameRow{Match::kBegin, "PyTorch Profiler", HostRole::kNothing, kProfiler},
    HostNameRow{Match::kBegin, "end: ", HostRole::kNothing, "OpenXLA: the CPU's thunks"},
    HostNameRow{Match::kBegin, "FunctionRun", HostRole::kNothing, kKernels},
    HostNameRow{Match::kBegin, "Python GC", HostRole::kGarbage, kProfiler},
    HostNameRow{Match::kBegin, "$gc collect", HostRole::kGarbage, kGc},
    HostNameRow{Match::kBegin, "gc.collect", HostRole::kGarbage, kGc},
    HostNameRow{Match::kBegin, "<built-in function collect>", HostRole::kGarbage, kGc},
    HostNameRow{Match::kWhole, "gc", HostRole::kGarbage, kPrograms},
    HostNameRow{Match::kWhole, "GC", HostRole::kGarbage, kPrograms},
    HostNameRow{Match::kBegin, "<built-in method synchronize of Event", HostRole::kEvent, kCuda},
    HostNameRow{Match::kBegin, "<built-in method synchronize of torch.cuda.Event", HostRole::kEvent,
                kCuda},
    HostNameRow{Match::kBegin, "c10d::barrier", HostRole::kBarrier, kTorchSource},
    HostNameRow{Match::kBegin, "c10d::monitored_barrier", HostRole::kBarrier, kTorchSource},
    HostNameRow{Match::kBegin, "nccl:barrier", HostRole::kBarrier, kTorchSource},
    HostNameRow{Match::kBegin, "MPI_Barrier", HostRole::kBarrier, "MPI"},
    HostNameRow{Match::kEnd, "::WaitAtBarrier", HostRole::kBarrier,
                "TSL: the coordination service"},
    HostNameRow{Match::kWhole, "barrier", HostRole::kBarrier, kPrograms},
    HostNameRow{Match::kBegin, "SaveV2", HostRole::kSave, kTensorFlowSource},
    HostNameRow{Match::kEnd, ":SaveV2", HostRole::kSave, kTensorFlowSource},
    HostNameRow{Match::kBegin, "MergeV2Checkpoints", HostRole::kSave, kTensorFlowSource},
    HostNameRow{Match::kEnd, ":MergeV2Checkpoints", HostRole::kSave, kTensorFlowSource},
    HostNameRow{Match::kWhole, "save_checkpoint", HostRole::kSave, kPrograms},
    HostNameRow{Match::kWhole, "_save_checkpoint", HostRole::kSave, kPrograms},
    HostNameRow{Match::kWhole, "checkpoint_save", HostRole::kSave, kPrograms},
    HostNameRow{Match::kWhole, "save_pretrained", HostRole::kSave, kPrograms},
    HostNameRow{Match::kWhole, "save_weights", HostRole::kSave, kPrograms},
    HostNameRow{Match::kBegin, "<built-in method acquire of _thread.", HostRole::kPause,
                "CPython: _threadmodule.c"},
    HostNameRow{Match::kBegin, "<built-in method get of _queue.SimpleQueue", HostRole::kPause,
                "CPython: _queuemodule.c"},
    HostNameRow{Match::kBegin, "<built-in method recv of _multiprocessing.", HostRole::kPeer,
                kProcesses},
    HostNameRow{Match::kBegin, "<built-in method recv_bytes of _multiprocessing.", HostRole::kPeer,
                kProcesses},
    HostNameRow{Match::kBegin, "<built-in method poll of _multiprocessing.", HostRole::kPeer,
                kProcesses},
    HostNameRow{Match::kBegin, "<built-in method acquire of _multiprocessing.", HostRole::kPeer,
                kProcesses},
    HostNameRow{Match::kBegin, "<built-in method poll of select.", HostRole::kPause, kSelect},
    HostNameRow{Match::kBegin, "<built-in function select>", HostRole::kPause, kSelect},
    HostNameRow{Match::kBegin, "<built-in method recv of _socket.socket", HostRole::kPeer, kSocket},
    HostNameRow{Match::kBegin, "<built-in method recv_into of _socket.socket", HostRole::kPeer,
                kSocket},
    HostNameRow{Match::kBegin, "<built-in function sleep>", HostRole::kPause,
                "CPython: timemodule.c"},
    HostNameRow{Match::kBegin, "<built-in function waitpid>", HostRole::kPeer,
                "CPython: posixmodule.c"},
    HostNameRow{Match::kWhole, "poll", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "ppoll", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "epoll_wait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "epoll_pwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "sem_wait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "sem_timedwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "sem_clockwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "pthread_cond_wait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "pthread_cond_timedwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "pthread_cond_clockwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "pthread_join", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "pthread_barrier_wait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "nanosleep", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "clock_nanosleep", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "usleep", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "sigwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "sigwaitinfo", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "sigtimedwait", HostRole::kPause, kPosix},
    HostNameRow{Match::kWhole, "futex", HostRole::kPause, kPosix},
};

// These are asked after the names of CUDA's and HIP's calls.
constexpr std::array kLaterRows = {
    HostNameRow{Match::kLast, "IteratorGetNext", HostRole::kWait, kKernels},
    HostNameRow{Match::kLast, "QueueDequeue", HostRole::kWait, kKernels},
    HostNameRow{Match::kBegin, "InfeedEnqueue", HostRole::kWait, kKernels},
    HostNameRow{Match::kBegin, "enumerate(DataLoader)", HostRole::kWait, kData},
    HostNameRow{Match::kWhole, "ExecutorState::Process", HostRole::kExecutor, kKernels},
    HostNameRow{Match::kWhole, "GpuExecutable::ExecuteThunks", HostRole::kExecutor, kXla},
    HostNameRow{Match::kPart, "Executable::Execute", HostRole::kExecutor, kXla},
    HostNameRow{Match::kName, "aten::item", HostRole::kSync, kNative},
    HostNameRow{Match::kName, "aten::_local_scalar_dense", HostRole::kSync, kNative},
    HostNameRow{Match::kName, "aten::is_nonzero", HostRole::kSync, kNative},
    HostNameRow{Match::kName, "block_until_ready", HostRole::kAwait, kJaxSource},
    HostNameRow{Match::kName, "BlockUntilReady", HostRole::kAwait, "OpenXLA: PJRT"},
    HostNameRow{Match::kName, "BlockHostUntilDone", HostRole::kAwait, "OpenXLA: stream_executor"},
    HostNameRow{Match::kName, "BufferSequencingEvent", HostRole::kAwait, "OpenXLA: PJRT"},
    HostNameRow{Match::kWhole, "np.asarray(jax.Array)", HostRole::kSync, kJaxSource},
    HostNameRow{Match::kWords, "xla compile", HostRole::kCompile, kXla},
    HostNameRow{Match::kWords, "autotune", HostRole::kTune, kXla},
    HostNameRow{Match::kWords, "autotuner", HostRole::kTune, kXla},
    HostNameRow{Match::kWords, "autotuning", HostRole::kTune, kXla},
    HostNameRow{Match::kWords, "hlo pass pipeline", HostRole::kCompile, kXla},
    HostNameRow{Match::kWords, "build executable", HostRole::kCompile, kXla},
    // A phase of compilation. "TorchDynamo Cache Lookup" finds what is compiled already.
    HostNameRow{Match::kEnd, " (dynamo_timed)", HostRole::kCompile, "PyTorch: torch._dynamo.utils"},
    HostNameRow{Match::kEnd, "::Compile", HostRole::kCompile, kXla},
    HostNameRow{Match::kPart, "::Compile(", HostRole::kCompile, kXla},
    HostNameRow{Match::kWhole, "Compile", HostRole::kCompile, kXla},
    HostNameRow{Match::kBegin, "Iterator::", HostRole::kInput, "TensorFlow: tf.data"},
    HostNameRow{Match::kWords, "dataloader", HostRole::kInput, kData},
    HostNameRow{Match::kWords, "data loader", HostRole::kInput, kData},
    HostNameRow{Match::kAnyCase, "preprocess", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "load_batch", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "data_load", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "wait_for_batch", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "next_batch", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "get_batch", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "collate", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "collate_fn", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "read_video", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "read_image", HostRole::kInput, kPrograms},
    HostNameRow{Match::kAnyCase, "prefetch_to_device", HostRole::kInput, kPrograms},
};

bool IsNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the text has the name by itself: "preprocess" is not in "sdd_preprocess_splits".
bool HasName(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !IsNameChar(text[at - 1]);
    const size_t end = at + name.size();
    if (begins && (end == text.size() || !IsNameChar(text[end]))) return true;
  }
  return false;
}

// The words of identifiers in lower case, each between blanks: " data loader iter " of
// "DataLoaderIter" and of "data_loader_iter".
std::string WordsOf(std::string_view text) {
  const auto is_upper = [&](size_t i) {
    return i < text.size() && std::isupper(static_cast<unsigned char>(text[i])) != 0;
  };
  const auto is_lower = [&](size_t i) {
    return i < text.size() && std::islower(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string words = " ";
  for (size_t i = 0; i < text.size(); ++i) {
    const bool letter = std::isalnum(static_cast<unsigned char>(text[i])) != 0;
    const bool begins = is_upper(i) && i > 0 && (!is_upper(i - 1) || is_lower(i + 1));
    if ((begins || !letter) && words.back() != ' ') words += ' ';
    if (letter) words += Lower(text[i]);
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

// The op or function itself: what stands before a slash is a scope or a folder of the program,
// which says nothing.
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// A part in lower case of each name that rows find inside another one. A trace may have a million
// names, of which few have any of them.
constexpr std::array<std::string_view, 18> kHints = {"executable::execute",
                                                     "aten::i",
                                                     "aten::_local",
                                                     "block",
                                                     "buffersequencing",
                                                     "compile",
                                                     "autotun",
                                                     "hlopass",
                                                     "hlo_pass",
                                                     "buildexec",
                                                     "build_exec",
                                                     "data",
                                                     "batch",
                                                     "preprocess",
                                                     "collate",
                                                     "read_",
                                                     "prefetch_to",
                                                     "hlo pass"};
constexpr WordSet kHintSet(kHints);

// The name that rows are compared with. Its words are found when a row asks for them.
struct Asked {
  explicit Asked(std::string_view of)
      : name(of), last(LastPart(of)), lower(Lower(last)), hinted(kHintSet.AnyIn(lower)) {}
  std::string_view name, last;
  std::string lower, words;
  bool hinted;
};

bool Fits(const HostNameRow& row, Asked* asked) {
  switch (row.match) {
    case Match::kWhole:
      return asked->name == row.text;
    case Match::kBegin:
      return asked->name.starts_with(row.text);
    case Match::kLast:
      return asked->last.starts_with(row.text);
    case Match::kEnd:
      return asked->name.ends_with(row.text);
    case Match::kPart:
      return asked->hinted && asked->last.find(row.text) != std::string_view::npos;
    case Match::kName:
      return asked->hinted && HasName(asked->last, row.text);
    case Match::kAnyCase:
      return asked->hinted && HasName(asked->lower, row.text);
    case Match::kWords:
      if (!asked->hinted) return false;
      if (asked->words.empty()) asked->words = WordsOf(asked->last);
      return asked->words.find(" " + std::string(row.text) + " ") != std::string::npos;
  }
  return false;
}

const HostNameRow* FirstOf(std::span<const HostNameRow> rows, Asked* asked) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const HostNameRow& r) { return Fits(r, asked); });
  return row == rows.end() ? nullptr : &*row;
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

// Whether a call of a runtime that is not CUDA's or HIP's has a name of such calls: one identifier
// that begins with a few lower letters and a capital, as urQueueFinish and synLaunch do.
bool HasCallName(std::string_view name) {
  constexpr size_t kLongestPrefix = 5;
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const size_t upper =
      static_cast<size_t>(std::find_if(name.begin(), name.end(), is_upper) - name.begin());
  return upper > 0 && upper <= kLongestPrefix && name.find_first_of("_<:( ") == name.npos;
}

HostRole RuntimeRole(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("EventSynchronize") || has("EventWait")) return HostRole::kEvent;
  if (has("Synchronize") || has("QueueFinish")) return HostRole::kSync;
  if (has("GraphLaunch")) return HostRole::kGraph;
  if (has("ModuleLoad") || has("LibraryLoad") || has("LinkComplete")) return HostRole::kCompile;
  if (has("LaunchHostFunc")) return HostRole::kRuntime;
  if (has("Launch")) return HostRole::kLaunch;
  const bool copies = has("Memcpy") || has("Memset");
  if (copies) return has("Async") ? HostRole::kCopy : HostRole::kSync;
  return HostRole::kRuntime;
}

}  // namespace

std::span<const HostNameRow> FirstHostNameRows() { return kFirstRows; }
std::span<const HostNameRow> LaterHostNameRows() { return kLaterRows; }

const HostNameRow* HostNameRowOf(std::string_view name, bool first) {
  Asked asked(name);
  return FirstOf(first ? FirstHostNameRows() : LaterHostNameRows(), &asked);
}

HostRole RoleOfHostEvent(std::string_view name, EventCategory category) {
  if (category == EventCategory::kStep) return HostRole::kNothing;
  if (const auto frame = ParsePythonFrame(name)) return RoleOfFrame(*frame);
  Asked asked(name);
  if (const HostNameRow* row = FirstOf(kFirstRows, &asked)) return row->role;
  if (IsRuntimeName(name)) return RuntimeRole(name);
  if (category == EventCategory::kRuntimeCall) {
    // Some profilers name a launch call after its kernel.
    const bool templated = name.find_first_of("<(") != name.npos;
    const HostRole role = templated ? HostRole::kRuntime : RuntimeRole(name);
    return role == HostRole::kRuntime && !HasCallName(name) ? HostRole::kWork : role;
  }
  const HostNameRow* row = FirstOf(kLaterRows, &asked);
  return row != nullptr ? row->role : HostRole::kWork;
}

bool IsBlocking(HostRole role) {
  return role == HostRole::kSync || role == HostRole::kEvent || role == HostRole::kBarrier;
}

bool IsPause(HostRole role) { return role == HostRole::kPause || role == HostRole::kPeer; }

bool IsRuntimeWork(std::string_view name, EventCategory category) {
  if (category == EventCategory::kStep || category == EventCategory::kUserAnnotation ||
      category == EventCategory::kPythonFunction || ParsePythonFrame(name)) {
    return false;
  }
  static constexpr std::array<std::string_view, 4> kBegins = {"TFE_", "Eager", "PjitFunction",
                                                              "Pjrt"};
  return RoleOfHostEvent(name, category) == HostRole::kExecutor || BeginsWithAny(name, kBegins) ||
         name.find("::") != std::string_view::npos;
}

}  // namespace stepscope
