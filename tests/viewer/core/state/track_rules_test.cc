#include "viewer/core/state/track_rules.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

TEST_CASE("rules of tracks come back from their text, whatever the names hold") {
  TrackRules rules;
  rules.folded = {"host|GPU 0", "a;b\\c\nd|e"};
  rules.unfolded = {"host|Spans"};
  rules.hidden = {"host|GPU 1|Stream #7(Memcpy)#7"};
  rules.pinned = {"z", "a"};
  rules.order = {"second", "first"};
  rules.rows = {{"host|python3#3", 4}};
  rules.names = {{"a;b\tc|d", "my ; stream\\"}, {"host|GPU 0", "the fast one"}};
  rules.colors = {{"host|GPU 0", 3}};
  rules.filter = "stream 14";
  const std::string text = ToText(rules);
  CHECK(text.find('\n') == std::string::npos);  // one line: it is kept among the settings
  CHECK(ParseTrackRules(text) == rules);
  CHECK(ToText(ParseTrackRules(text)) == text);
  CHECK(ToText(TrackRules{}).empty());
  CHECK(ParseTrackRules("").empty());
  CHECK_FALSE(rules.empty());
}

TEST_CASE("texts that are no rules are left out") {
  const TrackRules rules =
      ParseTrackRules("  hide a ; explode b; rows 0 c; rows x c; rows 3; rows 5 d; pin; ;fold e\\");
  CHECK(rules.hidden == TrackRules::Paths{"a "});
  CHECK(rules.rows.size() == 1);
  CHECK(rules.rows.at("d") == 5);
  CHECK(rules.pinned.empty());
  CHECK(rules.folded == TrackRules::Paths{"e\\"});
  const TrackRules looks = ParseTrackRules("name a; name \tb; name c\t; color 0 d; color e");
  CHECK(looks.empty());
  CHECK(ParseTrackRules("name n\ta\tb").names.at("a\tb") == "n");
  CHECK(ParseTrackRules("rows 4000000000 x").rows.at("x") == 10'000);
  CHECK(ParseTrackRules("pin a; pin b; pin a").pinned == std::vector<std::string>{"a", "b"});
}
