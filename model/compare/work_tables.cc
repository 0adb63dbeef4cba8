#include "model/compare/work_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "model/analysis/loss_tables.h"
#include "model/base/demangle.h"
#include "model/compare/contributions.h"
#include "model/compare/match.h"

namespace stepscope {
namespace {

constexpr double kUs = static_cast<double>(kPsPerUs), kSecond = static_cast<double>(kPsPerS);

// What kernels or ops of one name came to in a run.
struct WorkSum {
  std::string name, op;
  double op_time = 0;  // of the op that is named, the one with the most time
  const std::vector<std::string>* place = nullptr;
  std::string shape;
  KernelCategory category = KernelCategory::kOther;
  double count = 0, busy = 0, bytes = 0, sized = 0;
  uint32_t order = 0;
  std::vector<EventRow> rows;
};

using Naming = std::function<std::string(const RunItems&, const RunWork&)>;

std::vector<WorkSum> SumBy(const RunItems& run, const Naming& naming) {
  std::map<std::string, size_t> places;
  std::vector<WorkSum> sums;
  for (const RunWork& work : run.work) {
    std::string name = naming(run, work);
    if (name.empty() || work.count <= 0) continue;
    const auto [it, fresh] = places.try_emplace(name, sums.size());
    if (fresh) {
      sums.emplace_back();
      sums.back().name = std::move(name);
      sums.back().order = static_cast<uint32_t>(it->second);
      sums.back().place = &run.items[work.item].place;
      sums.back().shape = work.shape;
    }
    WorkSum& sum = sums[it->second];
    if (work.busy >= sum.op_time) sum.op = work.op, sum.op_time = work.busy;
    if (sum.category == KernelCategory::kOther) sum.category = work.category;
    sum.count += work.count;
    sum.busy += work.busy;
    sum.bytes += work.bytes;
    sum.sized += work.sized;
    for (const EventRow row : work.rows) {
      if (sum.rows.size() < kItemRows) sum.rows.push_back(row);
    }
  }
  return sums;
}

std::vector<Matchable> MatchablesOf(const std::vector<WorkSum>& sums, bool by_op) {
  std::vector<Matchable> out;
  for (const WorkSum& sum : sums) {
    Matchable m;
    m.name = sum.name;
    if (by_op) m.op = sum.op;
    m.place = sum.place;
    m.shape = sum.shape;
    m.category = sum.category;
    m.count = sum.count;
    m.time = sum.busy;
    m.order = sum.order;
    out.push_back(m);
  }
  return out;
}

struct TableKind {
  const char* id;
  const char* title;
  bool kernels = false;  // with their op and category
  bool bytes = false;
};

// Empty where nothing changed.
const char* ChangeText(const WorkSum* a, const WorkSum* b) {
  if (a == nullptr) return IdOf(Change::kAdded);
  if (b == nullptr) return IdOf(Change::kRemoved);
  if (a->name != b->name) return IdOf(Change::kRenamed);
  if (a->busy == b->busy && a->count == b->count) return "";
  return IdOf(ChangeOfCalls(a->busy, a->count, b->busy, b->count));
}

void AddColumns(const TableKind& kind, CompareTable* t) {
  t->AddText("name", kind.kernels ? "Kernel" : "Name");
  t->AddText("change", "Change", "from A to B", true);
  t->AddValues("ms_per_step", "per step", Unit::kMs,
               "device time of an average step, mean over devices; what runs at the same time "
               "counts each");
  t->AddReal("a_count", "A count", Unit::kCount, "of an average step");
  t->AddReal("b_count", "B count", Unit::kCount, "of an average step");
  t->AddReal("a_us_per_call", "A per call", Unit::kUs);
  t->AddReal("b_us_per_call", "B per call", Unit::kUs);
  if (kind.bytes) {
    for (const char* side : {"a", "b"}) {
      const std::string label = side[0] == 'a' ? "A " : "B ";
      t->AddReal(std::string(side) + "_bytes", label + "bytes", Unit::kBytes,
                 "of an average step, of the copies whose size is recorded");
      t->AddReal(std::string(side) + "_gb_per_s", label + "GB/s", Unit::kNone, "10^9 bytes");
    }
  }
  if (kind.kernels) {
    t->AddText("category", "Category");
    t->AddText("op", "Op", "the one with most of its time");
  }
  t->AddText("matched_as", "Name in A", "where it differs");
  t->AddText("matched_by", "Matched by", "what both names have in common");
}

// null: the run has none.
Value PerCall(const WorkSum* sum) {
  return sum != nullptr ? Value(sum->busy / sum->count / kUs) : Value();
}

void AppendBytes(const WorkSum* sum, std::vector<Value>* row) {
  const bool known = sum != nullptr && sum->sized > 0;
  row->push_back(known ? Value(sum->bytes) : Value());
  row->push_back(known ? Value(sum->bytes / 1e9 / (sum->sized / kSecond)) : Value());
}

std::string Readable(const std::string& name) {
  const std::string text = Demangle(name);
  return text.empty() ? text : std::string(WithoutParameters(text));
}

void AddRow(const TableKind& kind, const WorkSum* a, const WorkSum* b, const char* by,
            CompareTable* t) {
  const WorkSum& any = b != nullptr ? *b : *a;
  const bool renamed = a != nullptr && b != nullptr && a->name != b->name;
  std::vector<Value> row{CompareTable::Text(any.name), SharedText(ChangeText(a, b))};
  CompareTable::Append(a != nullptr ? MsOf(a->busy) : 0, b != nullptr ? MsOf(b->busy) : 0, &row);
  row.emplace_back(a != nullptr ? a->count : 0.0);
  row.emplace_back(b != nullptr ? b->count : 0.0);
  row.push_back(PerCall(a));
  row.push_back(PerCall(b));
  if (kind.bytes) AppendBytes(a, &row), AppendBytes(b, &row);
  if (kind.kernels) {
    row.emplace_back(SharedText(CategoryName(any.category)));
    row.push_back(CompareTable::Text(any.op));
  }
  row.push_back(CompareTable::Text(renamed ? a->name : ""));
  row.push_back(CompareTable::Text(renamed ? by : ""));
  static const std::vector<EventRow> kNone;
  t->AddRow(std::move(row), a != nullptr ? a->rows : kNone, b != nullptr ? b->rows : kNone);
  if (!kind.kernels) return;
  const std::string readable = Readable(any.name);
  t->table().readable_column = 0;
  t->table().readable.push_back(readable.empty() ? Value() : CompareTable::Text(readable));
}

void AddTable(const TableKind& kind, const RunItems& a, const RunItems& b, const Naming& naming,
              CompareResult* to) {
  const std::vector<WorkSum> sums_a = SumBy(a, naming), sums_b = SumBy(b, naming);
  std::vector<MatchedPair> pairs =
      Match(MatchablesOf(sums_a, kind.kernels), MatchablesOf(sums_b, kind.kernels));
  if (pairs.empty()) return;
  const auto at = [](const std::vector<WorkSum>& sums, uint32_t i) {
    return i == MatchedPair::kNone ? nullptr : &sums[i];
  };
  const auto delta = [&](const MatchedPair& p) {
    const WorkSum *x = at(sums_a, p.a), *y = at(sums_b, p.b);
    return std::abs((y != nullptr ? y->busy : 0) - (x != nullptr ? x->busy : 0));
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const MatchedPair& x, const MatchedPair& y) { return delta(x) > delta(y); });
  CompareTable t(kind.id, kind.title);
  AddColumns(kind, &t);
  for (const MatchedPair& p : pairs) AddRow(kind, at(sums_a, p.a), at(sums_b, p.b), p.by, &t);
  t.Finish(to);
}

Naming NamesOf(std::initializer_list<ItemKind> kinds) {
  const std::vector<ItemKind> wanted(kinds);
  return [wanted](const RunItems& run, const RunWork& work) {
    const ItemKind kind = run.items[work.item].kind;
    const bool is = std::find(wanted.begin(), wanted.end(), kind) != wanted.end();
    return is ? work.kernel : std::string();
  };
}

struct IdleSum {
  double time = 0, count = 0;
  std::vector<EventRow> rows;
};
using IdleSums = std::map<std::pair<LossClass, std::string>, IdleSum>;

IdleSums IdleOf(const RunItems& run) {
  IdleSums sums;
  for (const RunItem& item : run.items) {
    const double waits = item.waits.total();
    if (IsWork(item.kind) && waits <= 0) continue;
    const bool work = IsWork(item.kind);
    IdleSum& sum = sums[{work ? LossClass::kLaunch : item.loss, item.name}];
    sum.time += work ? waits : item.time.total();
    sum.count += item.count;
    for (const EventRow row : item.rows) {
      if (sum.rows.size() < kItemRows) sum.rows.push_back(row);
    }
  }
  return sums;
}

}  // namespace

