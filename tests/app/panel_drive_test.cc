// Drives every panel and every table of every analysis without a window, on real profiles: opens,
// sorts, filters, selects, shows on the timeline and exports. Exports must be what `report` writes.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/support/table_rows.h"

#include "app/system/paths.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/app/temp_dir.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/source_paths.h"
#include "tests/viewer/panel_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr std::array<const char*, 5> kAnalyses = {"overview", "input_pipeline", "kernel_stats",
                                                  "op_stats", "memory"};

struct SampleFile {
  std::string name, path;
};

std::vector<SampleFile> SampleFiles(const TempDir& dir) {
  const std::string data = test::SourcePath("tests/data/");
  std::vector<SampleFile> out;
  for (const char* file : {"tf_graph.xplane.pb.zst", "tf_inputbound.xplane.pb.zst",
                           "jax_cpu.xplane.pb.zst", "torch_cpu.json.gz"}) {
    out.push_back({file, data + file});
  }
  out.push_back({"sample", test::SourcePath("share/samples/sample")});
  const std::string shared = test::SharedPath("");
  for (const char* path : {"profiles/jax_mi300x", "traces/bert_h100.json.gz"}) {
    if (std::filesystem::exists(shared + path)) {
      out.push_back({path, shared + path});
    } else {
      MESSAGE("SKIPPED: " << shared << path << " is not there");
    }
  }
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 10;
  const std::string gpu = (dir.path() / "gpu.xplane.pb").string();
  REQUIRE(WriteFileAtomically(gpu, test::MakeGpuProfile(options)));
  out.push_back({"generated GPU", gpu});
  return out;
}

Profile Open(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  Profile profile;
  profile.id = ProfileId(7);
  profile.trace = *trace;
  profile.analysis = std::make_shared<AnalysisContext>(*trace, Definitions::kStepscope);
  return profile;
}

// Draws until the panel has its result.
int DrawUntilReady(PanelFixture& f, Panel& panel) {
  const auto draw = [&](const PanelContext& c) { panel.Draw(c); };
  int vertices = 0;
  for (int i = 0; i < 3000; ++i) {
    vertices = f.Frame(draw);
    if (i > 2 && !panel.animating() && !f.analyses.busy()) return vertices;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  FAIL("the panel is still waiting");
  return vertices;
}

// A text for the filter box: a name of the first column of text, or the id.
std::string SomeText(const ResultTable& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    for (const auto& row : test::RowsOf(table)) {
      const auto* text = c < row.size() ? std::get_if<SharedText>(&row[c]) : nullptr;
      if (text != nullptr && text->size() > 3 && text->view().find('"') == std::string_view::npos)
        return text->str();
    }
  }
  return {};
}

void DriveTable(PanelFixture& f, const ResultTable& table) {
  CAPTURE(table.id);
  ResultTableView view;
  TableOptions options;
  const auto draw = [&](const PanelContext& c) { view.Draw(c, table, 1, options); };
  f.Frame(draw);
  f.Frame(draw);
  CHECK(view.order().size() == table.size());
  // With all columns shown, the export has the bytes of `report --format csv`.
  CHECK(view.Csv(table) == ToCsv(table));
  for (int c = 0; c < static_cast<int>(table.columns.size()); ++c) {
    view.SetSort({{c, true}});
    f.Frame(draw);
    REQUIRE(view.order().size() == table.size());
    const auto column = static_cast<size_t>(c);
    for (size_t i = 1; i < view.order().size(); ++i) {
      const double a = NumberOf(table.At(view.order()[i - 1], column));
      const double b = NumberOf(table.At(view.order()[i], column));
      if (a == a && b == b) CHECK(a >= b);
      if (a == b) CHECK(view.order()[i - 1] < view.order()[i]);  // stable
    }
  }
  view.SetSort({});
  if (const std::string text = SomeText(table); !text.empty()) {
    view.SetFilter("\"" + text + "\"");
    f.Frame(draw);
    CHECK(view.order().size() >= 1);
    CHECK(view.order().size() <= table.size());
    view.SetFilter("\"no row has this text\"");
    f.Frame(draw);
    CHECK(view.order().empty());
    view.SetFilter("");
    f.Frame(draw);
  }
  f.TakeCommands();
  if (table.empty()) return;
  view.Select(table, 0);
  f.Frame(draw);
  CHECK(view.current() == 0);
  CHECK(!view.SelectedTsv(table).empty());
  view.ShowOnTimeline(f.Context(), table);
  const std::vector<Command> commands = f.TakeCommands();
  const bool linked =
      !table.links.empty() && (!table.links[0].rows.empty() || !table.links[0].range.empty());
  CHECK(commands.size() == (linked ? 1 : 0));
  for (const Command& command : commands) {
    for (const EventRef& event : command.args.events) {
      CHECK(event.trace == f.profile.id);
      const TrackSet& set = f.profile.trace->set;
      if (event.set == 0) CHECK(event.row.value < set.rows);
    }
  }
}

