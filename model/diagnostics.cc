#include "model/diagnostics.h"

#include <algorithm>
#include <utility>

namespace stepscope {

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

void Diagnostics::CountTruncated(std::string place) {
  Count(kTruncated, Severity::kWarning,
        "The file ends before it is complete: what was written last is missing.", std::move(place));
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
