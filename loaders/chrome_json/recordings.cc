#include "loaders/chrome_json/recordings.h"

#include <algorithm>
#include <numeric>

#include "model/base/ascii.h"
#include "model/time.h"

namespace stepscope::chrome {
namespace {

constexpr int64_t kNsPerS = 1'000'000'000;
// Ranks that record for a short time may not overlap by their clocks.
constexpr int64_t kClocksApartNs = 10 * kNsPerS;
// A number of a process is used again: without its host's name it tells a process for so long.
constexpr int64_t kSameNumberNs = 3600 * kNsPerS;
// Processes of a job record at one time; their clocks may be far apart.
constexpr int64_t kJobApartNs = 600 * kNsPerS;
constexpr size_t kLeastTimeDigits = 10;  // seconds since 1970

struct Span {
  int64_t begin = 0, end = 0;
};

Span SpanOf(std::span<const RecordedFile> files, const SameTime& some) {
  Span span{files[some.front()].begin_ns, files[some.front()].end_ns};
  for (const uint32_t i : some) {
    span.begin = std::min(span.begin, files[i].begin_ns);
    span.end = std::max(span.end, files[i].end_ns);
  }
  return span;
}

// Whether the files can be ranks of one job: no rank is there twice.
bool AreRanksOfOneJob(std::span<const RecordedFile> files, const SameTime& a, const SameTime& b) {
  const auto known = [&](uint32_t i) { return files[i].rank >= 0; };
  if (!std::all_of(a.begin(), a.end(), known) || !std::all_of(b.begin(), b.end(), known))
    return false;
  return std::none_of(a.begin(), a.end(), [&](uint32_t i) {
    return std::any_of(b.begin(), b.end(),
                       [&](uint32_t j) { return files[i].rank == files[j].rank; });
  });
}

bool ShareProcess(std::span<const RecordedFile> files, const SameTime& a, const SameTime& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t i) {
    return std::any_of(b.begin(), b.end(),
                       [&](uint32_t j) { return IsSameProcess(files[i], files[j]); });
  });
}

// Files that overlap, and those that a difference of clocks can keep apart.
std::vector<SameTime> FindSameTimes(std::span<const RecordedFile> files) {
  std::vector<uint32_t> order(files.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return files[a].begin_ns < files[b].begin_ns; });
  std::vector<SameTime> times;
  int64_t end = 0;
  for (const uint32_t i : order) {
    const SameTime one{i};
    bool joins = false;
    if (!times.empty()) {
      const int64_t gap = SaturatingSub(files[i].begin_ns, end);
      const bool process = ShareProcess(files, times.back(), one);
      const bool job = AreRanksOfOneJob(files, times.back(), one);
      joins = gap < 0 || (!process && gap <= (job ? kJobApartNs : kClocksApartNs));
    }
    if (joins) {
      times.back().push_back(i);
      end = std::max(end, files[i].end_ns);
    } else {
      times.push_back(one);
      end = files[i].end_ns;
    }
  }
  for (SameTime& time : times) std::sort(time.begin(), time.end());
  return times;
}

}  // namespace

bool IsSameProcess(const RecordedFile& a, const RecordedFile& b) {
  if (a.rank != b.rank) return false;
  if (!a.worker.empty() || !b.worker.empty()) return a.worker == b.worker;
  if (a.process.empty() || a.process != b.process) return false;
  const int64_t gap =
      std::max(SaturatingSub(b.begin_ns, a.end_ns), SaturatingSub(a.begin_ns, b.end_ns));
  return gap <= kSameNumberNs;
}

std::string_view WorkerInName(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && IsDigit(name[name.size() - 1 - digits])) ++digits;
  if (digits < kLeastTimeDigits || digits + 1 >= name.size()) return {};
  const char separator = name[name.size() - 1 - digits];
  if (separator != '.' && separator != '_') return {};
  const std::string_view worker = name.substr(0, name.size() - 1 - digits);
  const size_t pid = worker.rfind('_');
  if (pid == worker.npos || pid == 0 || pid + 1 == worker.size()) return {};
  const bool number =
      std::all_of(worker.begin() + static_cast<std::ptrdiff_t>(pid) + 1, worker.end(), IsDigit);
  return number ? worker : std::string_view();
}

std::vector<Recording> GroupRecordings(std::span<const RecordedFile> files) {
  std::vector<Recording> recordings;
  for (SameTime& time : FindSameTimes(files)) {
    // The last recording with a process of these.
    const auto same = std::find_if(recordings.rbegin(), recordings.rend(), [&](const Recording& r) {
      return ShareProcess(files, r.cycles.back(), time);
    });
    if (same != recordings.rend()) {
      same->cycles.push_back(std::move(time));
    } else {
      recordings.push_back({{std::move(time)}});
    }
  }
  std::stable_sort(
      recordings.begin(), recordings.end(), [&](const Recording& a, const Recording& b) {
        return SpanOf(files, a.cycles.back()).begin > SpanOf(files, b.cycles.back()).begin;
      });
  return recordings;
}

}  // namespace stepscope::chrome
