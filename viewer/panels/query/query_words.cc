#include "viewer/panels/query/query_words.h"

#include <algorithm>
#include <set>

#include "model/analysis/analysis.h"
#include "model/base/ascii.h"
#include "sql/schema.h"

namespace stepscope {
namespace {

constexpr const char* kKeywords[] = {
    "SELECT", "FROM", "WHERE",     "GROUP BY", "ORDER BY", "LIMIT",       "JOIN", "LEFT JOIN",
    "ON",     "AND",  "OR",        "NOT",      "LIKE",     "GLOB",        "IN",   "BETWEEN",
    "AS",     "DESC", "HAVING",    "DISTINCT", "WITH",     "CASE",        "WHEN", "THEN",
    "ELSE",   "END",  "UNION ALL", "IS NULL",  "OVER",     "PARTITION BY"};
constexpr const char* kFunctions[] = {"count(",      "sum(",    "avg(",   "min(",    "max(",
                                      "median(",     "stddev(", "lag(",   "lead(",   "substr(",
                                      "percentile(", "instr(",  "round(", "printf(", "coalesce("};

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::set<std::string, std::less<>> WordsOf(std::string_view text) {
  std::set<std::string, std::less<>> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && IsWordByte(text[end])) ++end;
    if (end > at) words.insert(Lower(text.substr(at, end - at)));
    at = std::max(end, at + 1);
  }
  return words;
}

// Takes words that begin with a start, each once.
class Taker {
 public:
  Taker(std::string_view start, size_t most) : start_(Lower(start)), most_(most) {}
  void Take(const std::string& word) {
    const std::string lower = Lower(word);
    if (taken_.size() < most_ && lower.starts_with(start_) && lower != start_ &&
        seen_.insert(lower).second)
      taken_.push_back(word);
  }
  std::vector<std::string> taken() { return std::move(taken_); }

 private:
  std::string start_;
  size_t most_;
  std::set<std::string> seen_;
  std::vector<std::string> taken_;
};

// The columns of the tables that `named` has, or that it has not.
void TakeColumns(const std::set<std::string, std::less<>>& words, bool named,
                 std::span<const QueryTable> reports, Taker* taker) {
  for (const SqlTableDesc& table : SqlTables()) {
    if (words.contains(std::string_view(table.name)) != named) continue;
    for (const SqlColumn& column : table.columns) taker->Take(column.name);
  }
  for (const QueryTable& table : reports) {
    if (words.contains(Lower(table.name)) != named) continue;
    for (const std::string& column : table.columns) taker->Take(column);
  }
}

}  // namespace

std::string_view WordBefore(std::string_view text, size_t cursor) {
  cursor = std::min(cursor, text.size());
  size_t begin = cursor;
  while (begin > 0 && IsWordByte(text[begin - 1])) --begin;
  return text.substr(begin, cursor - begin);
}

std::vector<std::string> Completions(std::string_view text, size_t cursor,
                                     std::span<const QueryTable> reports, size_t most) {
  const std::string_view word = WordBefore(text, cursor);
  const size_t begin = std::min(cursor, text.size()) - word.size();
  const bool behind_dot = begin > 0 && text[begin - 1] == '.';
  if (word.empty() && !behind_dot) return {};
  Taker taker(word, most);
  const auto words = WordsOf(text);
  TakeColumns(words, true, reports, &taker);
  if (!behind_dot) {
    for (const SqlTableDesc& table : SqlTables()) taker.Take(table.name);
    for (const QueryTable& table : reports) taker.Take(table.name);
    for (const AnalysisDesc& analysis : Analyses()) taker.Take(std::string(analysis.id) + "_");
  }
  TakeColumns(words, false, reports, &taker);
  if (!behind_dot) {
    for (const char* function : kFunctions) taker.Take(function);
    for (const char* keyword : kKeywords) taker.Take(keyword);
  }
  return taker.taken();
}

std::string CommonStart(std::span<const std::string> words) {
  if (words.empty()) return {};
  std::string start = words.front();
  for (const std::string& word : words) {
    size_t same = 0;
    while (same < start.size() && same < word.size() && Lower(start[same]) == Lower(word[same]))
      ++same;
    start.resize(same);
  }
  return start;
}

std::vector<std::string> ReportsNamedIn(std::string_view text) {
  std::vector<std::string> named;
  const auto words = WordsOf(text);
  for (const AnalysisDesc& analysis : Analyses()) {
    const std::string start = std::string(analysis.id) + "_";
    const auto at = words.lower_bound(start);
    if (at != words.end() && at->starts_with(start)) named.emplace_back(analysis.id);
  }
  return named;
}

}  // namespace stepscope
