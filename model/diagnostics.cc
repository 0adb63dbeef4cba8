#include "model/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/base/check.h"

namespace stepscope {
namespace {

struct LossRow {
  RecordingLoss loss;
  std::string_view id;
  Severity severity;
  std::string_view text;
};

constexpr std::array kLosses = {
    LossRow{RecordingLoss::kTruncated, kTruncated, Severity::kWarning,
            "The file ends before it is complete: what was written last is missing."},
    LossRow{RecordingLoss::kImpossibleDuration, "impossible_duration", Severity::kWarning,
            "Events of a device's queue outlast the next ones by an impossible time: the profiler "
            "lost their ends, and they are cut where the next one begins"},
    LossRow{RecordingLoss::kLostTime, "lost_time", Severity::kWarning,
            "Events have time 0 and length 0, far from all others: the profiler lost their times, "
            "and they are left out"},
    LossRow{RecordingLoss::kWriterLimit, "writer_limit", Severity::kWarning,
            "The file has exactly as many events as its writer's limit "
            "(TF_PROFILER_TRACE_VIEWER_MAX_EVENTS): the recording goes on beyond them"},
    LossRow{RecordingLoss::kUnreadMember, "unread_member", Severity::kWarning,
            "Entries of lists beside the event list are not read"},
};
static_assert(kLosses.size() == static_cast<size_t>(RecordingLoss::kCount));

const LossRow& RowOf(RecordingLoss loss) {
  const auto it = std::find_if(kLosses.begin(), kLosses.end(),
                               [&](const LossRow& row) { return row.loss == loss; });
  STEPSCOPE_DCHECK(it != kLosses.end());
  return *it;
}

}  // namespace

std::string_view IdOf(RecordingLoss loss) { return RowOf(loss).id; }

void Diagnostics::Count(std::string_view id, Severity severity, std::string_view text,
                        std::string place, uint64_t n) {
  auto it =
      std::find_if(rows_.begin(), rows_.end(), [&](const Diagnostic& d) { return d.id == id; });
  if (it == rows_.end()) {
    rows_.push_back({std::string(id), severity, 0, std::string(text), {}});
    it = rows_.end() - 1;
  }
  it->count += n;
  it->severity = std::max(it->severity, severity);
  if (!place.empty() && it->first.size() < kMaxPlaces) it->first.push_back(std::move(place));
}

void Diagnostics::Count(RecordingLoss loss, std::string place, uint64_t n) {
  const LossRow& row = RowOf(loss);
  Count(row.id, row.severity, row.text, std::move(place), n);
}

void Diagnostics::CountMissingFile(std::string place) {
  Count(kMissingFile, Severity::kWarning, "A file of this profile could not be read.",
        std::move(place));
}

const Diagnostic* Diagnostics::Find(std::string_view id) const {
  const auto it =
      std::find_if(rows_.begin(), rows_.end(), [&](const Diagnostic& d) { return d.id == id; });
  return it == rows_.end() ? nullptr : &*it;
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const Diagnostic& d : other.rows_) {
    Count(d.id, d.severity, d.text, {}, d.count);
    auto it =
        std::find_if(rows_.begin(), rows_.end(), [&](const Diagnostic& r) { return r.id == d.id; });
    for (const std::string& place : d.first) {
      if (it->first.size() < kMaxPlaces) it->first.push_back(place);
    }
  }
}

uint64_t Diagnostics::problems() const {
  uint64_t sum = 0;
  for (const Diagnostic& d : rows_) {
    if (d.severity != Severity::kInfo) sum += d.count;
  }
  return sum;
}

}  // namespace stepscope
