#include "app/window/surface.h"

#include <dlfcn.h>

namespace stepscope {
namespace {

bool CanLoad(const char* library) {
  void* handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  // The library stays open: it is about to be used, and GL drivers may crash when unloaded.
  return handle != nullptr;
}

}  // namespace

std::string MissingGlLibraries(bool egl) {
  if (egl && !CanLoad("libEGL.so.1")) {
    return "no display and no libEGL.so.1 to draw without one; install Mesa (Debian: apt install "
           "libegl1 libgl1-mesa-dri)";
  }
  if (!CanLoad("libOpenGL.so.0") && !CanLoad("libGL.so.1")) {
    return "no OpenGL library (libGL.so.1); install Mesa (Debian: apt install libgl1 "
           "libgl1-mesa-dri)";
  }
  return {};
}

}  // namespace stepscope
