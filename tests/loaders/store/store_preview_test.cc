// A first picture is made of the begin of a store.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "loaders/loader.h"
#include "loaders/store/store_reader.h"
#include "tests/support/samples.h"
#include "tests/support/store_parts.h"

namespace stepscope {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 30;

std::shared_ptr<const Trace> LoadSample(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

// The bytes that a first picture needs, found while the stream grows by `step`.
size_t FindPreview(const std::string& stream, size_t step) {
  size_t at = 0;
  for (size_t n = 0; n < stream.size(); n += step) {
    const size_t bytes = store::PreviewBytes(std::string_view(stream).substr(0, n), &at);
    if (bytes > 0) return bytes;
  }
  return store::PreviewBytes(stream, &at);
}

// Events of a lane ascend, do not overlap and have names.
void CheckSound(const Trace& trace) {
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      REQUIRE(lane.meta[i] < trace.names().metas.size());
      REQUIRE(lane.dur[i] >= 0);
      if (i > 0) REQUIRE(lane.start[i] >= lane.end(i - 1));
    }
  }
}

TEST_CASE("The first picture has every track of the profile, where its events are") {
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    const auto source = LoadSample(path);
    const std::string stream = test::StoreOf(*source);
    const size_t bytes = FindPreview(stream, 1000);
    REQUIRE(bytes > 0);
    CHECK(bytes == FindPreview(stream, stream.size()));
    CHECK(bytes < stream.size());
    const auto picture =
        store::ReadPreview("x", std::string_view(stream).substr(0, bytes), kMost, {});
    REQUIRE_MESSAGE(picture.ok(), picture.status().message());
    const Trace &first = **picture, &whole = *source;
    CheckSound(first);
    CHECK(first.diagnostics.rows().size() == whole.diagnostics.rows().size());
    REQUIRE(first.set.tracks.size() == whole.set.tracks.size());
    CHECK(first.set.rows <= whole.set.rows);
    CHECK(first.set.rows > 0);
    for (size_t t = 0; t < whole.set.tracks.size(); ++t) {
      const Track &a = first.set.tracks[t], &b = whole.set.tracks[t];
      CHECK(a.plane == b.plane);
      CHECK(a.lane_count == b.lane_count);
      CHECK((a.events > 0) == (b.events > 0));
      if (a.events == 0) continue;
      CHECK(a.span.begin == b.span.begin);
      CHECK(a.span.end <= b.span.end);
    }
    CHECK(first.span.begin == whole.span.begin);
    CHECK(first.span.end <= whole.span.end);
  }
}

TEST_CASE("Slices of the first picture are named after an event of their track and time") {
  const auto source = LoadSample(test::SourcePath("tests/data/tf_keras.xplane.pb.zst"));
  const std::string stream = test::StoreOf(*source);
  const auto picture = store::ReadPreview(
      "x", std::string_view(stream).substr(0, FindPreview(stream, stream.size())), kMost, {});
  REQUIRE(picture.ok());
  for (const Lane& lane : (*picture)->set.lanes) {
    const Track& track = source->set.tracks[lane.track.value];
    const Lane& events = source->set.lanes[track.first_lane.value + lane.depth];
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const Ps until = i + 1 < lane.size() ? lane.start[i + 1] : kMaxPs;
      const auto begin = std::lower_bound(events.start.begin(), events.start.end(), lane.start[i]);
      const auto end = std::lower_bound(begin, events.start.end(), until);
      const auto metas = events.meta.subspan(static_cast<size_t>(begin - events.start.begin()),
                                             static_cast<size_t>(end - begin));
      REQUIRE(std::find(metas.begin(), metas.end(), lane.meta[i]) != metas.end());
    }
  }
}

TEST_CASE("There is no first picture where the begin is damaged or has not come") {
  const auto source = LoadSample(test::SourcePath("tests/data/jax_cpu.xplane.pb.zst"));
  std::string stream = test::StoreOf(*source);
  const size_t bytes = FindPreview(stream, stream.size());
  size_t at = 0;
  CHECK(store::PreviewBytes({}, &at) == 0);
  CHECK(store::PreviewBytes(std::string_view(stream).substr(0, bytes - 1), &at) == 0);
  CHECK(store::PreviewBytes(stream, &at) == bytes);
  for (size_t i = 16; i < bytes; i += std::max<size_t>(1, bytes / 97)) {
    std::string damaged = stream;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    at = 0;
    const size_t found = store::PreviewBytes(damaged, &at);
    if (found == 0) continue;
    const auto picture =
        store::ReadPreview("x", std::string_view(damaged).substr(0, found), kMost, {});
    if (picture.ok()) CheckSound(**picture);
  }
}

}  // namespace
}  // namespace stepscope
