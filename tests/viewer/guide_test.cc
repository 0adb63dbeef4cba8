// Walks the questions of docs/guide.md in the window: the moves that it names, by keys and by
// clicks on what is drawn, and the answer as it stands on the screen. No question takes more than
// five moves.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

using test::ViewerFixture;

constexpr int kMostMoves = 5;

std::shared_ptr<const Trace> RecordedProfile(test::GpuProfileOptions options) {
  options.steps = 6;
  options.layers = 8;
  return LoadBytes("worker.xplane.pb", test::MakeGpuProfile(options), {}).value();
}

std::shared_ptr<const Trace> InputBound() {
  test::GpuProfileOptions options;
  options.scenario = test::GpuScenario::kInputBound;
  return RecordedProfile(options);
}

class GuideWalk {
 public:
  explicit GuideWalk(const std::shared_ptr<const Trace>& trace) { Open(trace); }
  ~GuideWalk() { CHECK(moves_ <= kMostMoves); }
  GuideWalk(const GuideWalk&) = delete;
  GuideWalk& operator=(const GuideWalk&) = delete;

  void Open(const std::shared_ptr<const Trace>& trace) {
    const auto id = ProfileId(static_cast<uint32_t>(f.session.profiles.size()));
    f.session.profiles.push_back(ProfileOf(id, trace));
    f.session.profiles.back().label = id.value == 0 ? "yesterday" : "today";
    ++f.session.generation;
    f.Frame(4);
    Rest();
  }
  const ViewState& view() const { return f.viewer->view(); }
  const Trace& trace() const { return *f.session.profiles.front().trace; }
  std::string NameOf(const EventRef& event) const {
    const TrackSet* set = f.session.profiles[event.trace.value].SetOf(event);
    return set != nullptr ? std::string(set->Name(event.row)) : std::string();
  }

  // Waits until the screen says something, which may take a job that begins in a later frame. Of
  // several places it takes the lowest: panels lie below the first line and the timeline.
  TextPiece Sees(std::string_view text) {
    return Find(text,
                [&](const TextPiece& piece) { return piece.text.find(text) != std::string::npos; });
  }

  void Click(std::string_view text) { ClickAt(Sees(text).middle()); }
  void ClickAt(ImVec2 at) {
    f.Click(at.x, at.y);
    Moved();
  }
  // Double clicks a row of the panel at the bottom right, by a cell that says no more than this.
  void DoubleClick(std::string_view text) {
    constexpr float kPanels = 390;  // where they begin
    const ImVec2 at = Find(text, [&](const TextPiece& piece) {
                        return piece.min.x > kPanels && piece.text == text;
                      }).middle();
    f.Click(at.x, at.y);
    f.Click(at.x, at.y);
    Moved();
  }
  void Press(ImGuiKey key, int modifiers = 0) {
    f.Key(key, modifiers);
    Moved();
  }
  void Search(const std::string& text) { Typed("/", text); }
  void Choose(const std::string& command) { Typed(">", command); }
  void ShiftDrag(Ps from, Ps to) {
    const float y = f.canvas().y + 8;
    f.Drag(XOf(from), y, XOf(to), y, ImGuiMod_Shift);
    Moved();
  }
  float XOf(Ps time) const {
    const TimeRange shown = f.visible();
    const double share =
        static_cast<double>(time - shown.begin) / static_cast<double>(shown.length());
    return f.canvas().x + static_cast<float>(share * f.canvas().width);
  }

  ViewerFixture f{{1280, 800}};

 private:
  TextPiece Find(std::string_view text, const std::function<bool(const TextPiece&)>& says) {
    const auto longest = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    do {
      Rest();
      const DrawnText drawn;
      const TextPiece* lowest = nullptr;
      for (const TextPiece& piece : drawn.pieces())
        if (says(piece) && (lowest == nullptr || piece.min.y > lowest->min.y)) lowest = &piece;
      if (lowest != nullptr) return *lowest;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() < longest);
    FAIL("nothing says " << std::string(text) << " in:\n" << DrawnText().All());
    return {};
  }
  void Rest() {
    f.Frame(3);
    f.WaitIdle();
    f.Frame(3);
  }
  void Moved() {
    ++moves_;
    Rest();
  }
  void Typed(const char* opens, const std::string& text) {
    f.Type(opens);
    f.Frame(2);
    f.Type(text);
    Rest();
    f.Key(ImGuiKey_Enter);
    Moved();
  }
  int moves_ = 0;
};

