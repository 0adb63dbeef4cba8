#include "model/analysis/naming/time_classes.h"

#include "model/analysis/naming/collectives.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/naming/precision_names.h"

namespace stepscope {

TimeClass XprofDeviceClass(std::string_view name) {
  OpName op = ParseOpName(name);
  if (op.category == OpCategory::kMemcpy) {
    if (op.type == "MemcpyHToD") return TimeClass::kHostToDevice;
    if (op.type == "MemcpyDToH") return TimeClass::kDeviceToHost;
    if (op.type == "MemcpyDToD") return TimeClass::kDeviceToDevice;
  }
  if (StartsWithIgnoreCase(name, "nccl")) return TimeClass::kCollectives;
  bool half =
      name.find("half") != std::string_view::npos || name.find("fp16") != std::string_view::npos;
  return half ? TimeClass::kCompute16 : TimeClass::kCompute32;
}

CopyDirection DirectionOf(std::string_view name) {
  bool copy = ContainsIgnoreCase(name, "memcpy") || StartsWithIgnoreCase(name, "copy");
  if (!copy) return CopyDirection::kNone;
  for (std::string_view k : {"H2D", "HtoD", "HostToDevice"}) {
    if (ContainsIgnoreCase(name, k)) return CopyDirection::kHostToDevice;
  }
  for (std::string_view k : {"D2H", "DtoH", "DeviceToHost"}) {
    if (ContainsIgnoreCase(name, k)) return CopyDirection::kDeviceToHost;
  }
  for (std::string_view k : {"D2D", "DtoD", "DeviceToDevice", "P2P", "PtoP", "PeerToPeer"}) {
    if (ContainsIgnoreCase(name, k)) return CopyDirection::kDeviceToDevice;
  }
  return CopyDirection::kNone;
}

TimeClass OwnDeviceClass(std::string_view name, EventCategory category) {
  switch (DirectionOf(name)) {
    case CopyDirection::kHostToDevice:
      return TimeClass::kHostToDevice;
    case CopyDirection::kDeviceToHost:
      return TimeClass::kDeviceToHost;
    case CopyDirection::kDeviceToDevice:
      return TimeClass::kDeviceToDevice;
    case CopyDirection::kNone:
      break;
  }
  if (category == EventCategory::kMemcpy || category == EventCategory::kMemset ||
      StartsWithIgnoreCase(name, "memset") || StartsWithIgnoreCase(name, "memcpy")) {
    return TimeClass::kDeviceToDevice;
  }
  if (category == EventCategory::kCommunication || IsCollective(name))
    return TimeClass::kCollectives;
  const int bits = BitsOfKernel(name);
  return bits != 0 && bits <= 16 ? TimeClass::kCompute16 : TimeClass::kCompute32;
}

TimeClass HostClass(std::string_view name) {
  OpName op = ParseOpName(name);
  if (op.type == "MemcpyHToD") return TimeClass::kHostToDevice;
  if (op.category == OpCategory::kTensorFlow && op.type.starts_with("InfeedEnqueue")) {
    return TimeClass::kHostToDevice;
  }
  if (op.type == "MemcpyHToH") return TimeClass::kHostToHost;
  if (StartsWithIgnoreCase(name, "IteratorGetNext")) return TimeClass::kInputWait;
  return TimeClass::kHostCompute;
}

bool IsExplicitMarker(std::string_view name) {
  return (name.starts_with("train") || name.starts_with("test") ||
          name.starts_with("TraceContext")) &&
         name.find('/') == std::string_view::npos;
}

bool IsWrapper(std::string_view name) {
  return name.starts_with("EagerExecute") || name.starts_with("EagerLocalExecute") ||
         name.starts_with("EagerKernelExecute") || name.starts_with("FunctionRun");
}

}  // namespace stepscope
