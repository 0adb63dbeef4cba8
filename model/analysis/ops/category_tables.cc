#include "model/analysis/ops/category_tables.h"

#include <algorithm>
#include <span>

#include "model/analysis/tables/schema.h"

namespace stepscope {
void CategoryTable::Add(KernelCategory category, Ps time, Ps matrix, uint64_t count,
                        const EventRows& rows) {
  CategorySum& sum = sums_[static_cast<size_t>(category)];
  sum.category = category;
  sum.time += time, sum.matrix += matrix, sum.count += count;
  sum.rows.Append(rows);
}

ResultTable CategoryTable::Take(const char* time_how, bool with_matrix) {
  struct Facts {
    double all = 0;
    bool with_matrix = false;
  };
  using Sum = CategorySum;
  using Table = Schema<Sum, Facts>;
  const auto share = [](Ps part, double whole) {
    return whole > 0 ? static_cast<double>(part) / whole : 0;
  };
  const Table schema(
      "by_category", "By category",
      {{"category", "Category", Unit::kNone, [](const Sum& s) { return CategoryName(s.category); },
        "by the kernel's name, else by its op's"},
       {"count", "Count", Unit::kCount, &Sum::count},
       {"timeMs", "Time", Unit::kMs, &Sum::time, time_how},
       {"share", "Share of time", Unit::kFraction,
        [share](const Sum& s, const Facts& f) { return share(s.time, f.all); }, "of all of them"},
       Table::Field(
           "matrix_share", "Tensor Core time", Unit::kFraction,
           [share](const Sum& s) { return share(s.matrix, static_cast<double>(s.time)); },
           "time in kernels that use the matrix unit")
           .When([](const Facts& f) { return f.with_matrix; })},
      [](const Sum& s, const Facts&) {
        RowLink link = LinkTo(s.rows);
        link.total = s.count;
        return link;
      });
  Facts facts{.with_matrix = with_matrix};
  for (const CategorySum& s : sums_) facts.all += static_cast<double>(s.time);
  std::stable_sort(sums_.begin(), sums_.end(),
                   [](const CategorySum& a, const CategorySum& b) { return a.time > b.time; });
  const auto end =
      std::find_if(sums_.begin(), sums_.end(), [](const CategorySum& s) { return s.rows.empty(); });
  return schema.Make(std::span<const CategorySum>(sums_.begin(), end), facts);
}

}  // namespace stepscope
