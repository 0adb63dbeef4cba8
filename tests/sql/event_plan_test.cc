#include "sql/event_plan.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace stepscope {
namespace {

// Values for Narrow can only be had from SQLite: `SELECT <sql>`.
class ValueOf {
 public:
  explicit ValueOf(const char* sql) {
    sqlite3_open(":memory:", &db_);
    sqlite3_prepare_v2(db_, (std::string("SELECT ") + sql).c_str(), -1, &statement_, nullptr);
    REQUIRE(sqlite3_step(statement_) == SQLITE_ROW);
    value_ = sqlite3_value_dup(sqlite3_column_value(statement_, 0));
  }
  ~ValueOf() {
    sqlite3_value_free(value_);
    sqlite3_finalize(statement_);
    sqlite3_close(db_);
  }
  sqlite3_value* get() const { return value_; }

 private:
  sqlite3* db_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  sqlite3_value* value_ = nullptr;
};

std::pair<int64_t, int64_t> Narrowed(PlanOp op, const char* sql) {
  IntegerSpan span;
  Narrow(op, ValueOf(sql).get(), &span);
  return {span.first, span.last};
}

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
using Span = std::pair<int64_t, int64_t>;
const Span kNothing{1, 0};

TEST_CASE("event plan: integers narrow a span exactly") {
  CHECK(Narrowed(PlanOp::kEqual, "5") == Span{5, 5});
  CHECK(Narrowed(PlanOp::kLess, "5") == Span{kLeast, 4});
  CHECK(Narrowed(PlanOp::kLessEqual, "5") == Span{kLeast, 5});
  CHECK(Narrowed(PlanOp::kGreater, "5") == Span{6, kMost});
  CHECK(Narrowed(PlanOp::kGreaterEqual, "5") == Span{5, kMost});
  CHECK(Narrowed(PlanOp::kLess, "-9223372036854775808") == kNothing);
  CHECK(Narrowed(PlanOp::kGreater, "9223372036854775807") == kNothing);
}

TEST_CASE("event plan: reals narrow to the integers that compare so") {
  CHECK(Narrowed(PlanOp::kEqual, "5.0") == Span{5, 5});
  CHECK(Narrowed(PlanOp::kEqual, "5.5") == kNothing);
  CHECK(Narrowed(PlanOp::kLess, "5.5") == Span{kLeast, 5});
  CHECK(Narrowed(PlanOp::kLessEqual, "-5.5") == Span{kLeast, -6});
  CHECK(Narrowed(PlanOp::kGreater, "5.5") == Span{6, kMost});
  CHECK(Narrowed(PlanOp::kGreaterEqual, "-5.5") == Span{-5, kMost});
  CHECK(Narrowed(PlanOp::kLess, "1e300") == Span{kLeast, kMost});
  CHECK(Narrowed(PlanOp::kGreater, "1e300") == kNothing);
  CHECK(Narrowed(PlanOp::kLess, "-1e300") == kNothing);
  CHECK(Narrowed(PlanOp::kGreater, "-1e300") == Span{kLeast, kMost});
  CHECK(Narrowed(PlanOp::kGreaterEqual, "9223372036854775808.0") == kNothing);
  CHECK(Narrowed(PlanOp::kGreaterEqual, "-9223372036854775808.0") == Span{kLeast, kMost});
}

TEST_CASE("event plan: nothing compares with null, and texts are left to SQLite") {
  CHECK(Narrowed(PlanOp::kEqual, "NULL") == kNothing);
  CHECK(Narrowed(PlanOp::kLess, "NULL") == kNothing);
  CHECK(Narrowed(PlanOp::kEqual, "'5'") == Span{kLeast, kMost});
  CHECK(Narrowed(PlanOp::kEqual, "x'35'") == Span{kLeast, kMost});
}

TEST_CASE("event plan: a text that is no plan has no conditions") {
  const ValueOf value("5");
  sqlite3_value* values[] = {value.get(), value.get()};
  for (const char* plan : {"", "i", "ib", "zz", "?~*#", "ii"}) {
    const EventConditions conditions = ReadPlan(plan, 2, values);
    CHECK(conditions.id.all());
    CHECK(conditions.names.empty());
    CHECK_FALSE(conditions.none);
  }
  const EventConditions both = ReadPlan("ii>b=", 2, values);
  CHECK(both.id.first == 6);
  CHECK(both.begin.last == 5);
  CHECK(OrderOf("nb=") == EventOrderBy::kName);
  CHECK(OrderOf("") == EventOrderBy::kId);
}

TEST_CASE("event plan: conditions that exclude each other leave nothing") {
  const ValueOf five("5"), six("6");
  sqlite3_value* values[] = {five.get(), six.get()};
  CHECK(ReadPlan("ii=i=", 2, values).none);
  CHECK_FALSE(ReadPlan("ii>i<", 2, values).id.Has(5));
}

}  // namespace
}  // namespace stepscope
