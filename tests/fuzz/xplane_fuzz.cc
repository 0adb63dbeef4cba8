// Loads any bytes as an XSpace, plain or compressed, with its first picture. Then takes the bytes
// for the events of one long line, of which places are read.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/xplane/lines/line_sample.h"
#include "tests/fuzz/loader_fuzz.h"

namespace stepscope::test {
namespace {

void CheckPicture(const Trace& picture) {
  for (const Lane& lane : picture.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (lane.dur[i] < 0 || lane.meta[i] >= picture.names().metas.size()) __builtin_trap();
    }
  }
}

void SampleAsLine(std::string_view bytes) {
  Column<char> copy;
  copy.Resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.data());
  const auto source = MakeMemorySource("line", bytes.size(), std::move(copy), false);
  xplane::IdMap ids;
  std::vector<uint32_t> metas;
  for (uint32_t id = 0; id < 16; ++id) {
    ids.Set(id, id);
    metas.push_back(id);
  }
  xplane::ParsedLine parsed;
  xplane::SampledLine line;
  line.task.parsed = &parsed;
  line.task.job.source = source.get();
  line.task.job.end = bytes.size();
  line.task.job.metas = metas.data();
  line.task.job.ids = &ids;
  xplane::SampleLimits limits;
  limits.places = 4;
  limits.whole_bytes = 0;
  limits.both_ends = limits.rest = std::chrono::hours(1);
  for (const bool as_read : {false, true}) {
    parsed = {};
    line.as_read = as_read;
    if (!SampleLines({&line, 1}, limits, 1, {}).ok()) __builtin_trap();
    for (const Ps dur : parsed.slices.dur.span()) {
      if (dur < 0) __builtin_trap();
    }
  }
}

int FuzzXSpace(std::string bytes) {
  SampleAsLine(bytes);
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = kMaxInflated;
  options.preview_from_bytes = 0;
  options.preview = [](const std::shared_ptr<const Trace>& picture) { CheckPicture(*picture); };
  const auto trace = LoadBytes("fuzz.xplane.pb", std::move(bytes), options);
  if (!trace.ok() && trace.status().message().empty()) __builtin_trap();
  if (trace.ok()) ReadAllArguments(**trace);
  return 0;
}

}  // namespace
}  // namespace stepscope::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::test::FuzzXSpace({reinterpret_cast<const char*>(data), size});
}
