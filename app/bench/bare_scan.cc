#include "app/bench/bare_scan.h"

#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/system/process.h"
#include "loaders/common/wire.h"
#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

namespace ondemand = simdjson::ondemand;
using proto::Bytes;

// --- The bytes -----------------------------------------------------------------------------------

// The inflated bytes of a file: the file itself, or a file in memory. Owns the descriptor.
class PlainFile {
 public:
  ~PlainFile() {
    if (fd_ >= 0) close(fd_);
  }
  Status Open(const std::string& path, uint64_t limit) {
    const auto source = OpenByteSource(path, limit, {}, nullptr);
    if (!source.ok()) return source.status();
    size_ = (*source)->size();
    if (size_ != (*source)->file_bytes()) return Inflate(**source);
    struct stat info {};
    const Result<int> fd = OpenRegularFile(path, &info);
    if (fd.ok()) fd_ = *fd;
    return fd.status();
  }
  int fd() const { return fd_; }
  size_t size() const { return size_; }

 private:
  Status Inflate(const ByteSource& source) {
    fd_ = memfd_create("stepscope-bench", MFD_CLOEXEC);
    std::vector<std::byte> block(size_t{1} << 20);
    for (uint64_t offset = 0; offset < size_;) {
      const Result<size_t> n = source.Read(offset, block);
      if (!n.ok()) return n.status();
      if (write(fd_, block.data(), *n) != static_cast<ssize_t>(*n))
        return Status(ErrorCode::kIo, source.path() + ": no memory to inflate it into");
      offset += *n;
    }
    return Status::Ok();
  }

  int fd_ = -1;
  size_t size_ = 0;
};

// A file mapped into memory. Behind its bytes is room that a scan may read. Owns the mapping.
class MappedFile {
 public:
  explicit MappedFile(const PlainFile& file) : size_(file.size()) {
    constexpr size_t kPage = 4096;
    mapped_ = (size_ + simdjson::SIMDJSON_PADDING + kPage - 1) / kPage * kPage;
    room_ = mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room_ == MAP_FAILED) return;
    ok_ = mmap(room_, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.fd(), 0) != MAP_FAILED;
  }
  ~MappedFile() {
    if (room_ != MAP_FAILED) munmap(room_, mapped_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  bool ok() const { return ok_; }
  Bytes begin() const { return static_cast<Bytes>(room_); }
  Bytes end() const { return begin() + size_; }
  simdjson::padded_string_view text() const {
    return simdjson::padded_string_view(static_cast<const char*>(room_), size_, mapped_);
  }

 private:
  void* room_;
  size_t size_, mapped_;
  bool ok_ = false;
};

// --- XSpaces -------------------------------------------------------------------------------------

struct XSpaceColumns {
  std::vector<int64_t> start, duration;  // picoseconds
  std::vector<uint32_t> meta, place;
  uint64_t stats = 0;
};

// Calls fn(tag, value, null) for each number of a message, and fn(tag, size, begin) for each text
// and inner message. Reads up to 10 bytes past the end, and stops at the first damaged byte.
template <typename Fn>
inline void WalkMessage(Bytes p, Bytes end, Fn fn) {
  while (p != nullptr && p < end) {
    uint64_t tag = 0, value = 0;
    p = proto::ReadVarintPadded(p, &tag);
    if (p == nullptr) return;
    switch (tag & 7) {
      case proto::kVarint:
        p = proto::ReadVarintPadded(p, &value);
        fn(tag, value, nullptr);
        break;
      case proto::kLen:
        p = proto::ReadLengthPadded(p, end, &value);
        if (p == nullptr) return;
        fn(tag, value, p);
        p += value;
        break;
      case proto::kFixed64:
        fn(tag, 0, nullptr);
        p += 8;
        break;
      case proto::kFixed32:
        fn(tag, 0, nullptr);
        p += 4;
        break;
      default:
        return;
    }
  }
}

void ScanEvent(Bytes begin, Bytes end, Bytes line, uint64_t line_start, XSpaceColumns* out) {
  uint64_t meta = 0, offset = 0, duration = 0;
  WalkMessage(begin, end, [&](uint64_t tag, uint64_t value, Bytes p) {
    if (tag == 8) meta = value;
    if (tag == 16) offset = value;
    if (tag == 24) duration = value;
    if (tag == 34)
      WalkMessage(p, p + value, [out](uint64_t stat, uint64_t, Bytes) { out->stats += stat; });
  });
  out->start.push_back(static_cast<int64_t>(line_start + offset));
  out->duration.push_back(static_cast<int64_t>(duration));
  out->meta.push_back(static_cast<uint32_t>(meta));
  out->place.push_back(static_cast<uint32_t>(end - line));
}

void ScanLine(Bytes line, size_t size, XSpaceColumns* out) {
  const size_t guess = size / 48;
  out->start.reserve(guess);
  out->duration.reserve(guess);
  out->meta.reserve(guess);
  out->place.reserve(guess);
  uint64_t start = 0;
  WalkMessage(line, line + size, [&](uint64_t tag, uint64_t value, Bytes p) {
    if (tag == 24) start = value * 1000;
    if (tag == 34) ScanEvent(p, p + value, line, start, out);
  });
}

std::optional<uint64_t> ScanXSpace(const MappedFile& file) {
  std::vector<std::pair<Bytes, size_t>> lines;
  WalkMessage(file.begin(), file.end(), [&](uint64_t tag, uint64_t size, Bytes plane) {
    if (tag != 10) return;
    WalkMessage(plane, plane + size, [&](uint64_t field, uint64_t length, Bytes line) {
      if (field == 26) lines.emplace_back(line, length);
    });
  });
  std::vector<XSpaceColumns> columns(lines.size());
  ParallelFor(
      lines.size(), [&](size_t i) { ScanLine(lines[i].first, lines[i].second, &columns[i]); }, 2);
  uint64_t events = 0;
  for (const XSpaceColumns& c : columns) events += c.start.size();
  return events;
}

// --- Chrome traces -------------------------------------------------------------------------------

struct ChromeColumns {
  std::vector<double> start, duration;  // microseconds
  std::vector<int64_t> process, thread;
  std::vector<const char*> name, place;  // point into the text
  std::vector<char> phase;
};

struct EventFields {
  double ts = 0, dur = 0;
  int64_t pid = 0, tid = 0;
  const char* name = "";
  char ph = 0;
};

bool IsKey(const char* key, const char* name) {
  return std::strncmp(key, name, std::strlen(name)) == 0;
}

// A value of an unusual type, such as a text for a tid, reads as 0. std::from_chars reads the
// doubles: simdjson 3.0.1 takes three times as long for the 17 digits that TensorFlow writes, and
// as long for short numbers.
void ReadNumber(ondemand::value value, double* out) {
  const std::string_view token = value.raw_json_token();
  const auto end = std::from_chars(token.data(), token.data() + token.size(), *out);
  if (end.ec != std::errc()) *out = 0;
}
void ReadNumber(ondemand::value value, int64_t* out) {
  if (value.get_int64().get(*out) != simdjson::SUCCESS) *out = 0;
}

void ReadField(const char* key, ondemand::value value, EventFields* e) {
  switch (key[0]) {
    case 't':
      if (IsKey(key, "ts\"")) ReadNumber(value, &e->ts);
      if (IsKey(key, "tid\"")) ReadNumber(value, &e->tid);
      break;
    case 'd':
      if (IsKey(key, "dur\"")) ReadNumber(value, &e->dur);
      break;
    case 'p':
      if (IsKey(key, "pid\"")) ReadNumber(value, &e->pid);
      if (IsKey(key, "ph\"")) e->ph = value.raw_json_token().data()[1];
      break;
    case 'n':
      if (IsKey(key, "name\"")) e->name = value.raw_json_token().data();
      break;
    default:
      break;
  }
}

bool ReadEvent(ondemand::value value, ChromeColumns* columns) {
  columns->place.push_back(value.raw_json_token().data());
  ondemand::object event;
  if (value.get_object().get(event) != simdjson::SUCCESS) return false;
  EventFields e;
  for (auto member : event) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) return false;
    ReadField(field.key().raw(), field.value(), &e);
  }
  columns->start.push_back(e.ts);
  columns->duration.push_back(e.dur);
  columns->process.push_back(e.pid);
  columns->thread.push_back(e.tid);
  columns->name.push_back(e.name);
  columns->phase.push_back(e.ph);
  return true;
}

