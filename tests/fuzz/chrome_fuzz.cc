// Loads any bytes as a Chrome trace, plain or compressed, and reads the arguments of some events.
// Strict JSON may not count as damaged.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/loader_fuzz.h"

namespace stepscope {
namespace {

const LoaderDesc& ChromeLoader() {
  for (const LoaderDesc* loader : Loaders()) {
    if (loader->format->capabilities.chrome_events) return *loader;
  }
  __builtin_trap();
}

// Returns null where the bytes are no trace.
std::shared_ptr<const Trace> Load(const std::shared_ptr<const ByteSource>& source) {
  const InputFile file{"fuzz.json", "", source};
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = test::kMaxInflated;
  TraceBuilder builder;
  Progress progress;
  const Status status = ChromeLoader().load(builder, std::span(&file, 1), options, {}, progress);
  if (!status.ok()) {
    if (status.message().empty()) __builtin_trap();  // every error says what is wrong
    return nullptr;
  }
  Result<std::shared_ptr<const Trace>> trace = builder.Finish();
  return trace.ok() ? *trace : nullptr;
}

bool IsStrict(const ByteSource& source) {
  const auto bytes = source.bytes();
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  return nlohmann::json::accept(first, first + bytes.size());
}

bool IsDamaged(const Trace& trace) {
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    for (const char* id : {"chrome.repaired", "chrome.damaged_event", "chrome.truncated_event",
                           "chrome.unreadable_tail"}) {
      if (d.id == id) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const auto source = MakeByteSource(
      "fuzz.json", std::string(reinterpret_cast<const char*>(data), size), test::kMaxInflated);
  if (!source.ok()) return 0;
  const auto trace = Load(*source);
  if (trace == nullptr) return 0;
  if (IsStrict(**source) && IsDamaged(*trace)) __builtin_trap();
  test::ReadAllArguments(*trace);
  return 0;
}
