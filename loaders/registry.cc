// The list of loaders. Adding one is a row here, its source and its test.
#include "loaders/loader.h"

namespace stepscope {

extern const LoaderDesc kXSpaceLoader, kChromeJsonLoader;  // xplane/, chrome_json/

std::span<const LoaderDesc* const> Loaders() {
  static constexpr const LoaderDesc* kLoaders[] = {&kXSpaceLoader, &kChromeJsonLoader};
  return kLoaders;
}

}  // namespace stepscope
