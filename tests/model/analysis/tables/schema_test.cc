#include "model/analysis/tables/schema.h"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace stepscope {
namespace {

struct Kernel {
  std::string name;
  Ps total = 0;
  uint32_t count = 0;
  std::optional<double> occupancy;
  std::optional<Ps> wait;
  bool tensor = false;
};

struct All {
  Ps total = 0;
  bool waits = false;
};

const Schema<Kernel, All> kKernels(
    "kernels", "Kernels",
    {{"rank", "Rank", Unit::kNone,
      [](const Kernel&, const All&, size_t index) { return index + 1; }},
     {"name", "Kernel", Unit::kNone, &Kernel::name, "as recorded", kKeyColumn},
     {"total_us", "Total", Unit::kUs, &Kernel::total, "sum of durations"},
     {"total_ps", "Total", Unit::kPs, &Kernel::total},
     {"share", "Share", Unit::kPercent,
      [](const Kernel& k, const All& all) {
        return 100 * static_cast<double>(k.total) / static_cast<double>(all.total);
      }},
     {"count", "Count", Unit::kCount, &Kernel::count},
     {"occupancy", "Occupancy", Unit::kPercent, &Kernel::occupancy},
     Schema<Kernel, All>::Field("wait_ms", "Wait", Unit::kMs, &Kernel::wait)
         .When([](const All& all) { return all.waits; }),
     {"tensor", "Matrix unit", Unit::kNone, &Kernel::tensor}},
    [](const Kernel& k, const All&) {
      RowLink link;
      link.total = k.count;
      return link;
    });

const std::array<Kernel, 2> kTwo = {Kernel{"gemm", 3 * kPsPerUs, 7, 0.5, kPsPerMs / 2, true},
                                    Kernel{"copy", kPsPerUs, 1, std::nullopt, std::nullopt}};

TEST_CASE("schema: a table has a column for each field and a row for each struct") {
  const ResultTable table = kKernels.Make(kTwo, {4 * kPsPerUs, true});
  CHECK(table.id == "kernels");
  CHECK(table.title == "Kernels");
  REQUIRE(table.size() == 2);
  CHECK(ToCsv(table) ==
        "rank,name,total_us,total_ps,share,count,occupancy,wait_ms,tensor\r\n"
        "1,gemm,3,3000000,75,7,0.5,0.5,true\r\n"
        "2,copy,1,1000000,25,1,,,false\r\n");
  const TableColumn& name = table.columns[1];
  CHECK(name.label == "Kernel");
  CHECK(name.how == "as recorded");
  CHECK(name.key);
  CHECK_FALSE(table.columns[2].key);
  const std::array types = {ValueType::kInt,  ValueType::kString, ValueType::kReal,
                            ValueType::kInt,  ValueType::kReal,   ValueType::kInt,
                            ValueType::kReal, ValueType::kReal,   ValueType::kBool};
  REQUIRE(table.columns.size() == types.size());
  for (size_t c = 0; c < types.size(); ++c) CHECK(table.columns[c].type == types[c]);
  CHECK(table.columns[2].unit == Unit::kUs);
  REQUIRE(table.links.size() == 2);
  CHECK(table.links[0].total == 7);
  CHECK(table.readable.empty());
}

TEST_CASE("schema: a field may be left out, and a table may have no rows") {
  const ResultTable table = kKernels.Make({}, {1, false});
  CHECK(table.empty());
  CHECK(table.links.empty());
  CHECK(table.columns.size() == 8);
  CHECK(table.Column("wait_ms") == -1);
  CHECK(kKernels.Describe().columns.size() == 9);
  CHECK(kKernels.Describe().id == "kernels");
}

TEST_CASE("schema: people see readable texts in place of the cells of a column") {
  const Schema<Kernel> schema = Schema<Kernel>("k", "K",
                                               {{"count", "Count", Unit::kCount, &Kernel::count},
                                                {"name", "Kernel", Unit::kNone, &Kernel::name}})
                                    .WithReadable("name", [](const Kernel& k, const NoFacts&) {
                                      return SharedText(k.name == "copy" ? "Copy (D2D)" : "");
                                    });
  const ResultTable table = schema.Make(kTwo);
  CHECK(table.readable_column == 1);
  REQUIRE(table.readable.size() == 2);
  CHECK(table.ShownText(0, 1) == "gemm");
  CHECK(table.ShownText(1, 1) == "Copy (D2D)");
  CHECK(table.links.empty());
  const ResultTable as_recorded = schema.Make(std::span(kTwo).first(1));
  CHECK(as_recorded.readable.empty());
  CHECK(as_recorded.readable_column == -1);
}

TEST_CASE("schema: the fields of one struct are properties in the same way") {
  const std::vector<Property> properties = kKernels.Properties(kTwo[0], {4 * kPsPerUs, false});
  REQUIRE(properties.size() == 8);
  CHECK(properties[0].value == Value(int64_t{1}));
  CHECK(properties[1].id == "name");
  CHECK(properties[1].label == "Kernel");
  CHECK(properties[1].value == Value(SharedText("gemm")));
  CHECK(properties[1].how == "as recorded");
  CHECK(properties[2].value == Value(3.0));
  CHECK(properties[2].unit == Unit::kUs);
  CHECK(properties[6].value == Value(0.5));
  CHECK(properties[7].value == Value(true));
  const std::vector<Property> other = kKernels.Properties(kTwo[1], {4 * kPsPerUs, false});
  CHECK(other[6].value == Value());
}

}  // namespace
}  // namespace stepscope
