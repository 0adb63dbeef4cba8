// Monitor: asks profiler servers how busy their devices are, without recording. Servers of TPU
// hosts know that; those of TensorFlow and JAX on CPUs and GPUs say that they do not.
#pragma once

#include <chrono>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/address.h"
#include "model/base/status.h"

namespace stepscope::capture {

// One line for each server, in their order: what it measured over `duration`, or why it did not.
// Empty after a stop, within 0.1 s of it. Any thread.
std::vector<Result<std::string>> Monitor(std::span<const Address> servers,
                                         std::chrono::milliseconds duration,
                                         const std::stop_token& stop);

// A text of several lines as one line: "utilization 12.3 %   idle 40 %". Pure.
std::string InOneLine(std::string_view text);

}  // namespace stepscope::capture
