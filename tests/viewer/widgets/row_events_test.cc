#include "viewer/widgets/row_events.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/search/search.h"

namespace stepscope {
namespace {

// OpsTrace on a thread, kernels on a stream: "gemm" runs for both ops.
std::shared_ptr<const Trace> OpsTrace() {
  test::TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "python3", TrackKind::kThread,
              {{"MatMul", 0, 10}, {"BatchMatMul", 20, 10}, {"MatMul", 40, 10}});
  const PlaneId gpu = maker.Plane("/device:GPU:0", PlaneKind::kGpu);
  maker.Track(gpu, "Stream #7", TrackKind::kStream,
              {{"gemm", 5, 5}, {"gemm", 25, 5}, {"gemm", 45, 5}, {"relu", 60, 5}});
  return maker.Finish();
}

std::vector<EventRow> RowsCalled(const Trace& trace, std::string_view name) {
  std::vector<EventRow> rows;
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    if (trace.set.Name(EventRow(row)) == name) rows.push_back(EventRow(row));
  }
  return rows;
}

struct RowFixture {
  RowFixture() { profile.trace = trace; }
  RowEvents Of(const std::string& name, std::vector<EventRow> rows, uint64_t total) {
    RowLink link;
    link.rows = decltype(link.rows)(std::move(rows));
    link.total = total;
    return FindRowEvents(profile, link, name);
  }
  std::shared_ptr<const Trace> trace = OpsTrace();
  Profile profile;
};

TEST_CASE("row events: by name where that finds the row's events and no others") {
  RowFixture f;
  const RowEvents found = f.Of("MatMul", RowsCalled(*f.trace, "MatMul"), 2);
  CHECK(found.query == "=MatMul");
  CHECK(found.what == "The events of this row, all called MatMul");
}

TEST_CASE("row events: by the events' name where the row has another") {
  RowFixture f;
  CHECK(f.Of("op/Relu", RowsCalled(*f.trace, "relu"), 1).query == "=relu");
}

TEST_CASE("row events: listed one by one where other rows have events of the same name") {
  RowFixture f;
  const std::vector<EventRow> all = RowsCalled(*f.trace, "gemm");
  for (const std::vector<EventRow>& rows :
       {std::vector<EventRow>{all[0], all[2]}, {all[1], RowsCalled(*f.trace, "relu")[0]}}) {
    const RowEvents found = f.Of("MatMul", rows, 2);
    CHECK(found.query.empty());
    CHECK(found.listed);
  }
}

TEST_CASE("row events: a list that leaves events out is not used to find them") {
  RowFixture f;
  const RowEvents found = f.Of("MatMul", {RowsCalled(*f.trace, "gemm")[0]}, 2);
  CHECK(found.query == "=gemm");
  CHECK(found.what == "Every event called gemm, more than this row's");
}

TEST_CASE("row events: a row without links goes by its name, whole if an event has it") {
  RowFixture f;
  CHECK(f.Of("MatMul", {}, 0).query == "=MatMul");
  CHECK(f.Of("atch", {}, 0).query == "atch");
  CHECK(f.Of("Conv2D", {}, 0).query.empty());
  CHECK_FALSE(f.Of("Conv2D", {}, 0).listed);
  CHECK(f.Of("", {}, 0).query.empty());
}

TEST_CASE("name query: contained in any case, or the whole name") {
  CHECK(NameQuery("matmul").Matches("BatchMatMul"));
  CHECK(NameQuery("").Matches("MatMul"));
  CHECK(NameQuery("=MatMul").Matches("MatMul"));
  CHECK_FALSE(NameQuery("=MatMul").Matches("BatchMatMul"));
  CHECK_FALSE(NameQuery("=MatMul").Matches("matmul"));
  CHECK(NameQuery("=").Matches("a=b"));
  CHECK(NameQuery(NameQuery::Whole("=x")).Matches("=x"));
}

}  // namespace
}  // namespace stepscope
