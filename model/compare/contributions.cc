#include "model/compare/contributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "model/compare/match.h"

namespace stepscope::compare {
namespace {

constexpr double kCountDiffers = 0.02;  // counts differ if they do by more than this share
constexpr double kErrors = 4;           // standard errors that a change must exceed to stand out
constexpr double kStandsOut = 0.1;  // share of the family's largest change that a row must reach

Change ChangeOf(const Contribution& c) { return ChangeOfCalls(c.a, c.count_a, c.b, c.count_b); }

// Whether a match says that both profiles do the same work. Equal places, launch shapes and counts
// occur in programs that have nothing to do with each other.
bool IsByName(std::string_view by) {
  return by.empty() || by == "op" || by == "name but for numbers" || by == "end of the name";
}

double WorkTime(const StepItems& step) {
  double time = 0;
  for (const StepItem& item : step.items) time += IsWork(item.kind) ? item.time.total() : 0;
  return time;
}

struct SideStep {
  const StepItems& step;
  double work = WorkTime(step);  // ps: the part of the step in which devices work
  const StepItem* Item(uint32_t i) const {
    return i == MatchedPair::kNone ? nullptr : &step.items[i];
  }
  // The scatter of one sum of the item; nothing if the profile does not have the item.
  Scatter ScatterOf(const StepItem* item, StepSum StepItem::*sum) const {
    return item != nullptr ? (item->*sum).ScatterOf(step.samples, step.devices) : Scatter();
  }
};

class Finder {
 public:
  Finder(const StepItems& a, const StepItems& b) : a_{a}, b_{b} {}
  std::vector<Contribution> Run();
  // Valid after Run(); see Contributions.
  double shared_percent() const { return a_.work > 0 && b_.work > 0 ? 100 * shared_ : 100; }

 private:
  void Share(const MatchedPair& pair);
  void Add(const MatchedPair& pair);
  Contribution Base(const StepItem* a, const StepItem* b, const char* by) const;
  void AddSum(StepSum StepItem::*sum, const StepItem* a, const StepItem* b, Contribution* to) const;
  void AddLaunches(Contribution base, const StepItem* a, const StepItem* b);
  void JoinHostPart();

