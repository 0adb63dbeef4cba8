// Loading over a program in the place of ssh.
#include "loaders/remote/remote_load.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/loaders/chrome_json/chrome_folder.h"

namespace stepscope::remote {
namespace {

// STEPSCOPE_SSH is a program of these lines of sh.
class FakeSsh {
 public:
  explicit FakeSsh(const std::string& lines) {
    const std::string path = folder_.Add("ssh", "#!/bin/sh\n" + lines);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ::setenv("STEPSCOPE_SSH", path.c_str(), 1);
  }
  ~FakeSsh() { ::unsetenv("STEPSCOPE_SSH"); }

 private:
  const TempFolder folder_;
};

Status Load() {
  Progress progress;
  std::vector<std::string> runs;
  const auto trace = LoadRemote("ssh://host/x", {}, {}, progress, &runs);
  return trace.status();
}

// The rest is so long that the text of errors moves.
TEST_CASE("What ssh says after its output has ended is part of why it failed") {
  const FakeSsh ssh(
      "echo 'Warning: x was added to the list of known hosts' >&2\n"
      "sleep 0.2\n"
      "exec >&-\n"
      "sleep 0.1\n"
      "head -c 20000 /dev/zero | tr '\\0' B >&2\n"
      "echo >&2\n"
      "echo 'no such thing here' >&2\n"
      "exit 255\n");
  const Status status = Load();
  CHECK(status.code() == ErrorCode::kIo);
  CHECK(status.message() == "host: the connection ended: no such thing here");
}

}  // namespace
}  // namespace stepscope::remote
