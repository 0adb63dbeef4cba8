// Every op of a program leads to its events, its row, its text, its place in the graph, its buffers
// and its source line, and each of these leads to all others: each link is clicked in each panel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/hlo_trace.h"
#include "tests/support/source_paths.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "viewer/panels/hlo_pages.h"

namespace stepscope {
namespace {

struct LinkedOp {
  HloRef ref;
  std::string source;  // file and line
};

// Shows one panel of a profile, and clicks on what it says.
class LinkFixture : public PanelFixture {
 public:
  LinkFixture(const char* id, const Profile& shown)
      : PanelFixture(ImVec2(1600, 1000)), panel_(FindPanel(id)->create()) {
    OpenProfile(*this, shown);
  }
  DrawnText Show(const std::string& page) {
    view.panel = page;
    ++view.panel_asked;
    return DrawCalm(*this, *panel_);
  }
  DrawnText Draw() { return DrawCalm(*this, *panel_); }
  // `beside`: the text stands to the right of this one; empty: anywhere.
  void ClickOn(std::string_view label, std::string_view beside = {}) {
    const DrawnText text = Draw();
    CAPTURE(text.All());
    ImVec2 at = text.At(label).middle();
    if (!beside.empty()) {
      const TextPiece& left = text.At(beside);
      for (const TextPiece& piece : text.pieces())
        if (piece.text == label && std::abs(piece.min.y - left.min.y) < 4) at = piece.middle();
    }
    TakeCommands();
    Click(at.x, at.y, [&](const PanelContext& c) { panel_->Draw(c); });
    Draw();
  }
  // The command of that id that a click on the text pushes.
  Command Follow(std::string_view label, std::string_view id, std::string_view beside = {}) {
    CAPTURE(std::string(label));
    ClickOn(label, beside);
    for (Command& command : TakeCommands())
      if (command.id == id) return std::move(command);
    FAIL("no command " << std::string(id));
    std::abort();  // FAIL does not return
  }
  std::string PageBehind(std::string_view label, std::string_view beside = {}) {
    return Follow(label, "panel.show", beside).args.text;
  }