  SideStep a_, b_;
  double shared_ = 0;  // of the work of both, 0 to 1
  std::vector<Contribution> all_;
};

std::vector<Matchable> MatchablesOf(const StepItems& step) {
  std::vector<Matchable> out;
  for (const StepItem& item : step.items) {
    Matchable m;
    // Work matches work of its kind; an idle item matches idle items of its class only.
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

Contribution Finder::Base(const StepItem* a, const StepItem* b, const char* by) const {
  Contribution c;
  const StepItem& any = b != nullptr ? *b : *a;
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

void Finder::AddSum(StepSum StepItem::*sum, const StepItem* a, const StepItem* b,
                    Contribution* to) const {
  if (a != nullptr) to->a += (a->*sum).total();
  if (b != nullptr) to->b += (b->*sum).total();
  to->variance += VarianceOfShift(a_.ScatterOf(a, sum), b_.ScatterOf(b, sum));
}

Change ChangeOfPair(const Contribution& c, const StepItem* a, const StepItem* b) {
  if (a == nullptr) return Change::kAdded;
  if (b == nullptr) return Change::kRemoved;
  return c.matched_as.empty() ? ChangeOf(c) : Change::kRenamed;
}

// Adds the smaller of the shares that the pair has of the work of A and of B.
void Finder::Share(const MatchedPair& pair) {
  const StepItem *a = a_.Item(pair.a), *b = b_.Item(pair.b);
  if (a == nullptr || b == nullptr || !IsWork(a->kind) || !IsByName(pair.by)) return;
  if (a_.work <= 0 || b_.work <= 0) return;
  shared_ += std::min(a->time.total() / a_.work, b->time.total() / b_.work);
}

void Finder::Add(const MatchedPair& pair) {
  const StepItem *a = a_.Item(pair.a), *b = b_.Item(pair.b);
  Contribution c = Base(a, b, pair.by);
  AddSum(&StepItem::time, a, b, &c);
  AddSum(&StepItem::after, a, b, &c);
  // If the number of calls differs, so does the number of launches: they belong to the same row.
  const bool with_launch = CountDiffers(c.count_a, c.count_b);
  if (with_launch) AddSum(&StepItem::waits, a, b, &c);
  c.change = ChangeOfPair(c, a, b);
  if (!with_launch) AddLaunches(c, a, b);
  if (c.a != 0 || c.b != 0) all_.push_back(std::move(c));
}

void Finder::AddLaunches(Contribution base, const StepItem* a, const StepItem* b) {
  base.kind = WorkKind::kLaunch;
  base.loss = StepTimeClass::kLaunch;
  base.a = base.b = base.variance = 0;
  AddSum(&StepItem::waits, a, b, &base);
  if (base.a == 0 && base.b == 0) return;
  base.change = base.delta() >= 0 ? Change::kSlower : Change::kFaster;
  base.matched_as.clear();
  base.matched_by = "";
  all_.push_back(std::move(base));
}

// An op that only one profile has also took time on the host. That idle time joins the op's row.
void Finder::JoinHostPart() {
  std::map<std::pair<std::string_view, Change>, size_t> ops;
  for (size_t i = 0; i < all_.size(); ++i) {
    const Contribution& c = all_[i];
    const bool one_sided = c.change == Change::kAdded || c.change == Change::kRemoved;
    if (c.kind == WorkKind::kOp && one_sided)
      ops.emplace(std::pair(std::string_view(c.name), c.change), i);
  }
  for (Contribution& c : all_) {
    const auto it = IsWork(c.kind) ? ops.end() : ops.find({c.name, c.change});
    if (it == ops.end()) continue;
    Contribution& op = all_[it->second];
    op.a += c.a;
    op.b += c.b;
    op.variance += c.variance;
    c.items = 0;  // it is in the op's row now
  }
  std::erase_if(all_, [](const Contribution& c) { return c.items == 0; });
}

std::vector<Contribution> Finder::Run() {
  for (const MatchedPair& pair : Match(MatchablesOf(a_.step), MatchablesOf(b_.step))) {
    Share(pair);
    Add(pair);
  }
  JoinHostPart();
  return std::move(all_);
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
    all.rows_a.Append(part->rows_a);
    all.rows_b.Append(part->rows_b);
  }
  all.items = parts.size();
  all.name = PatternOf(names) + fmt::format(" ({} {})", parts.size(), what);
  if (!all.matched_as.empty()) all.matched_as = PatternOf(before);
  return all;
}

// A family is the ops of all layers, alike but for numbers. Those that changed alike become one
// row, the rest another.
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
  std::map<std::tuple<WorkKind, StepTimeClass, std::string>, std::vector<Contribution*>> families;
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

std::vector<std::string> NumbersIn(const std::string& name) {
  std::vector<std::string> found;
  char before = 0;
  for (const char c : name) {
    if (IsDigit(c) && !IsDigit(before)) found.emplace_back();
    if (IsDigit(c)) found.back() += c;
    before = c;
  }
  return found;
}

std::set<std::string> NamesOfWork(const StepItems& step) {
  std::set<std::string> names;
  for (const StepWork& work : step.work)
    names.insert(WithoutNumbers(work.kernel.empty() ? work.op : work.kernel));
  return names;
}

double SharedNamesPercent(const StepItems& a, const StepItems& b) {
  const std::set<std::string> of_a = NamesOfWork(a), of_b = NamesOfWork(b);
  const auto both = std::count_if(of_a.begin(), of_a.end(),
                                  [&](const std::string& name) { return of_b.contains(name); });
  const auto shared = static_cast<double>(both);
  const double either = static_cast<double>(of_a.size() + of_b.size()) - shared;
  return either > 0 ? 100 * shared / either : 100;
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
  if (names.empty()) return {};
  // The texts between the numbers are the same in all names, so numbers pair up by position.
  std::vector<std::string> common = NumbersIn(names.front());
  for (const std::string& name : names) {
    const std::vector<std::string> mine = NumbersIn(name);
    if (mine.size() != common.size()) return WithoutNumbers(names.front());
    for (size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] != common[i]) common[i] = "*";
    }
  }
  std::string out;
  size_t next = 0;
  char before = 0;
  for (const char c : names.front()) {
    if (!IsDigit(c)) out += c;
    if (IsDigit(c) && !IsDigit(before)) out += common[next++];
    before = c;
  }
  return out;
}

Contributions FindContributions(const StepItems& a, const StepItems& b, Floors floors) {
  Contributions found;
  Finder finder(a, b);
  std::vector<Contribution> all = MergeFamilies(finder.Run());
  found.shared_percent = finder.shared_percent();
  found.shared_names_percent = SharedNamesPercent(a, b);
  for (Contribution& c : all) {
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

}  // namespace stepscope::compare
