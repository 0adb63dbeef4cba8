// What the categories, process names and thread names of a Chrome trace mean (docs/chrome.md has
// the table). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "loaders/xplane/plane_kinds.h"
#include "model/track.h"

namespace stepscope::chrome {

// Which of a thread's tracks an event belongs on: annotations and synchronisation marks that Kineto
// derives lie beside the kernels of a stream, not among them.
enum class Part : uint8_t { kMain, kDevice, kAnnotation, kSync };
inline constexpr size_t kParts = 4;

struct CategoryRole {
  EventCategory category = EventCategory::kUnknown;
  Part part = Part::kMain;
  bool host = false;  // happens on the host whatever the process id says
};
// By `cat`, and by name for steps and allocator events.
CategoryRole RoleOfCategory(std::string_view cat, std::string_view name);

using xplane::LineNaming;
using xplane::PlaneNaming;

// TensorFlow's and JAX's process names, which are the planes of an XSpace; nullopt for others.
std::optional<PlaneNaming> RoleOfProcess(std::string_view name, int64_t pid);
// Kineto's process label "GPU 3" -> 3.
std::optional<int> GpuOfLabel(std::string_view label);

// TensorFlow's and JAX's thread names, which are the lines of an XSpace, on a plane of that kind.
LineNaming RoleOfThread(std::string_view name, PlaneKind plane);

// Category of an event that has no known `cat`, from where it is.
EventCategory CategoryByPlace(std::string_view name, PlaneKind plane, TrackKind track);

}  // namespace stepscope::chrome
