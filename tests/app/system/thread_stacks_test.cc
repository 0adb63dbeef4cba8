// Threads of the program have small stacks.
#include "app/system/process.h"

#include <doctest/doctest.h>

#ifdef __GLIBC__
#include <pthread.h>

#include <cstddef>

namespace stepscope {
namespace {

// LimitThreadStacks makes this of a default of `size`.
size_t LimitOf(size_t size) {
  pthread_attr_t before, attributes;
  REQUIRE(pthread_getattr_default_np(&before) == 0);
  attributes = before;
  pthread_attr_setstacksize(&attributes, size);
  pthread_setattr_default_np(&attributes);
  LimitThreadStacks();
  pthread_getattr_default_np(&attributes);
  pthread_attr_getstacksize(&attributes, &size);
  pthread_setattr_default_np(&before);
  return size;
}

}  // namespace

TEST_CASE("thread stacks: at most 2 MB, and not more than they had") {
  CHECK(LimitOf(size_t{8} << 20) == size_t{2} << 20);
  CHECK(LimitOf(size_t{1} << 20) == size_t{1} << 20);
}

}  // namespace stepscope

#endif
