// docs/tables.md: the tables of all pages with their columns, as the program makes them of the
// samples and of generated profiles. STEPSCOPE_UPDATE_DOCS=1 writes the page.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/paths.h"
#include "model/analysis/analysis.h"
#include "model/analysis/tables/unit_names.h"
#include "tests/support/fleet_folder.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/graph_traces.h"
#include "tests/support/hlo_profile.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/page_item.h"
#include "tests/support/profile_database.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/samples.h"
#include "tests/support/tpu_profile.h"

namespace stepscope {
namespace {

constexpr const char* kHead = R"(# Tables of pages

These are the tables that `stepscope report --page PAGE --table TABLE` and `stepscope compare` print, with their
columns. A column has an id, the label that people see, and a unit. SQL has the same tables as `PAGE_TABLE`
([sql.md](sql.md)). With `--compat xprof` tables and columns are those of XProf ([differences.md](differences.md)). A
table, or a column, is left out if the profile has nothing for it.

`STEPSCOPE_UPDATE_DOCS=1 build/release/tests/test_app --source-file='*tables_page_test*'` writes this page.
)";

struct Page {
  std::string id, title, what;
  std::vector<ResultTable> tables;  // without rows
};

// Puts what `found` has and `known` lacks behind its neighbour in `found`.
template <typename T>
void Unite(const std::vector<T>& found, std::vector<T>* known) {
  size_t at = 0;
  for (const T& one : found) {
    const auto same = std::find_if(known->begin(), known->end(),
                                   [&](const T& other) { return other.id == one.id; });
    if (same != known->end()) {
      at = static_cast<size_t>(same - known->begin()) + 1;
      continue;
    }
    known->insert(known->begin() + static_cast<ptrdiff_t>(at++), one);
  }
}

void Add(const AnalysisResult& result, Page* page) {
  std::vector<ResultTable> tables;
  for (const ResultTable& table : result.tables) {
    ResultTable& bare = tables.emplace_back(table.id, table.title);
    for (const TableColumn& column : table.columns)
      bare.columns.emplace_back(static_cast<const ColumnDesc&>(column));
  }
  Unite(tables, &page->tables);
  for (const ResultTable& table : tables) {
    const auto known = std::find_if(page->tables.begin(), page->tables.end(),
                                    [&](const ResultTable& t) { return t.id == table.id; });
    Unite(table.columns, &known->columns);
  }
}

void AddPages(const std::shared_ptr<const Trace>& trace, std::vector<Page>* pages) {
  AnalysisContext context(trace, Definitions::kStepscope);
  for (size_t i = 0; i < Analyses().size(); ++i)
    Add(RunAnalysis(Analyses()[i], context, {}), &(*pages)[i]);
}

void AddFile(const test::FleetFolder& folder, const std::string& name, const std::string& bytes,
             std::vector<Page>* pages) {
  folder.Add(name, bytes);
  AddPages(test::LoadedFrom(folder.Path(name)), pages);
}

void AddGenerated(const test::FleetFolder& folder, std::vector<Page>* pages) {
  AddFile(folder, "tpu.xplane.pb", test::MakeTpuProfile({.runs = 3}), pages);
  AddFile(folder, "hlo.xplane.pb", test::MakeHloProfile(), pages);
  AddFile(folder, "nsys.sqlite", test::NsysBytes({}), pages);
  AddFile(folder, "snapshot.pickle",
          test::ToPickle(test::MakeTrainingSnapshot(6, 8, 3'000'320, true).file), pages);
  test::RankJobOptions job;
  job.late_rank = 2, job.late_us = 3000;
  const test::FleetFolder ranks("tables_ranks"), fleet("tables_fleet");
  test::MakeBoth(job, ranks, fleet);
  AddPages(test::LoadedFrom(ranks.Path()), pages);
  AddPages(test::LoadedFrom(fleet.Path()), pages);
  folder.Add("graphs/capture_traces/bs_32_rank0.json", test::CaptureText(2));
  AddFile(folder, "graphs/decode.json", test::ReplayText(test::GraphKernels(2)), pages);
}

Page Compared(const test::FleetFolder& folder) {
  test::GpuProfileOptions options;
  options.steps = 6;
  folder.Add("a.xplane.pb", test::MakeGpuProfile(options));
  options.layers += 1;
  folder.Add("b.xplane.pb", test::MakeGpuProfile(options));
  AnalysisContext a(test::LoadedFrom(folder.Path("a.xplane.pb")), Definitions::kStepscope);
  AnalysisContext b(test::LoadedFrom(folder.Path("b.xplane.pb")), Definitions::kStepscope);
  Page page{Comparison().id, Comparison().title, Comparison().what, {}};
  Add(Comparison().compare(a, b, {}), &page);
  return page;
}

void AddTable(const ResultTable& table, std::string* out) {
  *out += "\n### " + table.id + (table.title.empty() ? "" : ": " + table.title) + "\n\n";
  for (const ColumnDesc& column : table.columns) {
    const std::string unit = UnitName(column.unit);
    std::string text = "`" + column.id + "` **" + column.label + "**";
    if (!unit.empty()) text += ", " + unit;
    if (!column.how.empty()) text += ": " + column.how;
    test::AddItem(text, out);
  }
}

std::string PageText() {
  std::vector<Page> pages;
  for (const AnalysisDesc& analysis : Analyses())
    pages.push_back({analysis.id, analysis.title, analysis.what, {}});
  for (const std::string& path : test::Samples()) AddPages(test::LoadedFrom(path), &pages);
  const test::FleetFolder folder("tables_page");
  AddGenerated(folder, &pages);
  pages.push_back(Compared(folder));
  std::string out = kHead;
  for (const Page& page : pages) {
    out += "\n## " + page.id + ": " + page.title + "\n\n" + page.what + "\n";
    for (const ResultTable& table : page.tables) AddTable(table, &out);
  }
  return out;
}

TEST_CASE("docs/tables.md has the tables and columns that the program makes") {
  const std::string path = test::SourcePath("docs/tables.md"), text = PageText();
  const char* update = std::getenv("STEPSCOPE_UPDATE_DOCS");
  if (update != nullptr && std::string_view(update) == "1")
    std::ofstream(path, std::ios::binary) << text;
  const bool same = ReadSmallFile(path) == text;  // CHECK(a == b) would print both texts
  CHECK_MESSAGE(same, "docs/tables.md is old: run this test with STEPSCOPE_UPDATE_DOCS=1");
}

}  // namespace
}  // namespace stepscope
