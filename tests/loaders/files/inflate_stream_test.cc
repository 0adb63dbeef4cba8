#include "loaders/files/inflate_stream.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include "tests/loaders/compress.h"

namespace stepscope {
namespace {

struct ReadBack {
  std::string text;
  bool truncated = false, compressed = false;
};

ReadBack Read(const std::string& bytes, size_t step) {
  const auto path =
      std::filesystem::temp_directory_path() / ("inflate_stream_" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << bytes;
  auto stream = InflateStream::Open(path.string());
  REQUIRE(stream.ok());
  ReadBack back;
  std::vector<char> block(step);
  while (true) {
    const Result<size_t> n = (*stream)->Read(block);
    REQUIRE(n.ok());
    if (*n == 0) break;
    back.text.append(block.data(), *n);
  }
  back.truncated = (*stream)->truncated();
  back.compressed = (*stream)->compressed();
  CHECK((*stream)->file_bytes() == bytes.size());
  std::filesystem::remove(path);
  return back;
}

std::string Text(size_t size) {
  std::string text;
  for (uint32_t x = 1; text.size() < size; x = x * 1664525 + 1013904223)
    text += std::to_string(x >> 20) + ",";
  return text;
}

TEST_CASE("inflate stream: plain, gzip and zstd, one member or several, in any steps") {
  const std::string a = Text(700'000), b = Text(1000);
  for (const size_t step : {size_t{1000}, size_t{65'537}, size_t{1} << 20}) {
    CHECK(Read(a, step).text == a);
    CHECK(!Read(a, step).compressed);
    CHECK(Read(Gzip(a), step).text == a);
    CHECK(Read(Gzip(a) + Gzip(b) + Gzip("") + Gzip(a), step).text == a + b + a);
    CHECK(Read(Zstd(a) + Zstd(b), step).text == a + b);
    CHECK(!Read(Gzip(a) + Gzip(b), step).truncated);
    CHECK(!Read(Zstd(a) + Zstd(b), step).truncated);
  }
  CHECK(Read("", 10).text.empty());
  CHECK(Read(Gzip(""), 10).text.empty());
}

TEST_CASE(
    "inflate stream: zero padding behind a member is ignored, a cut or damaged stream is told") {
  const std::string a = Text(200'000), gzip = Gzip(a), zstd = Zstd(a);
  CHECK(Read(gzip + std::string(512, '\0'), 4096).text == a);
  CHECK(!Read(gzip + std::string(512, '\0'), 4096).truncated);
  for (const std::string& whole : {gzip, zstd}) {
    const ReadBack cut = Read(whole.substr(0, whole.size() / 2), 4096);
    CHECK(cut.truncated);
    CHECK(a.starts_with(cut.text));
  }
  CHECK(Read(gzip.substr(0, gzip.size() / 2), 4096).text.size() > 50'000);
  std::string broken = gzip;
  for (size_t i = broken.size() / 2; i < broken.size() / 2 + 64; ++i)
    broken[i] = static_cast<char>(~broken[i]);
  CHECK(Read(broken, 4096).truncated);
  CHECK(Read(gzip.substr(0, 5), 4096).truncated);
  CHECK(!InflateStream::Open("/nonexistent/file").ok());
  CHECK(!InflateStream::Open("/").ok());
}

}  // namespace
}  // namespace stepscope
