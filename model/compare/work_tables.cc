#include "model/compare/work_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "model/analysis/steps/losses.h"
#include "model/base/demangle.h"
#include "model/compare/contributions.h"
#include "model/compare/match.h"

namespace stepscope::compare {
namespace {

constexpr double kUs = static_cast<double>(kPsPerUs), kSecond = static_cast<double>(kPsPerS);

// The work of one kernel or op name in the average step of a profile.
struct WorkSum {
  std::string name, op;
  double op_time = 0;  // busy time of `op`, the op with the most
  const std::vector<std::string>* place = nullptr;
  std::string shape;
  KernelCategory category = KernelCategory::kOther;
  double count = 0, busy = 0, bytes = 0, sized = 0;
  uint32_t order = 0;
  EventRows rows;
};

// The name by which work is added up; empty if it does not belong into the table.
using Naming = std::function<std::string(const StepItems&, const StepWork&)>;

std::vector<WorkSum> SumBy(const StepItems& step, const Naming& naming) {
  std::map<std::string, size_t> places;
  std::vector<WorkSum> sums;
  for (const StepWork& work : step.work) {
    std::string name = naming(step, work);
    if (name.empty() || work.count <= 0) continue;
    const auto [it, fresh] = places.try_emplace(name, sums.size());
    if (fresh) {
      sums.emplace_back();
      sums.back().name = std::move(name);
      sums.back().order = static_cast<uint32_t>(it->second);
      sums.back().place = &step.items[work.item].place;
      sums.back().shape = work.shape;
    }
    WorkSum& sum = sums[it->second];
    if (work.busy >= sum.op_time) sum.op = work.op, sum.op_time = work.busy;
    if (sum.category == KernelCategory::kOther) sum.category = work.category;
    sum.count += work.count;
    sum.busy += work.busy;
    sum.bytes += work.bytes;
    sum.sized += work.sized;
    sum.rows.Append(work.rows);
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
  bool kernels = false;  // with columns for op and category
  bool bytes = false;
};

// Empty if nothing changed.
const char* WorkChangeText(const WorkSum* a, const WorkSum* b) {
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
  t->AddCounts("of an average step");
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

// Empty if the profile has no such work.
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
  std::vector<Value> row{CompareTable::Text(any.name), SharedText(WorkChangeText(a, b))};
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
  t->AddRow(std::move(row), a != nullptr ? a->rows : EventRows(),
            b != nullptr ? b->rows : EventRows());
  if (!kind.kernels) return;
  const std::string readable = Readable(any.name);
  t->table().readable_column = 0;
  t->table().readable.push_back(readable);
}

void AddTable(const TableKind& kind, const StepItems& a, const StepItems& b, const Naming& naming,
              AnalysisResult* to) {
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

Naming NamesOf(std::initializer_list<WorkKind> kinds) {
  const std::vector<WorkKind> wanted(kinds);
  return [wanted](const StepItems& step, const StepWork& work) {
    const WorkKind kind = step.items[work.item].kind;
    const bool is = std::find(wanted.begin(), wanted.end(), kind) != wanted.end();
    return is ? work.kernel : std::string();
  };
}

using IdleKey = std::pair<StepTimeClass, std::string>;  // class, the event that the host was in
using IdleSums = BothSides<IdleKey>;                    // ps

void ReadIdle(const StepItems& step, Side side, IdleSums* sums) {
  for (const StepItem& item : step.items) {
    const bool work = IsWork(item.kind);
    if (work && item.waits.total() <= 0) continue;
    Amount& sum = (*sums)[{work ? StepTimeClass::kLaunch : item.loss, item.name}].*side;
    sum.value += work ? item.waits.total() : item.time.total();
    sum.count += item.count;
    sum.rows.Append(item.rows);
  }
}

Amount InMs(Amount amount) {
  amount.value = MsOf(amount.value);
  return amount;
}

}  // namespace

void AddWorkTables(const StepItems& a, const StepItems& b, AnalysisResult* to) {
  AddTable(
      {"ops", "Ops"}, a, b, [](const StepItems&, const StepWork& work) { return work.op; }, to);
  AddTable({"kernels", "Kernels", true, false}, a, b,
           NamesOf({WorkKind::kOp, WorkKind::kKernel, WorkKind::kCollective}), to);
  AddTable({"copies", "Copies", false, true}, a, b, NamesOf({WorkKind::kCopy}), to);
  AddTable({"collectives", "Collectives"}, a, b, NamesOf({WorkKind::kCollective}), to);
}

void AddIdleTable(const StepItems& a, const StepItems& b, AnalysisResult* to) {
  IdleSums both;
  ReadIdle(a, &Amounts::first, &both);
  ReadIdle(b, &Amounts::second, &both);
  if (both.empty()) return;
  CompareTable t("idle_causes", "Why devices are idle");
  t.AddText("class", "Class");
  t.AddText("cause", "Cause", "the event that the host was in; launch: what the device waited for",
            true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "idle time of an average step");
  t.AddCounts("intervals of an average step");
  t.table().readable_column = 0;
  for (const auto* entry : LargestChangeFirst(both, ChangeOfValue)) {
    const auto& [loss, cause] = entry->first;
    t.table().readable.emplace_back(SharedText(LabelOf(loss)));
    t.AddAmounts({SharedText(IdOf(loss)), CompareTable::Text(cause)}, InMs(entry->second.first),
                 InMs(entry->second.second));
  }
  t.Finish(to);
}

}  // namespace stepscope::compare
