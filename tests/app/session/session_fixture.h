// SessionFixture: a session with settings in a folder of its own, and a loop that stands for the
// window's.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/session/session.h"
#include "app/window/surface.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"

namespace stepscope {

struct SessionFixture {
  TempDir dir;
  Waker waker;
  SettingsStore store{dir.path() / "config"};
  Scheduler scheduler{2, [this] { waker.Wake(); }};
  Session session{scheduler, store, {[this] { waker.Wake(); }, {}, {}, {}}};

  // Updates as the frame loop does: when woken, or now and then.
  bool UpdateUntil(const std::function<bool(const SessionView&)>& done, int seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (done(session.Update())) return true;
      waker.WaitFor(std::chrono::milliseconds(5));
      waker.TakeWake();
    }
    return false;
  }
  std::string Sample(const char* name) { return test::SourcePath("tests/data/") + name; }
};

}  // namespace stepscope
