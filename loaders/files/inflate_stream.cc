#include "loaders/files/inflate_stream.h"

#include <igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/files/regular_file.h"

namespace stepscope {
namespace {

constexpr size_t kBlock = size_t{1} << 18;

// An open file, read in blocks.
class BlockReader {
 public:
  BlockReader(std::string path, int fd, uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  ~BlockReader() { close(fd_); }
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  Result<size_t> Read(std::span<char> out) {
    while (true) {
      const ssize_t n = read(fd_, out.data(), out.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Status(ErrorCode::kIo, path_ + ": read failed: " + std::strerror(errno));
      done_ += static_cast<uint64_t>(n);
      return static_cast<size_t>(n);
    }
  }
  bool Rewind() {
    done_ = 0;
    return lseek(fd_, 0, SEEK_SET) == 0;
  }
  uint64_t size() const { return size_; }
  uint64_t done() const { return done_; }

 private:
  std::string path_;
  int fd_;
  uint64_t size_, done_ = 0;
};

class PlainStream final : public InflateStream {
 public:
  explicit PlainStream(std::unique_ptr<BlockReader> file) : file_(std::move(file)) {}
  Result<size_t> Read(std::span<char> out) override {
    size_t done = 0;
    while (done < out.size()) {
      Result<size_t> n = file_->Read(out.subspan(done));
      if (!n.ok()) return n;
      if (*n == 0) break;
      done += *n;
    }
    return done;
  }
  bool truncated() const override { return false; }
  bool compressed() const override { return false; }
  uint64_t file_bytes() const override { return file_->size(); }
  uint64_t file_done() const override { return file_->done(); }

 private:
  std::unique_ptr<BlockReader> file_;
};

class SourceStream final : public InflateStream {
 public:
  explicit SourceStream(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}
  Result<size_t> Read(std::span<char> out) override {
    Result<size_t> n = source_->Read(done_, std::as_writable_bytes(out));
    if (n.ok()) done_ += *n;
    return n;
  }
  bool truncated() const override { return source_->truncated(); }
  bool compressed() const override { return false; }
  uint64_t file_bytes() const override { return source_->file_bytes(); }
  uint64_t file_done() const override { return done_; }

 private:
  std::shared_ptr<const ByteSource> source_;
  uint64_t done_ = 0;
};

// Gzip and zstd share this: refilling the input block and the end.
class CodecStream : public InflateStream {
 public:
  explicit CodecStream(std::unique_ptr<BlockReader> file)
      : file_(std::move(file)), block_(kBlock) {}
  bool truncated() const override { return truncated_; }
  bool compressed() const override { return true; }
  uint64_t file_bytes() const override { return file_->size(); }
  uint64_t file_done() const override { return file_->done(); }

 protected:
  // False at the end of the file.
  Result<bool> Refill() {
    const Result<size_t> n = file_->Read(block_);
    if (!n.ok()) return n.status();
    in_ = std::span<const char>(block_).first(*n);
    return *n > 0;
  }
  std::unique_ptr<BlockReader> file_;
  std::vector<char> block_;
  std::span<const char> in_;  // not yet consumed
  bool truncated_ = false, done_ = false;
};

class GzipStream final : public CodecStream {
 public:
  explicit GzipStream(std::unique_ptr<BlockReader> file) : CodecStream(std::move(file)) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  Result<size_t> Read(std::span<char> out) override {
    size_t done = 0;
    while (done < out.size() && !done_) {
      if (in_.empty()) {
        const Result<bool> more = Refill();
        if (!more.ok()) return more.status();
        if (!*more) {
          // The codec may still hold output.
          const size_t flushed = Step(out.subspan(done));
          done += flushed;
          if (flushed == 0) Finish();
          continue;
        }
      }
      if (state_.block_state == ISAL_BLOCK_FINISH && !NextMember()) continue;
      done += Step(out.subspan(done));
    }
    return done;
  }

 private:
  void Finish() {
    done_ = true;
    truncated_ = truncated_ || state_.block_state != ISAL_BLOCK_FINISH;
  }
  // Another member may follow; zero padding and other trailing bytes are ignored, as gzip does.
  bool NextMember() {
    if (static_cast<unsigned char>(in_.front()) != 0x1f) {
      done_ = true;
      return false;
    }
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
    return true;
  }
  size_t Step(std::span<char> out) {
    if (state_.block_state == ISAL_BLOCK_FINISH) return 0;
    constexpr size_t kMax = std::numeric_limits<uint32_t>::max() / 2;
    const size_t room = std::min(out.size(), kMax);
    state_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in_.data()));
    state_.avail_in = static_cast<uint32_t>(in_.size());
    state_.next_out = reinterpret_cast<uint8_t*>(out.data());
    state_.avail_out = static_cast<uint32_t>(room);
    const int rc = isal_inflate(&state_);
    const size_t got = room - state_.avail_out;
    const size_t used = in_.size() - state_.avail_in;
    in_ = in_.subspan(used);
    const bool stuck = got == 0 && used == 0 && !in_.empty();
    if (rc < 0 || (stuck && state_.block_state != ISAL_BLOCK_FINISH)) {
      done_ = truncated_ = true;
    }
    return got;
  }

