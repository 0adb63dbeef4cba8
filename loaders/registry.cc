#include <array>

#include "loaders/loader.h"
#include "loaders/xplane/xplane_loader.h"
#if __has_include("loaders/chrome_json/chrome_json_loader.h")
#include "loaders/chrome_json/chrome_json_loader.h"
#define STEPSCOPE_HAS_CHROME_JSON
#endif

namespace stepscope {

std::span<const LoaderDesc> Loaders() {
  // In order of preference where a file name fits several.
  static const std::array kLoaders = {
      kXSpaceLoader,
#ifdef STEPSCOPE_HAS_CHROME_JSON
      kChromeJsonLoader,
#endif
  };
  return kLoaders;
}

}  // namespace stepscope
