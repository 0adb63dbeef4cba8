// Profiles in buckets and on web servers: gs://, s3://, https://. The user's own tools read them,
// with the user's own configuration and keys: gcloud, aws and curl. Everything that comes is
// untrusted, as a file is.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/loader.h"
#include "loaders/profile_dir.h"

namespace stepscope {

// The run at the address: a file, or the one that options.run names of those below it. Its files
// are open: their bytes are in memory. `progress` counts the bytes that have come. `runs`, if not
// null, gets the names of all runs below the address. A web server has no list of files.
// kIo where the tool is missing or fails, in one line with the address; kLimit, kCancelled within
// 0.2 s of a stop; kFormat where there is no profile.
Result<ProfileRun> FetchRun(const std::string& address, const LoadOptions& options,
                            const std::stop_token& stop, Progress* progress,
                            std::vector<std::string>* runs);

// The files in what the tool of the address prints of all that lies below it.
std::vector<ListedFile> FilesOfListing(std::string_view address, std::string_view listing);

}  // namespace stepscope
