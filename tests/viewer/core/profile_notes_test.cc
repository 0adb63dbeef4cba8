// Markers that outlive a session.
#include "viewer/core/profile_notes.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

CommandArgs Named(const char* name, Ps begin, Ps end) {
  CommandArgs args;
  args.text = name;
  args.range = {begin, end};
  return args;
}

const std::vector<Marker>& Markers(const ViewerFixture& f) {
  return f.viewer->view().profiles.at(0).markers;
}

}  // namespace

TEST_CASE("markers come back from their text") {
  const std::vector<Marker> markers = {{{-3, -3}, "a \"b\"\n\xff", 5}, {{1, 9}, "", 0}};
  const ParsedNotes notes = ParseNotes(NotesText(markers));
  CHECK(notes.state == ParsedNotes::State::kRead);
  REQUIRE(notes.markers.size() == 2);
  CHECK(notes.markers[0].range == TimeRange{-3, -3});
  CHECK(notes.markers[0].color == 5);
  CHECK(notes.markers[1] == markers[1]);
}

TEST_CASE("damaged and newer notes are recognised") {
  CHECK(ParseNotes("").state == ParsedNotes::State::kRead);
  CHECK(ParseNotes("{").state == ParsedNotes::State::kDamaged);
  CHECK(ParseNotes("[]").state == ParsedNotes::State::kDamaged);
  CHECK(ParseNotes(R"({"stepscope_notes": 2})").state == ParsedNotes::State::kNewer);
  const ParsedNotes part = ParseNotes(
      R"({"stepscope_notes": 1, "markers": [7, {"begin_ps": 1, "end_ps": 4, "color": 99}]})");
  CHECK(part.state == ParsedNotes::State::kDamaged);
  REQUIRE(part.markers.size() == 1);
  CHECK(part.markers[0].color == kMarkerColors - 1);
}

TEST_CASE("a marker is there again when its profile is opened again") {
  std::string kept;
  {
    ViewerFixture f;
    f.content = "abc";
    f.Open(TrainingTrace());
    f.Push("mark.add", Named("warm-up ends", kPsPerMs, 2 * kPsPerMs));
    f.Frame(2);
    REQUIRE(Markers(f).size() == 1);
    kept = f.services.notes;
  }
  CHECK(kept.find("warm-up ends") != kept.npos);
  ViewerFixture f;
  f.content = "abc";
  f.services.notes = kept;
  f.Open(TrainingTrace());
  REQUIRE(Markers(f).size() == 1);
  CHECK(Markers(f)[0].name == "warm-up ends");
  CommandArgs first;
  first.marker = 0;
  first.text = "two\nlines";
  f.Push("mark.rename", first);
  f.Frame(2);
  CHECK(Markers(f)[0].name == "two lines");
  f.Push("view.back");
  f.Frame(2);
  CHECK(Markers(f)[0].name == "warm-up ends");
  f.Push("mark.remove", first);
  f.Frame(2);
  CHECK(Markers(f).empty());
  CHECK(f.services.notes.find("warm-up") == std::string::npos);
}

TEST_CASE("damaged notes are set aside, and notes of a newer version stay") {
  ViewerFixture f;
  f.content = "abc";
  f.services.notes = "not notes";
  f.Open(TrainingTrace());
  CHECK(f.services.aside.empty());  // it was taken
  f.Push("mark.add", Named("m", 1, 2));
  f.Frame(2);
  CHECK(f.services.notes.find("\"m\"") != std::string::npos);

  ViewerFixture newer;
  newer.content = "abc";
  newer.services.notes = R"({"stepscope_notes": 2})";
  newer.Open(TrainingTrace());
  newer.Push("mark.add", Named("m", 1, 2));
  newer.Frame(2);
  CHECK(Markers(newer).size() == 1);
  CHECK(newer.services.notes == R"({"stepscope_notes": 2})");
}

TEST_CASE("stepping through markers starts again at the end") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  for (const Ps at : {7, 3, 5}) f.Push("mark.add", Named("", at * kPsPerMs, at * kPsPerMs));
  f.Frame(2);
  CommandArgs range;
  range.range = {0, kPsPerMs};
  f.Push("view.set_range", range);
  f.Frame(2);
  for (const Ps at : {3, 5, 7, 3}) {
    f.Push("mark.next");
    f.Frame(2);
    CHECK(f.visible().Contains(at * kPsPerMs));
  }
  f.Push("mark.previous");
  f.Frame(2);
  CHECK(f.visible().Contains(7 * kPsPerMs));
}
