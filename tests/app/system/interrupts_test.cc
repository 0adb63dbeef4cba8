#include "app/system/interrupts.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("interrupts: signals are seen and end nothing") {
  sigset_t before, after;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    Interrupts interrupts;
    CHECK_FALSE(interrupts.Came());
    ::raise(SIGINT);
    CHECK(interrupts.Came());
    CHECK(interrupts.Came());
  }
  {
    Interrupts interrupts;
    CHECK_FALSE(interrupts.Came());
    ::raise(SIGTERM);
    CHECK(interrupts.Came());
  }
  ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
  CHECK(sigismember(&after, SIGINT) == sigismember(&before, SIGINT));
}

}  // namespace
}  // namespace stepscope
