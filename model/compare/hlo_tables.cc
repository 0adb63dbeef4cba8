#include "model/compare/hlo_tables.h"

#include <string>
#include <vector>

#include "model/compare/contributions.h"

namespace stepscope::compare {
namespace {

const char* AmountChangeText(const Amount& a, const Amount& b) {
  if (a.count == 0) return IdOf(Change::kAdded);
  if (b.count == 0) return IdOf(Change::kRemoved);
  return a.value == b.value && a.count == b.count
             ? ""
             : IdOf(ChangeOfCalls(a.value, a.count, b.value, b.count));
}

// The words for an op: those of B, and those of A where B lacks the op.
const HloOpText& TextOf(const HloOpKey& key, const PageAmounts& a, const PageAmounts& b) {
  const auto of_b = b.hlo_texts.find(key);
  return of_b != b.hlo_texts.end() ? of_b->second : a.hlo_texts.at(key);
}

void AddOps(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to) {
  const BothSides<HloOpKey> ops = Join(a.hlo_ops, b.hlo_ops);
  CompareTable t("hlo_ops", "HLO ops");
  t.AddText("program", "Program");
  t.AddText("hlo_op_name", "HLO op", "ops of one program and name are compared", true);
  t.AddText("category", "Category");
  t.AddText("tf_op_name", "Framework op");
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "self time / steps / devices");
  t.AddCounts("executions per step and device");
  for (const auto* entry : LargestChangeFirst(ops, ChangeOfValue)) {
    const auto& [key, sides] = *entry;
    const HloOpText& text = TextOf(key, a, b);
    t.AddAmounts({CompareTable::Text(key.module), CompareTable::Text(key.name),
                  CompareTable::Text(text.category), CompareTable::Text(text.framework_op),
                  SharedText(AmountChangeText(sides.first, sides.second))},
                 sides.first, sides.second);
  }
  t.Finish(to);
}

void AddCategories(const BothSides<std::string>& categories, AnalysisResult* to) {
  CompareTable t("hlo_categories", "HLO ops by category");
  t.AddText("category", "Category", "", true);
  t.AddText("change", "Change", "from A to B", true);
  t.AddValues("ms_per_step", "per step", Unit::kMs, "self time / steps / devices");
  t.AddCounts("executions per step and device");
  for (const auto* entry : LargestChangeFirst(categories, ChangeOfValue)) {
    const auto& [category, sides] = *entry;
    t.AddAmounts(
        {CompareTable::Text(category), SharedText(AmountChangeText(sides.first, sides.second))},
        sides.first, sides.second);
  }
  t.Finish(to);
}

}  // namespace

void AddHloTables(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to) {
  if (a.hlo_ops.empty() && b.hlo_ops.empty()) return;
  AddOps(a, b, to);
  AddCategories(Join(a.hlo_categories, b.hlo_categories), to);
}

}  // namespace stepscope::compare
