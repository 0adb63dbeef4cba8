#include "model/analysis/grouping/frame_roles.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr HostRole kInput = HostRole::kInput, kCompile = HostRole::kCompile,
                   kTune = HostRole::kTune, kWork = HostRole::kWork, kPause = HostRole::kPause,
                   kPeer = HostRole::kPeer;
constexpr std::string_view kTorchData = "PyTorch: torch.utils.data", kVision = "torchvision",
                           kHugging = "Hugging Face Transformers",
                           kInductor = "PyTorch: TorchInductor", kTriton = "Triton",
                           kJax = "JAX: jax._src", kTensorFlow = "TensorFlow: tf.function",
                           kTorch = "PyTorch", kOrbax = "Orbax", kKeras = "Keras",
                           kPython = "CPython: Lib";
constexpr std::array kRows = {
    FrameRow{"torch/utils/data/", "", "", kInput, kTorchData},
    FrameRow{"$", "dataloader.py", "__next__", kInput, kTorchData},
    FrameRow{"$", "dataloader.py", "_next_data", kInput, kTorchData},
    FrameRow{"$", "dataloader.py", "_get_data", kInput, kTorchData},
    FrameRow{"$", "dataloader.py", "_try_get_data", kInput, kTorchData},
    FrameRow{"torchvision/transforms/", "", "", kInput, kVision},
    FrameRow{"torchvision/io/", "", "", kInput, kVision},
    FrameRow{"torchvision/datasets/", "", "", kInput, kVision},
    FrameRow{"transformers/", "image_processing", "", kInput, kHugging},
    FrameRow{"transformers/", "feature_extraction", "", kInput, kHugging},
    FrameRow{"transformers/", "tokenization_", "", kInput, kHugging},
    FrameRow{"tokenizers/", "", "", kInput, "Hugging Face Tokenizers"},
    FrameRow{"webdataset/", "", "", kInput, "WebDataset"},
    FrameRow{"albumentations/", "", "", kInput, "Albumentations"},
    // Compiled code that runs lies in the compiler's own folders.
    FrameRow{"torch/_inductor/", "output_code.py", "", kWork, kInductor},
    FrameRow{"torch/_inductor/", "cudagraph_", "", kWork, kInductor},
    FrameRow{"torch/_inductor/", "utils.py", "run", kWork, kInductor},
    FrameRow{"torch/_inductor/", "codecache.py", "__call__", kWork, kInductor},
    FrameRow{"torch/_inductor/", "compile_fx.py", "run", kWork, kInductor},
    FrameRow{"torch/_inductor/runtime/", "triton_heuristics.py", "autotune_to_one_config", kTune,
             kInductor},
    FrameRow{"torch/_inductor/runtime/", "triton_heuristics.py", "benchmark_all_configs", kTune,
             kInductor},
    FrameRow{"torch/_inductor/runtime/", "triton_heuristics.py", "coordinate_descent_tuning", kTune,
             kInductor},
    FrameRow{"torch/_inductor/runtime/", "triton_heuristics.py", "precompile", kCompile, kInductor},
    FrameRow{"torch/_inductor/runtime/", "benchmarking.py", "", kTune, kInductor},
    FrameRow{"torch/_inductor/runtime/", "", "", kWork, kInductor},
    FrameRow{"torch/_inductor/", "select_algorithm.py", "benchmark*", kTune, kInductor},
    FrameRow{"torch/_inductor/", "autotune_process.py", "benchmark*", kTune, kInductor},
    FrameRow{"torch/_inductor/", "", "", kCompile, kInductor},
    FrameRow{"torch/_dynamo/", "convert_frame.py", "", kCompile, "PyTorch: TorchDynamo"},
    FrameRow{"triton/compiler/", "", "launch_metadata", kWork, kTriton},
    FrameRow{"triton/compiler/", "", "__getitem__", kWork, kTriton},
    FrameRow{"triton/compiler/", "", "runner", kWork, kTriton},
    FrameRow{"triton/compiler/", "", "run", kWork, kTriton},
    FrameRow{"triton/compiler/", "", "", kCompile, kTriton},
    FrameRow{"triton/runtime/", "autotuner.py", "_bench", kTune, kTriton},
    FrameRow{"triton/runtime/", "autotuner.py", "benchmark", kTune, kTriton},
    FrameRow{"triton/testing.py", "testing.py", "do_bench*", kTune, kTriton},
    FrameRow{"", "", "backend_compile*", kCompile, kJax},
    FrameRow{"", "", "compile_or_get_cached", kCompile, kJax},
    FrameRow{"", "", "trace_to_jaxpr*", kCompile, kJax},
    FrameRow{"", "", "lower_jaxpr*", kCompile, kJax},
    FrameRow{"", "", "xla_compile", kCompile, kJax},
    FrameRow{"", "tracing_compilation.py", "trace_function", kCompile, kTensorFlow},
    FrameRow{"", "tracing_compilation.py", "_maybe_define_function", kCompile, kTensorFlow},
    FrameRow{"", "tracing_compilation.py", "_create_concrete_function", kCompile, kTensorFlow},
    FrameRow{"", "", "block_until_ready", HostRole::kAwait, kJax},
    // float(array) and numpy.asarray(array) wait for the array and copy it to the host, inside
    // functions that only pass the call on.
    FrameRow{"", "array.py", "__array__", HostRole::kNothing, kJax},
    FrameRow{"", "profiler.py", "wrapper", HostRole::kNothing, kJax},
    FrameRow{"", "array.py", "_value", HostRole::kSync, kJax},
    FrameRow{"", "multihost_utils.py", "sync_global_devices", HostRole::kBarrier, kJax},
    FrameRow{"torch/distributed/", "distributed_c10d.py", "barrier", HostRole::kBarrier, kTorch},
    FrameRow{"torch/distributed/", "distributed_c10d.py", "monitored_barrier", HostRole::kBarrier,
             kTorch},
    FrameRow{"torch/", "serialization.py", "save", HostRole::kSave, kTorch},
    FrameRow{"torch/distributed/checkpoint/", "state_dict_saver.py", "", HostRole::kSave, kTorch},
    FrameRow{"safetensors/", "", "save_file", HostRole::kSave, "safetensors"},
    FrameRow{"$", "checkpoint_manager.py", "save", HostRole::kSave, kOrbax},
    FrameRow{"$", "checkpointer.py", "save", HostRole::kSave, kOrbax},
    FrameRow{"$", "async_checkpointer.py", "save", HostRole::kSave, kOrbax},
    FrameRow{"$", "model_checkpoint.py", "_save_model", HostRole::kSave, kKeras},
    FrameRow{"$", "saving_lib.py", "save_model", HostRole::kSave, kKeras},
    FrameRow{"$", "saving_api.py", "save_model", HostRole::kSave, kKeras},
    FrameRow{"$", "checkpoint.py", "save", HostRole::kSave, "TensorFlow: tf.train.Checkpoint"},
    // Python's own library: what waits for another thread, for another process, or for either.
    FrameRow{"threading.py", "threading.py", "wait", kPause, kPython},
    FrameRow{"threading.py", "threading.py", "wait_for", kPause, kPython},
    FrameRow{"threading.py", "threading.py", "join", kPause, kPython},
    FrameRow{"threading.py", "threading.py", "acquire", kPause, kPython},
    FrameRow{"threading.py", "threading.py", "_wait_for_tstate_lock", kPause, kPython},
    FrameRow{"queue.py", "queue.py", "get", kPause, kPython},
    FrameRow{"queue.py", "queue.py", "put", kPause, kPython},
    FrameRow{"queue.py", "queue.py", "join", kPause, kPython},
    FrameRow{"selectors.py", "selectors.py", "select", kPause, kPython},
    FrameRow{"concurrent/futures/", "_base.py", "result", kPause, kPython},
    FrameRow{"concurrent/futures/", "_base.py", "wait", kPause, kPython},
    FrameRow{"multiprocessing/", "queues.py", "get", kPeer, kPython},
    FrameRow{"multiprocessing/", "connection.py", "recv*", kPeer, kPython},
    FrameRow{"multiprocessing/", "connection.py", "_recv*", kPeer, kPython},
    FrameRow{"multiprocessing/", "connection.py", "poll", kPeer, kPython},
    FrameRow{"multiprocessing/", "connection.py", "_poll", kPeer, kPython},
    FrameRow{"multiprocessing/", "connection.py", "wait", kPeer, kPython},
    FrameRow{"multiprocessing/", "pool.py", "get", kPeer, kPython},
    FrameRow{"multiprocessing/", "process.py", "join", kPeer, kPython},
    FrameRow{"multiprocessing/", "popen_fork.py", "wait", kPeer, kPython},
    FrameRow{"multiprocessing/", "popen_fork.py", "poll", kPeer, kPython},
    FrameRow{"multiprocessing/", "synchronize.py", "__enter__", kPeer, kPython},
    FrameRow{"subprocess.py", "subprocess.py", "wait", kPeer, kPython},
    FrameRow{"subprocess.py", "subprocess.py", "_wait", kPeer, kPython},
    FrameRow{"subprocess.py", "subprocess.py", "_try_wait", kPeer, kPython},
    FrameRow{"subprocess.py", "subprocess.py", "communicate", kPeer, kPython},
};

