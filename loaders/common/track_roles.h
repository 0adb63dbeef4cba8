// What tracks are: the kinds of planes and lines of an XSpace, and the meaning of categories,
// process names and thread names in Chrome traces (docs/chrome.md has the table). Loaders of other
// formats with PyTorch's or ROCm's categories use them too. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/track.h"

namespace stepscope::naming {

// The kinds of the planes and lines of an XSpace, by their names and ids
// (docs/xspace.md#planes-and-lines), how they are called on screen, and in which order they are
// shown. Other formats use the same names and order. Pure functions.
struct PlaneNaming {
  PlaneKind kind = PlaneKind::kOther;
  std::string display_name;
  int device_ordinal = -1;
};
PlaneNaming NamePlane(std::string_view name, int64_t id);

// "A100-SXM4-80GB, 108 SMs", from the stats of a device plane; empty if they do not say.
std::string DeviceSubtitle(std::span<const PlaneStat> stats);

struct LineNaming {
  TrackKind kind = TrackKind::kOther;
  bool derived_in_file = false;  // written by XProf's preprocessing
};
LineNaming NameLine(PlaneKind plane, std::string_view name, int64_t id);

// The category of an event with this name on a plane of this kind.
EventCategory CategoryOf(PlaneKind plane, std::string_view name);

// Position of a plane among those of its host: devices by ordinal, then what belongs to them, then
// host threads.
int PlaneRank(PlaneKind kind);
// Position of a line on a device plane: steps above modules above operations above streams.
int TrackRank(TrackKind kind);

// The track of a thread that an event belongs to. Annotations and synchronisation marks that Kineto
// derives lie beside the kernels of a stream, not among them.
enum class Part : uint8_t { kMain, kDevice, kAnnotation, kSync };
inline constexpr size_t kParts = 4;

struct CategoryRole {
  EventCategory category = EventCategory::kUnknown;
  Part part = Part::kMain;
  bool host = false;  // the event happens on the host, whatever its process id says
  // The name of the devices of a program that has such events: "MTIA"; empty: GPUs.
  std::string_view device = {};
};
// The role of an event by its `cat`; for steps and allocator events also by its name.
CategoryRole RoleOfCategory(std::string_view cat, std::string_view name);

// The plane of a process with a name of TensorFlow's or JAX's, which are names of XSpace planes;
// nullopt for other names.
std::optional<PlaneNaming> RoleOfProcess(std::string_view name, int64_t pid);
// 3 for Kineto's process labels "GPU 3" and "HPU 3"; nullopt for labels of no device.
std::optional<int> GpuOfLabel(std::string_view label);
// The word for the devices of a program, by the label of a process ("HPU 0") or the name of a
// device
// ("Intel Gaudi 2"); empty: nothing says that they are no GPUs.
std::string_view DeviceWordOfLabel(std::string_view label);
std::string_view DeviceWordOfName(std::string_view name);

// The line of a thread with a name of TensorFlow's or JAX's, on a plane of that kind.
LineNaming RoleOfThread(std::string_view name, PlaneKind plane);

// The category of an event that has no known `cat`, by its name and where it is.
EventCategory CategoryByPlace(std::string_view name, PlaneKind plane, TrackKind track);

}  // namespace stepscope::naming
