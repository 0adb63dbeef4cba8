#include "model/analysis/graphs/name_sequence.h"

#include <algorithm>
#include <unordered_map>

namespace stepscope {
namespace {

uint64_t HashOf(std::span<const uint32_t> gram) {
  uint64_t h = 0x9e3779b97f4a7c15ull;
  for (const uint32_t name : gram) {
    h = (h ^ name) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  return h;
}

// For each name of the part, the length of the longest proper prefix of the part that ends with
// it (Knuth, Morris, Pratt).
std::vector<uint32_t> Borders(std::span<const uint32_t> part) {
  std::vector<uint32_t> border(part.size(), 0);
  uint32_t length = 0;
  for (size_t i = 1; i < part.size(); ++i) {
    while (length > 0 && part[i] != part[length]) length = border[length - 1];
    if (part[i] == part[length]) ++length;
    border[i] = length;
  }
  return border;
}

}  // namespace

NameSequence::NameSequence(std::vector<uint32_t> names) : names_(std::move(names)) {
  const std::span<const uint32_t> all(names_);
  for (size_t i = 0; i + kGram <= all.size(); ++i)
    grams_.emplace_back(HashOf(all.subspan(i, kGram)), static_cast<uint32_t>(i));
  std::sort(grams_.begin(), grams_.end());
}

uint32_t NameSequence::LastRun(std::span<const uint32_t> part) const {
  if (part.empty() || part.size() > names_.size()) return kUnmatched;
  const std::vector<uint32_t> border = Borders(part);
  uint32_t found = kUnmatched, length = 0;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (length == part.size()) length = border[length - 1];
    while (length > 0 && names_[i] != part[length]) length = border[length - 1];
    if (names_[i] == part[length]) ++length;
    if (length == part.size()) found = static_cast<uint32_t>(i + 1 - part.size());
  }
  return found;
}

uint32_t NameSequence::NextGram(std::span<const uint32_t> gram, uint32_t from) const {
  constexpr int kMostCollisions = 8;
  const uint64_t hash = HashOf(gram);
  auto at = std::lower_bound(grams_.begin(), grams_.end(), std::pair(hash, from));
  for (int i = 0; i < kMostCollisions && at != grams_.end() && at->first == hash; ++i, ++at) {
    if (std::equal(gram.begin(), gram.end(), names_.begin() + at->second)) return at->second;
  }
  return kUnmatched;
}

uint32_t NameSequence::LikelyBegin(std::span<const uint32_t> part) const {
  constexpr size_t kMostSamples = 256;
  constexpr int kMostPlaces = 8;  // of one gram that are looked at, the last ones
  if (part.size() < kGram) return 0;
  const size_t step = std::max<size_t>(1, part.size() / kMostSamples);
  std::unordered_map<int64_t, int> votes;
  for (size_t i = 0; i + kGram <= part.size(); i += step) {
    const uint64_t hash = HashOf(part.subspan(i, kGram));
    auto at = std::lower_bound(grams_.begin(), grams_.end(), std::pair(hash, kUnmatched));
    for (int n = 0; n < kMostPlaces && at != grams_.begin() && (--at)->first == hash; ++n)
      ++votes[int64_t{at->second} - static_cast<int64_t>(i)];
  }
  int64_t best = 0;
  int most = 0;
  for (const auto& [begin, count] : votes) {
    if (count > most || (count == most && begin > best)) best = begin, most = count;
  }
  return static_cast<uint32_t>(std::max<int64_t>(0, best));
}

NameSequence::Jump NameSequence::NextJump(std::span<const uint32_t> rest, uint32_t from) const {
  constexpr size_t kMostSkipped = 16;
  Jump best{std::min(kMostSkipped, rest.size()), kUnmatched};
  size_t least = SIZE_MAX;
  for (size_t skip = 0; skip < kMostSkipped && skip + kGram <= rest.size() && skip < least;
       ++skip) {
    const uint32_t to = NextGram(rest.subspan(skip, kGram), from);
    if (to == kUnmatched || skip + (to - from) >= least) continue;
    least = skip + (to - from);
    best = {skip, to};
  }
  if (best.to != kUnmatched || rest.size() >= kGram) return best;
  // Too few names are left for a gram.
  const uint32_t end = static_cast<uint32_t>(std::min<size_t>(names_.size(), size_t{from} + kGram));
  for (uint32_t to = from; to < end; ++to) {
    if (names_[to] == rest.front()) return {0, to};
  }
  return {1, kUnmatched};
}

NameAlignment NameSequence::AlignFrom(std::span<const uint32_t> part, uint32_t at) const {
  NameAlignment found{std::vector<uint32_t>(part.size(), kUnmatched), 0};
  for (size_t i = 0; i < part.size();) {
    if (at < names_.size() && part[i] == names_[at]) {
      found.to[i++] = at++;
      ++found.matched;
      continue;
    }
    const Jump jump = NextJump(part.subspan(i), at);
    i += jump.skip;
    if (jump.to != kUnmatched) at = jump.to;
  }
  return found;
}

NameAlignment NameSequence::Align(std::span<const uint32_t> part) const {
  const uint32_t run = LastRun(part);
  if (run != kUnmatched) return AlignFrom(part, run);
  NameAlignment whole = AlignFrom(part, 0);
  const uint32_t begin = LikelyBegin(part);
  if (whole.matched == part.size() || begin == 0) return whole;
  NameAlignment likely = AlignFrom(part, begin);
  return likely.matched > whole.matched ? likely : whole;
}

}  // namespace stepscope
