// Any bytes as a Chrome trace, plain or compressed: by both parsers, which must find the same
// events in strict JSON, and the arguments of some events.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "loaders/chrome_json/chrome_json_loader.h"
#include "loaders/loader.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

constexpr uint64_t kMaxInflated = 1 << 24;

// Null where the bytes are no trace.
std::shared_ptr<const Trace> Load(const std::shared_ptr<const ByteSource>& source, bool tolerant) {
  InputFile file;
  file.path = "fuzz.json";
  file.opened = source;
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = kMaxInflated;
  TraceBuilder builder;
  Progress progress;
  const Status status =
      chrome::LoadChrome(builder, std::span(&file, 1), options, {tolerant}, {}, progress);
  if (!status.ok()) {
    if (status.message().empty()) __builtin_trap();  // every error says what is wrong
    return nullptr;
  }
  Result<std::shared_ptr<const Trace>> trace = builder.Finish();
  return trace.ok() ? *trace : nullptr;
}

void ReadArguments(const Trace& trace) {
  for (uint32_t row = 0; row < trace.set.rows && row < 64; ++row) {
    if (!trace.source->Decode(trace, EventRow(row)).ok())
      __builtin_trap();  // the text is in memory and does not change
  }
  if (!trace.source->LoadTyped(trace, {}).ok()) __builtin_trap();
}

// Whether the whole text is strict JSON. simdjson passes values that nobody looks at without
// checking them, so it accepts a little more than that, and there the parsers may differ.
bool IsStrict(const ByteSource& source) {
  const auto bytes = source.bytes();
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  return nlohmann::json::accept(first, first + bytes.size());
}

void Compare(const Trace& strict, const Trace& tolerant) {
  if (strict.counts.slices != tolerant.counts.slices ||
      strict.counts.instants != tolerant.counts.instants ||
      strict.counts.counter_samples != tolerant.counts.counter_samples ||
      strict.counts.flows != tolerant.counts.flows || strict.set.rows != tolerant.set.rows) {
    __builtin_trap();
  }
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const auto source = MakeByteSource(
      "fuzz.json", std::string(reinterpret_cast<const char*>(data), size), kMaxInflated);
  if (!source.ok()) return 0;
  const auto strict = Load(*source, false), tolerant = Load(*source, true);
  if ((strict == nullptr) != (tolerant == nullptr)) __builtin_trap();
  if (strict == nullptr) return 0;
  if (IsStrict(**source)) Compare(*strict, *tolerant);
  ReadArguments(*strict);
  return 0;
}
