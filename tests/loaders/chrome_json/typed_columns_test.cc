// Values of rows in any order of pieces, in columns in order of rows.
#include "loaders/chrome_json/typed_columns.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace stepscope::chrome {
namespace {

using Parts = std::vector<std::unique_ptr<TypedColumns>>;

TypedArgs Ints(std::vector<std::pair<IntStat, int64_t>> ints) {
  TypedArgs args;
  args.ints = std::move(ints);
  return args;
}

std::vector<std::pair<uint32_t, int64_t>> EntriesOf(const SparseColumn<int64_t>& column) {
  std::vector<std::pair<uint32_t, int64_t>> entries;
  column.ForAll([&](uint32_t row, int64_t value) { entries.emplace_back(row, value); });
  return entries;
}

}  // namespace

TEST_CASE("typed columns: narrow and wide values of several pieces, in order of rows") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  TokenTexts texts;
  Parts parts;
  parts.push_back(std::make_unique<TypedColumns>(&texts, nullptr));
  parts.push_back(std::make_unique<TypedColumns>(&texts, parts.front().get()));
  parts[1]->Add(0, Ints({{IntStat::kId, 7}}));
  parts[0]->Add(1, Ints({{IntStat::kId, kMost}}));  // wide, and narrow ones after it
  parts[1]->Add(2, Ints({{IntStat::kId, -1}}));
  parts[0]->Add(3, Ints({{IntStat::kId, 0xffffffff}, {IntStat::kBytes, 5}}));
  parts[0]->Add(4, Ints({{IntStat::kId, 3}}));
  parts[1]->Add(5, Ints({{IntStat::kId, kLeast}}));
  StatTable table;
  Gather(parts, 6, &table);
  table.ShrinkToFit();
  CHECK(EntriesOf(table.Int(IntStat::kId)) ==
        std::vector<std::pair<uint32_t, int64_t>>{
            {0, 7}, {1, kMost}, {2, -1}, {3, 0xffffffff}, {4, 3}, {5, kLeast}});
  CHECK(EntriesOf(table.Int(IntStat::kBytes)) == std::vector<std::pair<uint32_t, int64_t>>{{3, 5}});
}

TEST_CASE("typed columns: of a key that an event has twice the last value counts") {
  TokenTexts texts;
  Parts parts;
  parts.push_back(std::make_unique<TypedColumns>(&texts, nullptr));
  parts[0]->Add(0, Ints({{IntStat::kId, -1}, {IntStat::kId, 2}}));
  parts[0]->Add(1, Ints({{IntStat::kId, 2}, {IntStat::kId, -1}}));
  parts[0]->Add(2, Ints({{IntStat::kId, 4}}));
  StatTable table;
  Gather(parts, 3, &table);
  table.ShrinkToFit();
  CHECK(EntriesOf(table.Int(IntStat::kId)) ==
        std::vector<std::pair<uint32_t, int64_t>>{{0, 2}, {1, -1}, {2, 4}});
}

TEST_CASE("typed columns: one that has most values is put in order by several threads") {
  constexpr uint32_t kRows = 100'000;
  TokenTexts texts;
  Parts parts;
  for (int i = 0; i < 3; ++i) parts.push_back(std::make_unique<TypedColumns>(&texts, nullptr));
  std::vector<std::pair<uint32_t, int64_t>> ids, sizes;
  for (uint32_t row = 0; row < kRows; ++row) {
    const int64_t id = row * int64_t{row};
    TypedArgs args = Ints({{IntStat::kId, id}});
    ids.emplace_back(row, id);
    if (row % 50'000 == 49'999) {
      args.ints.emplace_back(IntStat::kBytes, row);
      sizes.emplace_back(row, row);
    }
    if (row % 3 == 1) args.tokens.push_back({StringStat::kShape, "\"[2, 3]\""});
    parts[row % 7 % 3]->Add(row, args);
  }
  for (const unsigned threads : {1u, 16u}) {
    StatTable table;
    Gather(parts, kRows, &table, threads);
    table.ShrinkToFit();
    CHECK(EntriesOf(table.Int(IntStat::kId)) == ids);
    CHECK(EntriesOf(table.Int(IntStat::kBytes)) == sizes);
    const SparseColumn<StringId>& shapes = table.Text(StringStat::kShape);
    CHECK(shapes.size() == kRows / 3);
    CHECK(table.strings->View(*shapes.Find(EventRow(40'000))) == "[2, 3]");
    CHECK(table.strings->View(*shapes.Find(EventRow(99'997))) == "[2, 3]");
  }
}

}  // namespace stepscope::chrome
