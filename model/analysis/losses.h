// Losses: the classes into which a step's time on a device is divided (docs/rules.md#losses). They
// exclude each other and sum to the step. A program without devices is its own device: the CPU.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace stepscope {

enum class LossClass : uint8_t {
  kCompute,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kCollectiveWait,  // before the last participant starts
  kCollective,
  // The device is idle, because the host ...
  kInput,         // waits for input
  kSync,          // is inside a blocking call
  kCompile,       // compiles, tunes or loads a module
  kLaunch,        // is launching
  kHost,          // runs framework ops or Python inside the step
  kBetweenSteps,  // does so outside every step
  kUnknown,       // nothing is recorded
  kCount
};
inline constexpr size_t kLossClasses = static_cast<size_t>(LossClass::kCount);
using LossTimes = std::array<Ps, kLossClasses>;
inline Ps& At(LossTimes& times, LossClass c) { return times[static_cast<size_t>(c)]; }
inline Ps At(const LossTimes& times, LossClass c) { return times[static_cast<size_t>(c)]; }
inline bool IsIdle(LossClass c) { return c >= LossClass::kInput; }

const char* IdOf(LossClass c);  // in tables

// Why a device was idle in one step: the intervals of one class and cause.
struct IdleCause {
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;     // invalid: the program's CPU
  LossClass loss = LossClass::kUnknown;
  MetaId event;  // what the host was in; invalid: nothing, or several things too small to be listed
  MetaId inside;  // the op around a call of the runtime; invalid: none
  Ps time = 0;
  uint32_t count = 0;  // intervals
  TimeRange longest;
  std::array<EventRow, 4> rows;  // the first of the host's events; invalid: fewer
};

// An interval in which a device was idle, with the class and the cause that most of it has.
struct IdleInterval {
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;     // invalid: the program's CPU
  TimeRange range;
  LossClass loss = LossClass::kUnknown;
  MetaId event, inside;  // as in IdleCause
  EventRow row;          // the host's event; invalid: nothing was open
};

// The longest intervals. What is shorter than kLeast is not counted.
struct IdleIntervals {
  static constexpr size_t kMost = 20'000;
  static constexpr Ps kLeast = kPsPerUs;
  std::vector<IdleInterval> longest;  // the longest first, then by begin; at most kMost
  uint64_t count = 0;                 // of all of at least kLeast

  void Add(const IdleInterval& interval);  // O(1) amortised; Finish() when all are there
  void Append(const IdleIntervals& others);
  void Finish();
};

// The idle time of one device, cut wherever its class changes: each part has one class, and its
// largest cause. By time; the parts tile the idle intervals exactly, unless there are more than
// `most`: then the shortest are left out, and of those of one length some, all over the recording.
struct DeviceIdle {
  PlaneId device;
  size_t most = 65'536;  // 1 and more
  Ps least = 0;          // shorter ones are known to be among those left out
  std::vector<IdleInterval> parts;

  void Add(const IdleInterval& part);  // O(1) amortised; Finish() when all are there
  void Finish();
};

}  // namespace stepscope
