#include "app/session/store_facts.h"

#include <string>

#include "app/session/profile_fingerprint.h"
#include "app/system/version.h"

namespace stepscope {

store::StoreFacts StoreFactsOf(const Trace& trace) {
  const std::string version = VersionText();
  return {ProfileFingerprint(trace), version.substr(0, version.find('\n'))};
}

}  // namespace stepscope
