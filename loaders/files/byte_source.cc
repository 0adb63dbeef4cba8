#include "loaders/files/byte_source.h"

#include <igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "loaders/files/regular_file.h"
#include "model/trace_builder.h"

namespace stepscope {
namespace {

constexpr size_t kInputBlock = size_t{1} << 20;
constexpr size_t kOutputBlock = size_t{4} << 20;

struct Identity {
  dev_t device;
  ino_t inode;
  off_t size;
  timespec mtime;
  explicit Identity(const struct stat& s)
      : device(s.st_dev), inode(s.st_ino), size(s.st_size), mtime(s.st_mtim) {}
  bool operator==(const Identity& o) const {
    return device == o.device && inode == o.inode && size == o.size &&
           mtime.tv_sec == o.mtime.tv_sec && mtime.tv_nsec == o.mtime.tv_nsec;
  }
};

Status IoError(const std::string& path, const char* what) {
  return {ErrorCode::kIo, path + ": " + what + ": " + std::strerror(errno)};
}

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, int fd, const struct stat& s) : fd_(fd), identity_(s) {
    path_ = std::move(path);
    file_bytes_ = static_cast<uint64_t>(s.st_size);
  }
  ~FileSource() override { close(fd_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  uint64_t size() const override { return file_bytes_; }

  Result<size_t> Read(uint64_t offset, std::span<std::byte> out) const override {
    size_t done = 0;
    const size_t want =
        offset >= file_bytes_ ? 0 : std::min<uint64_t>(out.size(), file_bytes_ - offset);
    while (done < want) {
      const ssize_t n =
          pread(fd_, out.data() + done, want - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return IoError(path_, "read failed");
      if (n == 0) break;
      done += static_cast<size_t>(n);
    }
    // Checked after the read, so that bytes of a rewritten file are never taken for those of the
    // file that was opened.
    struct stat s {};
    if (fstat(fd_, &s) != 0) return IoError(path_, "stat failed");
    if (!(Identity(s) == identity_) || done < want) {
      return Status(ErrorCode::kIo,
                    path_ + ": the file changed since it was opened; open it again");
    }
    return done;
  }

 private:
  int fd_;
  Identity identity_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string path, uint64_t file_bytes, std::string bytes)
      : string_(std::move(bytes)) {
    path_ = std::move(path);
    file_bytes_ = file_bytes;
    bytes_ = std::as_bytes(std::span(string_.data(), string_.size()));
  }
  MemorySource(std::string path, uint64_t file_bytes, Column<char> bytes, bool truncated)
      : column_(std::move(bytes)), truncated_(truncated) {
    path_ = std::move(path);
    file_bytes_ = file_bytes;
    bytes_ = std::as_bytes(column_.span());
  }

  uint64_t size() const override { return bytes_.size(); }
  std::span<const std::byte> bytes() const override { return bytes_; }
  bool truncated() const override { return truncated_; }

  Result<size_t> Read(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= bytes_.size()) return size_t{0};
    const size_t n = std::min<uint64_t>(out.size(), bytes_.size() - offset);
    if (n > 0) std::memcpy(out.data(), bytes_.data() + offset, n);
    return n;
  }

 private:
  std::string string_;
  Column<char> column_;
  std::span<const std::byte> bytes_;
  bool truncated_ = false;
};

// A decompressor that is fed block by block. Feed() appends what comes out.
class Inflater {
 public:
  enum class State { kMore, kBroken, kFull };
  virtual ~Inflater() = default;
  virtual State Feed(std::span<const std::byte> in, Column<char>* out, uint64_t limit) = 0;
  virtual bool AtEnd() const = 0;  // at the end of a member or frame, with nothing begun
};

// Makes room for the next bytes, at most one beyond the limit: that one tells "exactly" from
// "more".
size_t MakeRoom(Column<char>* out, uint64_t limit, size_t block) {
  const uint64_t left = limit - std::min<uint64_t>(limit, out->size());
  const size_t room = static_cast<size_t>(std::min<uint64_t>(block, left + 1));
  const size_t size = out->size();
  // Grows by a quarter: block by block would be quadratic where growing copies (without mremap, or
  // with sanitizers). Pages that are not written to take no memory.
  uint64_t capacity = block;
  while (capacity < size + room) capacity += capacity / 4 + 1;
  out->Reserve(static_cast<size_t>(std::min(capacity, std::max<uint64_t>(limit + 1, size + room))));
  out->Resize(size + room);
  return room;
}

class GzipInflater final : public Inflater {
 public:
  GzipInflater() { Begin(); }