  inflate_state state_;
};

class ZstdStream final : public CodecStream {
 public:
  explicit ZstdStream(std::unique_ptr<BlockReader> file)
      : CodecStream(std::move(file)), stream_(ZSTD_createDStream()) {}
  ~ZstdStream() override { ZSTD_freeDStream(stream_); }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;

  Result<size_t> Read(std::span<char> out) override {
    if (stream_ == nullptr) return Status(ErrorCode::kLimit, "no memory for the zstd decoder");
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos < output.size && !done_) {
      bool at_eof = false;
      if (in_.empty()) {
        const Result<bool> more = Refill();
        if (!more.ok()) return more.status();
        at_eof = !*more;
      }
      ZSTD_inBuffer input{in_.data(), in_.size(), 0};
      const size_t before = output.pos;
      const size_t rc = ZSTD_decompressStream(stream_, &output, &input);
      in_ = in_.subspan(input.pos);
      if (ZSTD_isError(rc) != 0) {
        // After a whole frame anything else is trailing garbage, which is ignored.
        truncated_ = !between_frames_;
        done_ = true;
      } else if (at_eof && output.pos == before) {
        truncated_ = !between_frames_;
        done_ = true;
      } else if (input.pos > 0 || output.pos > before) {
        between_frames_ = rc == 0;
      }
    }
    return output.pos;
  }

 private:
  ZSTD_DStream* stream_;
  bool between_frames_ = false;
};

}  // namespace

std::unique_ptr<InflateStream> InflateStream::Of(std::shared_ptr<const ByteSource> source) {
  return std::make_unique<SourceStream>(std::move(source));
}

Result<std::unique_ptr<InflateStream>> InflateStream::Open(const std::string& path) {
  struct stat s {};
  const Result<int> fd = OpenRegularFile(path, &s);
  if (!fd.ok()) return fd.status();
  auto file = std::make_unique<BlockReader>(path, *fd, static_cast<uint64_t>(s.st_size));
  char prefix[8];
  const Result<size_t> n = file->Read(prefix);
  if (!n.ok()) return n.status();
  if (!file->Rewind()) return Status(ErrorCode::kIo, path + ": cannot be read twice");
  std::unique_ptr<InflateStream> stream;
  switch (DetectCompression(std::as_bytes(std::span<const char>(prefix, *n)))) {
    case Compression::kGzip:
      stream = std::make_unique<GzipStream>(std::move(file));
      break;
    case Compression::kZstd:
      stream = std::make_unique<ZstdStream>(std::move(file));
      break;
    case Compression::kNone:
      stream = std::make_unique<PlainStream>(std::move(file));
      break;
  }
  return stream;
}

}  // namespace stepscope