std::optional<uint64_t> ScanChrome(const MappedFile& file, ondemand::parser* parser) {
  ondemand::document document;
  if (parser->iterate(file.text()).get(document) != simdjson::SUCCESS) return std::nullopt;
  ondemand::json_type type;
  if (document.type().get(type) != simdjson::SUCCESS) return std::nullopt;
  ondemand::array events;
  const auto found = type == ondemand::json_type::array ? document.get_array().get(events)
                                                        : document["traceEvents"].get(events);
  if (found != simdjson::SUCCESS) return std::nullopt;
  ChromeColumns columns;
  for (auto entry : events) {
    ondemand::value value;
    if (entry.get(value) != simdjson::SUCCESS || !ReadEvent(value, &columns)) return std::nullopt;
  }
  return columns.start.size();
}

// -------------------------------------------------------------------------------------------------

Status ScanFile(const std::string& path, uint64_t limit, bool chrome, BareScan* total) {
  constexpr size_t kMaxDocument = (size_t{1} << 32) - 1;
  PlainFile file;
  if (Status status = file.Open(path, limit); !status.ok()) return status;
  if (chrome && file.size() > kMaxDocument)
    return Status(ErrorCode::kLimit, path + ": too long for a bare scan");
  ondemand::parser parser;
  std::optional<uint64_t> events;
  std::array<double, 5> times{};
  for (double& ms : times) {
    const Stopwatch watch;
    const MappedFile mapped(file);
    if (mapped.ok()) events = chrome ? ScanChrome(mapped, &parser) : ScanXSpace(mapped);
    if (!events)
      return Status(ErrorCode::kFormat, path + ": not strict JSON, so there is no bare scan of it");
    ms = watch.Ms();
  }
  std::sort(times.begin(), times.end());
  total->ms += times[times.size() / 2];
  total->events += *events;
  return Status::Ok();
}

}  // namespace

Result<BareScan> ScanBare(const Trace& trace, uint64_t max_inflated_bytes) {
  std::set<std::string> files;
  for (const Host& host : trace.hosts) files.insert(host.file);
  BareScan scan;
  const bool chrome = CapabilitiesOf(trace).chrome_events;
  for (const std::string& file : files) {
    if (Status s = ScanFile(file, max_inflated_bytes, chrome, &scan); !s.ok()) return s;
  }
  return scan;
}

}  // namespace stepscope
