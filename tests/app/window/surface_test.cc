#include "app/window/surface.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

using WaitKind = PacerWait::Kind;

// Draws until the pacer wants to wait; returns the number of frames.
int DrawUntilIdle(FramePacer& pacer, const PacerState& state, int limit = 100) {
  int frames = 0;
  while (frames < limit && pacer.Next(state).kind == WaitKind::kPoll)
    frames += pacer.ShouldDraw(false);
  return frames;
}

TEST_CASE("pacer: a new window draws a few frames, then sleeps until something happens") {
  FramePacer pacer;
  CHECK(DrawUntilIdle(pacer, {}) == FramePacer::kFramesAfterInput);
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
  // A wake-up without a reason (an X11 property event) draws nothing.
  CHECK_FALSE(pacer.ShouldDraw(false));
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
}

TEST_CASE("pacer: input draws its frame and the ones after it in which layout settles") {
  FramePacer pacer;
  DrawUntilIdle(pacer, {});
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
  CHECK(pacer.ShouldDraw(true));
  CHECK(DrawUntilIdle(pacer, {}) == FramePacer::kFramesAfterInput - 1);
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
}

TEST_CASE("pacer: an animation draws every frame until it ends") {
  FramePacer pacer;
  DrawUntilIdle(pacer, {});
  const PacerState moving{.animating = true};
  CHECK(DrawUntilIdle(pacer, moving, 50) == 50);
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
}

TEST_CASE("pacer: a running job is shown at intervals, not at full rate") {
  FramePacer pacer;
  DrawUntilIdle(pacer, {});
  const PacerState busy{.jobs_running = true};
  const PacerWait wait = pacer.Next(busy);
  CHECK(wait.kind == WaitKind::kTimeout);
  CHECK(wait.seconds == doctest::Approx(FramePacer::kFirstProgress));
  CHECK(pacer.ShouldDraw(false));
  CHECK(pacer.Next(busy).seconds == doctest::Approx(FramePacer::kProgressInterval));
  CHECK(pacer.ShouldDraw(false));
  // After the end of the job the same wake-up is no reason to draw.
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
  CHECK_FALSE(pacer.ShouldDraw(false));
}

TEST_CASE("pacer: a job that has just begun gets the cores before its progress is drawn") {
  FramePacer pacer;
  DrawUntilIdle(pacer, {});
  const PacerState busy{.jobs_running = true};
  for (int job = 0; job < 2; ++job) {
    CHECK(pacer.Next(busy).seconds == doctest::Approx(FramePacer::kFirstProgress));
    CHECK(pacer.ShouldDraw(false));
    CHECK(pacer.Next(busy).seconds == doctest::Approx(FramePacer::kProgressInterval));
    CHECK(pacer.Next({}).kind == WaitKind::kForever);  // the job ends
  }
  // The user's input is drawn at once, and progress waits again.
  CHECK(pacer.Next(busy).seconds == doctest::Approx(FramePacer::kFirstProgress));
  CHECK(pacer.ShouldDraw(true));
  DrawUntilIdle(pacer, busy);
  CHECK(pacer.Next(busy).seconds == doctest::Approx(FramePacer::kFirstProgress));
}

TEST_CASE("pacer: sleeps until a note ends by itself, and draws then") {
  FramePacer pacer;
  DrawUntilIdle(pacer, {});
  const PacerState note{.ends_in = 4.5};
  const PacerWait wait = pacer.Next(note);
  CHECK(wait.kind == WaitKind::kTimeout);
  CHECK(wait.seconds == doctest::Approx(4.5));
  CHECK(pacer.ShouldDraw(false));
  CHECK(pacer.Next({}).kind == WaitKind::kForever);
  // Progress is drawn meanwhile, and the end of a note does not wait for it.
  CHECK(pacer.Next({.jobs_running = true, .ends_in = 4.5}).seconds ==
        doctest::Approx(FramePacer::kFirstProgress));
  CHECK(pacer.Next({.jobs_running = true, .ends_in = 0.01}).seconds == doctest::Approx(0.01));
  CHECK(pacer.Next({.ends_in = -1}).seconds == 0);
}

TEST_CASE("pacer: a hidden window draws nothing and owes its frames") {
  FramePacer pacer;
  DrawUntilIdle(pacer, {});
  const PacerState hidden{.animating = true, .jobs_running = true, .hidden = true};
  CHECK(pacer.Next(hidden).kind == WaitKind::kForever);
  CHECK_FALSE(pacer.ShouldDraw(true));
  CHECK(DrawUntilIdle(pacer, {}) == FramePacer::kFramesAfterInput);
}

}  // namespace
}  // namespace stepscope
