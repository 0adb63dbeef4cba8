#include "loaders/files/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

namespace stepscope {
namespace {

constexpr size_t kInputBlock = size_t{1} << 20;

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

Status LimitError(const std::string& path, uint64_t limit) {
  return {ErrorCode::kLimit, path + ": inflates to more than the limit of " +
                                 std::to_string(limit >> 20) + " MiB (--max-inflated raises it)"};
}

Result<std::shared_ptr<const ByteSource>> InflateAll(const ByteSource& in, Compression compression,
                                                     uint64_t limit, const std::stop_token& stop,
                                                     Progress* progress) {
  const std::unique_ptr<Inflater> inflater = MakeInflater(compression);
  Column<char> out;
  std::vector<char> block(static_cast<size_t>(std::min<uint64_t>(kInputBlock, in.size())));
  bool broken = false;
  if (progress != nullptr) progress->SetStage("Inflating");
  uint64_t counted = 0;
  for (uint64_t at = 0; at < in.size() && !broken;) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    const Result<size_t> n = in.Read(at, std::as_writable_bytes(std::span(block)));
    if (!n.ok()) return n.status();
    const AppendResult appended =
        AppendInflated(inflater.get(), std::span(block).first(*n), limit, &out);
    if (appended == AppendResult::kLimit) return LimitError(in.path(), limit);
    broken = appended == AppendResult::kBroken;
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

Result<int> OpenRegularFile(const std::string& path, struct stat* info) {
  // O_NONBLOCK: a FIFO must not hang the open; it is refused below.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return IoError(path, "cannot be opened");
  if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode)) {
    close(fd);
    return Status(ErrorCode::kIo, path + ": not a regular file");
  }
  return fd;
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
  std::vector<char> block(std::max(n, size_t{64} << 10));
  std::unique_ptr<Inflater> inflater;
  Column<char> out;
  for (uint64_t at = 0; out.size() < n;) {
    const Result<size_t> got = (*plain)->Read(at, std::as_writable_bytes(std::span(block)));
    if (!got.ok()) return got.status();
    const std::span<const char> in = std::span(block).first(*got);
    if (at == 0) {
      const Compression compression = DetectCompression(std::as_bytes(in));
      if (compression == Compression::kNone) return std::string(in.data(), std::min(n, in.size()));
      inflater = MakeInflater(compression);
    }
    at += *got;
    // The limit stops after n bytes; what came until then is the prefix.
    if (in.empty() || AppendInflated(inflater.get(), in, n, &out) != AppendResult::kDone) break;
  }
  return std::string(out.data(), std::min(n, out.size()));
}

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

class FileStream final : public InflateStream {
 public:
  FileStream(std::unique_ptr<BlockReader> file, Compression compression)
      : file_(std::move(file)), block_(kBlock) {
    if (compression != Compression::kNone) inflater_ = MakeInflater(compression);
  }
  Result<size_t> Read(std::span<char> out) override {
    size_t done = 0;
    while (done < out.size() && !ended_) {
      const Result<size_t> n = Step(out.subspan(done));
      if (!n.ok()) return n;
      done += *n;
    }
    return done;
  }
  bool truncated() const override { return truncated_; }
  bool compressed() const override { return inflater_ != nullptr; }
  uint64_t file_bytes() const override { return file_->size(); }
  uint64_t file_done() const override { return file_->done(); }

 private:
  Result<size_t> Step(std::span<char> out) {
    if (inflater_ == nullptr) {
      Result<size_t> n = file_->Read(out);
      ended_ = n.ok() && *n == 0;
      return n;
    }
    bool last = false;  // the inflater may still hold output
    if (in_.empty()) {
      const Result<size_t> n = file_->Read(block_);
      if (!n.ok()) return n;
      in_ = std::span<const char>(block_).first(*n);
      last = *n == 0;
    }
    const Inflater::Step step = inflater_->Inflate(in_, out);
    in_ = in_.subspan(step.used);
    ended_ = step.broken || (last && step.got == 0);
    truncated_ = ended_ && !inflater_->AtEnd();
    return step.got;
  }

  std::unique_ptr<BlockReader> file_;
  std::unique_ptr<Inflater> inflater_;  // null: the file is not compressed
  std::vector<char> block_;
  std::span<const char> in_;  // not yet inflated
  bool truncated_ = false, ended_ = false;
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
  const Compression compression =
      DetectCompression(std::as_bytes(std::span<const char>(prefix, *n)));
  std::unique_ptr<InflateStream> stream =
      std::make_unique<FileStream>(std::move(file), compression);
  return stream;
}

}  // namespace stepscope
