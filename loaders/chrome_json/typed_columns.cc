#include "loaders/chrome_json/typed_columns.h"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

#include "model/base/task.h"

namespace stepscope::chrome {
namespace {

constexpr uint32_t kChunkRows = uint32_t{1} << 15;  // rows; their values stay in the cache

// Ids of texts in the table, by their ids in a part.
using TextIds = std::vector<StringId>;

// Puts one column of all parts in order of rows. Each row is in one part.
template <typename T>
class ColumnMerge {
 public:
  // `ids`: for texts, what each part's texts are in the table.
  ColumnMerge(const std::vector<std::unique_ptr<TypedColumns>>& parts, size_t column,
              std::span<const TextIds* const> ids, SparseColumn<T>* out)
      : out_(out) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const TypedColumns::Entries& entries = parts[i]->column(column);
      if (entries.size() > 0) parts_.push_back({&entries, ids.empty() ? nullptr : ids[i], 0});
    }
  }

  void Run(uint32_t rows) {
    if (parts_.empty()) return;
    bits_.resize(kChunkRows);
    present_.resize(kChunkRows / 64);
    sorted_rows_.resize(kChunkRows);
    for (uint32_t first = 0; first < rows; first += std::min(kChunkRows, rows - first)) {
      const uint32_t end = first + std::min(kChunkRows, rows - first);
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
      bits_[at] = part->ids != nullptr ? (*part->ids)[from.bits(i)].value : from.bits(i);
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

  SparseColumn<T>* out_;
  std::vector<Part> parts_;
  std::vector<uint64_t> bits_;     // by row of the chunk
  std::vector<uint64_t> present_;  // a bit for each of them
  std::vector<uint32_t> sorted_rows_;
};

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
            StatTable* table) {
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
  ParallelFor(kStatColumns, [&](size_t i) {
    if (i < kIntStats) {
      ColumnMerge<int64_t>(parts, i, {}, &table->ints[i]).Run(rows);
    } else if (const size_t text = i - kIntStats; text < kTextStats) {
      ColumnMerge<StringId>(parts, i, ids_of_parts, &table->texts[text]).Run(rows);
    } else {
      ColumnMerge<double>(parts, i, {}, &table->reals[text - kTextStats]).Run(rows);
    }
  });
}

}  // namespace stepscope::chrome
