#include "model/analysis/ops/category_tables.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

// The category of an op by its kernels: the one in which they take the most time.
class OpCategories {
 public:
  explicit OpCategories(const ResultTable* kernels) {
    if (kernels == nullptr) return;
    const int name = kernels->Column("kernel_name"), op = kernels->Column("op_name"),
              time = kernels->Column("total_duration_us");
    if (name < 0 || op < 0 || time < 0) return;
    KernelCategories categories;
    for (const std::vector<Value>& row : kernels->rows) {
      const auto* kernel = std::get_if<SharedText>(&row[static_cast<size_t>(name)]);
      const auto* of = std::get_if<SharedText>(&row[static_cast<size_t>(op)]);
      const auto* us = std::get_if<double>(&row[static_cast<size_t>(time)]);
      if (kernel == nullptr || of == nullptr || us == nullptr || of->empty()) continue;
      times_[of->view()][static_cast<size_t>(categories.Of(kernel->view(), {}))] += *us;
    }
  }
  KernelCategory Of(std::string_view op) const {
    const auto found = times_.find(op);
    if (found == times_.end()) return KernelCategory::kOther;
    const Times& times = found->second;
    return static_cast<KernelCategory>(std::max_element(times.begin(), times.end()) -
                                       times.begin());
  }

 private:
  using Times = std::array<double, static_cast<size_t>(KernelCategory::kCount)>;
  std::unordered_map<std::string_view, Times> times_;  // keys view texts of the table
};

}  // namespace

void CategoryTable::Add(KernelCategory category, Ps time, Ps matrix, uint64_t count,
                        const EventRows& rows) {
  Sum& sum = sums_[static_cast<size_t>(category)];
  sum.category = category;
  sum.time += time, sum.matrix += matrix, sum.count += count;
  sum.rows.Append(rows);
}

ResultTable CategoryTable::Take(const char* time_how, bool with_matrix) {
  using V = ValueType;
  ResultTable t{
      "by_category",
      "By category",
      {{"category", "Category", Unit::kNone, V::kString, "by the kernel's name, else by its op's"},
       {"count", "Count", Unit::kCount, V::kInt, ""},
       {"timeMs", "Time", Unit::kMs, V::kReal, time_how},
       {"share", "Share of time", Unit::kFraction, V::kReal, "of all of them"}},
      {},
      {}};
  if (with_matrix) {
    t.columns.push_back({"matrix_share", "Tensor Core time", Unit::kFraction, V::kReal,
                         "time in kernels that use the matrix unit"});
  }
  double all = 0;
  for (const Sum& s : sums_) all += static_cast<double>(s.time);
  std::stable_sort(sums_.begin(), sums_.end(),
                   [](const Sum& a, const Sum& b) { return a.time > b.time; });
  for (Sum& s : sums_) {
    if (s.rows.empty()) continue;
    const double time = static_cast<double>(s.time);
    t.rows.push_back({SharedText(CategoryName(s.category)), static_cast<int64_t>(s.count),
                      InMs(time), all > 0 ? time / all : 0.0});
    if (with_matrix) t.rows.back().push_back(time > 0 ? static_cast<double>(s.matrix) / time : 0.0);
    RowLink link = LinkTo(std::move(s.rows));
    link.total = s.count;
    t.links.push_back(std::move(link));
  }
  return t;
}

ResultTable OpCategoryTable(const OpSide& device_side, const ResultTable* kernels) {
  CategoryTable table;
  const OpCategories of_kernels(kernels);
  for (const OpRow& op : device_side.ops) {
    KernelCategory category = CategoryOfKernel({}, op.name);
    if (category == KernelCategory::kOther) category = CategoryOfKernel({}, op.type);
    if (category == KernelCategory::kOther) category = of_kernels.Of(op.name);
    table.Add(category, op.self, 0, op.occurrences, op.rows);
  }
  return table.Take("device time of the ops", false);
}

}  // namespace stepscope
