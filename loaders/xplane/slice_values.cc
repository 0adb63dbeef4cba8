#include "loaders/xplane/slice_values.h"

#include <vector>

#include "model/jobs/job.h"
#include "model/string_pool.h"

namespace stepscope::xplane {
namespace {

std::vector<StringId> InternAll(const StringPool& pool, StringPool* all) {
  std::vector<StringId> ids(pool.size());
  for (uint32_t s = 0; s < ids.size(); ++s) ids[s] = all->Intern(pool.View(StringId(s)));
  return ids;
}

template <typename T>
void Move(SparseColumn<T>* from, SparseColumn<T>* to) {
  to->Append(*from);
  from->Clear();
}

// `ids`: what the piece's texts are in the table.
template <typename T>
void Take(SparseColumn<T>* from, const std::vector<StringId>&, SparseColumn<T>* to) {
  Move(from, to);
}
void Take(SparseColumn<StringId>* from, const std::vector<StringId>& ids,
          SparseColumn<StringId>* to) {
  if (ids.size() <= 1) return Move(from, to);  // there is only the empty string
  std::vector<uint32_t> rows;
  std::vector<StringId> values;
  const auto flush = [&] {
    to->Append(rows, values);
    rows.clear(), values.clear();
  };
  from->ForAll([&](uint32_t row, StringId id) {
    if (!rows.empty() && row < rows.back()) flush();  // the next slice's
    rows.push_back(row);
    values.push_back((id.value & kLocalText) == 0 ? id : ids[id.value & ~kLocalText]);
  });
  flush();
  from->Clear();
}

}  // namespace

void SliceValues::MakeRoom(uint32_t column) {
  Entries& e = columns_[column];
  if (e.rows != nullptr) return;
  e.rows = std::make_unique_for_overwrite<uint32_t[]>(kRowsPerSlice);
  e.bits = std::make_unique_for_overwrite<uint64_t[]>(kRowsPerSlice);
}

void SliceValues::MoveTo(StatTable* table) {
  for (size_t c = 0; c < kStatColumns; ++c) {
    if (columns_[c].size == 0) continue;
    VisitColumn(
        c, [&](auto& to) { columns_[c].MoveTo(&to); }, *table);
  }
}

void AppendPieces(std::span<StatTable* const> pieces, StatTable* table) {
  std::vector<std::vector<StringId>> ids;
  for (const StatTable* piece : pieces)
    ids.push_back(InternAll(*piece->strings, table->strings.get()));
  ParallelFor(kStatColumns, [&](size_t c) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      VisitColumn(
          c, [&](auto& from, auto& to) { Take(&from, ids[i], &to); }, *pieces[i], *table);
    }
  });
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (ids[i].size() > 1) pieces[i]->strings = std::make_unique<StringPool>();
  }
}

}  // namespace stepscope::xplane
