// The list of loaders. Adding one takes its folder, a row here and its test; a fuzz target
// (tests/fuzz) belongs to the tests of a loader that parses bytes itself.
#include "loaders/loader.h"

namespace stepscope {

// xplane/, chrome_json/, memory_snapshot/
extern const LoaderDesc kXSpaceLoader, kChromeJsonLoader, kMemorySnapshotLoader;
extern const LoaderDesc kSqliteLoader, kPerfettoLoader;  // sqlite/, perfetto/
extern const LoaderDesc kStoreLoader, kFleetLoader;      // store/, fleet/

std::span<const LoaderDesc* const> Loaders() {
  static constexpr const LoaderDesc* kLoaders[] = {
      &kXSpaceLoader,   &kChromeJsonLoader, &kMemorySnapshotLoader, &kSqliteLoader,
      &kPerfettoLoader, &kStoreLoader,      &kFleetLoader};
  return kLoaders;
}

}  // namespace stepscope
