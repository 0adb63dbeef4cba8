#include "model/query/argument_term.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "model/base/ascii.h"
#include "model/base/key_table.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

// Whether the stat and the text are the same number without rounding either.
bool IsNumber(const Stat& stat, std::string_view text) {
  const std::optional<double> real = Number<double>(text);
  if (const auto* d = std::get_if<double>(&stat.value)) return real && *real == *d;
  const bool whole = text.find_first_of(".eE") == text.npos;
  if (const auto* i = std::get_if<int64_t>(&stat.value)) {
    if (whole) return Number<int64_t>(text) == *i;
    return real && *real == static_cast<double>(*i) && std::abs(*real) < 0x1p53;
  }
  if (const auto* u = std::get_if<uint64_t>(&stat.value)) {
    if (whole) return Number<uint64_t>(text) == *u;
    return real && *real == static_cast<double>(*u) && std::abs(*real) < 0x1p53;
  }
  return false;
}

bool IsValue(const Stat& stat, std::string_view text) {
  if (const auto* s = std::get_if<std::string>(&stat.value)) return *s == text;
  return IsNumber(stat, text) || ToText(stat) == text;
}

// Keys whose values all loaders put into one column.
constexpr KeyRow<IntStat> kIntKeys[] = {
    {"External id", IntStat::kExternalId},
    {"consumer_id", IntStat::kConsumerId},
    {"correlation", IntStat::kCorrelationId},
    {"correlation_id", IntStat::kCorrelationId},
    {"group_id", IntStat::kGroupId},
    {"iter_num", IntStat::kIterNum},
    {"producer_id", IntStat::kProducerId},
    {"program_id", IntStat::kProgramId},
    {"run_id", IntStat::kRunId},
    {"step_num", IntStat::kStepNum},
};
constexpr KeyRow<StringStat> kTextKeys[] = {
    {"hlo_category", StringStat::kHloCategory},
    {"hlo_module", StringStat::kHloModule},
    {"hlo_op", StringStat::kHloOp},
    {"kernel_details", StringStat::kKernelDetails},
    {"memcpy_details", StringStat::kMemcpyDetails},
    {"tf_op", StringStat::kTfOp},
};
static_assert(IsSortedByKey(kIntKeys) && IsSortedByKey(kTextKeys));

RowBits RowsOfInt(const SparseColumn<int64_t>& column, int64_t wanted, uint32_t rows) {
  RowBits found(rows);
  column.ForAll([&](uint32_t row, int64_t value) {
    if (value == wanted) found.Set(row);
  });
  return found;
}

RowBits RowsOfText(const QueryTerm& term, const SparseColumn<StringId>& column,
                   const StringPool& strings, uint32_t rows) {
  std::vector<uint8_t> wanted(strings.size());
  for (uint32_t i = 0; i < strings.size(); ++i) {
    const std::string_view text = strings.View(StringId(i));
    wanted[i] = term.kind == QueryTerm::Kind::kArgument ? text == term.text
                                                        : ContainsLower(text, term.text);
  }
  RowBits found(rows);
  column.ForAll([&](uint32_t row, StringId value) {
    if (value.value < wanted.size() && wanted[value.value] != 0) found.Set(row);
  });
  return found;
}

}  // namespace

bool AnswersArgument(const QueryTerm& term, std::span<const Stat> stats) {
  const bool whole = term.kind == QueryTerm::Kind::kArgument;
  return std::any_of(stats.begin(), stats.end(), [&](const Stat& stat) {
    if (stat.name != term.key) return false;
    return whole ? IsValue(stat, term.text) : ContainsLower(ToText(stat), term.text);
  });
}

std::optional<RowBits> RowsByTypedStats(const QueryTerm& term, const StatTable& stats,
                                        uint32_t rows) {
  const std::optional<int64_t> number = Number<int64_t>(term.text);
  const IntStat* whole = FindKey(kIntKeys, term.key);
  if (whole != nullptr && number && term.kind == QueryTerm::Kind::kArgument)
    return RowsOfInt(stats.Int(*whole), *number, rows);
  if (const StringStat* text = FindKey(kTextKeys, term.key))
    return RowsOfText(term, stats.Text(*text), *stats.strings, rows);
  return std::nullopt;
}

}  // namespace stepscope
