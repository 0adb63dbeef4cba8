#include "model/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace stepscope {

void FailCheck(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace stepscope
