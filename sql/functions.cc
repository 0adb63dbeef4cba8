#include "sql/table.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

namespace stepscope {
namespace {

// The values of a group. Integers stay exact as long as there are no others.
struct Values {
  std::vector<int64_t> integers;
  std::vector<double> reals;  // all values, once one of them is no integer
  double percent = 50;
  bool percent_known = false;

  void Add(int64_t value) {
    reals.empty() ? integers.push_back(value) : reals.push_back(static_cast<double>(value));
  }
  void Add(double value) {
    if (reals.empty()) reals.assign(integers.begin(), integers.end());
    integers.clear();
    reals.push_back(value);
  }
};

Values** PlaceOf(sqlite3_context* context, int size) {
  return static_cast<Values**>(sqlite3_aggregate_context(context, size));
}

SqlSession* SessionOf(sqlite3_context* context) {
  return static_cast<SqlSession*>(sqlite3_user_data(context));
}

void AddValue(sqlite3_context* context, Values* values, sqlite3_value* value) {
  constexpr int64_t kBytes = 16;  // of a growing list, for each value
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      values->Add(static_cast<int64_t>(sqlite3_value_int64(value)));
      break;
    case SQLITE_FLOAT:
      values->Add(sqlite3_value_double(value));
      break;
    default:
      return;
  }
  SessionOf(context)->budget->Use(kBytes);
}

void AddRow(sqlite3_context* context, int count, sqlite3_value** arguments) {
  try {
    Values** place = PlaceOf(context, sizeof(void*));
    if (place == nullptr) return sqlite3_result_error_nomem(context);
    if (*place == nullptr) *place = new Values;
    if (count > 1) {
      const double percent = sqlite3_value_double(arguments[1]);
      if (sqlite3_value_type(arguments[1]) == SQLITE_NULL || percent < 0 || percent > 100)
        return sqlite3_result_error(context, "percentile: the percentage lies between 0 and 100",
                                    -1);
      (*place)->percent = percent;
    }
    AddValue(context, *place, arguments[0]);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// Moves out the values of a group that has ended; null if the group has none.
std::unique_ptr<Values> Taken(sqlite3_context* context) {
  Values** place = PlaceOf(context, 0);
  if (place == nullptr || *place == nullptr) return nullptr;
  std::unique_ptr<Values> values(*place);
  *place = nullptr;
  const size_t count = values->integers.size() + values->reals.size();
  SessionOf(context)->budget->Use(-16 * static_cast<int64_t>(count));
  return count > 0 ? std::move(values) : nullptr;
}

// The percentile by nearest rank: the least value that `percent` of all values do not exceed.
template <typename T>
T Ranked(std::vector<T>* values, double percent) {
  const auto count = static_cast<double>(values->size());
  const double rank = std::clamp(std::ceil(percent * count / 100), 1.0, count);
  const auto at = values->begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(values->begin(), at, values->end());
  return *at;
}

void GivePercentile(sqlite3_context* context) {
  const std::unique_ptr<Values> values = Taken(context);
  if (!values) return sqlite3_result_null(context);
  if (!values->integers.empty())
    return sqlite3_result_int64(context, Ranked(&values->integers, values->percent));
  sqlite3_result_double(context, Ranked(&values->reals, values->percent));
}

void GiveDeviation(sqlite3_context* context) {
  const std::unique_ptr<Values> values = Taken(context);
  if (!values) return sqlite3_result_null(context);
  if (values->reals.empty()) values->reals.assign(values->integers.begin(), values->integers.end());
  const auto count = static_cast<double>(values->reals.size());
  double mean = 0, squares = 0;
  for (const double value : values->reals) mean += value / count;
  for (const double value : values->reals) squares += (value - mean) * (value - mean);
  sqlite3_result_double(context, std::sqrt(squares / count));
}

int Register(sqlite3* db, SqlSession* session, const char* name, int arguments,
             void (*give)(sqlite3_context*)) {
  return sqlite3_create_function_v2(db, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                    session, nullptr, AddRow, give, nullptr);
}

}  // namespace

int RegisterFunctions(sqlite3* db, SqlSession* session) {
  int status = Register(db, session, "median", 1, GivePercentile);
  if (status == SQLITE_OK) status = Register(db, session, "percentile", 2, GivePercentile);
  return status == SQLITE_OK ? Register(db, session, "stddev", 1, GiveDeviation) : status;
}

}  // namespace stepscope
