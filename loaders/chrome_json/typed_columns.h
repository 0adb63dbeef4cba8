// Typed columns that are read piece by piece, in any order of pieces, and put in order at the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/typed_args.h"
#include "loaders/common/row_values.h"
#include "model/stats.h"
#include "model/string_pool.h"

namespace stepscope::chrome {

// The texts of tokens, each of which is decoded once: shapes and types repeat. One thread.
class TokenTexts {
 public:
  // `memo`: TextToken::memo.
  StringId Of(std::string_view token, uint32_t* memo);
  StringId OfText(std::string_view text) { return texts_.Intern(text); }
  std::string_view View(StringId id) const { return texts_.View(id); }
  size_t size() const { return texts_.size(); }

 private:
  StringPool tokens_, texts_;
  std::vector<StringId> ids_{StringId(0)};  // by the token's id
};

// The values of some rows, by column. One thread.
class TypedColumns {
 public:
  // The values are as SparseColumn::AppendBits takes them; texts are ids in `texts`. Few columns
  // have values of more than 32 bits, so the upper half is kept up to the last value that has one.
  class Entries {
   public:
    void Reserve(size_t n) { low_.reserve(n); }
    // The last value counts where a row has several.
    void Put(uint32_t row, uint64_t bits);
    size_t size() const { return low_.size(); }
    uint32_t row(size_t i) const { return low_[i].row; }
    size_t FirstFrom(uint32_t row) const;  // the first entry with such a row or a later one
    uint64_t bits(size_t i) const {
      return i < high_.size() ? uint64_t{high_[i]} << 32 | low_[i].bits : low_[i].bits;
    }

   private:
    struct Low {
      uint32_t row, bits;
    };
    std::vector<Low> low_;
    std::vector<uint32_t> high_;
  };

  // `texts` must live as long as this object. `like`: columns of about the same size, or null.
  TypedColumns(TokenTexts* texts, const TypedColumns* like);

  // Rows ascend.
  void Add(uint32_t row, const TypedArgs& args);

  const Entries& column(size_t i) const { return columns_[i]; }
  const TokenTexts& texts() const { return *texts_; }
  // The texts in order of first use.
  const std::vector<StringId>& used() const { return used_; }

 private:
  void PutText(StringStat stat, uint32_t row, StringId text);
  TokenTexts* texts_;
  std::array<Entries, kStatColumns> columns_;
  std::vector<StringId> used_;
  std::vector<bool> is_used_;
};

// Puts columns of different rows together. Texts are numbered in the order of the parts and of
// first use in them. `threads`: as for ParallelFor; the result does not depend on it.
void Gather(const std::vector<std::unique_ptr<TypedColumns>>& parts, uint32_t rows,
            StatTable* table, unsigned threads = 0);

}  // namespace stepscope::chrome
