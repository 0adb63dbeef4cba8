#include "loaders/remote/frames.h"

#include <doctest/doctest.h>

#include <string>

namespace stepscope::remote {
namespace {

TEST_CASE("Frames come out as they went in, however they are cut, after what a shell prints") {
  const std::string stream = std::string("Welcome to node7\nquota: 93 %\n") +
                             std::string(kServeMagic) + Frame(FrameType::kHello, "a") +
                             Frame(FrameType::kData, "") +
                             Frame(FrameType::kData, std::string(100'000, 'x'));
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{4096}, stream.size()}) {
    FrameReader reader;
    bool begun = false;
    std::string types;
    size_t bytes = 0;
    for (size_t at = 0; at < stream.size(); at += piece) {
      reader.Add(std::string_view(stream).substr(at, piece));
      begun = begun || reader.SkipToMagic();
      FrameType type{};
      std::string_view payload;
      while (begun && reader.Next(&type, &payload)) {
        types += static_cast<char>(type);
        bytes += payload.size();
      }
    }
    CHECK(types == "HDD");
    CHECK(bytes == 100'001);
    CHECK(!reader.failed());
  }
}

TEST_CASE("A length that cannot be and noise without an end are refused") {
  FrameReader reader;
  reader.Add("D\xff\xff\xff\xff\xff\xff\xff\x7f");
  FrameType type{};
  std::string_view payload;
  CHECK(!reader.Next(&type, &payload));
  CHECK(reader.failed());
  FrameReader noise;
  noise.Add(std::string(kMaxNoise + 1, 'x'));
  CHECK(!noise.SkipToMagic());
  CHECK(noise.failed());
}

}  // namespace
}  // namespace stepscope::remote
