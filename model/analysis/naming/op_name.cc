#include "model/analysis/naming/op_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/analysis/naming/collectives.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsAlnum(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }

// [A-Za-z0-9.][A-Za-z0-9_.\\/>-]*
bool IsTfName(std::string_view s) {
  if (s.empty() || !(IsAlnum(s[0]) || s[0] == '.')) return false;
  return std::all_of(s.begin() + 1, s.end(), [](char c) {
    return IsAlnum(c) || c == '_' || c == '.' || c == '\\' || c == '/' || c == '>' || c == '-';
  });
}

// [A-Z_][a-zA-Z0-9_]*
bool IsTfType(std::string_view s) {
  if (s.empty() || !(IsUpper(s[0]) || s[0] == '_')) return false;
  return std::all_of(s.begin() + 1, s.end(), [](char c) { return IsAlnum(c) || c == '_'; });
}

// [a-z_][a-z0-9_]*(\[.*\])?
bool IsJaxType(std::string_view s) {
  if (s.empty() || !(IsLower(s[0]) || s[0] == '_')) return false;
  size_t i = 1;
  while (i < s.size() && (IsLower(s[i]) || IsDigit(s[i]) || s[i] == '_')) ++i;
  return i == s.size() || (s[i] == '[' && s.size() > i + 1 && s.back() == ']');
}

bool IsInteger(std::string_view s) {
  if (!s.empty() && (s[0] == '+' || s[0] == '-')) s.remove_prefix(1);
  return !s.empty() && std::all_of(s.begin(), s.end(), IsDigit);
}

// The last '/' part without a trailing "_<integer>".
std::string_view TypeFromName(std::string_view name) {
  std::string_view op =
      name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  size_t underscore = op.rfind('_');
  if (underscore != std::string_view::npos && IsInteger(op.substr(underscore + 1)))
    op = op.substr(0, underscore);
  return op;
}

OpName ParsePlain(std::string_view text) {
  constexpr std::array<std::string_view, 4> kCopies = {"MemcpyHToD", "MemcpyDToH", "MemcpyDToD",
                                                       "MemcpyHToH"};
  for (std::string_view copy : kCopies) {
    if (StartsWithIgnoreCase(text, copy)) return {OpCategory::kMemcpy, text, copy};
  }
  return {OpCategory::kUnknown, text, {}};
}

}  // namespace

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

bool ContainsIgnoreCase(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return Lower(a) == Lower(b); }) != text.end();
}

OpName ParseOpName(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return ParsePlain(text);
  std::string_view name = text.substr(0, colon), given = text.substr(colon + 1);
  if (name == "Iterator") return {OpCategory::kTfData, text, "Dataset"};
  if (IsTfName(name) && IsTfType(given)) return {OpCategory::kTensorFlow, name, given};
  std::string_view type = given.empty() ? TypeFromName(name) : given;
  if (IsJaxType(type)) return {OpCategory::kJax, name, type.substr(0, type.find('['))};
  if (given.empty()) return {OpCategory::kTensorFlow, name, type};
  return {OpCategory::kUnknown, text, {}};
}

std::string_view TorchOpType(std::string_view name) {
  if (name.find("DataLoader") != name.npos) return "DataLoader";
  std::string_view type = name;
  if (const size_t at = type.rfind("::"); at != type.npos) type.remove_prefix(at + 2);
  if (const size_t at = type.rfind(": "); at != type.npos) type.remove_prefix(at + 2);
  type = type.substr(0, type.find_first_of("<(#"));
  if (type.ends_with('_') && !type.ends_with("__")) type.remove_suffix(1);
  std::string_view plain = type;
  while (!plain.empty() && IsDigit(plain.back())) plain.remove_suffix(1);
  if (plain.ends_with("Backward")) type = plain;
  return type.empty() ? name : type;
}

std::string_view TorchKernelType(std::string_view name) {
  if (StartsWithIgnoreCase(name, "memcpy")) return "Memcpy";
  if (StartsWithIgnoreCase(name, "memset")) return "Memset";
  return IsCollective(name) ? "Collective" : "Kernel";
}

