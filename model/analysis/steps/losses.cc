#include "model/analysis/steps/losses.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace stepscope {
namespace {

bool IsLonger(const IdleInterval& a, const IdleInterval& b) {
  if (a.range.length() != b.range.length()) return a.range.length() > b.range.length();
  return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.device < b.device;
}

// Orders parts of one length, so that the kept ones lie all over the recording.
uint64_t HashOf(const IdleInterval& part) {
  return static_cast<uint64_t>(part.range.begin) * 0x9e3779b97f4a7c15u;
}

// The n-th smallest number, from 0; there are more than n. O(numbers)
uint64_t NthSmallest(std::vector<uint64_t> numbers, size_t n) {
  constexpr unsigned kBits = 11;
  uint64_t differ = 0;
  for (const uint64_t v : numbers) differ |= v ^ numbers.front();
  // The digits begin at the highest bit in which numbers differ, so that the first one tells most.
  auto shift = static_cast<unsigned>(std::bit_width(differ));
  while (shift > 0) {
    shift = shift > kBits ? shift - kBits : 0;
    std::array<size_t, size_t{1} << kBits> counts{};
    const auto digit_of = [&](uint64_t v) { return v >> shift & (counts.size() - 1); };
    for (const uint64_t v : numbers) ++counts[digit_of(v)];
    uint64_t digit = 0;
    while (n >= counts[digit]) n -= counts[digit++];
    if (counts[digit] < numbers.size())
      std::erase_if(numbers, [&](uint64_t v) { return digit_of(v) != digit; });
  }
  return numbers.front();
}

// Keeps the `most` longest parts, in their order; there are more. Returns the length of the
// shortest one.
Ps KeepLongest(size_t most, std::vector<IdleInterval>* parts) {
  std::vector<uint64_t> numbers;
  numbers.reserve(parts->size());
  for (const IdleInterval& part : *parts)
    numbers.push_back(static_cast<uint64_t>(kMaxPs - part.range.length()));
  const Ps least = kMaxPs - static_cast<Ps>(NthSmallest(std::move(numbers), most - 1));
  numbers = {};
  size_t longer = 0;
  for (const IdleInterval& part : *parts) {
    longer += part.range.length() > least ? 1 : 0;
    if (part.range.length() == least) numbers.push_back(HashOf(part));
  }
  const uint64_t last = NthSmallest(std::move(numbers), most - 1 - longer);
  std::erase_if(*parts, [&](const IdleInterval& part) {
    return part.range.length() < least || (part.range.length() == least && HashOf(part) > last);
  });
  return least;
}

}  // namespace

void IdleIntervals::Add(const IdleInterval& interval) {
  if (!Wants(interval.range)) return;
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
  if (!Wants(part.range)) return;
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

namespace {

struct ClassWords {
  const char *id, *label;
  StepPart part;
};
constexpr std::array<ClassWords, kStepTimeClasses> kClasses = {{
    {"compute", "Compute", StepPart::kCompute},
    {"h2d", "Copies to the device", StepPart::kCopies},
    {"d2h", "Copies to the host", StepPart::kCopies},
    {"d2d", "Copies on the device", StepPart::kOnDevice},
    {"collective_wait", "Waiting for participants", StepPart::kCollectiveWait},
    {"collective", "Collectives", StepPart::kCollectives},
    {"input", "Waiting for input", StepPart::kInput},
    {"sync", "Synchronisation", StepPart::kSync},
    {"compile", "Compilation", StepPart::kCompile},
    {"launch", "Kernel launch", StepPart::kLaunch},
    {"queued", "Queued work", StepPart::kQueued},
    {"host", "Host work", StepPart::kHost},
    {"between_steps", "Between steps", StepPart::kBetweenSteps},
    {"unknown", "Not explained", StepPart::kUnknown},
}};

struct PartWords {
  const char *id, *label;
};
constexpr std::array<PartWords, kStepParts> kPartWords = {{
    {"device", "Compute"},
    {"on_device", "Copies on the device"},
    {"input", "Waiting for input"},
    {"host", "Host work"},
    {"launch", "Kernel launch"},
    {"sync", "Synchronisation"},
    {"compile", "Compilation"},
    {"copies", "Copies"},
    {"collectives", "Collectives"},
    {"collective_wait", "Waiting for participants"},
    {"between_steps", "Between steps"},
    {"queued", "Queued work"},
    {"unknown", "Not explained"},
}};

}  // namespace

const char* IdOf(StepTimeClass c) {
  return c < StepTimeClass::kCount ? kClasses[static_cast<size_t>(c)].id : "";
}
const char* LabelOf(StepTimeClass c) {
  return c < StepTimeClass::kCount ? kClasses[static_cast<size_t>(c)].label : "";
}
StepPart PartOf(StepTimeClass c) { return kClasses[static_cast<size_t>(c)].part; }
const char* IdOf(StepPart part) { return kPartWords[static_cast<size_t>(part)].id; }
const char* LabelOf(StepPart part) { return kPartWords[static_cast<size_t>(part)].label; }

}  // namespace stepscope
