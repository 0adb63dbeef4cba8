// OwnPeaks: the limits of devices that a user states, as text and as numbers
// (docs/rules.md#published-peaks). They win over those that a recording or the table of published
// peaks has. Values. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"

namespace stepscope {

// TFLOP/s by type of elements (int8: Tera operations), and GB/s of the main memory; 10^12 and 10^9.
// 0: the device does not have the type, or nobody says.
struct PeakNumbers {
  double fp64 = 0, fp64_matrix = 0;
  double fp32 = 0;  // of the vector units
  double tf32 = 0;  // and what AMD calls xf32
  double fp16 = 0, bf16 = 0, fp8 = 0, int8 = 0;
  double gbps = 0;
  double fp4 = 0;
  bool operator==(const PeakNumbers&) const = default;
};

struct PeakField {
  std::string_view name;  // in texts: "fp16"
  const char* label;      // for people, with the unit
  double PeakNumbers::*number;
};
std::span<const PeakField> PeakFields();

struct OwnPeaks {
  std::string device;  // words of its name
  PeakNumbers numbers;
  bool operator==(const OwnPeaks&) const = default;
};

inline constexpr double kMostPeak = 1e9;  // of a number; larger ones are refused

// Reads "MI400X: fp16=2500 fp32=160 memory=8000; CPU: fp32=1.5 memory=80": a device before a colon,
// then its numbers; devices are separated by semicolons. The error says what is wrong in one line.
Result<std::vector<OwnPeaks>> ParseOwnPeaks(std::string_view text);
// The text that ParseOwnPeaks reads. Numbers of 0 are left out.
std::string OwnPeaksText(std::span<const OwnPeaks> own);

// The first whose device is a part of `device`, by whole words and in any case; null if none is.
const OwnPeaks* FindOwnPeaks(std::span<const OwnPeaks> own, std::string_view device);
// `known`, with the numbers that `own` has. A device with one of fp16 and bf16 has the other as
// well, and fp64_matrix is at least fp64.
PeakNumbers WithOwn(PeakNumbers known, const PeakNumbers& own);

}  // namespace stepscope
