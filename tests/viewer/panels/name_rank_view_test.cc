// NameRankView ranks an event among all events of its name.
#include "viewer/panels/name_rank_view.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

TEST_CASE("the words for a rank never overstate it") {
  const auto text = [](uint64_t count, uint64_t shorter, uint64_t longer) {
    NameRank rank;
    rank.count = count;
    rank.shorter = shorter;
    rank.longer = longer;
    return RankText(rank);
  };
  CHECK(text(1, 0, 0) == "The only one of this name");
  CHECK(text(8, 0, 0) == "As long as all 8 of this name");
  CHECK(text(8, 7, 0) == "The longest of the 8 of this name");
  CHECK(text(8, 0, 5) == "The shortest of the 8 of this name");
  CHECK(text(100, 93, 5) == "Longer than 93 % of the 100 of this name");
  CHECK(text(1000, 998, 1) == "Longer than 99 % of the 1\u2009000 of this name");
}

TEST_CASE(
    "the rank of the selected event is computed beside the frames, and finds all of the name") {
  PanelFixture fixture;
  fixture.profile.trace = TrainingTrace();
  NameRankView view;
  const EventRef event{fixture.profile.id, 0, EventRow(3)};
  const auto draw = [&](const PanelContext& context) {
    view.Draw(context, fixture.profile, event);
  };
  fixture.Frame(draw);
  for (int i = 0; i < 2000 && view.animating(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fixture.Frame(draw);
  }
  CHECK_FALSE(view.animating());
  fixture.Frame(draw);
  ImGuiIO& io = ImGui::GetIO();
  const auto click = [&](float y) {
    io.AddMousePosEvent(30, y);
    fixture.Frame(draw);
    for (const bool down : {true, false}) {
      io.AddMouseButtonEvent(0, down);
      fixture.Frame(draw);
    }
    return fixture.TakeCommands().at(0);
  };
  const Command all = click(18);
  CHECK(all.id == "search.set");
  CHECK(all.args.text.find(fixture.profile.trace->set.Name(EventRow(3))) != std::string::npos);
  const Command before = click(18 + ImGui::GetFontSize() * 1.2f);
  CHECK(before.id == "select.reveal");
  CHECK(before.args.event.row == EventRow(1));  // every second one has that name
}
