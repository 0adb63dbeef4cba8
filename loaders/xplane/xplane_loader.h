// Loader of XSpace files (<host>.xplane.pb): descriptor for the registry.
#pragma once

#include "loaders/loader.h"

namespace stepscope {

extern const LoaderDesc kXSpaceLoader;

}  // namespace stepscope
