#include <array>

#include "loaders/chrome_json/chrome_json_loader.h"
#include "loaders/loader.h"
#include "loaders/xplane/xplane_loader.h"

namespace stepscope {

std::span<const LoaderDesc> Loaders() {
  // In order of preference where a file name fits several.
  static const std::array kLoaders = {kXSpaceLoader, kChromeJsonLoader};
  return kLoaders;
}

}  // namespace stepscope