  State Feed(std::span<const std::byte> in, Column<char>* out, uint64_t limit) override {
    state_.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(in.data()));
    state_.avail_in = static_cast<uint32_t>(in.size());
    while (true) {
      if (state_.block_state == ISAL_BLOCK_FINISH) {
        // Another member may follow; zero padding and other trailing bytes are ignored, as gzip
        // does.
        if (state_.avail_in == 0) return State::kMore;
        if (*state_.next_in != 0x1f) {
          done_ = true;
          return State::kMore;
        }
        isal_inflate_reset(&state_);
        state_.crc_flag = ISAL_GZIP;
      }
      const size_t before = out->size();
      const size_t room = MakeRoom(out, limit, kOutputBlock);
      state_.next_out = reinterpret_cast<uint8_t*>(out->data() + before);
      state_.avail_out = static_cast<uint32_t>(room);
      const uint32_t in_before = state_.avail_in;
      const int rc = isal_inflate(&state_);
      const size_t got = room - state_.avail_out;
      out->Resize(before + got);
      if (rc < 0) return State::kBroken;
      if (out->size() > limit) return State::kFull;
      begun_ = state_.block_state != ISAL_BLOCK_FINISH;
      if (begun_ && state_.avail_in == 0 && state_.avail_out > 0) return State::kMore;
      if (begun_ && got == 0 && state_.avail_in == in_before) return State::kBroken;  // no progress
    }
  }
  bool AtEnd() const override { return done_ || !begun_; }

 private:
  void Begin() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }
  inflate_state state_;
  bool begun_ = true, done_ = false;
};

class ZstdInflater final : public Inflater {
 public:
  ZstdInflater() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdInflater() override { ZSTD_freeDStream(stream_); }
  ZstdInflater(const ZstdInflater&) = delete;
  ZstdInflater& operator=(const ZstdInflater&) = delete;

  State Feed(std::span<const std::byte> in, Column<char>* out, uint64_t limit) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    bool full_output = false;
    while (input.pos < input.size || full_output) {
      const size_t before = out->size();
      // A block at a time, because what a failing call has decoded before is lost.
      const size_t room = MakeRoom(out, limit, ZSTD_DStreamOutSize());
      ZSTD_outBuffer output{out->data() + before, room, 0};
      const size_t rc = ZSTD_decompressStream(stream_, &output, &input);
      out->Resize(before + output.pos);
      if (ZSTD_isError(rc) != 0) return State::kBroken;
      if (out->size() > limit) return State::kFull;
      at_end_ = rc == 0;
      full_output = output.pos == room && rc != 0;
    }
    return State::kMore;
  }
  bool AtEnd() const override { return at_end_; }

 private:
  ZSTD_DStream* stream_;
  bool at_end_ = false;
};

std::unique_ptr<Inflater> MakeInflater(Compression compression) {
  if (compression == Compression::kGzip) return std::make_unique<GzipInflater>();
  return std::make_unique<ZstdInflater>();
}

Status LimitError(const std::string& path, uint64_t limit) {
  return {ErrorCode::kLimit, path + ": inflates to more than the limit of " +
                                 std::to_string(limit >> 20) + " MiB (--max-inflated raises it)"};
}

Result<std::shared_ptr<const ByteSource>> InflateAll(const ByteSource& in, Compression compression,
                                                     uint64_t limit, const std::stop_token& stop,
                                                     Progress* progress) {
  const std::unique_ptr<Inflater> inflater = MakeInflater(compression);
  Column<char> out;
  std::vector<std::byte> block(static_cast<size_t>(std::min<uint64_t>(kInputBlock, in.size())));
  bool broken = false;
  if (progress != nullptr) progress->SetStage("Inflating");
  uint64_t counted = 0;
  for (uint64_t at = 0; at < in.size() && !broken;) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    const Result<size_t> n = in.Read(at, block);
    if (!n.ok()) return n.status();
    const Inflater::State state = inflater->Feed(std::span(block).first(*n), &out, limit);
    if (state == Inflater::State::kFull) return LimitError(in.path(), limit);
    broken = state == Inflater::State::kBroken;
    at += *n;
    if (progress != nullptr) progress->bytes_done += InflateShare(at) - counted;
    counted = InflateShare(at);
  }
  const bool truncated = broken || !inflater->AtEnd();
  if (truncated && out.empty()) {
    return Status(ErrorCode::kFormat, in.path() + ": broken " +
                                          (compression == Compression::kGzip ? "gzip" : "zstd") +
                                          " stream: nothing could be inflated");
  }
  out.ShrinkToFit();
  return MakeMemorySource(in.path(), in.file_bytes(), std::move(out), truncated);
}

