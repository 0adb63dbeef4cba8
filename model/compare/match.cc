#include "model/compare/match.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "model/base/digits.h"

namespace stepscope::compare {
namespace {

constexpr double kMostTimes = 2;   // counts of matching items may differ by this factor
constexpr double kMostSlower = 8;  // times may, if nothing but the kind of work connects the items
constexpr size_t kLevels = 4;      // levels up to which places are compared

bool Near(double a, double b, double factor) { return a <= b * factor && b <= a * factor; }

std::string Category(const Matchable& m) { return std::to_string(static_cast<int>(m.category)); }

std::string WithCategory(std::string_view key, const Matchable& m) {
  return key.empty() ? std::string() : std::string(key) + '\n' + Category(m);
}

// The last `parts` parts of a name like "a/b1/c", without numbers. A scope around the model does
// not change them. Empty if the name has no more parts than that.
std::string EndOf(std::string_view name, size_t parts) {
  size_t at = name.size();
  for (; parts > 0; --parts) {
    if (at == 0) return {};
    at = name.rfind('/', at - 1);
    if (at == std::string_view::npos) return {};
  }
  return WithoutNumbers(name.substr(at + 1));
}

class Matcher {
 public:
  Matcher(std::span<const Matchable> a, std::span<const Matchable> b)
      : a_(a), b_(b), match_of_a_(a.size()), taken_(b.size()) {}

  std::vector<MatchedPair> Run();

 private:
  using KeyOf = std::function<std::string(const Matchable&)>;
  struct Sides {
    std::vector<uint32_t> a, b;
  };
  // Pairs items of the same key; an item with an empty key stays alone. `unique`: pairs a key only
  // if it is unambiguous.
  void Round(const char* by, const KeyOf& key, bool unique) { Round(by, key, key, unique); }
  void Round(const char* by, const KeyOf& key_a, const KeyOf& key_b, bool unique);
  void ByPlace();
  void PairUp(const char* by, const Sides& sides, bool unique);
  bool Fits(const Matchable& a, const Matchable& b, bool unique) const;
  void ByName();

  std::span<const Matchable> a_, b_;
  std::vector<MatchedPair> match_of_a_;
  std::vector<bool> taken_;
};

void Matcher::ByName() {
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> names;
  for (uint32_t i = 0; i < b_.size(); ++i) names.emplace(std::pair(b_[i].group, b_[i].name), i);
  for (uint32_t i = 0; i < a_.size(); ++i) {
    match_of_a_[i].a = i;
    const auto it = names.find({a_[i].group, a_[i].name});
    if (it == names.end()) continue;
    match_of_a_[i].b = it->second;
    taken_[it->second] = true;
  }
}

bool Matcher::Fits(const Matchable& a, const Matchable& b, bool unique) const {
  const bool other = a.category == KernelCategory::kOther || b.category == KernelCategory::kOther;
  if (a.category != b.category && !other) return false;
  if (!Near(a.count, b.count, kMostTimes)) return false;
  return !unique || Near(a.time, b.time, kMostSlower);
}

// Pairs the k-th item of A with the k-th of B in order of first occurrence. Items that do not fit
// are passed over, at most 8 at a time.
void Matcher::PairUp(const char* by, const Sides& sides, bool unique) {
  if (unique && (sides.a.size() != 1 || sides.b.size() != 1)) return;
  size_t from = 0;
  for (const uint32_t i : sides.a) {
    for (size_t k = from; k < sides.b.size(); ++k) {
      const uint32_t j = sides.b[k];
      if (!Fits(a_[i], b_[j], unique)) {
        if (k - from < 8) continue;
        break;
      }
      match_of_a_[i].b = j;
      match_of_a_[i].by = by;
      taken_[j] = true;
      from = k + 1;
      break;
    }
  }
}

void Matcher::Round(const char* by, const KeyOf& key_a, const KeyOf& key_b, bool unique) {
  std::map<std::pair<uint32_t, std::string>, Sides> buckets;
  for (uint32_t i = 0; i < a_.size(); ++i) {
    if (match_of_a_[i].b != MatchedPair::kNone || !a_[i].renames) continue;
    std::string k = key_a(a_[i]);
    if (!k.empty()) buckets[{a_[i].group, std::move(k)}].a.push_back(i);
  }
  if (buckets.empty()) return;
  for (uint32_t i = 0; i < b_.size(); ++i) {
    if (taken_[i] || !b_[i].renames) continue;
    const auto it = buckets.find({b_[i].group, key_b(b_[i])});
    if (it != buckets.end()) it->second.b.push_back(i);
  }
  for (auto& [k, sides] : buckets) {
    const auto order = [](std::span<const Matchable> items) {
      return [items](uint32_t x, uint32_t y) { return items[x].order < items[y].order; };
    };
    std::sort(sides.a.begin(), sides.a.end(), order(a_));
    std::sort(sides.b.begin(), sides.b.end(), order(b_));
    PairUp(by, sides, unique);
  }
}

// Pairs items whose places have a level in common, the nearest levels first.
void Matcher::ByPlace() {
  const auto at = [](size_t level) {
    return [level](const Matchable& m) {
      const bool any = m.place != nullptr && m.place->size() > level;
      return any ? WithCategory((*m.place)[level], m) : std::string();
    };
  };
  for (size_t far = 0; far < kLevels; ++far) {
    for (size_t level = 0; level < far; ++level) {
      Round("place", at(level), at(far), false);
      Round("place", at(far), at(level), false);
    }
    Round("place", at(far), false);
  }
}

std::vector<MatchedPair> Matcher::Run() {
  ByName();
  Round(
      "op", [](const Matchable& m) { return WithCategory(m.op, m); }, false);
  Round(
      "op", [](const Matchable& m) { return std::string(m.op); }, false);
  Round(
      "name but for numbers", [](const Matchable& m) { return WithoutNumbers(m.name); }, false);
  for (const size_t parts : {size_t{3}, size_t{2}})
    Round(
        "end of the name", [parts](const Matchable& m) { return EndOf(m.name, parts); }, false);
  ByPlace();
  Round(
      "launch shape", [](const Matchable& m) { return WithCategory(m.shape, m); }, false);
  Round(
      "kind of work and count",
      [&](const Matchable& m) {
        if (m.category == KernelCategory::kOther) return std::string();
        return Category(m) + ' ' + std::to_string(std::llround(m.count * 8));
      },
      true);
  std::vector<MatchedPair> all = std::move(match_of_a_);
  for (uint32_t i = 0; i < b_.size(); ++i) {
    if (!taken_[i]) all.push_back({MatchedPair::kNone, i, ""});
  }
  return all;
}

}  // namespace

std::vector<MatchedPair> Match(std::span<const Matchable> a, std::span<const Matchable> b) {
  return Matcher(a, b).Run();
}

}  // namespace stepscope::compare
