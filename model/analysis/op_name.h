// The op-name grammar of TensorFlow, JAX and tf.data names (docs/rules.md#op-names), and what an
// event's name says about its role in grouping. Pure; O(length); views point into the text given or
// to literals.
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

// PyTorch's ops have no type of their own. What is left of an op's name when all that tells
// variants apart is gone: namespaces, the '_' of the in-place form, autograd's wrapper and overload
// number
// ("aten::add_" -> "add", "autograd::engine::evaluate_function: AddmmBackward0" ->
// "AddmmBackward"). Never empty for a name that is not.
std::string_view TorchOpType(std::string_view name);
// Of GPU work that no op launched: "Memcpy", "Memset", "Collective" or "Kernel".
std::string_view TorchKernelType(std::string_view name);

// What an event's name makes it for grouping (docs/rules.md#grouping).
enum class HostEventType : uint8_t {
  kNone,        // no known name
  kOtherKnown,  // a known name without a rule of its own
  kTraceContext,
  kFunctionRun,
  kSessionRun,
  kRunGraph,
  kEagerExecute,
  kExecutorProcess,
  kCapturedFunction,  // InstantiatedCapturedFunction::*
  kGetNext,           // IteratorGetNextOp::DoCompute
  kGetNextAsOptional,
  kLoopMarker,  // WhileOp-EvalCond and the like: no groups at all
  kKernelLaunch,
  kKernelExecute,
  kIterator,
  kTfOpRun,
  kBatch,            // ProcessBatch: a root of level 2
  kBatchingSession,  // BatchingSessionRun: a root of level 1
  // From here on of hosts with TPUs.
  kTpuExecute,  // TpuExecuteOp
  kTpuEnqueue,  // EnqueueRequestLocked: of a TPU stream
  kTpuDequeue,  // the requests that it leads to
  kTpuRun,      // DoEnqueueProgram and its continuation: of a run id
  kTpuRunDone,  // CompleteCallbacks: of a run id
};
HostEventType ClassifyHostEvent(std::string_view name);

// FunctionRun, SessionRun, RunGraph, ExecutorState::Process: their groups carry no step name.
bool IsImplicitRoot(HostEventType type);

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);
bool ContainsIgnoreCase(std::string_view text, std::string_view part);

}  // namespace stepscope
