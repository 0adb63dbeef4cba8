// loaders/remote/ loads profiles that lie on another machine: ssh:// (remote_load.h). The user's
// own ssh starts this program there (serve.h), which loads the profile and sends it as a store.
//
// RemotePath: an address like ssh://user@host:22/path. A path that begins with /~/ counts from the
// user's home. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/base/status.h"

namespace stepscope {

// Whether the path is an address of another machine: ssh://, or of a bucket.
bool IsRemotePath(std::string_view path);
// Whether it is gs://, s3://, https:// or http:// (loaders/bucket.h).
bool IsBucketPath(std::string_view path);

namespace remote {

struct RemotePath {
  std::string user;  // empty: as ssh is configured
  std::string host;
  std::string port;  // empty: as ssh is configured
  std::string path;  // on that host: "/logs/run" or "~/logs/run"
  // The destination that ssh gets: "user@host".
  std::string Destination() const { return user.empty() ? host : user + "@" + host; }
};

// kUsage where the address makes no sense: what is wrong with it.
Result<RemotePath> ParseRemotePath(std::string_view address);

}  // namespace remote
}  // namespace stepscope
