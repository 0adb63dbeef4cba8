// Processes of a Chrome trace that say by their names which device, stream or thread they are:
// those of torch_npu and msprof (Ascend), rocprof, rocmProfileData and TensorFlow 1
// (docs/chrome.md#processes-of-other-profilers).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "loaders/chrome_json/file_events.h"
#include "model/string_pool.h"
#include "model/track.h"

namespace stepscope::chrome {

enum class ProcessKind : uint8_t {
  kUnknown,
  kNpu,          // "Ascend Hardware": its threads are streams
  kCollectives,  // "Communication", "HCCL": collectives of an NPU
  kRocmGpu,      // "GPU2": its threads are queues
  kStream,       // "/device:GPU:0/stream:13 Compute": one stream
  kStreamCopy,   // "/device:GPU:0/stream:all Compute": events of streams once more
  kHost,         // "CPU HIP API": threads of the host
  kNpuHost,      // "CANN", "Python": threads of the host of an NPU
  kHostCpu,      // "/job:.../device:CPU:0 Compute": ops of TensorFlow 1 on the host
  kHostAside,    // "COPY": copies of no known device
  kNpuAside,     // "Overlap Analysis": computed from the NPU's streams
  kAside,        // "... Tensors": no work of its own
};

struct ProcessName {
  ProcessKind kind = ProcessKind::kUnknown;
  int ordinal = -1;    // of the device; -1: the name has none
  std::string stream;  // "13", "all", "memcpy"
};
// Pure. O(length).
ProcessName ParseProcessName(std::string_view name);

// A line of a device, as far as the categories of its events depend on it. kNpuAlone: the file has
// no process of collectives.
enum class DeviceQueue : uint8_t { kOther, kNpu, kNpuAlone, kCollectives, kRocm };
// The category of an event on such a queue that has no known `cat`. Pure. O(length).
EventCategory CategoryOnQueue(DeviceQueue queue, std::string_view name);

struct DeviceLine {
  TrackKind kind = TrackKind::kStream;  // kDerived: statistics ignore it
  DeviceQueue queue = DeviceQueue::kOther;
  std::string name;
};

// The named processes of one file, by FileEvents::ids. Immutable; holds nothing of its arguments.
class NamedProcesses {
 public:
  // O(processes + events of streams).
  NamedProcesses(const FileEvents& events, const StringPool& strings);

  const ProcessName* Find(uint32_t pid) const;  // null: its name says nothing
  bool IsOfDevice(uint32_t pid) const { return device_.contains(pid); }
  // The process whose plane has the events of `pid`: for one of a device the first one of that
  // device, else `pid`.
  uint32_t PlaneOf(uint32_t pid) const;
  bool IsTimeline() const;              // whether TensorFlow 1's Timeline wrote the file
  std::string_view DeviceWord() const;  // "NPU", "GPU"; empty: no process is of a device
  // A thread of a process of a device; `thread`: its name or empty; `tid`: its id as a text.
  DeviceLine LineOf(uint32_t pid, std::string_view thread, std::string_view tid) const;
  // Whether threads of the host have events of the name. Known for files of ROCm only.
  bool IsHostName(uint32_t meta) const { return host_names_.contains(meta); }

 private:
  void FindNames(const FileEvents& events, const StringPool& strings);
  void FindDevices(const FileEvents& events, const StringPool& strings);
  void FindStreamCopies(const FileEvents& events);
  void FindHostNames(const FileEvents& events);
  bool HasRocm() const;

  std::map<uint32_t, ProcessName> names_;  // by process
  std::map<uint32_t, uint32_t> device_;    // by process of a device: the one with the plane
  std::set<uint32_t> stream_copies_;       // processes
  std::set<uint32_t> host_names_;          // MetaIds
  bool has_collectives_ = false;
};

}  // namespace stepscope::chrome
