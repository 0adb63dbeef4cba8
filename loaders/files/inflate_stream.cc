#include "loaders/files/inflate_stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/files/inflater.h"

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
