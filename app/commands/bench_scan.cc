#include "app/commands/bench_scan.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loaders/byte_source.h"
#include "loaders/chrome_json/bare_scan.h"
#include "loaders/loader.h"
#include "loaders/xplane/bare_scan.h"

namespace stepscope {
namespace {

constexpr unsigned kThreads = 2;

// The inflated bytes of a compressed file as a file in memory, for a scan that reads files.
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

Result<double> ScanFile(const std::string& path, uint64_t limit) {
  const auto source = OpenByteSource(path, limit, {}, nullptr);
  if (!source.ok()) return source.status();
  InflatedFile inflated;
  const bool plain = (*source)->size() == (*source)->file_bytes();
  if (!plain) {
    if (Status status = inflated.Fill(**source); !status.ok()) return status;
  }
  const Result<BareScanResult> scan = BareScan(plain ? path : inflated.path(), kThreads);
  if (!scan.ok()) return scan.status();
  return scan->milliseconds;
}

Result<double> ScanChromeFile(const std::string& path, uint64_t limit) {
  const auto scan = BareScanChrome(path, limit);
  if (!scan.ok()) return scan.status();
  return scan->milliseconds;
}

}  // namespace

Result<double> MedianScanMs(const Trace& trace, uint64_t max_inflated_bytes) {
  std::set<std::string> files;
  for (const Host& host : trace.hosts) files.insert(host.file);
  double total = 0;
  for (const std::string& file : files) {
    const bool chrome = trace.format == TraceFormat::kChromeJson;
    const Result<double> ms =
        chrome ? ScanChromeFile(file, max_inflated_bytes) : ScanFile(file, max_inflated_bytes);
    if (!ms.ok()) return ms.status();
    total += *ms;
  }
  return total;
}

}  // namespace stepscope
