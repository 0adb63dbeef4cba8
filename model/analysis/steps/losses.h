// StepTimeClass: the classes that a step's time on a device is divided into (docs/rules.md#losses).
// They exclude each other and sum to the step. All but kCompute are losses: time that the device
// does not compute. A program without devices is divided alike; its device is the CPU. Below are
// the idle times with their causes. All types are values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace stepscope {

enum class StepTimeClass : uint8_t {
  kCompute,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kCollectiveWait,  // in a collective, before its last participant starts
  kCollective,
  // The device is idle while the host ...
  kInput,         // waits for input
  kSync,          // is inside a blocking call
  kCompile,       // compiles, tunes or loads a module
  kLaunch,        // is launching
  kQueued,        // has launched the next work before: the device waits although work is there
  kHost,          // runs framework ops or Python inside the step
  kBetweenSteps,  // does that outside every step
  kUnknown,       // does nothing that was recorded
  kCount
};
inline constexpr size_t kStepTimeClasses = static_cast<size_t>(StepTimeClass::kCount);
using StepClassTimes = std::array<Ps, kStepTimeClasses>;
inline Ps& At(StepClassTimes& times, StepTimeClass c) { return times[static_cast<size_t>(c)]; }
inline Ps At(const StepClassTimes& times, StepTimeClass c) { return times[static_cast<size_t>(c)]; }
inline bool IsIdle(StepTimeClass c) { return c >= StepTimeClass::kInput; }

// Name in tables, for scripts: "collective_wait".
const char* IdOf(StepTimeClass c);
// Name for people: "Waiting for participants".
const char* LabelOf(StepTimeClass c);

// The parts of a step's time that bars, charts, tables and sentences show. A part has the classes
// that one remedy is for: copies to and from the host are one. kInput and the parts behind it are
// losses.
enum class StepPart : uint8_t {
  kCompute,   // the device computes
  kOnDevice,  // copies and fills on the device that no kernel hides
  kInput,
  kHost,
  kLaunch,
  kSync,
  kCompile,
  kCopies,
  kCollectives,
  kCollectiveWait,
  kBetweenSteps,
  kQueued,
  kUnknown,
  kCount
};
inline constexpr size_t kStepParts = static_cast<size_t>(StepPart::kCount);
using StepPartTimes = std::array<double, kStepParts>;  // ps
inline bool IsLoss(StepPart part) { return part >= StepPart::kInput; }
StepPart PartOf(StepTimeClass c);
const char* IdOf(StepPart part);     // for scripts: "device", "input"
const char* LabelOf(StepPart part);  // for people: "Compute", "Waiting for input"

// Why a device was idle in one step: all intervals with one class and one cause.
struct IdleCause {
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;     // invalid: the program's CPU
  StepTimeClass loss = StepTimeClass::kUnknown;
  // The event that the host was in; invalid: none, or several that are too small to be listed.
  MetaId event;
  // The op around `event` where that is a call of the runtime; invalid: none.
  MetaId inside;
  Ps time = 0;
  uint32_t count = 0;  // number of intervals
  TimeRange longest;
  std::array<EventRow, 4> rows;  // the first events of the host; invalid: fewer than four
};

// An interval in which a device was idle, with the class that most of it has and its largest cause.
struct IdleInterval {
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;     // invalid: the program's CPU
  TimeRange range;
  StepTimeClass loss = StepTimeClass::kUnknown;
  MetaId event, inside;  // as in IdleCause
  EventRow row;          // the event of the host; invalid: nothing was open
};

// Collects the longest idle intervals. Intervals shorter than kLeast are not counted.
struct IdleIntervals {
  static constexpr size_t kMost = 20'000;
  static constexpr Ps kLeast = kPsPerUs;
  std::vector<IdleInterval> longest;  // longest first, then by begin; at most kMost
  uint64_t count = 0;                 // intervals of kLeast and longer, also those not kept

  bool Wants(TimeRange interval) const { return interval.length() >= kLeast; }
  // O(1) amortised. Drops an interval that Wants() refuses. Call Finish() after the last interval.
  void Add(const IdleInterval& interval);
  void Append(const IdleIntervals& others);
  void Finish();
};

// The idle time of one device in parts, each with one class and its largest cause. Finish() sorts
// the parts by time. They tile the idle intervals exactly, unless there are more than `most`. Then
// the shortest are left out; of parts of equal length, some stay in each stretch of the recording.
struct DeviceIdle {
  PlaneId device;
  size_t most = 65'536;  // at least 1
  Ps least = 0;          // ps; shorter parts have been left out
  std::vector<IdleInterval> parts;

  bool Wants(TimeRange part) const { return part.length() >= least; }
  // O(1) amortised. Drops a part that Wants() refuses. Call Finish() after the last part.
  void Add(const IdleInterval& part);
  void Finish();
};

}  // namespace stepscope
