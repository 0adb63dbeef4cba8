#include "loaders/chrome_json/bare_scan.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "loaders/inflate_stream.h"

namespace stepscope {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kRuns = 5;
constexpr size_t kBlock = size_t{4} << 20;
constexpr uint64_t kMaxDocument = (uint64_t{1} << 32) - 1;

Result<std::vector<char>> ReadText(const std::string& path, uint64_t limit) {
  Result<std::unique_ptr<InflateStream>> stream = InflateStream::Open(path);
  if (!stream.ok()) return stream.status();
  std::vector<char> text;
  size_t size = 0;
  while (true) {
    if (size > std::min(limit, kMaxDocument)) {
      return Status(ErrorCode::kLimit, path + ": too long for a bare scan");
    }
    text.resize(size + kBlock);
    const Result<size_t> n = (*stream)->Read(std::span(text).subspan(size));
    if (!n.ok()) return n.status();
    size += *n;
    if (*n == 0) break;
  }
  text.resize(size);
  text.reserve(size + simdjson::SIMDJSON_PADDING);
  return text;
}

// What a loader needs of an event; `sum` keeps the reads from being optimised away.
bool ScanEvents(ondemand::array events, uint64_t* count, uint64_t* sum) {
  for (auto entry : events) {
    ondemand::object event;
    if (entry.get_object().get(event) != simdjson::SUCCESS) return false;
    ++*count;
    for (auto member : event) {
      ondemand::field field;
      if (std::move(member).get(field) != simdjson::SUCCESS) return false;
      *sum += static_cast<unsigned char>(*field.key().raw());
      *sum += field.value().raw_json_token().size();
    }
  }
  return true;
}

std::optional<uint64_t> ScanOnce(ondemand::parser* parser, simdjson::padded_string_view json) {
  ondemand::document document;
  if (parser->iterate(json).get(document) != simdjson::SUCCESS) return std::nullopt;
  uint64_t count = 0, sum = 0;
  ondemand::json_type type;
  if (document.type().get(type) != simdjson::SUCCESS) return std::nullopt;
  ondemand::array events;
  if (type == ondemand::json_type::array) {
    if (document.get_array().get(events) != simdjson::SUCCESS) return std::nullopt;
  } else if (document["traceEvents"].get_array().get(events) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  if (!ScanEvents(events, &count, &sum)) return std::nullopt;
  asm volatile("" : : "r"(sum));
  return count;
}

}  // namespace

Result<BareScanResult> BareScanChrome(const std::string& path, uint64_t max_inflated_bytes) {
  Result<std::vector<char>> text = ReadText(path, max_inflated_bytes);
  if (!text.ok()) return text.status();
  const simdjson::padded_string_view json((*text).data(), (*text).size(), (*text).capacity());
  ondemand::parser parser;
  std::array<double, kRuns> times;
  BareScanResult result;
  for (double& ms : times) {
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<uint64_t> events = ScanOnce(&parser, json);
    if (!events)
      return Status(ErrorCode::kFormat, path + ": not strict JSON, so there is no bare scan of it");
    ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    result.events = *events;
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  result.milliseconds = times[kRuns / 2];
  return result;
}

}  // namespace stepscope
