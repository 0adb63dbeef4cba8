// The role of a Python function by the library that it is part of and its name
// (docs/rules.md#losses). Folders and files of the program itself say nothing: only a library's
// path from its root on counts. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "model/analysis/grouping/host_role.h"

namespace stepscope {

// A Python function in a trace: PyTorch writes "torch/nn/modules/module.py(12): forward", JAX and
// TensorFlow "$module.py:12 forward". Views into the name.
struct PythonFrame {
  std::string_view path;  // from the library's root on where that is known; JAX: the file only
  std::string_view function;
};

// Names that programs give to functions and annotations that prepare input.
inline constexpr std::array<std::string_view, 11> kInputWords = {
    "preprocess", "load_batch", "data_load",  "wait_for_batch", "next_batch",        "get_batch",
    "collate",    "collate_fn", "read_video", "read_image",     "prefetch_to_device"};

// Names that programs give to functions and annotations that save a checkpoint.
inline constexpr std::array<std::string_view, 5> kSaveWords = {
    "save_checkpoint", "_save_checkpoint", "checkpoint_save", "save_pretrained", "save_weights"};

// A row of the table: what functions of a library do.
struct FrameRow {
  // Begin of the path; "": any path, "$": a file without a path. A whole path stands for that file.
  std::string_view library;
  std::string_view file;      // begin of the file's name; "": any
  std::string_view function;  // "": any; "trace_*": its begin; else the whole name
  HostRole role = HostRole::kWork;
  std::string_view source;  // where the name comes from
};
std::span<const FrameRow> FrameRows();
// The first row that fits; null if none does. O(name * rows).
const FrameRow* FrameRowOf(const PythonFrame& frame);

// Nothing if the name is no Python function. O(name).
std::optional<PythonFrame> ParsePythonFrame(std::string_view name);

// kNothing, kInput, kCompile, kTune, kSync, kAwait, kBarrier, kSave, kPause, kPeer or kWork.
// O(name * rows).
HostRole RoleOfFrame(const PythonFrame& frame);

}  // namespace stepscope