Result<std::shared_ptr<const ByteSource>> OpenPlain(const std::string& path) {
  struct stat s {};
  const Result<int> fd = OpenRegularFile(path, &s);
  if (!fd.ok()) return fd.status();
  std::shared_ptr<const ByteSource> source = std::make_shared<FileSource>(path, *fd, s);
  return source;
}

Result<std::shared_ptr<const ByteSource>> InflateIfNeeded(std::shared_ptr<const ByteSource> plain,
                                                          uint64_t limit,
                                                          const std::stop_token& stop,
                                                          Progress* progress) {
  std::byte prefix[8];
  const Result<size_t> n = plain->Read(0, prefix);
  if (!n.ok()) return n.status();
  const Compression compression = DetectCompression(std::span(prefix).first(*n));
  if (compression == Compression::kNone) return plain;
  try {
    return InflateAll(*plain, compression, limit, stop, progress);
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kLimit, plain->path() + ": not enough memory to inflate it");
  }
}

}  // namespace

Compression DetectCompression(std::span<const std::byte> prefix) {
  const auto at = [&](size_t i) {
    return i < prefix.size() ? std::to_integer<unsigned>(prefix[i]) : 256u;
  };
  if (at(0) == 0x1f && at(1) == 0x8b) return Compression::kGzip;
  if (at(0) == 0x28 && at(1) == 0xb5 && at(2) == 0x2f && at(3) == 0xfd) return Compression::kZstd;
  // A skippable frame may come first.
  if ((at(0) & 0xf0u) == 0x50 && at(0) < 256 && at(1) == 0x2a && at(2) == 0x4d && at(3) == 0x18)
    return Compression::kZstd;
  return Compression::kNone;
}

Result<std::shared_ptr<const ByteSource>> OpenByteSource(const std::string& path,
                                                         uint64_t max_inflated_bytes,
                                                         const std::stop_token& stop,
                                                         Progress* progress) {
  Result<std::shared_ptr<const ByteSource>> plain = OpenPlain(path);
  if (!plain.ok()) return plain;
  return InflateIfNeeded(std::move(plain).value(), max_inflated_bytes, stop, progress);
}

Result<std::shared_ptr<const ByteSource>> MakeByteSource(std::string name, std::string bytes,
                                                         uint64_t max_inflated_bytes) {
  const uint64_t size = bytes.size();
  std::shared_ptr<const ByteSource> plain =
      std::make_shared<MemorySource>(std::move(name), size, std::move(bytes));
  return InflateIfNeeded(std::move(plain), max_inflated_bytes, {}, nullptr);
}

std::shared_ptr<const ByteSource> MakeMemorySource(std::string path, uint64_t file_bytes,
                                                   Column<char> bytes, bool truncated) {
  return std::make_shared<MemorySource>(std::move(path), file_bytes, std::move(bytes), truncated);
}

Result<std::string> ReadPrefix(const std::string& path, size_t n) {
  Result<std::shared_ptr<const ByteSource>> plain = OpenPlain(path);
  if (!plain.ok()) return plain.status();
  // zstd gives nothing before a whole block, 128 KiB at most, went in: reads on until enough came.
  std::vector<std::byte> block(std::max(n, size_t{64} << 10));
  std::unique_ptr<Inflater> inflater;
  Column<char> out;
  for (uint64_t at = 0; out.size() < n;) {
    const Result<size_t> got = (*plain)->Read(at, block);
    if (!got.ok()) return got.status();
    const auto in = std::span(block).first(*got);
    if (at == 0) {
      const Compression compression = DetectCompression(in);
      if (compression == Compression::kNone) {
        return std::string(reinterpret_cast<const char*>(in.data()), std::min(n, in.size()));
      }
      inflater = MakeInflater(compression);
    }
    at += *got;
    // The limit stops after n bytes; what came until then is the prefix.
    if (in.empty() || inflater->Feed(in, &out, n) != Inflater::State::kMore) break;
  }
  return std::string(out.data(), std::min(n, out.size()));
}

}  // namespace stepscope