TEST_CASE("panels open on every kind of profile, or say why there is nothing") {
  const TempDir dir;
  for (const SampleFile& file : SampleFiles(dir)) {
    CAPTURE(file.name);
    const Profile profile = Open(file.path);
    for (const PanelDesc& desc : Panels()) {
      CAPTURE(desc.id);
      for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(520, 300)}) {
        PanelFixture f(size);
        f.profile = profile;
        f.view.active = profile.id;
        const auto panel = desc.create();
        CHECK(DrawUntilReady(f, *panel) > 20);  // a text at least
        CHECK(f.TakeCommands().empty());        // looking changes nothing
      }
      const AnalysisDesc* analysis = FindAnalysis(desc.id);
      if (analysis == nullptr) continue;
      const AnalysisResult result = analysis->run(*profile.analysis, {});
      bool any = !result.empty_reason.empty() || !result.properties.empty();
      for (const ResultTable& table : result.tables) any = any || !table.empty();
      CHECK(any);
    }
  }
}

TEST_CASE("every table sorts, filters, selects, goes to the timeline and exports") {
  const TempDir dir;
  for (const SampleFile& file : SampleFiles(dir)) {
    CAPTURE(file.name);
    PanelFixture f;
    f.profile = Open(file.path);
    for (const char* id : kAnalyses) {
      const AnalysisResult result = FindAnalysis(id)->run(*f.profile.analysis, {});
      for (const ResultTable& table : result.tables) DriveTable(f, table);
    }
  }
}

TEST_CASE("a click on a row and Enter shows its events on the timeline") {
  const TempDir dir;
  const SampleFile gpu = SampleFiles(dir).back();
  for (const char* id : {"kernel_stats", "op_stats"}) {
    CAPTURE(id);
    PanelFixture f;
    f.profile = Open(gpu.path);
    const auto panel = FindPanel(id)->create();
    DrawUntilReady(f, *panel);
    const auto draw = [&](const PanelContext& c) { panel->Draw(c); };
    f.Click(900, 108, draw);  // below the buttons, the filter and the header
    f.Key(ImGuiKey_Enter, draw);
    const std::vector<Command> commands = f.TakeCommands();
    REQUIRE(commands.size() == 1);
    CHECK(commands[0].id == "select.show_events");
  }
}

TEST_CASE("the journal keeps what happened, not a million events") {
  CommandQueue queue;
  CommandArgs args;
  args.text = "kernels";
  args.events.assign(100'000, EventRef{ProfileId(1), 0, EventRow(5)});
  queue.Push("select.show_events", std::move(args));
  const std::optional<Command> popped = queue.Pop();
  REQUIRE(popped.has_value());
  const Command& command = *popped;
  CHECK(command.args.events.size() == 100'000);
  REQUIRE(queue.journal().size() == 1);
  CHECK(queue.journal()[0].args.events.size() == CommandQueue::kJournalEvents);
  CHECK(queue.journal()[0].args.text == "kernels");
}

TEST_CASE("what a panel exports is what `report` writes") {
  const TempDir dir;
  for (const SampleFile& file : SampleFiles(dir)) {
    CAPTURE(file.name);
    PanelFixture f;
    f.profile = Open(file.path);
    for (const char* id : kAnalyses) {
      const AnalysisResult result = FindAnalysis(id)->run(*f.profile.analysis, {});
      for (const ResultTable& table : result.tables) {
        if (!result.empty_reason.empty()) continue;
        CAPTURE(table.id);
        ResultTableView view;
        f.Frame([&](const PanelContext& c) { view.Draw(c, table, 1, {}); });
        const std::string out = (dir.path() / "report.csv").string();
        const std::string command = "STEPSCOPE_CONFIG_DIR=" + dir.path().string() + "/config '" +
                                    test::ProgramPath() + "' report '" + file.path + "' --panel " +
                                    id + " --table " + table.id + " --format csv -o " + out;
        REQUIRE(std::system(command.c_str()) == 0);
        CHECK(ReadSmallFile(out) == view.Csv(table));
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
