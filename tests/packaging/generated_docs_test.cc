// The parts of docs/ that are made from tables in the code: docs/tables.md, and each part of
// another page between "<!-- generated: PART -->" and "<!-- end -->". STEPSCOPE_UPDATE_DOCS=1
// writes them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/registry.h"
#include "app/system/paths.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/findings/finding.h"
#include "model/analysis/tables/unit_names.h"
#include "packaging/command_docs.h"
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
#include "viewer/core/panel.h"

namespace stepscope {
namespace {

constexpr const char* kHead = R"(# Tables of pages

These are the tables that `stepscope report --page PAGE --table TABLE` and `stepscope compare` print, with their
columns. A column has an id, the label that people see, and a unit. SQL has the same tables as `PAGE_TABLE`
([sql.md](sql.md)). With `--compat xprof` tables and columns are those of XProf ([differences.md](differences.md)). A
table, or a column, is left out if the profile has nothing for it.

`STEPSCOPE_UPDATE_DOCS=1 build/release/tests/test_packaging --source-file='*generated_docs_test*'` writes this page.
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
  AnalysisParams params;
  params.hlo.whole = true;  // as reports ask
  for (size_t i = 0; i < Analyses().size(); ++i)
    Add(RunAnalysis(Analyses()[i], context, params), &(*pages)[i]);
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

void AddColumns(const ResultTable& table, std::string* out) {
  for (const ColumnDesc& column : table.columns) {
    const std::string unit = UnitName(column.unit);
    std::string text = "`" + column.id + "` **" + column.label + "**";
    if (!unit.empty()) text += ", " + unit;
    if (!column.how.empty()) text += ": " + column.how;
    test::AddItem(text, out);
  }
}

void AddTable(const ResultTable& table, std::string* out) {
  *out += "\n### " + table.id + (table.title.empty() ? "" : ": " + table.title) + "\n\n";
  AddColumns(table, out);
}

// The pages and the comparison, with all tables of the samples and of generated profiles.
std::vector<Page> AllPages() {
  std::vector<Page> pages;
  for (const AnalysisDesc& analysis : Analyses())
    pages.push_back({analysis.id, analysis.title, analysis.what, {}});
  for (const std::string& path : test::Samples()) AddPages(test::LoadedFrom(path), &pages);
  const test::FleetFolder folder("generated_docs");
  AddGenerated(folder, &pages);
  pages.push_back(Compared(folder));
  return pages;
}

std::string TablesPage(const std::vector<Page>& pages) {
  std::string out = kHead;
  for (const Page& page : pages) {
    out += "\n## " + page.id + ": " + page.title + "\n\n" + page.what + "\n";
    for (const ResultTable& table : page.tables) AddTable(table, &out);
  }
  return out;
}

// --- Parts of pages ---

constexpr size_t kColumns = 120;  // of a line of docs/

// A cell that does not end the row of a table in Markdown.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string Head(std::initializer_list<const char*> titles) {
  std::string names = "|", rule = "|";
  for (const char* title : titles) names += std::string(" ") + title + " |", rule += "---|";
  return names + "\n" + rule + "\n";
}

// A row whose last cell lists ids. Further rows continue a list that is too long for a line.
std::string ListRow(const std::string& first, const std::vector<std::string>& ids) {
  std::string out, line = "| " + first + " |";
  const auto fits = [&](const std::string& more) {
    return line.size() + more.size() + 2 < kColumns;
  };
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string id = (line.ends_with('|') ? " `" : ", `") + ids[i] + "`";
    if (!fits(id)) {
      out += line + " |\n";
      line = "| |";
    }
    line += line.ends_with('|') ? " `" + ids[i] + "`" : id;
  }
  return out + line + " |\n";
}

std::string RulesPart() {
  std::string out = Head({"rule", "looks for", "reports from"});
  for (const FindingRule& rule : FindingRules()) {
    const std::string unit = rule.unit == Unit::kPercent ? " %" : UnitSuffix(rule.unit);
    out +=
        fmt::format("| `{}` | {} | {:g}{} |\n", rule.id, Escaped(rule.what), rule.threshold, unit);
  }
  return out;
}

