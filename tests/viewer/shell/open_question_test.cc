#include "viewer/shell/shell.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope::test {
namespace {

void Ask(ViewerFixture& f, bool beside) {
  f.services.answered.reset();
  f.session.question = OpenQuestion{{"/x/before.json", "/y/after.json"}, beside};
  f.Frame(3);
}

TEST_CASE("open question: keys choose an answer, Escape opens nothing") {
  ViewerFixture f;
  f.Frame(2);
  Ask(f, false);
  CHECK_FALSE(f.services.answered.has_value());
  f.Key(ImGuiKey_Enter);
  CHECK(f.services.answered == OpenAnswer::kCompare);
  f.session.question.reset();
  f.Frame(2);

  Ask(f, false);
  f.Key(ImGuiKey_RightArrow);
  f.Key(ImGuiKey_Enter);
  CHECK(f.services.answered == OpenAnswer::kMerge);
  f.session.question.reset();
  f.Frame(2);

  Ask(f, true);
  f.Key(ImGuiKey_Tab);
  f.Key(ImGuiKey_Enter);
  CHECK(f.services.answered == OpenAnswer::kInstead);
  f.session.question.reset();
  f.Frame(2);

  Ask(f, true);
  f.Key(ImGuiKey_Escape);
  CHECK(f.services.answered == OpenAnswer::kCancel);
  f.session.question.reset();
  f.Frame(2);

  Ask(f, false);
  f.Key(ImGuiKey_M);
  CHECK(f.services.answered == OpenAnswer::kMerge);
}

TEST_CASE("open question: while it is asked no key does anything else") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Frame(3);
  const TimeRange before = f.visible();
  Ask(f, true);
  f.Key(ImGuiKey_W);
  f.Frame(5);
  CHECK(f.visible() == before);
  CHECK_FALSE(f.services.answered.has_value());
}

}  // namespace
}  // namespace stepscope::test
