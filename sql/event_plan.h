// A plan says which conditions of a query the table `events` answers itself. ChoosePlan() makes it
// when SQLite prepares a query; ReadPlan() reads it when SQLite runs the query. SQLite keeps a plan
// as a text: after the character of the order, two characters for each value, a column and an
// operator. For example, "ib>" gives rows by id that begin after a value. SQLite checks every
// condition again, so a plan saves time and never changes a result. Pure.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/schema.h"

namespace stepscope {

// Whole numbers from `first` to `last`, both included.
struct IntegerSpan {
  int64_t first = std::numeric_limits<int64_t>::min();
  int64_t last = std::numeric_limits<int64_t>::max();
  bool empty() const { return first > last; }
  bool all() const { return first == IntegerSpan().first && last == IntegerSpan().last; }
  bool Has(int64_t value) const { return value >= first && value <= last; }
  void Clear() { first = 1, last = 0; }
};

// An operator of a condition, as a character of the plan.
enum class PlanOp : char {
  kEqual = '=',
  kLess = '<',
  kLessEqual = 'l',
  kGreater = '>',
  kGreaterEqual = 'g',
  kLike = '~',
  kGlob = '*'
};
std::optional<PlanOp> PlanOpOf(int sqlite_operator);

// Narrows the span to the whole numbers for which SQL can answer `number OP value` with yes. A null
// leaves none, a text or blob all of them.
void Narrow(PlanOp op, sqlite3_value* value, IntegerSpan* span);

struct NameCondition {
  PlanOp op = PlanOp::kEqual;
  std::string text;
};

struct EventConditions {
  IntegerSpan id, begin, track, step;
  std::vector<NameCondition> names;  // all must hold
  bool none = false;                 // a condition holds for no event
};

// The column that the rows are sorted by.
enum class EventOrderBy : char { kId = 'i', kName = 'n', kStep = 's' };

// Estimates that help SQLite to order joins.
struct EventCounts {
  double events = 0, names = 1, tracks = 1, steps = 1;
};

// Fills in the plan that SQLite asks for. False if there is no memory for it.
bool ChoosePlan(const EventCounts& counts, bool rows_by_track, sqlite3_index_info* info);
// Reads a plan of ChoosePlan and the values for it. A text that is no plan has no conditions.
EventConditions ReadPlan(std::string_view plan, int count, sqlite3_value** values);
EventOrderBy OrderOf(std::string_view plan);

}  // namespace stepscope
