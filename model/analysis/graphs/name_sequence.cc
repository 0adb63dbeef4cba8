#include "model/analysis/graphs/name_sequence.h"

#include <algorithm>
#include <utility>

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

// A program repeats its kernels, so there are far fewer different grams than places.
NameSequence::NameSequence(std::vector<uint32_t> names) : names_(std::move(names)) {
  if (names_.size() < kGram) return;
  const std::span<const uint32_t> all(names_);
  std::vector<Gram*> gram_at(names_.size() - kGram + 1);  // nodes of a map do not move
  for (size_t i = 0; i < gram_at.size(); ++i) {
    gram_at[i] = &grams_[HashOf(all.subspan(i, kGram))];
    ++gram_at[i]->size;
  }
  places_.resize(gram_at.size());
  uint32_t begin = 0;
  for (auto& [hash, gram] : grams_) {
    gram.begin = begin;
    begin += std::exchange(gram.size, 0);
  }
  for (uint32_t i = 0; i < gram_at.size(); ++i) places_[gram_at[i]->begin + gram_at[i]->size++] = i;
}

std::span<const uint32_t> NameSequence::PlacesOf(std::span<const uint32_t> gram) const {
  const auto found = grams_.find(HashOf(gram));
  if (found == grams_.end()) return {};
  return std::span(places_).subspan(found->second.begin, found->second.size);
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
  const std::span<const uint32_t> places = PlacesOf(gram);
  auto at = std::lower_bound(places.begin(), places.end(), from);
  for (int i = 0; i < kMostCollisions && at != places.end(); ++i, ++at) {
    if (std::equal(gram.begin(), gram.end(), names_.begin() + *at)) return *at;
  }
  return kUnmatched;
}

uint32_t NameSequence::LikelyBegin(std::span<const uint32_t> part) const {
  constexpr size_t kMostSamples = 256;
  constexpr size_t kMostPlaces = 8;  // of one gram that are looked at, the last ones
  if (part.size() < kGram) return 0;
  const size_t step = std::max<size_t>(1, part.size() / kMostSamples);
  std::unordered_map<int64_t, int> votes;
  for (size_t i = 0; i + kGram <= part.size(); i += step) {
    const std::span<const uint32_t> places = PlacesOf(part.subspan(i, kGram));
    for (const uint32_t place : places.last(std::min(kMostPlaces, places.size())))
      ++votes[int64_t{place} - static_cast<int64_t>(i)];
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
