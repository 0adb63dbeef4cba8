#include "model/compare/step_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "model/analysis/steps/losses.h"
#include "model/analysis/steps/verdict.h"
#include "model/base/demangle.h"
#include "model/compare/contributions.h"
#include "model/compare/match.h"

namespace stepscope::compare {
namespace {

EventRows MarkersOf(const ComparedSteps& steps) {
  std::vector<EventRow> rows;
  for (const Step* step : steps.counted)
    rows.insert(rows.end(), step->rows.begin(), step->rows.end());
  return EventRows(std::move(rows));
}

// The time of one class in each counted step, in ms.
std::vector<double> TimesOf(const ComparedSteps& steps, size_t loss) {
  std::vector<double> times;
  for (const Step* step : steps.counted) times.push_back(MsOf(ClassTimesOf(*step)[loss]));
  return times;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// One class of time in the mean step, in ms.
struct ClassChange {
  StepTimeClass of;
  Amount a, b;
  RankTest test;
};

std::optional<double> UsPerCall(double busy, double count) {
  if (count <= 0 || busy <= 0) return std::nullopt;
  return busy / count / static_cast<double>(kPsPerUs);
}

const Schema<Contribution, double>& ContributionSchema() {
  using C = Contribution;
  static const Schema<C, double> schema =
      Schema<C, double>(
          kContributionTable, "Contributions to the change",
          {{"rank", "#", Unit::kNone, [](const C&, double, size_t i) { return i + 1; }},
           {"kind", "Kind", Unit::kNone, [](const C& c) { return IdOf(c.kind); }},
           {"name", "What", Unit::kNone, &C::name, "* stands for numbers that differ", kKeyColumn},
           {"change", "Change", Unit::kNone, [](const C& c) { return IdOf(c.change); },
            "from A to B", kKeyColumn},
           {"a_ms_per_step", "A", Unit::kMs, [](const C& c) { return MsOf(c.a); },
            "part of an average step"},
           {"b_ms_per_step", "B", Unit::kMs, [](const C& c) { return MsOf(c.b); },
            "part of an average step"},
           {"delta_ms_per_step", "Δ", Unit::kMs, &C::delta_ms, "B - A", kKeyColumn},
           {"share_of_change", "Share", Unit::kPercent, &C::share_of,
            "of the change of the mean step", kKeyColumn},
           {"class", "Class", Unit::kNone, [](const C& c) { return IdOf(c.loss); },
            "of the step's time"},
           {"a_count", "A count", Unit::kCount, &C::count_a, "of an average step"},
           {"b_count", "B count", Unit::kCount, &C::count_b, "of an average step"},
           {"a_us_per_call", "A per call", Unit::kUs,
            [](const C& c) { return UsPerCall(c.busy_a, c.count_a); }, "whole durations of events"},
           {"b_us_per_call", "B per call", Unit::kUs,
            [](const C& c) { return UsPerCall(c.busy_b, c.count_b); }, "whole durations of events"},
           {"matched_as", "Name in A", Unit::kNone, &C::matched_as, "where it differs"},
           {"matched_by", "Matched by", Unit::kNone, &C::matched_by,
            "what both names have in common"},
           {"items", "Items", Unit::kCount, &C::items, "that the row stands for"},
           {"stands_out", "Certain", Unit::kNone, StandsOut,
            "more than 4 standard errors, which allow for steps that depend on the one before; "
            "fewer than 3 steps tell none"}},
          [](const C& c, double) { return LinkTo(c.rows_a); })
          .WithReadable("class", [](const C& c, double) { return SharedText(LabelOf(c.loss)); });
  return schema;
}

const Schema<AmountChange>& StepTimeSchema() {
  using R = AmountChange;
  static const Schema<R> schema(
      "steps", "Step times",
      Concat<Schema<R>::Field>(
          {{KeyField(0, "what", "What", "of the steps that count")},
           ValueFields<R>("ms", "", Unit::kNone, "ms, or a number of steps")}));
  return schema;
}

const Schema<ClassChange>& ClassSchema() {
  using C = ClassChange;
  static const Schema<C> schema =
      Schema<C>(
          "classes", "Step time by class",
          Concat<Schema<C>::Field>(
              {{{"class", "Class", Unit::kNone, [](const C& c) { return IdOf(c.of); }}},
               ValueFields<C>("ms_per_step", "per step", Unit::kMs, "of the mean step that counts"),
               {{"significance", "Significance", Unit::kNone,
                 [](const C& c) { return IdOf(c.test.significance); },
                 "of the difference between the steps' times"},
                {"p_value", "p", Unit::kNone, [](const C& c) { return c.test.larger_p(); },
                 "the larger of the tests over the steps"}}}))
          .WithReadable("class",
                        [](const C& c, const NoFacts&) { return SharedText(LabelOf(c.of)); });
  return schema;
}

}  // namespace

StepChange ChangeOfSteps(const ComparedSteps& a, const ComparedSteps& b) {
  return {a.summary,  b.summary,  TestShift(a.times, b.times),
          DriftOf(a), DriftOf(b), a.found && b.found};
}

double DriftOf(const ComparedSteps& steps) {
  constexpr size_t kFewest = 16;
  const std::span<const double> times(steps.times);
  if (times.size() < kFewest || steps.summary.median <= 0) return 0;
  const RankTest test = TestShift(times.first(times.size() / 2), times.last(times.size() / 2));
  if (test.significance != Significance::kStrong || !test.bounded) return 0;
  return 100 * (test.low + test.high) / 2 / steps.summary.median;
}

ResultTable ContributionTable(const Contributions& found, double change) {
  ResultTable table = ContributionSchema().Make(found.rows, change);
  for (const Contribution& c : found.rows) table.links_b.push_back(LinkTo(c.rows_b));
  return table;
}

ResultTable StepTimeTable(const ComparedSteps& a, const ComparedSteps& b) {
  const EventRows of_a = MarkersOf(a), of_b = MarkersOf(b);
  const StepSummary &x = a.summary, &y = b.summary;
  const auto row = [](const char* what, auto in_a, auto in_b) {
    return AmountChange{{SharedText(what)},
                        "",
                        {static_cast<double>(in_a), 0, {}},
                        {static_cast<double>(in_b), 0, {}}};
  };
  AmountChanges rows = {row("median", x.median, y.median),
                        row("mean", x.mean, y.mean),
                        row("deviation", x.deviation, y.deviation),
                        row("minimum", x.min, y.min),
                        row("maximum", x.max, y.max),
                        row("steps", x.count, y.count),
                        row("outliers", a.outliers.size(), b.outliers.size())};
  for (size_t i = 0; i < 2; ++i) rows[i].a.rows = of_a, rows[i].b.rows = of_b;
  return MakeCompared(StepTimeSchema(), rows);
}

ResultTable ClassTable(const ComparedSteps& a, const ComparedSteps& b) {
  std::vector<ClassChange> rows;
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const std::vector<double> x = TimesOf(a, c), y = TimesOf(b, c);
    const double mean_x = MeanOf(x), mean_y = MeanOf(y);
    if (mean_x == 0 && mean_y == 0) continue;
    rows.push_back(
        {static_cast<StepTimeClass>(c), {mean_x, 0, {}}, {mean_y, 0, {}}, TestShift(x, y)});
  }
  return MakeCompared(ClassSchema(), rows);
}

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

// A row: the work of one name in both profiles; value: ms, count: calls of an average step.
struct WorkChange {
  std::string name, op, matched_as;
  const char *change = "", *matched_by = "";
  KernelCategory category = KernelCategory::kOther;
  Amount a, b;
  std::optional<double> us_a, us_b;                                // of a call
  std::optional<double> bytes_a, bytes_b, gb_per_s_a, gb_per_s_b;  // of copies with a known size
};

// Empty if nothing changed.
const char* WorkChangeText(const WorkSum* a, const WorkSum* b) {
  if (a == nullptr) return IdOf(Change::kAdded);
  if (b == nullptr) return IdOf(Change::kRemoved);
  if (a->name != b->name) return IdOf(Change::kRenamed);
  if (a->busy == b->busy && a->count == b->count) return "";
  return IdOf(ChangeOfCalls(a->busy, a->count, b->busy, b->count));
}

Schema<WorkChange> WorkSchema(const TableKind& kind) {
  using W = WorkChange;
  Fields<W> fields = Concat<Schema<W>::Field>(
      {{{"name", kind.kernels ? "Kernel" : "Name", Unit::kNone, &W::name},
        {"change", "Change", Unit::kNone, &W::change, "from A to B", kKeyColumn}},
       ValueFields<W>("ms_per_step", "per step", Unit::kMs,
                      "device time of an average step, mean over devices; what runs at the same "
                      "time counts each"),
       CountFields<W>("of an average step"),
       {{"a_us_per_call", "A per call", Unit::kUs, &W::us_a},
        {"b_us_per_call", "B per call", Unit::kUs, &W::us_b}}});
  const auto add = [&](Fields<W> more) { fields.insert(fields.end(), more.begin(), more.end()); };
  const char* sized = "of an average step, of the copies whose size is recorded";
  if (kind.bytes) {
    add({{"a_bytes", "A bytes", Unit::kBytes, &W::bytes_a, sized},
         {"a_gb_per_s", "A GB/s", Unit::kNone, &W::gb_per_s_a, "10^9 bytes"},
         {"b_bytes", "B bytes", Unit::kBytes, &W::bytes_b, sized},
         {"b_gb_per_s", "B GB/s", Unit::kNone, &W::gb_per_s_b, "10^9 bytes"}});
  }
  if (kind.kernels) {
    add({{"category", "Category", Unit::kNone, [](const W& w) { return CategoryName(w.category); }},
         {"op", "Op", Unit::kNone, &W::op, "the one with most of its time"}});
  }
  add({{"matched_as", "Name in A", Unit::kNone, &W::matched_as, "where it differs"},
       {"matched_by", "Matched by", Unit::kNone, &W::matched_by,
        "what both names have in common"}});
  Schema<W> schema(kind.id, kind.title, std::move(fields));
  if (!kind.kernels) return schema;
  return std::move(schema).WithReadable("name", [](const W& w, const NoFacts&) {
    const std::string text = Demangle(w.name);
    return text.empty() ? SharedText() : SharedText(WithoutParameters(text));
  });
}

WorkChange ChangeOf(const WorkSum* a, const WorkSum* b, const char* by) {
  const WorkSum& any = b != nullptr ? *b : *a;
  WorkChange row;
  row.name = any.name, row.op = any.op, row.category = any.category;
  row.change = WorkChangeText(a, b);
  if (a != nullptr && b != nullptr && a->name != b->name)
    row.matched_as = a->name, row.matched_by = by;
  const auto read = [](const WorkSum* sum, Amount* amount, auto* us, auto* bytes, auto* gb_per_s) {
    if (sum == nullptr) return;
    *amount = {MsOf(sum->busy), sum->count, sum->rows};
    *us = sum->busy / sum->count / kUs;
    if (sum->sized <= 0) return;
    *bytes = sum->bytes;
    *gb_per_s = sum->bytes / 1e9 / (sum->sized / kSecond);
  };
  read(a, &row.a, &row.us_a, &row.bytes_a, &row.gb_per_s_a);
  read(b, &row.b, &row.us_b, &row.bytes_b, &row.gb_per_s_b);
  return row;
}

// Returns whether there is any such work.
bool AddTable(const TableKind& kind, const StepItems& a, const StepItems& b, const Naming& naming,
              AnalysisResult* to) {
  const std::vector<WorkSum> sums_a = SumBy(a, naming), sums_b = SumBy(b, naming);
  std::vector<MatchedPair> pairs =
      Match(MatchablesOf(sums_a, kind.kernels), MatchablesOf(sums_b, kind.kernels));
  if (pairs.empty()) return false;
  const auto at = [](const std::vector<WorkSum>& sums, uint32_t i) {
    return i == MatchedPair::kNone ? nullptr : &sums[i];
  };
  const auto delta = [&](const MatchedPair& p) {
    const WorkSum *x = at(sums_a, p.a), *y = at(sums_b, p.b);
    return std::abs((y != nullptr ? y->busy : 0) - (x != nullptr ? x->busy : 0));
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const MatchedPair& x, const MatchedPair& y) { return delta(x) > delta(y); });
  std::vector<WorkChange> rows;
  for (const MatchedPair& p : pairs)
    rows.push_back(ChangeOf(at(sums_a, p.a), at(sums_b, p.b), p.by));
  to->tables.push_back(MakeCompared(WorkSchema(kind), rows));
  return true;
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

// In ps.
std::map<IdleKey, Amount> IdleTimes(const StepItems& step) {
  std::map<IdleKey, Amount> sums;
  for (const StepItem& item : step.items) {
    const bool work = IsWork(item.kind);
    if (work && item.waits.total() <= 0) continue;
    Amount& sum = sums[{work ? StepTimeClass::kLaunch : item.loss, item.name}];
    sum.value += work ? item.waits.total() : item.time.total();
    sum.count += item.count;
    sum.rows.Append(item.rows);
  }
  return sums;
}

}  // namespace