void SkipDigits(std::string_view* text) {
  while (!text->empty() && IsDigit(text->front())) text->remove_prefix(1);
}

// Skips "(12): ", ":12 ", ": " or " " behind a file's name. Returns false for anything else.
bool SkipLine(std::string_view* text) {
  if (text->starts_with("(")) {
    text->remove_prefix(1);
    SkipDigits(text);
    if (!text->starts_with(")")) return false;
    text->remove_prefix(1);
  } else if (text->size() > 1 && text->front() == ':' && IsDigit((*text)[1])) {
    text->remove_prefix(1);
    SkipDigits(text);
  }
  if (text->starts_with(":")) text->remove_prefix(1);
  if (!text->starts_with(" ")) return false;
  text->remove_prefix(1);
  return true;
}

// The path from the root of an installed library, or of Python's own, on.
std::string_view FromRoot(std::string_view path) {
  for (const std::string_view root : {"site-packages/", "dist-packages/"}) {
    const size_t at = path.rfind(root);
    if (at != std::string_view::npos) return path.substr(at + root.size());
  }
  constexpr std::string_view kPythonRoot = "lib/python3.";
  const size_t at = path.rfind(kPythonRoot);
  const size_t slash = at == path.npos ? at : path.find('/', at + kPythonRoot.size());
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool MatchesFunction(std::string_view function, std::string_view row) {
  if (row.ends_with("*")) return function.starts_with(row.substr(0, row.size() - 1));
  return row.empty() || function == row;
}

bool Matches(const PythonFrame& frame, const FrameRow& row) {
  const size_t slash = frame.path.rfind('/');
  const bool bare = slash == std::string_view::npos;
  const std::string_view file = bare ? frame.path : frame.path.substr(slash + 1);
  const bool library = row.library == "$" ? bare : frame.path.starts_with(row.library);
  return library && file.starts_with(row.file) && MatchesFunction(frame.function, row.function);
}

}  // namespace

std::optional<PythonFrame> ParsePythonFrame(std::string_view name) {
  const size_t end = name.find(".py");
  if (end == std::string_view::npos) return std::nullopt;
  PythonFrame frame;
  frame.function = name.substr(end + 3);
  if (!SkipLine(&frame.function)) return std::nullopt;
  frame.path = name.substr(0, end + 3);
  if (frame.path.starts_with("$")) frame.path.remove_prefix(1);
  frame.path = FromRoot(frame.path);
  return frame;
}

std::span<const FrameRow> FrameRows() { return kRows; }

const FrameRow* FrameRowOf(const PythonFrame& frame) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [&](const FrameRow& r) { return Matches(frame, r); });
  return row == kRows.end() ? nullptr : &*row;
}

HostRole RoleOfFrame(const PythonFrame& frame) {
  if (const FrameRow* row = FrameRowOf(frame)) return row->role;
  const auto is_any_of = [&](const auto& words) {
    return std::find(words.begin(), words.end(), frame.function) != words.end();
  };
  if (is_any_of(kSaveWords)) return HostRole::kSave;
  return is_any_of(kInputWords) ? kInput : kWork;
}

}  // namespace stepscope
