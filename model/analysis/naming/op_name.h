// The grammar of op names of TensorFlow, JAX and tf.data (docs/rules.md#op-names), and the part
// that an event's name gives it in grouping. Pure; any thread; O(length). Views point into the text
// given, or to literals.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class OpCategory : uint8_t { kUnknown, kTensorFlow, kJax, kTfData, kMemcpy };

struct OpName {
  OpCategory category = OpCategory::kUnknown;
  std::string_view name;
  std::string_view type;  // may be empty
};
OpName ParseOpName(std::string_view text);

// The type of a PyTorch op, which records none: its name without namespaces, the '_'
// of the in-place form, autograd's wrapper and the overload number. "aten::add_"
// gives "add", "autograd::engine::evaluate_function: AddmmBackward0" gives
// "AddmmBackward". Not empty unless the name is.
std::string_view TorchOpType(std::string_view name);
// The type of GPU work that no op launched: "Memcpy", "Memset", "Collective" or "Kernel".
std::string_view TorchKernelType(std::string_view name);

// The part that an event's name gives it in grouping (docs/rules.md#grouping).
enum class HostEventType : uint8_t {
  kNone,        // the name is not known
  kOtherKnown,  // the name is known and has no rule of its own
  kTraceContext,
  kFunctionRun,
  kSessionRun,
  kRunGraph,
  kEagerExecute,
  kExecutorProcess,
  kCapturedFunction,  // InstantiatedCapturedFunction::*
  kGetNext,           // IteratorGetNextOp::DoCompute
  kGetNextAsOptional,
  kLoopMarker,  // WhileOp-EvalCond and the like: a host that has them has no groups
  kKernelLaunch,
  kKernelExecute,
  kIterator,
  kTfOpRun,
  kBatch,            // ProcessBatch: a root of level 2
  kBatchingSession,  // BatchingSessionRun: a root of level 1
  // The following occur on hosts with TPUs.
  kTpuExecute,  // TpuExecuteOp
  kTpuEnqueue,  // EnqueueRequestLocked: linked by the TPU stream
  kTpuDequeue,  // the requests that an EnqueueRequestLocked leads to
  kTpuRun,      // DoEnqueueProgram and its continuation: linked by the run id
  kTpuRunDone,  // CompleteCallbacks: linked by the run id
};
HostEventType ClassifyHostEvent(std::string_view name);

// FunctionRun, SessionRun, RunGraph and ExecutorState::Process: the groups below
// these roots have no step name.
bool IsImplicitRoot(HostEventType type);

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);
bool ContainsIgnoreCase(std::string_view text, std::string_view part);

}  // namespace stepscope
