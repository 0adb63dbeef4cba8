#include "loaders/files/byte_source.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/loaders/compress.h"

namespace stepscope {
namespace {

constexpr uint64_t kLimit = uint64_t{64} << 20;

// A file that is removed at the end of the test.
class TempFile {
 public:
  explicit TempFile(std::string_view bytes) {
    path_ = (std::filesystem::temp_directory_path() /
             ("stepscope_byte_source_" + std::to_string(getpid()) + "_" +
              std::to_string(reinterpret_cast<uintptr_t>(this))))
                .string();
    Write(bytes);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  void Write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Text that compresses somewhat and nowhere repeats.
std::string SomeText(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < n) text += "event " + std::to_string(random() % 1000) + " ";
  text.resize(n);
  return text;
}

std::string All(const ByteSource& source) {
  std::string out(source.size() + 10, '\0');
  const Result<size_t> n = source.Read(0, std::as_writable_bytes(std::span(out)));
  REQUIRE(n.ok());
  out.resize(*n);
  return out;
}

TEST_CASE("A plain file is read at any offset") {
  const TempFile file("0123456789");
  const auto source = OpenByteSource(file.path(), kLimit, {}, nullptr);
  REQUIRE(source.ok());
  CHECK((*source)->size() == 10);
  CHECK((*source)->file_bytes() == 10);
  CHECK((*source)->bytes().empty());
  std::byte out[4];
  CHECK((*source)->Read(3, out).value() == 4);
  CHECK(std::to_integer<char>(out[0]) == '3');
  CHECK((*source)->Read(8, out).value() == 2);
  CHECK((*source)->Read(10, out).value() == 0);
  CHECK((*source)->Read(~uint64_t{0}, out).value() == 0);
}

TEST_CASE("A file that changes while it is open gives an error, and is not read") {
  const TempFile file(SomeText(100'000, 1));
  const auto source = OpenByteSource(file.path(), kLimit, {}, nullptr);
  REQUIRE(source.ok());
  std::byte out[16];
  REQUIRE((*source)->Read(50'000, out).ok());
  SUBCASE("shrunk") { file.Write("short"); }
  SUBCASE("grown") { std::ofstream(file.path(), std::ios::app) << "more"; }
  SUBCASE("rewritten with as many bytes") {
    file.Write(SomeText(100'000, 2));
    // Two writes within one tick of the file system's clock look alike: move the time on.
    std::filesystem::last_write_time(
        file.path(), std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2));
  }
  const Result<size_t> n = (*source)->Read(50'000, out);
  REQUIRE(!n.ok());
  CHECK(n.status().code() == ErrorCode::kIo);
  CHECK(n.status().message().find("changed") != std::string::npos);
}

TEST_CASE("Anything but a regular file is refused without waiting for it") {
  const std::string fifo =
      (std::filesystem::temp_directory_path() / ("stepscope_fifo_" + std::to_string(getpid())))
          .string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(OpenByteSource(fifo, kLimit, {}, nullptr).status().code() == ErrorCode::kIo);
  std::filesystem::remove(fifo);
  CHECK(OpenByteSource("/", kLimit, {}, nullptr).status().code() == ErrorCode::kIo);
  const Status missing = OpenByteSource("/nonexistent/x", kLimit, {}, nullptr).status();
  CHECK(missing.code() == ErrorCode::kIo);
  CHECK(missing.message().find("/nonexistent/x") != std::string::npos);
}

TEST_CASE("gzip and zstd are inflated, with several members or frames") {
  const std::string a = SomeText(3'000'000, 3), b = SomeText(70'000, 4);
  for (const bool gzip : {true, false}) {
    CAPTURE(gzip);
    const std::string packed_a = gzip ? Gzip(a) : Zstd(a), packed_b = gzip ? Gzip(b) : Zstd(b);
    const TempFile one(packed_a), two(packed_a + packed_b),
        padded(packed_a + (gzip ? std::string(512, '\0') : ""));
    const auto source = OpenByteSource(one.path(), kLimit, {}, nullptr);
    REQUIRE(source.ok());
    CHECK(All(**source) == a);
    CHECK((*source)->bytes().size() == a.size());
    CHECK((*source)->file_bytes() == packed_a.size());
    CHECK(!(*source)->truncated());
    const auto both = OpenByteSource(two.path(), kLimit, {}, nullptr);
    REQUIRE(both.ok());
    CHECK(All(**both) == a + b);
    CHECK(!(*both)->truncated());
    const auto zeros = OpenByteSource(padded.path(), kLimit, {}, nullptr);
    REQUIRE(zeros.ok());
    CHECK(All(**zeros) == a);
    CHECK(!(*zeros)->truncated());
  }
}

TEST_CASE("A compressed stream that is cut off or damaged gives what came before") {
  const std::string text = SomeText(2'000'000, 5);
  for (const bool gzip : {true, false}) {
    CAPTURE(gzip);
    std::string packed = gzip ? Gzip(text) : Zstd(text);
    SUBCASE("cut") { packed.resize(packed.size() / 2); }
    SUBCASE("cut before the trailer") { packed.resize(packed.size() - 1); }
    SUBCASE("damaged") { packed.replace(packed.size() / 2, 64, 64, '\xff'); }
    const auto source = MakeByteSource("x", packed, kLimit);
    REQUIRE(source.ok());
    CHECK((*source)->truncated());
    const std::string got = All(**source);
    CHECK(got.size() > 0);
    CHECK(got.substr(0, 1000) == text.substr(0, std::min<size_t>(1000, got.size())));
  }
  const Status nothing = MakeByteSource("x", std::string("\x1f\x8b\x08\0\0", 5), kLimit).status();
  CHECK(nothing.code() == ErrorCode::kFormat);
}

TEST_CASE("A bomb stops at the limit") {
  const std::string zeros(32 << 20, '\0');
  for (const bool gzip : {true, false}) {
    CAPTURE(gzip);
    const std::string packed = gzip ? Gzip(zeros) : Zstd(zeros);
    CHECK(packed.size() < zeros.size() / 100);
    const Status status = MakeByteSource("bomb", packed, 1 << 20).status();
    CHECK(status.code() == ErrorCode::kLimit);
    CHECK(status.message().find("1 MiB") != std::string::npos);
    CHECK(MakeByteSource("exact", packed, zeros.size()).ok());
    CHECK(MakeByteSource("one too few", packed, zeros.size() - 1).status().code() ==
          ErrorCode::kLimit);
  }
}

TEST_CASE("The prefix is inflated, and short files are no error") {
  const std::string text = SomeText(1'000'000, 6);
  for (const std::string& bytes : {text, Gzip(text), Zstd(text)}) {
    const TempFile file(bytes);
    CHECK(ReadPrefix(file.path(), 4096).value() == text.substr(0, 4096));
  }
  const TempFile small("ab"), empty("");
  CHECK(ReadPrefix(small.path(), 4096).value() == "ab");
  CHECK(ReadPrefix(empty.path(), 4096).value().empty());
}

TEST_CASE("Inflating stops when asked to") {
  const TempFile file(Gzip(SomeText(5'000'000, 7)));
  std::stop_source stop;
  stop.request_stop();
  CHECK(OpenByteSource(file.path(), kLimit, stop.get_token(), nullptr).status().code() ==
        ErrorCode::kCancelled);
}

}  // namespace
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
