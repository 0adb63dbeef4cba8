// The panel Query runs SQL as a job and shows the result as a table.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

struct Shown {
  Shown() : panel(FindPanel("query")->create()) { OpenTrace(f, test::TrainingTrace()); }
  // Draws the answer to a query, as `panel.show text="query/..."` asks for it.
  DrawnText Ask(const std::string& sql) {
    f.view.panel = "query/" + sql;
    ++f.view.panel_asked;
    return DrawCalm(f, *panel);
  }
  PanelFixture f;
  std::unique_ptr<Panel> panel;
};

TEST_CASE("query: a result is a table, and says how many rows it has") {
  Shown shown;
  const DrawnText text = shown.Ask("SELECT 40 + 2 AS answer, 'x' || 'y' AS word");
  CAPTURE(text.All());
  CHECK(text.Has("answer"));
  CHECK(text.Has("42"));
  CHECK(text.Has("xy"));
  CHECK(text.Has("1 row, "));
}

TEST_CASE("query: an error is said with its place") {
  Shown shown;
  const DrawnText text = shown.Ask("SELECT nme FROM events");
  CAPTURE(text.All());
  CHECK(text.Has("line 1, column 8: no such column: nme"));
}

TEST_CASE("query: what was run is kept among the settings") {
  Shown shown;
  shown.Ask("SELECT 1");
  std::string kept;
  for (const Command& command : shown.f.TakeCommands()) {
    if (command.id == "app.set") kept = command.args.text;
  }
  CHECK(kept.find("SELECT 1") != std::string::npos);
}

TEST_CASE("query: Enter on a row with an event's id shows the event") {
  Shown shown;
  const auto draw = [&](const PanelContext& context) { shown.panel->Draw(context); };
  const DrawnText text = shown.Ask("SELECT id AS which_one, name FROM events WHERE id = 2");
  CAPTURE(text.All());
  const ImVec2 cell = text.At("which_one").middle();
  shown.f.Click(cell.x, cell.y + ImGui::GetTextLineHeight() * 1.6f, draw);
  shown.f.TakeCommands();
  shown.f.Key(ImGuiKey_Enter, draw);
  const std::vector<Command> commands = shown.f.TakeCommands();
  const bool any = std::any_of(commands.begin(), commands.end(), [](const Command& command) {
    return std::any_of(command.args.events.begin(), command.args.events.end(),
                       [](const EventRef& event) { return event.row == EventRow(2); });
  });
  CHECK(any);
}

TEST_CASE("query: of several profiles, a row shows the event of the right one") {
  Shown shown;
  Profile other = shown.f.profile;
  other.id = ProfileId(77);
  other.label = "other run";
  other.analysis = std::make_shared<AnalysisContext>(other.trace, Definitions::kStepscope);
  shown.f.several = {shown.f.profile, other};
  const auto draw = [&](const PanelContext& context) { shown.panel->Draw(context); };
  const DrawnText text = shown.Ask("SELECT id AS which_one, name FROM b.events WHERE id = 2");
  CAPTURE(text.All());
  CHECK(text.Has("b: other run"));
  const ImVec2 cell = text.At("which_one").middle();
  shown.f.Click(cell.x, cell.y + ImGui::GetTextLineHeight() * 1.6f, draw);
  shown.f.TakeCommands();
  shown.f.Key(ImGuiKey_Enter, draw);
  std::vector<ProfileId> profiles;
  for (const Command& command : shown.f.TakeCommands()) {
    for (const EventRef& event : command.args.events) profiles.push_back(event.trace);
  }
  CHECK(profiles == std::vector{ProfileId(77)});
}

TEST_CASE("query: an endless query can be cancelled, and another one runs") {
  Shown shown;
  const auto draw = [&](const PanelContext& context) { shown.panel->Draw(context); };
  shown.f.view.panel =
      "query/WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT sum(x) FROM t";
  ++shown.f.view.panel_asked;
  for (int i = 0; i < 5; ++i) shown.f.Frame(draw);
  CHECK(shown.panel->animating());
  const ImVec2 cancel = DrawnText().At("Cancel").middle();
  shown.f.Click(cancel.x, cancel.y, draw);
  CHECK_FALSE(shown.panel->animating());
  CHECK(DrawnText().Has("The query was cancelled."));
  CHECK(shown.Ask("SELECT 6 * 7 AS x").Has("42"));
}

TEST_CASE("query: two columns can be plotted") {
  Shown shown;
  const auto draw = [&](const PanelContext& context) { shown.panel->Draw(context); };
  const DrawnText text = shown.Ask("SELECT id, dur_ps FROM events");
  const ImVec2 plot = text.At("Plot").middle();
  shown.f.Click(plot.x, plot.y, draw);
  const DrawnText plotted = DrawCalm(shown.f, *shown.panel);
  CAPTURE(plotted.All());
  CHECK(plotted.Has("dur_ps ("));
  CHECK(plotted.Has("over"));
}

TEST_CASE("query: without a profile the panel says so") {
  PanelFixture f;
  const auto panel = FindPanel("query")->create();
  CHECK(DrawCalm(f, *panel).Has("Open a profile to query it"));
}

}  // namespace
}  // namespace stepscope