void AddWorkTables(const RunItems& a, const RunItems& b, CompareResult* to) {
  AddTable(
      {"ops", "Ops"}, a, b, [](const RunItems&, const RunWork& work) { return work.op; }, to);
  AddTable({"kernels", "Kernels", true, false}, a, b,
           NamesOf({ItemKind::kOp, ItemKind::kKernel, ItemKind::kCollective}), to);
  AddTable({"copies", "Copies", false, true}, a, b, NamesOf({ItemKind::kCopy}), to);
  AddTable({"collectives", "Collectives"}, a, b, NamesOf({ItemKind::kCollective}), to);
}

void AddIdleTable(const RunItems& a, const RunItems& b, CompareResult* to) {
  const IdleSums of_a = IdleOf(a), of_b = IdleOf(b);
  std::map<std::pair<LossClass, std::string>, std::pair<IdleSum, IdleSum>> both;
  for (const auto& [key, sum] : of_a) both[key].first = sum;
  for (const auto& [key, sum] : of_b) both[key].second = sum;
  if (both.empty()) return;
  CompareTable t("idle_causes", "Why devices are idle");
  t.AddText("class", "Class");
  t.AddText("cause", "Cause", "the event that the host was in; launch: what the device waited for",
            true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "idle time of an average step");
  t.AddReal("a_count", "A count", Unit::kCount, "intervals of an average step");
  t.AddReal("b_count", "B count", Unit::kCount, "intervals of an average step");
  std::vector<const decltype(both)::value_type*> order;
  order.reserve(both.size());
  for (const auto& entry : both) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* x, const auto* y) {
    const auto size = [](const auto* e) {
      return std::abs(e->second.second.time - e->second.first.time);
    };
    return size(x) > size(y);
  });
  for (const auto* entry : order) {
    const auto& [x, y] = entry->second;
    t.table().readable_column = 0;
    t.table().readable.emplace_back(SharedText(LabelOf(entry->first.first)));
    std::vector<Value> row{SharedText(IdOf(entry->first.first)),
                           CompareTable::Text(entry->first.second)};
    CompareTable::Append(MsOf(x.time), MsOf(y.time), &row);
    row.emplace_back(x.count);
    row.emplace_back(y.count);
    t.AddRow(std::move(row), x.rows, y.rows);
  }
  t.Finish(to);
}

}  // namespace stepscope