// "[--format csv|html|json|text]"
std::string OptionText(const OptionDoc& option) {
  std::string text = option.names.front();
  for (size_t i = 1; i < option.names.size() && text.starts_with("--"); ++i)
    text += "|" + option.names[i];
  std::string value = option.value;
  if (!option.choices.empty() && value != "ID") {
    value.clear();
    for (const std::string& choice : option.choices) value += (value.empty() ? "" : "|") + choice;
  }
  if (!value.empty()) text += " " + value;
  return option.required ? text : "[" + text + "]";
}

// Options that every command has.
bool IsCommon(const OptionDoc& option) {
  constexpr std::string_view kCommon[] = {"-h", "--version", "--max-inflated", "--verbose"};
  return std::find(std::begin(kCommon), std::end(kCommon), option.names.front()) !=
         std::end(kCommon);
}

std::string UsageOf(const CommandDoc& command) {
  std::string begin = "    stepscope" + (command.name.empty() ? "" : " " + command.name);
  std::string out, line = begin;
  const auto add = [&](const std::string& word) {
    if (line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = std::string(begin.size(), ' ');
    }
    line += " " + word;
  };
  if (!command.positionals.empty()) add(command.positionals);
  for (const OptionDoc& option : command.options) {
    if (!IsCommon(option)) add(OptionText(option));
  }
  return out + line + "\n";
}

std::string CommandsPart() {
  std::string usage, table = Head({"command", "does"});
  for (const CommandDoc& command : ReadCommands(ProgramCommands())) {
    usage += UsageOf(command);
    const std::string name = command.name.empty() ? "(none)" : "`" + command.name + "`";
    table += "| " + name + " | " + Escaped(command.what) + " |\n";
  }
  return usage + "\n" + table;
}

std::string PagesPart(const std::vector<Page>& pages) {
  std::string out = Head({"page", "tables"});
  for (const AnalysisDesc& analysis : Analyses()) {
    const auto page = std::find_if(pages.begin(), pages.end(),
                                   [&](const Page& p) { return p.id == analysis.id; });
    std::vector<std::string> tables;
    for (const ResultTable& table : page->tables) tables.push_back(table.id);
    out += ListRow("`" + page->id + "`", tables);
  }
  return out;
}

