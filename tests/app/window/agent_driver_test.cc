// Programs move a window without a display: the whole way from the socket to the view and back.
#include "app/window/agent_driver.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <future>

#include "app/window/gui.h"
#include "app/window/headless.h"
#include "app/window/surface.h"
#include "tests/app/agents/agent_client.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kSample = test::SourcePath("share/samples/sample");
const std::string kOther = test::SourcePath("tests/data/tf_graph.xplane.pb.zst");

struct DrivenWindow {
  DrivenWindow()
      : store(dir.path() / "config"),
        session(scheduler, store, {[this] { waker.Wake(); }, {}, {}, {}},
                {dir.path() / "run", {}, {}, geteuid()}) {
    fs::create_directory(dir.path() / "run");
    fs::permissions(dir.path() / "run", fs::perms::owner_all);
    auto made = HeadlessSurface::Create({1280, 800}, 1, waker);
    if (!made.ok()) return;
    surface = std::move(made).value();
    gui = std::make_unique<Gui>(*surface, session, store, GuiConfig{.animate = false});
  }
  void Open(const std::string& path) {
    session.Open({path}, false);
    REQUIRE(gui->DrawUntilIdle(60).ok());
  }
  void Run(CommandId command) {
    gui->viewer().commands().Push(command);
    gui->DrawFrame();
    gui->DrawFrame();
  }
  // What the window answers; it draws meanwhile.
  json Ask(const std::string& line) {
    std::future<json> answer = std::async(std::launch::async, [this, line] {
      test::AgentClientSide client(session.agents()->path());
      client.Send(line + "\n");
      return client.Answer();
    });
    while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      gui->Step(0.01);
    return answer.get();
  }

  TempDir dir;
  Waker waker;
  Scheduler scheduler{2, [this] { waker.Wake(); }};
  SettingsStore store;
  Session session;
  std::unique_ptr<HeadlessSurface> surface;
  std::unique_ptr<Gui> gui;
};

bool Skipped(const DrivenWindow& window) {
  if (window.gui == nullptr) MESSAGE("SKIPPED: no OpenGL without a display");
  return window.gui == nullptr;
}

TEST_CASE("agents: the window lets nobody move it until the user allows it, and ends it") {
  DrivenWindow window;
  if (Skipped(window)) return;
  CHECK(window.session.agents() == nullptr);
  CHECK(fs::is_empty(window.dir.path() / "run"));
  window.Run("app.agents");
  REQUIRE(window.session.agents() != nullptr);
  CHECK(window.session.view().agents.allowed);
  CHECK(window.Ask(R"({"client": "Tester"})")["ok"] == true);
  CHECK(window.session.view().agents.who.starts_with("Tester ("));
  window.Run("app.agents");
  CHECK(window.session.agents() == nullptr);
  CHECK_FALSE(window.session.view().agents.allowed);
  CHECK(window.session.view().agents.who.empty());
  CHECK(fs::is_empty(window.dir.path() / "run"));
}

TEST_CASE("agents: a folder that others may enter is refused with what to do") {
  DrivenWindow window;
  if (Skipped(window)) return;
  fs::permissions(window.dir.path() / "run", fs::perms::all);
  CHECK(window.session.AllowAgents(true).find("chmod 700") != std::string::npos);
  CHECK_FALSE(window.session.view().agents.allowed);
}

TEST_CASE("agents: show a place of the open profile") {
  DrivenWindow window;
  if (Skipped(window)) return;
  window.Open(kSample);
  window.Run("app.agents");
  const json shown = window.Ask(R"({"range": "20ms..30ms", "panel": "kernel_stats"})");
  REQUIRE(shown["ok"] == true);
  CHECK(shown["visible"]["begin_ps"] == 20'000'000'000);
  CHECK(shown["visible"]["end_ps"] == 30'000'000'000);
  CHECK(shown["profiles"][0]["active"] == true);

  const json selected = window.Ask(R"({"select": "=train"})");
  REQUIRE(selected["ok"] == true);
  CHECK(selected["selected"]["name"] == "train");
  CHECK(window.gui->viewer().view().selected.row == EventRow(selected["selected"]["event"]));
  const json again = window.Ask(R"({"event": 5, "range": "3ms..4ms"})");
  CHECK(again["selected"]["event"] == 5);
  CHECK(again["visible"]["end_ps"] == 4'000'000'000);
}

TEST_CASE("agents: open a profile, once, and look at it") {
  DrivenWindow window;
  if (Skipped(window)) return;
  window.Open(kSample);
  window.Open(kOther);  // its folder is one of a recent profile
  window.Open(kSample);
  window.Run("app.agents");
  const json opened = window.Ask(R"({"open": ")" + kOther + R"(", "select": "MatMul"})");
  REQUIRE(opened["ok"] == true);
  CHECK(opened["profiles"].size() == 1);
  CHECK(opened["profiles"][0]["path"] == kOther);
  CHECK(opened["selected"]["name"].get<std::string>().find("MatMul") != std::string::npos);
  const ProfileId before = window.session.view().profiles[0].id;
  CHECK(window.Ask(R"({"open": ")" + kOther + R"("})")["ok"] == true);
  CHECK(window.session.view().profiles[0].id == before);
}

TEST_CASE("agents: what cannot be shown is said") {
  DrivenWindow window;
  if (Skipped(window)) return;
  window.Run("app.agents");
  CHECK(window.Ask(R"({"select": "train"})")["error"] == "no profile is open");
  CHECK(window.Ask(R"({"open": "/etc/passwd"})")["error"].get<std::string>().find("outside") !=
        std::string::npos);
  window.Open(kSample);
  window.Run("app.agents");
  window.Run("app.agents");  // the folders are those of now
  CHECK(window.Ask(R"({"select": "no such event"})")["error"] ==
        "no event has a name with 'no such event'");
  CHECK(window.Ask(R"({"event": 4000000000})")["error"] == "there is no event 4000000000");
  const std::string no_profile = kSample.substr(0, kSample.rfind('/')) + "/../../README.md";
  CHECK_FALSE(window.Ask(R"({"open": ")" + no_profile + R"("})")["ok"] == true);
  CHECK(window.Ask("{}")["profiles"].size() == 1);
}

}  // namespace
}  // namespace stepscope
