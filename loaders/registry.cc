// The list of loaders. Adding one is a row here, its source and its test.
#include "loaders/loader.h"

namespace stepscope {

// xplane/, chrome_json/, memory_snapshot/
extern const LoaderDesc kXSpaceLoader, kChromeJsonLoader, kMemorySnapshotLoader;
extern const LoaderDesc kSqliteLoader;  // sqlite/

std::span<const LoaderDesc* const> Loaders() {
  static constexpr const LoaderDesc* kLoaders[] = {&kXSpaceLoader, &kChromeJsonLoader,
                                                   &kMemorySnapshotLoader, &kSqliteLoader};
  return kLoaders;
}

}  // namespace stepscope
