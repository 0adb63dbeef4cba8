// The role of a Python function by the library that it is part of and its name
// (docs/rules.md#losses). Folders and files of the program itself say nothing: only a library's
// path from its root on counts. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "model/analysis/grouping/host_role.h"

namespace stepscope {

// A Python function in a trace: PyTorch writes "torch/nn/modules/module.py(12): forward", JAX and
// TensorFlow "$module.py:12 forward". Views into the name.
struct PythonFrame {
  std::string_view path;  // from the library's root on where that is known; JAX: the file only
  std::string_view function;
};

// Nothing if the name is no Python function. O(name).
std::optional<PythonFrame> ParsePythonFrame(std::string_view name);

// kInput, kCompile, kAwait or kWork. O(name * rows).
HostRole RoleOfFrame(const PythonFrame& frame);

}  // namespace stepscope