bool AddWorkTables(const StepItems& a, const StepItems& b, AnalysisResult* to) {
  AddTable(
      {"ops", "Ops"}, a, b, [](const StepItems&, const StepWork& work) { return work.op; }, to);
  const bool kernels =
      AddTable({"kernels", "Kernels", true, false}, a, b,
               NamesOf({WorkKind::kOp, WorkKind::kKernel, WorkKind::kCollective}), to);
  AddTable({"copies", "Copies", false, true}, a, b, NamesOf({WorkKind::kCopy}), to);
  AddTable({"collectives", "Collectives"}, a, b, NamesOf({WorkKind::kCollective}), to);
  return kernels;
}

void AddIdleTable(const StepItems& a, const StepItems& b, AnalysisResult* to) {
  using Row = AmountChange;
  const auto texts = [](const IdleKey& key) {
    return std::vector<SharedText>{IdOf(key.first), LabelOf(key.first), key.second};
  };
  AmountChanges rows = LargestFirst(
      Joined(IdleTimes(a), IdleTimes(b), texts, [](const Amount&, const Amount&) { return ""; }));
  if (rows.empty()) return;
  for (Row& row : rows) row.a.value = MsOf(row.a.value), row.b.value = MsOf(row.b.value);
  static const Schema<Row> schema =
      Schema<Row>(
          "idle_causes", "Why devices are idle",
          Concat<Schema<Row>::Field>(
              {{KeyField(0, "class", "Class"),
                KeyField(2, "cause", "Cause",
                         "the event that the host was in; launch: what the device waited for",
                         kKeyColumn)},
               ValueFields<Row>("ms_per_step", "per step", Unit::kMs,
                                "idle time of an average step"),
               CountFields<Row>("intervals of an average step")}))
          .WithReadable("class", [](const Row& row, const NoFacts&) { return row.key[1]; });
  to->tables.push_back(MakeCompared(schema, rows));
}

}  // namespace stepscope::compare
