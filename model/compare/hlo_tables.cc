#include "model/compare/hlo_tables.h"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>

#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/compare/contributions.h"

namespace stepscope::compare {
namespace {

constexpr Side kHloA = &Amounts::first, kHloB = &Amounts::second;

struct OpKey {
  std::string module, name;
  auto operator<=>(const OpKey&) const = default;
};
struct OpText {
  std::string category, framework_op;  // of B, else of A
};
struct HloAmounts {
  BothSides<OpKey> ops;
  BothSides<std::string> categories;
  std::map<OpKey, OpText> texts;
};

bool MayHaveOps(AnalysisContext& context) {
  return !context.hlo_programs().list().empty() || KindOf(context.trace()) == DeviceKind::kTpu;
}

void Read(const ComparedProfile& profile, HloAmounts* amounts, Side side,
          const std::stop_token& stop) {
  if (!MayHaveOps(profile.context)) return;
  const auto ops = profile.context.hlo_ops(profile.params, stop);
  const double steps = static_cast<double>(std::max<size_t>(1, profile.steps.db->steps.size())) *
                       std::max(1u, ops->devices);
  for (const HloOp& op : ops->ops) {
    const OpKey key{op.module, op.name};
    amounts->texts[key] = {op.category, op.provenance};
    for (Amount* amount : {&(amounts->ops[key].*side), &(amounts->categories[op.category].*side)}) {
      amount->value += MsOf(static_cast<double>(op.self)) / steps;
      amount->count += static_cast<double>(op.occurrences) / steps;
      KeepRows(op.rows, &amount->rows);
    }
  }
}

const char* AmountChangeText(const Amount& a, const Amount& b) {
  if (a.count == 0) return IdOf(Change::kAdded);
  if (b.count == 0) return IdOf(Change::kRemoved);
  return a.value == b.value && a.count == b.count
             ? ""
             : IdOf(ChangeOfCalls(a.value, a.count, b.value, b.count));
}

void AddOps(const HloAmounts& amounts, AnalysisResult* to) {
  CompareTable t("hlo_ops", "HLO ops");
  t.AddText("program", "Program");
  t.AddText("hlo_op_name", "HLO op", "ops of one program and name are compared", true);
  t.AddText("category", "Category");
  t.AddText("tf_op_name", "Framework op");
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "self time / steps / devices");
  t.AddCounts("executions per step and device");
  for (const auto* entry : LargestChangeFirst(amounts.ops, ChangeOfValue)) {
    const auto& [key, sides] = *entry;
    const OpText& text = amounts.texts.at(key);
    t.AddAmounts({CompareTable::Text(key.module), CompareTable::Text(key.name),
                  CompareTable::Text(text.category), CompareTable::Text(text.framework_op),
                  SharedText(AmountChangeText(sides.first, sides.second))},
                 sides.first, sides.second);
  }
  t.Finish(to);
}

void AddCategories(const HloAmounts& amounts, AnalysisResult* to) {
  CompareTable t("hlo_categories", "HLO ops by category");
  t.AddText("category", "Category", "", true);
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "self time / steps / devices");
  t.AddCounts("executions per step and device");
  for (const auto* entry : LargestChangeFirst(amounts.categories, ChangeOfValue)) {
    const auto& [category, sides] = *entry;
    t.AddAmounts(
        {CompareTable::Text(category), SharedText(AmountChangeText(sides.first, sides.second))},
        sides.first, sides.second);
  }
  t.Finish(to);
}

}  // namespace

void AddHloTables(const ComparedProfile& a, const ComparedProfile& b, AnalysisResult* to,
                  std::stop_token stop) {
  HloAmounts amounts;
  Read(a, &amounts, kHloA, stop);
  Read(b, &amounts, kHloB, stop);
  if (amounts.ops.empty() || stop.stop_requested()) return;
  AddOps(amounts, to);
  AddCategories(amounts, to);
}

}  // namespace stepscope::compare
