// Loads any bytes as a Chrome trace, plain or compressed, by both parsers, and reads the
// arguments of some events. In strict JSON both parsers must find the same events.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "loaders/chrome_json/chrome_json_loader.h"
#include "tests/fuzz/loader_fuzz.h"

namespace stepscope {
namespace {

// Returns null where the bytes are no trace.
std::shared_ptr<const Trace> Load(const std::shared_ptr<const ByteSource>& source, bool tolerant) {
  InputFile file;
  file.path = "fuzz.json";
  file.opened = source;
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = test::kMaxInflated;
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

// Whether the whole text is strict JSON. simdjson does not check values that nobody looks at, so
// it accepts a little more than strict JSON, and there the parsers may differ.
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
      "fuzz.json", std::string(reinterpret_cast<const char*>(data), size), test::kMaxInflated);
  if (!source.ok()) return 0;
  const auto strict = Load(*source, false), tolerant = Load(*source, true);
  if ((strict == nullptr) != (tolerant == nullptr)) __builtin_trap();
  if (strict == nullptr) return 0;
  if (IsStrict(**source)) Compare(*strict, *tolerant);
  test::ReadAllArguments(*strict);
  return 0;
}
