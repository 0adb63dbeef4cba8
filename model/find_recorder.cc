#include "model/find_recorder.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "model/trace.h"

namespace stepscope {
namespace {

// Where a sign of a recorder is looked for.
enum class Place : uint8_t { kProcess, kEvent, kCategory };

struct Sign {
  Place place;
  bool whole;  // the whole name; else its begin
  std::string_view text;
  Recorder recorder;
};

// The first row that fits any name of the trace holds.
constexpr std::array kSigns = {
    Sign{Place::kProcess, true, "Ascend Hardware", Recorder::kTorchNpu},
    Sign{Place::kProcess, true, "CANN", Recorder::kTorchNpu},
    Sign{Place::kProcess, false, "CPU HIP API", Recorder::kRocprof},
    Sign{Place::kProcess, false, "/job:", Recorder::kTimeline},
    Sign{Place::kProcess, false, "/device:GPU:0/stream:", Recorder::kTimeline},
    Sign{Place::kProcess, false, "/host:", Recorder::kXla},
    Sign{Place::kProcess, false, "Step:", Recorder::kXla},
    Sign{Place::kProcess, false, "/device:", Recorder::kXla},
    Sign{Place::kEvent, true, "NEGOTIATE_ALLREDUCE", Recorder::kHorovod},
    Sign{Place::kEvent, true, "NEGOTIATE_ALLGATHER", Recorder::kHorovod},
    Sign{Place::kEvent, true, "NEGOTIATE_BROADCAST", Recorder::kHorovod},
    Sign{Place::kEvent, false, "NEGOTIATE_", Recorder::kHorovod},
    Sign{Place::kEvent, false, "task:execute", Recorder::kRay},
    Sign{Place::kEvent, false, "task::", Recorder::kRay},
    Sign{Place::kEvent, false, "ray::", Recorder::kRay},
    Sign{Place::kEvent, true, "task:deserialize_arguments", Recorder::kRay},
    Sign{Place::kEvent, true, "model_loading_uri", Recorder::kOnnxRuntime},
    Sign{Place::kEvent, true, "model_loading_array", Recorder::kOnnxRuntime},
    Sign{Place::kEvent, true, "SequentialExecutor::Execute", Recorder::kOnnxRuntime},
    Sign{Place::kEvent, true, "ThreadControllerImpl::RunTask", Recorder::kBrowser},
    Sign{Place::kEvent, true, "TracingStartedInBrowser", Recorder::kBrowser},
    Sign{Place::kProcess, true, "CrBrowserMain", Recorder::kBrowser},
};

bool Fits(const Sign& sign, std::string_view name) {
  return sign.whole ? name == sign.text : name.starts_with(sign.text);
}

// Whether a name is a function of Python as VizTracer writes them: "f (/home/me/train.py:12)".
bool IsVizTracerName(std::string_view name) {
  const size_t open = name.rfind(" (");
  return open != name.npos && name.ends_with(')') && name.find(".py:", open) != name.npos &&
         name.find('/', open) != name.npos;
}

// "main (train.py:12)", as py-spy writes functions.
bool IsPySpyName(std::string_view name) {
  const size_t open = name.rfind(" (");
  return open != name.npos && name.ends_with(')') && name.find(".py:", open) != name.npos;
}

class RecorderFinder {
 public:
  RecorderFinder(const Trace& trace, RecordingHeader* header) : trace_(trace), header_(*header) {}

  void Find() {
    ReadPlanes();
    const Recorder by_process = best_ < kSigns.size() ? kSigns[best_].recorder : Recorder::kUnknown;
    // These have events of PyTorch's categories, too.
    if (npu_) return Set(Recorder::kTorchNpu, "an NPU");
    const bool vendor = by_process == Recorder::kTorchNpu || by_process == Recorder::kRocprof;
    if (trace_.kineto && !vendor) return Set(Recorder::kTorch, "categories of PyTorch's events");
    ReadNames();
    if (best_ < kSigns.size()) return Set(kSigns[best_].recorder, std::string(kSigns[best_].text));
    if (framework_ == Framework::kTorch) return Set(Recorder::kTorch, "names of PyTorch's ops");
    if (framework_ != Framework::kUnknown) return Set(Recorder::kXla, "names of its runtime");
    // A device is work of the kind that is judged, whoever recorded it.
    if (devices_) return;
    if (names_ > 0 && viztracer_ * 2 > names_)
      return Set(Recorder::kVizTracer, "names of functions");
    if (names_ > 0 && pyspy_ * 2 > names_) return Set(Recorder::kPySpy, "names of functions");
    Set(trace_.format->capabilities.chrome_events ? Recorder::kOther : Recorder::kPerfetto,
        "no name of TensorFlow, JAX or PyTorch");
  }

 private:
  void Set(Recorder recorder, std::string evidence) {
    header_.recorder = recorder;
    header_.evidence = std::move(evidence);
  }
  void Look(Place place, std::string_view name) {
    for (size_t i = 0; i < best_; ++i) {
      if (kSigns[i].place == place && Fits(kSigns[i], name)) best_ = i;
    }
  }
  void ReadPlanes() {
    const StringPool& strings = trace_.names().strings;
    for (const Plane& plane : trace_.planes) {
      devices_ = devices_ || plane.kind == PlaneKind::kGpu || plane.kind == PlaneKind::kTpu;
      npu_ = npu_ || (plane.kind == PlaneKind::kGpu && plane.display_name.starts_with("NPU"));
      Look(Place::kProcess, strings.View(plane.name));
    }
    for (const Track& track : trace_.set.tracks) Look(Place::kProcess, strings.View(track.name));
  }
  void ReadNames() {
    for (const EventMeta& meta : trace_.names().metas) {
      const std::string_view name = trace_.names().strings.View(meta.name);
      Look(Place::kEvent, name);
      if (framework_ == Framework::kUnknown) framework_ = FrameworkOfName(name);
      ++names_;
      viztracer_ += IsVizTracerName(name) ? 1 : 0;
      pyspy_ += IsPySpyName(name) ? 1 : 0;
    }
  }

  const Trace& trace_;
  RecordingHeader& header_;
  size_t best_ = kSigns.size();
  Framework framework_ = Framework::kUnknown;
  bool devices_ = false, npu_ = false;
  size_t names_ = 0, viztracer_ = 0, pyspy_ = 0;
};

}  // namespace

void FindRecorder(const Trace& trace, RecordingHeader* header) {
  RecorderFinder(trace, header).Find();
}

}  // namespace stepscope
