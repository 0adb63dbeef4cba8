#include "viewer/core/state/settings.h"

#include <doctest/doctest.h>

#include <set>

using namespace stepscope;  // NOLINT

TEST_CASE("values are clamped, wrong types ignored, unknown keys kept") {
  Settings settings;
  settings.Load(
      "# comment\nscale = 99\ntheme=light\ntimeline.animate = maybe\nfuture.key = 7\nbroken line\n "
      "= x\n");
  CHECK(settings.Real("scale") == 3.0);
  CHECK(settings.Get("theme") == "light");
  CHECK(settings.Bool("timeline.animate"));
  CHECK(settings.Text() == "future.key = 7\nscale = 3\ntheme = light\n");
}

TEST_CASE("settings come back from their text, which leaves out defaults") {
  Settings a;
  CHECK(a.Text().empty());
  CHECK(a.Set("timeline.glide_ms", "250"));
  CHECK(a.Set("dialog.folder", "/data/a = b"));
  Settings b;
  b.Load(a.Text());
  CHECK(b.Int("timeline.glide_ms") == 250);
  CHECK(b.Get("dialog.folder") == "/data/a = b");
  CHECK(b.Text() == a.Text());
}

TEST_CASE("texts that are no number, choice or key are refused") {
  Settings settings;
  const uint64_t before = settings.generation();
  CHECK_FALSE(settings.Set("scale", "nan"));
  CHECK_FALSE(settings.Set("scale", "1x"));
  CHECK_FALSE(settings.Set("theme", "dar"));
  CHECK_FALSE(settings.Set("no.such", "1"));
  CHECK(settings.generation() == before);
  CHECK(settings.Set("dialog.folder", "a\nscale = 3"));
  CHECK(settings.Get("dialog.folder") == "a");
}

TEST_CASE("every row's default is one of its values, keys are unique") {
  std::set<std::string> keys;
  for (const SettingDesc& row : SettingRows()) {
    CAPTURE(row.key);
    CHECK(keys.insert(row.key).second);
    Settings settings;
    CHECK(settings.Set(row.key, row.standard));
    CHECK(settings.Get(row.key) == row.standard);
  }
}
