#include "model/compare/contributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "model/compare/match.h"

namespace stepscope {
namespace {

constexpr double kCountDiffers = 0.02;  // more or fewer: counts differ by this share
constexpr double kErrors = 4;           // standard errors: what is less may be chance
constexpr double kStandsOut = 0.1;      // of the largest change of a family

Change ChangeOf(const Contribution& c) { return ChangeOfCalls(c.a, c.count_a, c.b, c.count_b); }

struct Side {
  const RunItems& run;
  const RunItem* Item(uint32_t i) const {
    return i == MatchedPair::kNone ? nullptr : &run.items[i];
  }
  double Variance(const StepSum& sum) const { return sum.Variance(run.samples, run.devices); }
};

class Finder {
 public:
  Finder(const RunItems& a, const RunItems& b) : a_{a}, b_{b} {}
  std::vector<Contribution> Run();

 private:
  void Add(const MatchedPair& pair);
  Contribution Base(const RunItem* a, const RunItem* b, const char* by) const;
  void AddLaunches(Contribution base, const RunItem* a, const RunItem* b);
  void JoinHostPart();

  Side a_, b_;
  std::vector<Contribution> all_;
};

std::vector<Matchable> MatchablesOf(const RunItems& run) {
  std::vector<Matchable> out;
  for (const RunItem& item : run.items) {
    Matchable m;
    // Kinds of work are one each; an idle item is one of its class.
    m.group = static_cast<uint32_t>(item.kind) * 64 +
              (IsWork(item.kind) ? 0 : static_cast<uint32_t>(item.loss));
    m.name = item.name;
    m.place = &item.place;
    m.shape = item.shape;
    m.category = item.category;
    m.count = item.count;
    m.time = item.busy;
    m.order = item.order;
    m.renames = IsWork(item.kind);
    out.push_back(m);
  }
  return out;
}

Contribution Finder::Base(const RunItem* a, const RunItem* b, const char* by) const {
  Contribution c;
  const RunItem& any = b != nullptr ? *b : *a;
  c.kind = any.kind;
  c.loss = any.loss;
  c.name = any.name;
  if (a != nullptr) c.count_a = a->count, c.busy_a = a->busy, c.rows_a = a->rows;
  if (b != nullptr) c.count_b = b->count, c.busy_b = b->busy, c.rows_b = b->rows;
  if (a != nullptr && b != nullptr && a->name != b->name) {
    c.matched_as = a->name;
    c.matched_by = by;
  }
  return c;
}

Change ChangeOfPair(const Contribution& c, const RunItem* a, const RunItem* b) {
  if (a == nullptr) return Change::kAdded;
  if (b == nullptr) return Change::kRemoved;
  return c.matched_as.empty() ? ChangeOf(c) : Change::kRenamed;
}

void Finder::Add(const MatchedPair& pair) {
  const RunItem *a = a_.Item(pair.a), *b = b_.Item(pair.b);
  Contribution c = Base(a, b, pair.by);
  for (StepSum RunItem::*sum : {&RunItem::time, &RunItem::after}) {
    if (a != nullptr) c.a += (a->*sum).total(), c.variance += a_.Variance(a->*sum);
    if (b != nullptr) c.b += (b->*sum).total(), c.variance += b_.Variance(b->*sum);
  }
  // Where calls come or go, their launches come or go with them.
  const bool with_launch = CountDiffers(c.count_a, c.count_b);
  if (with_launch) {
    if (a != nullptr) c.a += a->waits.total(), c.variance += a_.Variance(a->waits);
    if (b != nullptr) c.b += b->waits.total(), c.variance += b_.Variance(b->waits);
  }
  c.change = ChangeOfPair(c, a, b);
  if (!with_launch) AddLaunches(c, a, b);
  if (c.a != 0 || c.b != 0) all_.push_back(std::move(c));
}

void Finder::AddLaunches(Contribution base, const RunItem* a, const RunItem* b) {
  base.kind = ItemKind::kLaunch;
  base.loss = LossClass::kLaunch;
  base.a = a != nullptr ? a->waits.total() : 0;
  base.b = b != nullptr ? b->waits.total() : 0;
  if (base.a == 0 && base.b == 0) return;
  base.variance = 0;
  if (a != nullptr) base.variance += a_.Variance(a->waits);
  if (b != nullptr) base.variance += b_.Variance(b->waits);
  base.change = base.delta() >= 0 ? Change::kSlower : Change::kFaster;
  base.matched_as.clear();
  base.matched_by = "";
  all_.push_back(std::move(base));
}

// An op that only one run has took time of the host as well: that is a part of it.
void Finder::JoinHostPart() {
  std::map<std::pair<std::string_view, Change>, size_t> ops;
  for (size_t i = 0; i < all_.size(); ++i) {
    const Contribution& c = all_[i];
    const bool one_sided = c.change == Change::kAdded || c.change == Change::kRemoved;
    if (c.kind == ItemKind::kOp && one_sided)
      ops.emplace(std::pair(std::string_view(c.name), c.change), i);
  }
  std::vector<Contribution> kept;
  std::vector<size_t> into(all_.size(), all_.size());
  for (size_t i = 0; i < all_.size(); ++i) {
    if (IsWork(all_[i].kind)) continue;
    const auto it = ops.find({all_[i].name, all_[i].change});
    if (it != ops.end()) into[i] = it->second;
  }
  for (size_t i = 0; i < all_.size(); ++i) {
    if (into[i] == all_.size()) continue;
    Contribution& op = all_[into[i]];
    op.a += all_[i].a;
    op.b += all_[i].b;
    op.variance += all_[i].variance;
  }
  for (size_t i = 0; i < all_.size(); ++i) {
    if (into[i] == all_.size()) kept.push_back(std::move(all_[i]));
  }
  all_ = std::move(kept);
}

std::vector<Contribution> Finder::Run() {
  for (const MatchedPair& pair : Match(MatchablesOf(a_.run), MatchablesOf(b_.run))) Add(pair);
  JoinHostPart();
  return std::move(all_);
}

void AddRows(const std::vector<EventRow>& from, std::vector<EventRow>* to) {
  for (const EventRow row : from) {
    if (to->size() >= kItemRows) return;
    to->push_back(row);
  }
}

Contribution Merge(const std::vector<Contribution*>& parts, const char* what) {
  Contribution all = *parts.front();
  if (parts.size() == 1) return all;
  std::vector<std::string> names, before;
  for (const Contribution* part : parts) {
    names.push_back(part->name);
    before.push_back(part->matched_as);
    if (part == parts.front()) continue;
    all.a += part->a, all.b += part->b;
    all.count_a += part->count_a, all.count_b += part->count_b;
    all.busy_a += part->busy_a, all.busy_b += part->busy_b;
    all.variance += part->variance;
    AddRows(part->rows_a, &all.rows_a);
    AddRows(part->rows_b, &all.rows_b);
  }
  all.items = parts.size();
  all.name = PatternOf(names) + fmt::format(" ({} {})", parts.size(), what);
  if (!all.matched_as.empty()) all.matched_as = PatternOf(before);
  return all;
}

// Ops of layers are alike but for numbers: those that changed alike are one row, the others too.
void MergeFamily(const std::vector<Contribution*>& family, std::vector<Contribution>* out) {
  double largest = 0;
  for (const Contribution* c : family) largest = std::max(largest, std::abs(c->delta()));
  std::map<std::tuple<Change, bool>, std::vector<Contribution*>> alike;
  std::vector<Contribution*> rest;
  for (Contribution* c : family) {
    const bool changed = StandsOut(*c) && std::abs(c->delta()) >= kStandsOut * largest;
    if (changed) alike[{c->change, c->delta() > 0}].push_back(c);
    if (!changed) rest.push_back(c);
  }
  for (const auto& [change, parts] : alike) out->push_back(Merge(parts, "alike"));
  if (rest.empty()) return;
  Contribution others = Merge(rest, alike.empty() ? "alike" : "others");
  const bool mixed = std::any_of(rest.begin(), rest.end(), [&](const Contribution* c) {
    return c->change != rest.front()->change;
  });
  if (mixed) others.change = ChangeOf(others);
  out->push_back(std::move(others));
}

std::vector<Contribution> MergeFamilies(std::vector<Contribution> all) {
  std::map<std::tuple<ItemKind, LossClass, std::string>, std::vector<Contribution*>> families;
  std::vector<Contribution> out;
  for (Contribution& c : all) {
    if (c.name.find('/') != std::string::npos) {
      families[{c.kind, c.loss, WithoutNumbers(c.name)}].push_back(&c);
    } else {
      out.push_back(std::move(c));
    }
  }
  for (auto& [key, family] : families) MergeFamily(family, &out);
  return out;
}

}  // namespace

const char* IdOf(Change change) {
  static constexpr std::array<const char*, 7> kIds = {"slower", "faster",  "more",   "fewer",
                                                      "added",  "removed", "renamed"};
  return kIds[static_cast<size_t>(change)];
}

bool StandsOut(const Contribution& c) {
  return std::abs(c.delta()) > kErrors * std::sqrt(c.variance);
}

bool CountDiffers(double a, double b) { return std::abs(a - b) > kCountDiffers * std::max(a, b); }

Change ChangeOfCalls(double time_a, double count_a, double time_b, double count_b) {
  const double call_a = count_a > 0 ? time_a / count_a : 0;
  const double call_b = count_b > 0 ? time_b / count_b : 0;
  const double by_count = (count_b - count_a) * (call_a + call_b) / 2;
  const double by_call = (call_b - call_a) * (count_a + count_b) / 2;
  if (CountDiffers(count_a, count_b) && std::abs(by_count) > std::abs(by_call))
    return by_count > 0 ? Change::kMore : Change::kFewer;
  return time_b >= time_a ? Change::kSlower : Change::kFaster;
}

std::string PatternOf(const std::vector<std::string>& names) {
  // Texts between numbers are the same in all; numbers are kept where they are.
  const auto numbers = [](const std::string& name) {
    std::vector<std::string> found;
    bool digit = false;
    for (const char c : name) {
      const bool is = c >= '0' && c <= '9';
      if (is && !digit) found.emplace_back();
      if (is) found.back() += c;
      digit = is;
    }
    return found;
  };
  if (names.empty()) return {};
  std::vector<std::string> common = numbers(names.front());
  for (const std::string& name : names) {
    const std::vector<std::string> mine = numbers(name);
    if (mine.size() != common.size()) return WithoutNumbers(names.front());
    for (size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] != common[i]) common[i] = "*";
    }
  }
  std::string out;
  size_t at = 0;
  bool digit = false;
  for (const char c : names.front()) {
    const bool is = c >= '0' && c <= '9';
    if (!is) out += c;
    if (is && !digit) out += common[at++];
    digit = is;
  }
  return out;
}

Contributions FindContributions(const RunItems& a, const RunItems& b, Floors floors) {
  Contributions found;
  for (Contribution& c : MergeFamilies(Finder(a, b).Run())) {
    if (c.delta() == 0) continue;
    const double size = std::abs(c.delta());
    if (size < floors.least || (size < floors.large && !StandsOut(c))) {
      found.noise += c.delta();
    } else {
      found.rows.push_back(std::move(c));
    }
  }
  std::sort(found.rows.begin(), found.rows.end(), [](const Contribution& x, const Contribution& y) {
    const double dx = std::abs(x.delta()), dy = std::abs(y.delta());
    return dx != dy ? dx > dy : std::tie(x.kind, x.name) < std::tie(y.kind, y.name);
  });
  return found;
}

}  // namespace stepscope
