#include "app/bench/reference_scan_xspace.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/system/process.h"
#include "loaders/common/wire.h"
#include "loaders/files/byte_source.h"
#include "model/base/job.h"

namespace stepscope {
namespace {

using proto::Bytes;
using proto::ReadVarint;
using proto::ReadVarintPadded;

struct Mapping {
  Bytes begin = nullptr;
  size_t size = 0;
  ~Mapping() {
    if (begin != nullptr) munmap(const_cast<uint8_t*>(begin), size);
  }
};

struct XspaceColumns {
  std::vector<int64_t> start, duration;
  std::vector<uint32_t> meta, place;
  uint64_t stats = 0;
};

using Span = std::pair<Bytes, Bytes>;

// Steps over a value. Returns null where the value does not end within the bytes.
Bytes Skip(Bytes p, Bytes end, uint64_t tag) {
  uint64_t n = 0;
  switch (tag & 7) {
    case proto::kVarint:
      return ReadVarint(p, end, &n);
    case proto::kFixed64:
      return end - p >= 8 ? p + 8 : nullptr;
    case proto::kFixed32:
      return end - p >= 4 ? p + 4 : nullptr;
    case proto::kLen:
      p = ReadVarint(p, end, &n);
      return p != nullptr && n <= static_cast<uint64_t>(end - p) ? p + n : nullptr;
    default:
      return nullptr;
  }
}

// Calls fn(tag, begin, end) for each length-delimited field. For the others it calls fn(tag,
// begin, null), which returns where the field ends.
template <typename Fn>
void Walk(Span message, Fn fn) {
  Bytes p = message.first;
  while (p != nullptr && p < message.second) {
    uint64_t tag = 0, n = 0;
    p = ReadVarint(p, message.second, &tag);
    if (p == nullptr) return;
    if ((tag & 7) != proto::kLen) {
      p = fn(tag, p, nullptr);
      continue;
    }
    p = ReadVarint(p, message.second, &n);
    if (p == nullptr || n > static_cast<uint64_t>(message.second - p)) return;
    fn(tag, p, p + n);
    p += n;
  }
}

struct EventNumbers {
  uint64_t meta = 0, offset = 0, duration = 0, stats = 0;
};

// Reads an event near the end of the file, where every read has to be checked.
void ReadEventCarefully(Span event, EventNumbers* e) {
  Walk(event, [&](uint64_t tag, Bytes p, Bytes end) -> Bytes {
    if (tag == 8) return ReadVarint(p, event.second, &e->meta);
    if (tag == 16) return ReadVarint(p, event.second, &e->offset);
    if (tag == 24) return ReadVarint(p, event.second, &e->duration);
    for (Bytes s = p; tag == 34 && s != nullptr && s < end;) {
      uint64_t stat = 0;
      s = ReadVarint(s, end, &stat);
      e->stats += stat;
      if (s != nullptr) s = Skip(s, end, stat);
    }
    return end != nullptr ? end : Skip(p, event.second, tag);
  });
}

// Away from the end of the file a varint may be read past the end of its message; the check comes
// afterwards.
inline Bytes SkipPadded(Bytes p, Bytes end, uint64_t tag) {
  uint64_t n = 0;
  switch (tag & 7) {
    case proto::kVarint:
      return ReadVarintPadded(p, &n);
    case proto::kLen:
      p = ReadVarintPadded(p, &n);
      return p != nullptr && p <= end && n <= static_cast<uint64_t>(end - p) ? p + n : nullptr;
    case proto::kFixed64:
      return p + 8;
    case proto::kFixed32:
      return p + 4;
    default:
      return nullptr;
  }
}

bool ReadEventFast(Span event, EventNumbers* e) {
  Bytes p = event.first;
  while (p < event.second) {
    uint64_t tag = 0, n = 0;
    p = ReadVarintPadded(p, &tag);
    if (p == nullptr) return false;
    if (tag == 8) {
      p = ReadVarintPadded(p, &e->meta);
    } else if (tag == 16) {
      p = ReadVarintPadded(p, &e->offset);
    } else if (tag == 24) {
      p = ReadVarintPadded(p, &e->duration);
    } else if (tag == 34) {
      p = ReadVarintPadded(p, &n);
      if (p == nullptr || p > event.second || n > static_cast<uint64_t>(event.second - p))
        return false;
      const Bytes end = p + n;
      while (p < end) {
        uint64_t stat = 0;
        p = ReadVarintPadded(p, &stat);
        if (p == nullptr) return false;
        e->stats += stat;
        p = SkipPadded(p, end, stat);
        if (p == nullptr) return false;
      }
    } else {
      p = SkipPadded(p, event.second, tag);
    }
    if (p == nullptr) return false;
  }
  return true;
}

inline void ScanEvent(Span event, Bytes line, Bytes file_end, uint64_t line_start,
                      XspaceColumns* out) {
  EventNumbers e;
  if (file_end - event.second < 32 || !ReadEventFast(event, &e)) {
    e = {};
    ReadEventCarefully(event, &e);
  }
  out->stats += e.stats;
  out->start.push_back(static_cast<int64_t>(line_start + e.offset));
  out->duration.push_back(static_cast<int64_t>(e.duration));
  out->meta.push_back(static_cast<uint32_t>(e.meta));
  out->place.push_back(static_cast<uint32_t>(event.second - line));
}

void ScanLine(Span line, Bytes file_end, XspaceColumns* out) {
  const size_t guess = static_cast<size_t>(line.second - line.first) / 48;
  out->start.reserve(guess);
  out->duration.reserve(guess);
  out->meta.reserve(guess);
  out->place.reserve(guess);
  uint64_t start = 0;
  Walk(line, [&](uint64_t tag, Bytes p, Bytes end) -> Bytes {
    if (tag == 24) {
      p = ReadVarint(p, line.second, &start);
      start *= 1000;
      return p;
    }
    if (tag == 34) ScanEvent({p, end}, line.first, file_end, start, out);
    return end != nullptr ? end : Skip(p, line.second, tag);
  });
}

std::vector<Span> Lines(Span space) {
  std::vector<Span> lines;
  Walk(space, [&](uint64_t tag, Bytes p, Bytes end) -> Bytes {
    if (tag != 10) return end != nullptr ? end : Skip(p, space.second, tag);
    Walk({p, end}, [&](uint64_t inner, Bytes q, Bytes inner_end) -> Bytes {
      if (inner == 26) lines.emplace_back(q, inner_end);
      return inner_end != nullptr ? inner_end : Skip(q, end, inner);
    });
    return end;
  });
  return lines;
}

uint64_t ScanOnce(int fd, size_t size, unsigned threads) {
  void* block = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (block == MAP_FAILED) return 0;
  const Mapping file{static_cast<Bytes>(block), size};
  const std::vector<Span> lines = Lines({file.begin, file.begin + size});
  std::vector<XspaceColumns> columns(lines.size());
  ParallelFor(
      lines.size(), [&](size_t i) { ScanLine(lines[i], file.begin + file.size, &columns[i]); },
      threads);
  uint64_t events = 0;
  for (const XspaceColumns& c : columns) events += c.start.size();
  return events;
}

}  // namespace

Result<ReferenceScanResult> ReferenceScanXSpace(const std::string& path, unsigned threads) {
  struct stat s {};
  const Result<int> fd = OpenRegularFile(path, &s);
  if (!fd.ok()) return fd.status();
  ReferenceScanResult result;
  std::array<double, 5> times{};
  if (s.st_size > 0) {
    for (double& t : times) {
      const Stopwatch watch;
      result.events = ScanOnce(*fd, static_cast<size_t>(s.st_size), threads);
      t = watch.Ms();
    }
  }
  close(*fd);
  std::sort(times.begin(), times.end());
  result.milliseconds = times[times.size() / 2];
  return result;
}

}  // namespace stepscope