// "[Details](#details-altd)", or "HLO ops" where the page has no heading for the panel.
std::string PanelLink(const PanelDesc& panel, const std::string& panels_page) {
  const std::string title = panel.title, key = *panel.key ? std::string(" ") + panel.key : "";
  const std::string heading =
      "\n## " + title + (key.empty() ? "" : " (" + key.substr(1) + ")") + "\n";
  if (panels_page.find(heading) == std::string::npos) return title;
  std::string anchor;
  for (const char c : title + key) {
    if (c == ' ') anchor += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return "[" + title + "](#" + anchor + ")";
}

std::string PanelsPart(const std::string& panels_page) {
  std::string out = Head({"panel", "keys", "shows"});
  for (const PanelDesc& panel : Panels()) {
    out += fmt::format("| {} | {} | {} |\n", PanelLink(panel, panels_page), panel.key,
                       Escaped(panel.what));
  }
  return out;
}

std::string EndingsPart() {
  std::string out = Head({"format", "endings"});
  for (const LoaderDesc* loader : Loaders()) {
    std::vector<std::string> endings;
    for (const FileEnding& ending : loader->endings) endings.emplace_back(ending.text);
    out += ListRow(loader->filter, endings);
  }
  return out;
}

// "columns of PAGE: TABLE, TABLE": each table with the ids of its columns. One table has its
// columns as docs/tables.md has them.
std::string ColumnsPart(std::string_view of, const std::vector<Page>& pages) {
  const size_t colon = of.find(": ");
  const auto page = std::find_if(pages.begin(), pages.end(),
                                 [&](const Page& p) { return p.id == of.substr(0, colon); });
  REQUIRE_MESSAGE((colon != of.npos && page != pages.end()), std::string(of));
  std::vector<const ResultTable*> tables;
  for (std::string_view rest = of.substr(colon + 2); !rest.empty();) {
    const std::string id(rest.substr(0, rest.find(", ")));
    rest.remove_prefix(std::min(id.size() + 2, rest.size()));
    const auto table = std::find_if(page->tables.begin(), page->tables.end(),
                                    [&](const ResultTable& t) { return t.id == id; });
    REQUIRE_MESSAGE(table != page->tables.end(), id);
    tables.push_back(&*table);
  }
  std::string out;
  if (tables.size() == 1) {
    AddColumns(*tables.front(), &out);
    return out;
  }
  out = Head({"table", "columns"});
  for (const ResultTable* table : tables) {
    std::vector<std::string> ids;
    for (const ColumnDesc& column : table->columns) ids.push_back(column.id);
    out += ListRow("`" + table->id + "`", ids);
  }
  return out;
}

std::string PartText(std::string_view part, const std::vector<Page>& pages,
                     const std::string& page_text) {
  constexpr std::string_view kColumnsOf = "columns of ";
  if (part == "rules") return RulesPart();
  if (part == "commands") return CommandsPart();
  if (part == "pages") return PagesPart(pages);
  if (part == "panels") return PanelsPart(page_text);
  if (part == "endings") return EndingsPart();
  REQUIRE_MESSAGE(part.starts_with(kColumnsOf), "unknown part: " << part);
  return ColumnsPart(part.substr(kColumnsOf.size()), pages);
}

// The page with its generated parts as they are made now.
std::string WithParts(const std::string& text, const std::vector<Page>& pages) {
  constexpr std::string_view kBegin = "<!-- generated: ", kClose = " -->\n", kEnd = "<!-- end -->";
  std::string out;
  size_t at = 0;
  while (true) {
    const size_t begin = text.find(kBegin, at);
    if (begin == text.npos) return out + text.substr(at);
    const size_t close = text.find(kClose, begin), end = text.find(kEnd, begin);
    REQUIRE_MESSAGE((close != text.npos && end != text.npos && close < end),
                    text.substr(begin, 80));
    const size_t name = begin + kBegin.size();
    out += text.substr(at, close + kClose.size() - at) + "\n" +
           PartText(std::string_view(text).substr(name, close - name), pages, text) + "\n";
    at = end;
  }
}

// Compares a file with what it should be, or writes it.
void CheckFile(const std::string& path, const std::string& text) {
  const char* update = std::getenv("STEPSCOPE_UPDATE_DOCS");
  if (update != nullptr && std::string_view(update) == "1" && ReadSmallFile(path) != text)
    std::ofstream(path, std::ios::binary) << text;
  const bool same = ReadSmallFile(path) == text;  // CHECK(a == b) would print both texts
  CHECK_MESSAGE(same, path << " is old: run this test with STEPSCOPE_UPDATE_DOCS=1");
}

TEST_CASE("docs/: the generated parts have what the tables in the code have") {
  const std::vector<Page> pages = AllPages();
  CheckFile(test::SourcePath("docs/tables.md"), TablesPage(pages));
  size_t parts = 0;
  for (const auto& file : std::filesystem::directory_iterator(test::SourcePath("docs"))) {
    if (file.path().extension() != ".md") continue;
    const std::string text = ReadSmallFile(file.path().string());
    const std::string wanted = WithParts(text, pages);
    parts += text.find("<!-- generated: ") != text.npos;
    CheckFile(file.path().string(), wanted);
  }
  CHECK(parts >= 5);
}

TEST_CASE("docs/: a part that is old is found, and the text around it is kept") {
  const std::vector<Page> pages = {{"toys", "Toys", "", {ResultTable("boxes", "Boxes")}}};
  const std::string old = "A\n<!-- generated: rules -->\nold\n<!-- end -->\nB\n";
  const std::string text = WithParts(old, pages);
  CHECK(text.starts_with("A\n<!-- generated: rules -->\n\n| rule |"));
  CHECK(text.ends_with(" |\n\n<!-- end -->\nB\n"));
  CHECK(WithParts(text, pages) == text);
  CHECK(WithParts("no part\n", pages) == "no part\n");
}

}  // namespace
}  // namespace stepscope
