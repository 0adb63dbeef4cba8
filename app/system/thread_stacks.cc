#include "app/system/thread_stacks.h"

#include <cstddef>

#ifdef __GLIBC__
#include <pthread.h>
#endif

namespace stepscope {

void LimitThreadStacks() {
#ifdef __GLIBC__
  constexpr size_t kMost = size_t{2} << 20;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  size_t size = 0;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size > kMost &&
      pthread_attr_setstacksize(&attributes, kMost) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace stepscope