// The first event with this name, and its place.
EventRow FirstOf(const Trace& trace, std::string_view part) {
  for (uint32_t row = 0; row < trace.set.rows; ++row)
    if (trace.set.Name(EventRow(row)).find(part) != std::string_view::npos) return EventRow(row);
  FAIL("no event " << std::string(part));
  return {};
}

}  // namespace

TEST_CASE("guide 1: why is my step slow?") {
  GuideWalk walk(InputBound());
  walk.Sees("Input-bound");
  walk.Press(ImGuiKey_F, ImGuiMod_Alt);
  walk.Click("The GPUs wait");
  walk.Sees("prefetch");
  REQUIRE_FALSE(walk.view().shown.empty());
  const EventRef first = walk.view().selected;
  walk.Press(ImGuiKey_N);
  CHECK(walk.view().selected.valid());
  CHECK_FALSE(walk.view().selected == first);
}

TEST_CASE("guide 2: which step is slow, and what is different in it?") {
  test::GpuProfileOptions options;
  options.outlier_step = 4;
  GuideWalk walk(RecordedProfile(options));
  walk.Choose("longest step");
  walk.Press(ImGuiKey_L);
  walk.Sees("Only train 4");
  const TimeRange longest = walk.f.visible();
  walk.Press(ImGuiKey_1, ImGuiMod_Alt);
  walk.Sees("Where a step goes");
  walk.Choose("typical step");
  CHECK(walk.f.visible().length() < longest.length());
  walk.Press(ImGuiKey_L);
  CHECK_FALSE(DrawnText().Has("Only train 4"));
  walk.Sees("Only train");
}

TEST_CASE("guide 3: who launched this kernel?") {
  GuideWalk walk(InputBound());
  const TrackSet& set = walk.trace().set;
  const EventRow kernel = FirstOf(walk.trace(), "gemm");
  const Ps around = set.Duration(kernel) / 2;
  walk.f.Push("view.set_range", {.range = {set.Start(kernel) - around,
                                           set.Start(kernel) + set.Duration(kernel) + around}});
  walk.f.WaitIdle();
  walk.f.Frame(3);
  const std::string name(set.Name(kernel));
  const DrawnText drawn;
  const auto& pieces = drawn.pieces();
  const auto label = std::find_if(pieces.begin(), pieces.end(), [&](const TextPiece& piece) {
    return piece.min.x > walk.f.canvas().x && piece.text.size() > 6 &&
           name.find(piece.text) != std::string::npos;
  });
  REQUIRE_MESSAGE(label != pieces.end(), name, " is not drawn:\n", drawn.All());
  walk.ClickAt(label->middle());
  CHECK(walk.NameOf(walk.view().selected) == name);
  const EventRef selected = walk.view().selected;
  walk.Sees("Launched by");
  walk.Sees("Launch delay");
  walk.Sees("Ahead in queue");
  walk.Press(ImGuiKey_I);
  CHECK(walk.NameOf(walk.view().selected) == "cuLaunchKernel");
  walk.Press(ImGuiKey_O);
  CHECK(walk.view().selected == selected);
}

TEST_CASE("guide 4: how often does this run, and how long does it take?") {
  GuideWalk walk(InputBound());
  size_t count = 0;
  for (uint32_t row = 0; row < walk.trace().set.rows; ++row)
    count += walk.trace().set.Name(EventRow(row)).find("bn_fw_tr") != std::string_view::npos;
  walk.Search("bn_fw_tr");
  walk.Press(ImGuiKey_S, ImGuiMod_Alt);
  walk.Sees("Found events");
  walk.Sees(fmt::format("{} events in", count));
  for (const char* number : {"Count", "Total", "Self", "Mean", "Median", "95 %", "99 %"})
    walk.Sees(number);
  walk.Click("By step");
  walk.Sees("train 5");
}

