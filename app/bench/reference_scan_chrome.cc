#include "app/bench/reference_scan_chrome.h"

#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/system/process.h"
#include "loaders/files/byte_source.h"

namespace stepscope {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kRuns = 5;
constexpr size_t kMaxDocument = (size_t{1} << 32) - 1;
constexpr size_t kPage = 4096;

// A file mapped with room behind its bytes: simdjson reads that padding but does not use it. Owns
// the mapping.
class MappedFile {
 public:
  MappedFile(int fd, size_t size, bool populate) : size_(size) {
    mapped_ = (size + simdjson::SIMDJSON_PADDING + kPage - 1) / kPage * kPage;
    void* room = mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    room_ = room;
    const int flags = MAP_PRIVATE | MAP_FIXED | (populate ? MAP_POPULATE : 0);
    ok_ = mmap(room, size, PROT_READ, flags, fd, 0) != MAP_FAILED;
  }
  ~MappedFile() {
    if (room_ != nullptr) munmap(room_, mapped_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  bool ok() const { return ok_; }
  simdjson::padded_string_view text() const {
    return simdjson::padded_string_view(static_cast<const char*>(room_), size_, mapped_);
  }

 private:
  void* room_ = nullptr;
  size_t size_, mapped_;
  bool ok_ = false;
};

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

bool Is(const char* key, const char* name) {
  return std::strncmp(key, name, std::strlen(name)) == 0;
}

// A value of an unusual type, such as a text for a tid, is passed over and reads as 0.
// std::from_chars reads the doubles: simdjson 3.0.1 takes three times as long for the 17 digits
// that TensorFlow writes, and as long for short numbers.
void Number(ondemand::value value, double* out) {
  const std::string_view token = value.raw_json_token();
  const auto end = std::from_chars(token.data(), token.data() + token.size(), *out);
  if (end.ec != std::errc()) *out = 0;
}
void Number(ondemand::value value, int64_t* out) {
  if (value.get_int64().get(*out) != simdjson::SUCCESS) *out = 0;
}

void Decode(const char* key, ondemand::value value, EventFields* e) {
  switch (key[0]) {
    case 't':
      if (Is(key, "ts\"")) Number(value, &e->ts);
      if (Is(key, "tid\"")) Number(value, &e->tid);
      break;
    case 'd':
      if (Is(key, "dur\"")) Number(value, &e->dur);
      break;
    case 'p':
      if (Is(key, "pid\"")) Number(value, &e->pid);
      if (Is(key, "ph\"")) e->ph = value.raw_json_token().data()[1];
      break;
    case 'n':
      if (Is(key, "name\"")) e->name = value.raw_json_token().data();
      break;
    default:
      break;
  }
}

struct DecodeEvents {
  ChromeColumns columns;
  uint64_t count() const { return columns.start.size(); }
  bool operator()(ondemand::object event, const char* place) {
    EventFields e;
    for (auto member : event) {
      ondemand::field field;
      if (std::move(member).get(field) != simdjson::SUCCESS) return false;
      Decode(field.key().raw(), field.value(), &e);
    }
    columns.start.push_back(e.ts);
    columns.duration.push_back(e.dur);
    columns.process.push_back(e.pid);
    columns.thread.push_back(e.tid);
    columns.name.push_back(e.name);
    columns.place.push_back(place);
    columns.phase.push_back(e.ph);
    return true;
  }
};

// `sum` keeps the reads from being optimised away.
struct TouchEvents {
  uint64_t events = 0, sum = 0;
  uint64_t count() const {
    asm volatile("" : : "r"(sum));
    return events;
  }
  bool operator()(ondemand::object event, const char* /*place*/) {
    ++events;
    for (auto member : event) {
      ondemand::field field;
      if (std::move(member).get(field) != simdjson::SUCCESS) return false;
      sum += static_cast<unsigned char>(*field.key().raw());
      sum += field.value().raw_json_token().size();
    }
    return true;
  }
};

template <typename Visit>
bool VisitEvents(ondemand::parser* parser, simdjson::padded_string_view json, Visit* visit) {
  ondemand::document document;
  if (parser->iterate(json).get(document) != simdjson::SUCCESS) return false;
  ondemand::json_type type;
  if (document.type().get(type) != simdjson::SUCCESS) return false;
  ondemand::array events;
  const auto found = type == ondemand::json_type::array ? document.get_array().get(events)
                                                        : document["traceEvents"].get(events);
  if (found != simdjson::SUCCESS) return false;
  for (auto entry : events) {
    ondemand::value value;
    if (entry.get(value) != simdjson::SUCCESS) return false;
    const char* place = value.raw_json_token().data();
    ondemand::object event;
    if (value.get_object().get(event) != simdjson::SUCCESS || !(*visit)(event, place)) return false;
  }
  return true;
}

struct OpenFile {
  int fd = -1;
  size_t size = 0;
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
};

Status Open(const std::string& path, OpenFile* file) {
  struct stat s {};
  const Result<int> fd = OpenRegularFile(path, &s);
  if (!fd.ok()) return fd.status();
  file->fd = *fd;
  if (s.st_size <= 0) return {ErrorCode::kIo, path + ": is empty"};
  file->size = static_cast<size_t>(s.st_size);
  if (file->size > kMaxDocument) return {ErrorCode::kLimit, path + ": too long for a bare scan"};
  return Status::Ok();
}

// Takes the median of kRuns scans. All of them use `mapped`; if it is null, each maps the file
// anew.
template <typename Visit>
Result<ReferenceScanResult> Scan(const std::string& path, const OpenFile& file,
                                 const MappedFile* mapped) {
  ondemand::parser parser;
  std::array<double, kRuns> times;
  ReferenceScanResult result;
  for (double& ms : times) {
    const Stopwatch watch;
    Visit visit;
    bool good = false;
    if (mapped != nullptr) {
      good = mapped->ok() && VisitEvents(&parser, mapped->text(), &visit);
    } else {
      const MappedFile own(file.fd, file.size, false);
      good = own.ok() && VisitEvents(&parser, own.text(), &visit);
    }
    if (!good)
      return Status(ErrorCode::kFormat, path + ": not strict JSON, so there is no bare scan of it");
    result.events = visit.count();
    ms = watch.Ms();
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  result.milliseconds = times[kRuns / 2];
  return result;
}

}  // namespace

Result<ReferenceScanResult> ReferenceScanChrome(const std::string& path) {
  OpenFile file;
  if (Status status = Open(path, &file); !status.ok()) return status;
  return Scan<DecodeEvents>(path, file, nullptr);
}

Result<ReferenceScanResult> TouchScanChrome(const std::string& path) {
  OpenFile file;
  if (Status status = Open(path, &file); !status.ok()) return status;
  const MappedFile mapped(file.fd, file.size, true);
  return Scan<TouchEvents>(path, file, &mapped);
}

}  // namespace stepscope
