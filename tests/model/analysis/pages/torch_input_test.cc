// PyTorch's part of the input pipeline.
#include "model/analysis/pages/input_pipeline.h"

#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {

using namespace test;

TEST_CASE("pytorch input: waits of loaders, their workers, and copies to the device") {
  KinetoText t;
  const std::string loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  t.Host("user_annotation", loader, 0, 10).Host("user_annotation", loader, 50, 30);
  t.Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1, 100, 10, "\"bytes\":30000")
      .Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2, 120, 10, "\"bytes\":10000")
      .Device("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 3, 140, 10, "\"bytes\":8");
  const AnalysisResult r = Analyse("t.json", t.Text(), "input_pipeline");
  REQUIRE(TableOf(r, "loader_waits").size() == 1);
  CHECK(Text(r, "loader_waits", 0, "loader") == "_SingleProcessDataLoaderIter.__next__");
  CHECK(Int(r, "loader_waits", 0, "workers") == 0);
  CHECK(Int(r, "loader_waits", 0, "count") == 2);
  CHECK(Real(r, "loader_waits", 0, "timeMs") == doctest::Approx(0.040));
  CHECK(Real(r, "loader_waits", 0, "meanMs") == doctest::Approx(0.020));
  CHECK(Real(r, "loader_waits", 0, "maxMs") == doctest::Approx(0.030));
  CHECK(TableOf(r, "loader_waits").links[0].total == 2);
  CHECK(TableOf(r, "copies").size() == 3);
  CHECK(PropertyText(r, "loader_wait_count") == "2");
  CHECK(PropertyText(r, "loader_workers") == "0");
  CHECK(PropertyText(r, "h2d_copies") == "2");
  CHECK(PropertyText(r, "h2d_bytes") == "40000");
  CHECK(PropertyText(r, "h2d_pinned_copies") == "1");
  CHECK(std::get<double>(r.Find("h2d_pinned_percent")->value) == doctest::Approx(75));
  CHECK(std::get<double>(r.Find("h2d_gb_per_s")->value) == doctest::Approx(2));
}

TEST_CASE("pytorch input: workers of other processes are not recorded; CPU traces have no copies") {
  KinetoText t;
  t.Host("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 0, 10);
  const AnalysisResult r = Analyse("t.json", t.Text(), "input_pipeline");
  CHECK(Unknown(r, "loader_waits", 0, "workers"));
  CHECK(r.Table("copies") == nullptr);
  CHECK(r.Find("h2d_bytes") == nullptr);
}

}  // namespace stepscope
