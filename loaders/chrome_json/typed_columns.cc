#include "loaders/chrome_json/typed_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "model/jobs/job.h"

namespace stepscope::chrome {
namespace {

constexpr uint32_t kChunkRows = uint32_t{1} << 15;  // rows; their values stay in the cache

// Ids of texts in the table, by their ids in a part.
using TextIds = std::vector<StringId>;

// One thread puts these rows of a column in order. They are some chunks, and `number` counts the
// ranges of a column.
struct Range {
  size_t column = 0;
  uint32_t first = 0, end = 0;
  size_t number = 0;
};

using Parts = std::vector<std::unique_ptr<TypedColumns>>;

// Lists the columns that have values. A thread would have nothing to do while another one has most
// of the values, so large columns are divided.
std::vector<Range> RangesOf(const Parts& parts, uint32_t rows, unsigned threads) {
  std::array<size_t, kStatColumns> values{};
  for (size_t c = 0; c < kStatColumns; ++c) {
    for (const auto& part : parts) values[c] += part->column(c).size();
  }
  const size_t all = std::accumulate(values.begin(), values.end(), size_t{0});
  const uint64_t chunks = std::max<uint64_t>(1, (uint64_t{rows} + kChunkRows - 1) / kChunkRows);
  std::vector<Range> ranges;
  for (size_t c = 0; c < kStatColumns; ++c) {
    if (values[c] == 0) continue;
    const size_t count = std::clamp<size_t>(values[c] * threads / all, 1, chunks);
    const auto begin_of = [&](size_t i) {
      return static_cast<uint32_t>(std::min<uint64_t>(rows, chunks * i / count * kChunkRows));
    };
    for (size_t i = 0; i < count; ++i) ranges.push_back({c, begin_of(i), begin_of(i + 1), i});
  }
  return ranges;
}

// Puts a range of one column of all parts in order of rows. Each row is in one part.
template <typename T>
class ColumnMerge {
 public:
  // `ids`: for texts, what each part's texts are in the table.
  ColumnMerge(const Parts& parts, const Range& range, std::span<const TextIds* const> ids,
              SparseColumn<T>* out)
      : range_(range), out_(out) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const TypedColumns::Entries& entries = parts[i]->column(range.column);
      const size_t next = entries.FirstFrom(range.first);
      if (next < entries.size()) parts_.push_back({&entries, ids[i], next});
    }
  }

  void Run() {
    bits_.resize(kChunkRows);
    present_.resize(kChunkRows / 64);
    sorted_rows_.resize(kChunkRows);
    for (uint32_t first = range_.first, end = 0; first < range_.end; first = end) {
      end = first + std::min(kChunkRows, range_.end - first);
      for (Part& part : parts_) Scatter(first, end, &part);
      Collect(first);
    }
  }

 private:
  struct Part {
    const TypedColumns::Entries* entries;
    const TextIds* ids;
    size_t next;  // entry
  };

  void Scatter(uint32_t first, uint32_t end, Part* part) {
    const TypedColumns::Entries& from = *part->entries;
    size_t i = part->next;
    for (; i < from.size() && from.row(i) < end; ++i) {
      const uint32_t at = from.row(i) - first;
      if constexpr (std::is_same_v<T, StringId>) {
        bits_[at] = (*part->ids)[from.bits(i)].value;
      } else {
        bits_[at] = from.bits(i);
      }
      present_[at / 64] |= uint64_t{1} << at % 64;
    }
    part->next = i;
  }

  void Collect(uint32_t first) {
    uint32_t n = 0;
    for (uint32_t word = 0; word < present_.size(); ++word) {
      for (uint64_t left = present_[word]; left != 0; left &= left - 1) {
        const uint32_t at = word * 64 + static_cast<uint32_t>(std::countr_zero(left));
        sorted_rows_[n] = first + at;
        bits_[n++] = bits_[at];
      }
      present_[word] = 0;
    }
    out_->AppendBits(std::span(sorted_rows_).first(n), std::span(bits_).first(n));
  }

  const Range range_;
  SparseColumn<T>* out_;
  std::vector<Part> parts_;
  std::vector<uint64_t> bits_;     // by row of the chunk
  std::vector<uint64_t> present_;  // a bit for each of them
  std::vector<uint32_t> sorted_rows_;
};

