#include "viewer/widgets/input_text.h"

#include <doctest/doctest.h>

#include "tests/viewer/panel_fixture.h"

using namespace stepscope;  // NOLINT

TEST_CASE(
    "text box: a text given to a box that has the keyboard stays, and typing goes behind it") {
  PanelFixture f;
  TextBox box;
  const auto draw = [&](const PanelContext&) { box.Draw("##box", ""); };
  box.Focus({}, true);
  for (int i = 0; i < 6; ++i) f.Frame(draw);
  REQUIRE_FALSE(box.waiting);  // it has the keyboard
  box.text = "/tmp/table.csv";
  box.Focus({}, true);
  f.Frame(draw);
  CHECK(box.text == "/tmp/table.csv");
  ImGui::GetIO().AddInputCharacter('2');
  for (int i = 0; i < 3; ++i) f.Frame(draw);
  CHECK(box.text == "/tmp/table.csv2");
}
