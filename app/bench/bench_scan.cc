#include "app/bench/bench_scan.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "app/bench/reference_scan_chrome.h"
#include "app/bench/reference_scan_xspace.h"
#include "loaders/files/byte_source.h"
#include "loaders/loader.h"

namespace stepscope {
namespace {

constexpr unsigned kThreads = 2;

// The inflated bytes of a compressed file as a file in memory, because the scans read files. Owns
// the file descriptor.
class InflatedFile {
 public:
  ~InflatedFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  Status Fill(const ByteSource& source) {
    fd_ = ::memfd_create("stepscope-bench", MFD_CLOEXEC);
    if (fd_ < 0) return Status(ErrorCode::kIo, source.path() + ": no memory to inflate it into");
    std::vector<std::byte> block(size_t{1} << 20);
    for (uint64_t offset = 0; offset < source.size();) {
      const Result<size_t> n = source.Read(offset, block);
      if (!n.ok()) return n.status();
      if (*n == 0) break;
      if (::write(fd_, block.data(), *n) != static_cast<ssize_t>(*n)) {
        return Status(ErrorCode::kIo, source.path() + ": no memory to inflate it into");
      }
      offset += *n;
    }
    return Status::Ok();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_ = -1;
};

// Returns a path to the file's plain bytes: the file itself, or `inflated`, which it fills.
Result<std::string> PlainPath(const std::string& path, uint64_t limit, InflatedFile* inflated) {
  const auto source = OpenByteSource(path, limit, {}, nullptr);
  if (!source.ok()) return source.status();
  if ((*source)->size() == (*source)->file_bytes()) return path;
  if (Status status = inflated->Fill(**source); !status.ok()) return status;
  return inflated->path();
}

Status AddScan(const Result<ReferenceScanResult>& scan, double* total) {
  if (scan.ok()) *total += scan->milliseconds;
  return scan.status();
}

Status ScanFile(const std::string& path, uint64_t limit, bool chrome, ScanTimes* times) {
  InflatedFile inflated;
  const Result<std::string> plain = PlainPath(path, limit, &inflated);
  if (!plain.ok()) return plain.status();
  if (!chrome) return AddScan(ReferenceScanXSpace(*plain, kThreads), &times->scan_ms);
  if (!times->touch_ms) times->touch_ms = 0;
  if (Status s = AddScan(TouchScanChrome(*plain), &*times->touch_ms); !s.ok()) return s;
  return AddScan(ReferenceScanChrome(*plain), &times->scan_ms);
}

}  // namespace

Result<ScanTimes> MedianScans(const Trace& trace, uint64_t max_inflated_bytes) {
  std::set<std::string> files;
  for (const Host& host : trace.hosts) files.insert(host.file);
  ScanTimes times;
  const bool chrome = CapabilitiesOf(trace).chrome_events;
  for (const std::string& file : files) {
    if (Status s = ScanFile(file, max_inflated_bytes, chrome, &times); !s.ok()) return s;
  }
  return times;
}

}  // namespace stepscope