// Puts all columns in order.
void Merge(const Parts& parts, uint32_t rows, std::span<const TextIds* const> ids, unsigned threads,
           StatTable* table) {
  const std::vector<Range> ranges = RangesOf(parts, rows, threads);
  size_t most = 1;
  for (const Range& range : ranges) most = std::max(most, range.number + 1);
  std::vector<StatTable> pieces(most - 1);  // of the ranges behind the first one of a column
  ParallelFor(
      ranges.size(),
      [&](size_t i) {
        const auto merge = [&]<typename T>(SparseColumn<T>& to) {
          ColumnMerge<T>(parts, ranges[i], ids, &to).Run();
        };
        const size_t number = ranges[i].number;
        VisitColumn(ranges[i].column, merge, number == 0 ? *table : pieces[number - 1]);
      },
      threads);
  const auto append = []<typename T>(SparseColumn<T>& from, SparseColumn<T>& to) {
    to.Append(from);
    from = {};
  };
  ParallelFor(
      pieces.empty() ? 0 : kStatColumns,
      [&](size_t c) {
        for (StatTable& piece : pieces) VisitColumn(c, append, piece, *table);
      },
      threads);
}

}  // namespace

StringId TokenTexts::Of(std::string_view token, uint32_t* memo) {
  if (memo != nullptr && tokens_.View(StringId(*memo)) == token) return ids_[*memo];
  const StringId known = tokens_.Intern(token);
  if (known.value == ids_.size()) ids_.push_back(texts_.Intern(TextOfToken(token)));
  if (memo != nullptr) *memo = known.value;
  return ids_[known.value];
}

void TypedColumns::Entries::Put(uint32_t row, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits), high = static_cast<uint32_t>(bits >> 32);
  if (low_.empty() || low_.back().row != row) {
    low_.push_back({row, low});
  } else {
    low_.back().bits = low;
  }
  if (high == 0 && high_.size() < low_.size()) return;
  high_.resize(low_.size());
  high_.back() = high;
}

size_t TypedColumns::Entries::FirstFrom(uint32_t row) const {
  const auto at = std::partition_point(low_.begin(), low_.end(),
                                       [row](const Low& entry) { return entry.row < row; });
  return static_cast<size_t>(at - low_.begin());
}

TypedColumns::TypedColumns(TokenTexts* texts, const TypedColumns* like) : texts_(texts) {
  if (like == nullptr) return;
  for (size_t i = 0; i < kStatColumns; ++i) columns_[i].Reserve(like->columns_[i].size() * 9 / 8);
}

void TypedColumns::Add(uint32_t row, const TypedArgs& args) {
  for (const auto& [stat, value] : args.ints)
    columns_[static_cast<size_t>(stat)].Put(row, static_cast<uint64_t>(value));
  for (const auto& [stat, value] : args.reals)
    columns_[kIntStats + kTextStats + static_cast<size_t>(stat)].Put(
        row, std::bit_cast<uint64_t>(value));
  for (const TextToken& text : args.tokens)
    PutText(text.stat, row, texts_->Of(text.token, text.memo));
  if (!args.allocator.empty())
    PutText(StringStat::kAllocatorName, row, texts_->OfText(args.allocator));
}

void TypedColumns::PutText(StringStat stat, uint32_t row, StringId text) {
  columns_[kIntStats + static_cast<size_t>(stat)].Put(row, text.value);
  if (text.value >= is_used_.size()) is_used_.resize(texts_->size());
  if (is_used_[text.value]) return;
  is_used_[text.value] = true;
  used_.push_back(text);
}

void Gather(const std::vector<std::unique_ptr<TypedColumns>>& parts, uint32_t rows,
            StatTable* table, unsigned threads) {
  std::unordered_map<const TokenTexts*, TextIds> ids;
  std::vector<const TextIds*> ids_of_parts;
  for (const std::unique_ptr<TypedColumns>& part : parts) {
    TextIds& known = ids[&part->texts()];
    known.resize(part->texts().size());
    for (const StringId text : part->used()) {
      StringId& id = known[text.value];
      if (!id.valid()) id = table->strings->Intern(part->texts().View(text));
    }
    ids_of_parts.push_back(&known);
  }
  Merge(parts, rows, ids_of_parts, threads == 0 ? WorkerCount() : threads, table);
}

}  // namespace stepscope::chrome
