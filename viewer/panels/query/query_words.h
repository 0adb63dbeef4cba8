// The words that complete what is typed in SQL: tables, their columns, functions and keywords.
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// A table of a report that is known, with its columns.
struct QueryTable {
  std::string name;  // "kernel_stats_kernels"
  std::vector<std::string> columns;
};

// The word that ends at byte `cursor` of the text: letters, digits and `_`.
std::string_view WordBefore(std::string_view text, size_t cursor);

// Completions of the word before the cursor, the likeliest first: columns of tables that the text
// names, tables, other columns, functions, keywords. At most `most`; nothing for an empty word, but
// behind a dot all columns. O(words).
std::vector<std::string> Completions(std::string_view text, size_t cursor,
                                     std::span<const QueryTable> reports, size_t most);
// The longest start that all completions have in common; case does not matter.
std::string CommonStart(std::span<const std::string> words);

// Ids of reports whose tables the text may name: `kernel_stats` for `kernel_stats_ker`.
std::vector<std::string> ReportsNamedIn(std::string_view text);

}  // namespace stepscope
