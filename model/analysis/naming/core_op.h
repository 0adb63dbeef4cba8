// Tells what an op of a TPU core does or awaits by its category and text (docs/rules.md#tpu). Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class CoreWork : uint8_t {
  kCompute,
  kCopyFromHost,  // waits for a copy or a slice from the host's memory
  kCopyToHost,
  kCopyOnDevice,
  kCollective,  // runs one or waits for one
  kInfeed,      // waits for the host's data
  kOutfeed,
};

// `category`: hlo_category, "copy-done". `text`: the instruction, "%copy-done = f32[8]{0}
// copy-done((f32[8]{0}, f32[8]{0:S(5)}, u32[]{:S(2)}) %copy-start)"; memory space 5 is the host's.
// An op that only starts asynchronous work computes: it takes nanoseconds. O(length).
CoreWork WorkOf(std::string_view category, std::string_view text);

// Whether the op waits for what another op started: "copy-done", "async-done", "recv-done".
bool IsDone(std::string_view category);
// Whether it only starts asynchronous work.
bool IsStart(std::string_view category);
// The name of the op's last operand without its sign: "copy-start.2"; empty if there is none. An
// op that waits has the one that started the work there.
std::string_view LastOperandOf(std::string_view text);

}  // namespace stepscope
