#include "model/analysis/steps/losses.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stepscope {
namespace {

bool IsLonger(const IdleInterval& a, const IdleInterval& b) {
  if (a.range.length() != b.range.length()) return a.range.length() > b.range.length();
  return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.device < b.device;
}

// The rank of a part: longer parts have a smaller one. Parts of one length are ordered by a hash,
// so that the kept ones lie all over the recording.
std::pair<Ps, uint64_t> RankOf(const IdleInterval& part) {
  return {-part.range.length(), static_cast<uint64_t>(part.range.begin) * 0x9e3779b97f4a7c15u};
}

// Keeps the `most` longest parts, in their order; there are more. Returns the length of the
// shortest one.
Ps KeepLongest(size_t most, std::vector<IdleInterval>* parts) {
  std::vector<std::pair<Ps, uint64_t>> ranks(parts->size());
  std::transform(parts->begin(), parts->end(), ranks.begin(), RankOf);
  const auto last = ranks.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(ranks.begin(), last, ranks.end());
  std::erase_if(*parts, [&](const IdleInterval& part) { return RankOf(part) > *last; });
  return -last->first;
}

}  // namespace

void IdleIntervals::Add(const IdleInterval& interval) {
  if (interval.range.length() < kLeast) return;
  ++count;
  longest.push_back(interval);
  if (longest.size() < 2 * kMost) return;
  std::nth_element(longest.begin(), longest.begin() + kMost, longest.end(), IsLonger);
  longest.resize(kMost);
}

void IdleIntervals::Append(const IdleIntervals& others) {
  const uint64_t sum = count + others.count;
  for (const IdleInterval& interval : others.longest) Add(interval);
  count = sum;
}

void IdleIntervals::Finish() {
  std::sort(longest.begin(), longest.end(), IsLonger);
  if (longest.size() > kMost) longest.resize(kMost);
}

void DeviceIdle::Add(const IdleInterval& part) {
  if (part.range.length() < least) return;
  parts.push_back(part);
  if (parts.size() >= 2 * most) least = KeepLongest(most, &parts);
}

void DeviceIdle::Finish() {
  if (parts.size() > most) KeepLongest(most, &parts);
  const auto earlier = [](const IdleInterval& a, const IdleInterval& b) {
    return a.range.begin < b.range.begin;
  };
  if (!std::is_sorted(parts.begin(), parts.end(), earlier))
    std::sort(parts.begin(), parts.end(), earlier);
  parts.shrink_to_fit();
}

const char* IdOf(StepTimeClass c) {
  static constexpr std::array<const char*, kStepTimeClasses> kIds = {
      "compute", "h2d",    "d2h",    "d2d",  "collective_wait", "collective", "input", "sync",
      "compile", "launch", "queued", "host", "between_steps",   "unknown"};
  return c < StepTimeClass::kCount ? kIds[static_cast<size_t>(c)] : "";
}

}  // namespace stepscope