HostEventType ClassifyHostEvent(std::string_view name) {
  using T = HostEventType;
  static constexpr std::pair<std::string_view, T> kNames[] = {
      {"TraceContext", T::kTraceContext},
      {"FunctionRun", T::kFunctionRun},
      {"SessionRun", T::kSessionRun},
      {"RunGraph", T::kRunGraph},
      {"EagerExecute", T::kEagerExecute},
      {"ExecutorState::Process", T::kExecutorProcess},
      {"InstantiatedCapturedFunction::Run", T::kCapturedFunction},
      {"InstantiatedCapturedFunction::RunWithBorrowedArgs", T::kCapturedFunction},
      {"InstantiatedCapturedFunction::RunInstantiated", T::kCapturedFunction},
      {"InstantiatedCapturedFunction::RunAsync", T::kCapturedFunction},
      {"IteratorGetNextOp::DoCompute", T::kGetNext},
      {"IteratorGetNextAsOptionalOp::DoCompute", T::kGetNextAsOptional},
      {"ParallelForOp", T::kLoopMarker},
      {"ForeverOp", T::kLoopMarker},
      {"WhileOp-EvalCond", T::kLoopMarker},
      {"WhileOp-StartBody", T::kLoopMarker},
      {"ForOp", T::kLoopMarker},
      {"KernelLaunch", T::kKernelLaunch},
      {"KernelExecute", T::kKernelExecute},
      {"Iterator", T::kIterator},
      {"TfOpRun", T::kTfOpRun},
      {"ProcessBatch", T::kBatch},
      {"OrbaxServing::ProcessBatch", T::kBatch},
      {"BatchingSessionRun", T::kBatchingSession},
      {"TpuExecuteOp", T::kTpuExecute},
      {"EnqueueRequestLocked", T::kTpuEnqueue},
      {"RunProgramRequest", T::kTpuDequeue},
      {"HostCallbackRequest", T::kTpuDequeue},
      {"TransferH2DRequest", T::kTpuDequeue},
      {"TransferPreprocessedH2DRequest", T::kTpuDequeue},
      {"TransferD2HRequest", T::kTpuDequeue},
      {"OnDeviceSendRequest", T::kTpuDequeue},
      {"OnDeviceRecvRequest", T::kTpuDequeue},
      {"OnDeviceSendRecvLocalRequest", T::kTpuDequeue},
      {"CustomWait", T::kTpuDequeue},
      {"DoEnqueueProgram", T::kTpuRun},
      {"DoEnqueueContinuationProgram", T::kTpuRun},
      {"CompleteCallbacks", T::kTpuRunDone},
  };
  static constexpr std::string_view kOthers[] = {
      "RunGraphDone",
      "ExecutorDoneCallback",
      "MemoryAllocation",
      "MemoryDeallocation",
      "RemotePerfCounter",
      "Iterator::Prefetch::Generator",
      "PrefetchProduce",
      "PrefetchConsume",
      "ParallelInterleaveProduce",
      "ParallelInterleaveConsume",
      "ParallelInterleaveInitializeInput",
      "ParallelMapProduce",
      "ParallelMapConsume",
      "MapAndBatchProduce",
      "MapAndBatchConsume",
      "ParseExampleProduce",
      "ParseExampleConsume",
      "ParallelBatchProduce",
      "ParallelBatchConsume",
      "BrainSessionRun",
  };
  for (const auto& [text, type] : kNames) {
    if (name == text) return type;
  }
  if (std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers))
    return T::kOtherKnown;
  switch (ParseOpName(name).category) {
    case OpCategory::kTensorFlow:
      return T::kTfOpRun;
    case OpCategory::kTfData:
      return T::kIterator;
    default:
      return T::kNone;
  }
}

bool IsImplicitRoot(HostEventType type) {
  return type == HostEventType::kFunctionRun || type == HostEventType::kSessionRun ||
         type == HostEventType::kRunGraph || type == HostEventType::kExecutorProcess;
}

}  // namespace stepscope