 private:
  std::unique_ptr<Panel> panel_;
};

constexpr const char* kPanels[] = {"hlo_stats", "hlo_graph", "hlo_memory", "roofline",
                                   "hlo_profile"};

std::string PageOf(const char* panel, const LinkedOp& op) {
  const std::string id = panel;
  if (id == "hlo_graph") return HloGraphPage(op.ref);
  if (id == "hlo_memory") return HloMemoryPage(op.ref);
  if (id == "hlo_profile") return "hlo_profile/by_program_exclude_idle/" + op.ref.instruction;
  if (id == "roofline") return "roofline/operation=\"" + op.ref.instruction + "\"";
  return HloOpPage(op.ref);
}

// From an event in Details to all pages of its op.
void WalkFromEvent(const Profile& profile, EventRef event, const LinkedOp& op) {
  LinkFixture f("details", profile);
  f.view.selected = event;
  CHECK(f.PageBehind(op.ref.instruction, "HLO op") == HloOpPage(op.ref));
  CHECK(f.PageBehind("operands and users") == HloGraphPage(op.ref));
  CHECK(f.PageBehind("its line") == HloTextPage(op.ref));
  CHECK(f.PageBehind("its buffers") == HloMemoryPage(op.ref));
  if (!op.source.empty()) CHECK(f.PageBehind(op.source) == HloSourcePage(op.source));
}

// From a panel to the op's events, and from these back.
void WalkOverEvents(LinkFixture* f, const LinkedOp& op) {
  const Command events = f->Follow("Events", "select.show_events");
  const Command slowest = f->Follow("Slowest", "select.reveal");
  REQUIRE_FALSE(events.args.events.empty());
  const auto& all = events.args.events;
  CHECK(std::find(all.begin(), all.end(), slowest.args.event) != all.end());
  const Trace& trace = *f->profile.trace;
  for (const EventRef& event : {all.front(), all.back(), slowest.args.event}) {
    REQUIRE(event.set == 0);
    const auto stats = trace.source->Decode(trace, event.row);
    REQUIRE(stats.ok());
    CHECK(HloRefOf(*stats, trace.set.Name(event.row)) == op.ref);
  }
}

// From each panel that shows the op to all others.
void WalkFromPanels(const Profile& profile, const LinkedOp& op) {
  for (const char* panel : kPanels) {
    CAPTURE(std::string(panel));
    LinkFixture f(panel, profile);
    const std::string id = panel;
    f.Show(PageOf(panel, op));
    if (id == "hlo_profile") f.ClickOn(op.ref.instruction);
    WalkOverEvents(&f, op);
    if (id != "hlo_stats") CHECK(f.PageBehind("Op") == HloOpPage(op.ref));
    if (id != "hlo_graph") CHECK(f.PageBehind("Graph") == HloGraphPage(op.ref));
    if (id != "hlo_memory") CHECK(f.PageBehind("Memory") == HloMemoryPage(op.ref));
    CHECK(f.PageBehind("Text") == HloTextPage(op.ref));
    if (!op.source.empty()) CHECK(f.PageBehind(op.source) == HloSourcePage(op.source));
  }
}

void WalkFromText(const Profile& profile, const LinkedOp& op) {
  LinkFixture text("hlo_graph", profile);
  text.Show(HloTextPage(op.ref));
  WalkOverEvents(&text, op);
  CHECK(text.PageBehind("Op") == HloOpPage(op.ref));
  CHECK(text.PageBehind("Memory") == HloMemoryPage(op.ref));
  if (!op.source.empty()) CHECK(text.PageBehind(op.source) == HloSourcePage(op.source));
}

// The list of ops of the source line has the op, which leads on as in the list of all.
void WalkFromSource(const Profile& profile, const LinkedOp& op) {
  if (op.source.empty()) return;
  LinkFixture source("hlo_stats", profile);
  const DrawnText list = source.Show(HloSourcePage(op.source));
  CAPTURE(list.All());
  CHECK(list.Has(op.ref.instruction));
  source.ClickOn(op.ref.instruction);
  CHECK(source.PageBehind("Text") == HloTextPage(op.ref));
}

void Walk(const std::shared_ptr<const Trace>& trace, const LinkedOp& op) {
  CAPTURE(op.ref.instruction);
  const Profile profile = ProfileOf(ProfileId(7), trace);
  EventRef event;
  {
    LinkFixture f("hlo_stats", profile);
    f.Show(HloOpPage(op.ref));
    event = f.Follow("Slowest", "select.reveal").args.event;
  }
  WalkFromEvent(profile, event, op);
  WalkFromPanels(profile, op);
  WalkFromText(profile, op);
  WalkFromSource(profile, op);
}

std::shared_ptr<const Trace> SharedProfile(const char* name) {
  const std::string path = test::SharedPath(name);
  if (!std::filesystem::exists(path)) {
    MESSAGE("SKIPPED: a shared recording is not there: " << std::string(name));
    return nullptr;
  }
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  return *trace;
}

TEST_CASE("links: each place of an op leads to all others, and back") {
  Walk(test::HloTrace(), {{7, "dot.1"}, "model.py:12"});
  Walk(test::HloTrace(), {{7, "add.1"}, ""});
}

TEST_CASE("links: on recordings of a GPU, a TPU and a CPU, too") {
  if (const auto trace = SharedProfile("profiles/jax_mi300x"))
    Walk(trace, {{15, "cudnn-conv.1"}, "/workspace/traces/generate_conv_trace.py:23"});
  if (const auto trace = SharedProfile("profiles/tpu_v6e"))
    Walk(trace, {{12190760917235803885u, "copy-done.2"}, ""});
  if (const auto trace = SharedProfile("profiles/jax_cpu"))
    Walk(trace, {{10, "dot.1"}, "train.py:6"});
}

}  // namespace
}  // namespace stepscope
