// Recording: what was recorded of a program, and by what: the facts that every judgement rests on
// (docs/recording.md). Rules, sentences and pages ask it before they speak: where a layer is
// absent, they say what is missing and how this recorder records it. Immutable; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/naming/program.h"
#include "model/recorder.h"

namespace stepscope {

// One kind of events. The order is that of the page.
enum class Layer : uint8_t {
  kDeviceWork,    // kernels, copies and fills on devices
  kWholeGraphs,   // graphs as one event each, without their kernels
  kRuntimeCalls,  // calls of CUDA, HIP and the like
  kOps,           // ops of the framework
  kPython,        // Python functions
  kShapes,        // shapes of the ops' inputs
  kMemory,        // allocations
  kCounters,      // sampled values
  kSteps,         // marks of steps
  kCount
};

const char* IdOf(Layer layer);     // for scripts: "device_work"
const char* LabelOf(Layer layer);  // for people: "Work of devices"

struct RecordedLayer {
  bool recorded = false;
  std::string evidence;  // "246 launches have no kernel"; may be empty
};

// The devices of the program, as far as the file tells.
struct RecordedDevices {
  uint32_t used = 0;       // with events
  uint32_t named = 0;      // without events: empty planes, and devices that the file names
  std::string first_name;  // "NVIDIA A100 80GB PCIe" of one that is used, else of one that is named
  // Calls that start work on a device, and allocations on one, that no device event belongs to;
  // counted where no device has an event.
  uint64_t launches = 0;
  bool memory = false;  // memory of a device without events was recorded
  // A device worked and nothing of its work was recorded.
  bool part_missing = false;
  // Devices are named and none has an event. Nothing says whether they worked.
  bool unknown() const { return used == 0 && named > 0 && !part_missing; }
};

// A fact that makes the recording incomplete.
struct LossFact {
  std::string id;  // that of the diagnostic
  std::string text;
  uint64_t count = 0;
  std::string place;  // the first one: "a.json: 20 of 40 events have time 0 and length 0"
};

struct Recording {
  RecordingHeader header;  // recorder, its version, options
  Program program;
  RecordedDevices devices;
  std::array<RecordedLayer, static_cast<size_t>(Layer::kCount)> layers;
  std::vector<LossFact> losses;
  // By HostId: from the first to the last moment of the program's own. The begin and the end of the
  // recording are the profiler's: its start, its stop and what only they call.
  std::vector<TimeRange> windows;

  // Whether the program is none of TensorFlow, JAX or PyTorch: nothing is judged.
  bool foreign() const { return IsForeign(header.recorder); }
  const RecordedLayer& At(Layer layer) const { return layers[static_cast<size_t>(layer)]; }
  bool Has(Layer layer) const { return At(layer).recorded; }
  // "torch.profiler (Kineto, schema 1)"
  std::string RecorderText() const;
  // "NVIDIA A100 80GB PCIe", "8 GPUs, none has an event", "CPU".
  std::string DevicesText() const;
  // "Not recorded: Python functions, allocations. Incomplete: 1 file ends early." May be empty.
  std::string AbsentText() const;
  // Whether a page lists the layer: its absence matters, or it was recorded.
  bool Lists(Layer layer) const;
  // What to do to record the layer with this recorder; empty: it cannot, or nobody knows.
  std::string HowToRecord(Layer layer) const;
  // "The GPU part was not recorded: 246 launches have no kernel." Empty if it was, or if no device
  // is known to have worked.
  std::string MissingPartText() const;
  // "No event of the 8 GPUs was recorded." For RecordedDevices::unknown().
  std::string NoEventText() const;

  // O(planes + tracks + names); O(events) more where no device has an event.
  static Recording Compute(AnalysisContext& context);
};

// Whether an event is the profiler's own begin or end, not the program's work: torch.profiler's
// __enter__, start, stop and __exit__, and those of TensorFlow and JAX. O(name).
bool BeginsRecording(std::string_view name);
bool EndsRecording(std::string_view name);

}  // namespace stepscope
