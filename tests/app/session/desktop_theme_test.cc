#include "app/session/desktop.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("desktop theme: what the portal and GTK_THEME say") {
  CHECK(LightByPortal({"(<<uint32 2>>,)"}) == true);
  CHECK(LightByPortal({"(<<uint32 1>>,)"}) == false);
  CHECK(LightByPortal({"(<<uint32 0>>,)"}) == std::nullopt);
  CHECK(LightByPortal({}) == std::nullopt);
  CHECK(LightByGtkTheme("Adwaita:dark") == false);
  CHECK(LightByGtkTheme("Breeze-Dark") == false);
  CHECK(LightByGtkTheme("Adwaita") == true);
  CHECK(LightByGtkTheme("") == std::nullopt);
}

}  // namespace
}  // namespace stepscope