TEST_CASE("guide 5: what happens between two steps?") {
  test::GpuProfileOptions options;
  options.between_us = 2000;
  GuideWalk walk(RecordedProfile(options));
  const TrackSet& set = walk.trace().set;
  std::vector<TimeRange> marks;  // of steps
  for (uint32_t row = 0; row < set.rows; ++row) {
    const Ps start = set.Start(EventRow(row));
    if (set.Name(EventRow(row)) == "train")
      marks.push_back({start, start + set.Duration(EventRow(row))});
  }
  REQUIRE(marks.size() == 6);
  const TimeRange gap{marks[1].end, marks[2].begin};
  REQUIRE(gap.length() > 0);
  walk.ShiftDrag(gap.begin, gap.end);
  const TimeRange measured = walk.view().measured;
  const Ps near = walk.f.visible().length() / 100;  // the mouse is as exact as a few pixels
  CHECK(std::abs(measured.begin - gap.begin) < near);
  CHECK(std::abs(measured.end - gap.end) < near);
  walk.Press(ImGuiKey_S, ImGuiMod_Alt);
  walk.Sees("Measured range");
  walk.Click("Events");
  walk.Press(ImGuiKey_L);
  walk.Sees("Only ");
}

TEST_CASE("guide 6: why is the GPU idle?") {
  GuideWalk walk(InputBound());
  walk.Press(ImGuiKey_6, ImGuiMod_Alt);
  walk.Click("Why devices are idle");
  walk.DoubleClick("IteratorGetNext");
  CHECK_FALSE(walk.view().shown.empty());
  walk.Press(ImGuiKey_F, ImGuiMod_Alt);
  walk.Sees("What if a loss were gone");
  walk.Sees("critical path");
}

TEST_CASE("guide 7: what got slower since yesterday?") {
  test::GpuProfileOptions options;
  GuideWalk walk(RecordedProfile(options));
  options.slower_op = "Conv2D";
  options.slower_factor = 1.5;
  walk.Open(RecordedProfile(options));
  walk.Press(ImGuiKey_C, ImGuiMod_Alt);
  walk.Sees("B's step is");
  walk.Sees("longer");
  walk.DoubleClick("Conv2D");
  bool in_a = false, in_b = false;
  for (const EventRef& event : walk.view().shown.events()) {
    in_a = in_a || event.trace == ProfileId(0);
    in_b = in_b || event.trace == ProfileId(1);
  }
  CHECK(in_a);
  CHECK(in_b);
  walk.Sees("Durations of");
}

TEST_CASE("guide 8: where did the memory go?") {
  GuideWalk walk(InputBound());
  walk.Press(ImGuiKey_5, ImGuiMod_Alt);
  walk.Sees("Memory over time");
  walk.Sees("Live at the peak");
  walk.Click("Lifetimes");
  CHECK_FALSE(DrawnText().Has("Live at the peak"));
}

TEST_CASE("guide 9: how do I find this place again?") {
  GuideWalk walk(InputBound());
  const TimeRange span = walk.trace().span;
  const Ps part = span.length() / 4;
  walk.ShiftDrag(span.begin + part, span.begin + 2 * part);
  walk.Press(ImGuiKey_M, ImGuiMod_Shift);
  REQUIRE(walk.view().profiles[0].markers.size() == 1);
  CHECK(walk.view().profiles[0].markers[0].range == walk.view().measured);
  walk.Press(ImGuiKey_M, ImGuiMod_Alt);
  walk.Sees("name it");
  walk.Choose("copy view");
  const TimeRange here = walk.f.visible();
  const std::string token = walk.f.services.clipboard;
  REQUIRE_FALSE(token.empty());
  walk.f.Push("view.set_range", {.range = {span.begin, span.begin + part / 9}});
  walk.f.viewer->commands().Push("view.open_token", {.text = token.substr(token.rfind(' ') + 1)});
  walk.f.Frame(4);
  CHECK(walk.f.visible() == here);
}

TEST_CASE("guide 10: I see too many tracks") {
  GuideWalk walk(InputBound());
  const auto rules = [&] { return walk.f.viewer->settings().tracks; };
  const ImVec2 first = walk.Sees("GPU 0").middle(), second = walk.Sees("GPU 1").middle();
  walk.f.Drag(second.x, second.y, first.x, first.y - 6);  // below the pointer lies the first plane
  walk.f.WaitIdle();
  CHECK_FALSE(rules().order.empty());
  CHECK(walk.Sees("GPU 1").middle().y < walk.Sees("GPU 0").middle().y);
  walk.Search("bn_fw_tr");
  walk.f.Push("select.hits");
  walk.Choose("only tracks of the selection");
  CHECK_FALSE(walk.view().profiles[0].only.empty());
  walk.Press(ImGuiKey_Z, ImGuiMod_Ctrl);
  CHECK(walk.view().profiles[0].only.empty());
}

}  // namespace stepscope
