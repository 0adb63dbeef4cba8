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
namespace {

TEST_CASE("Why a connection failed is one line that names the host") {
  const RemotePath remote = *ParseRemotePath("ssh://me@node7:2222/x");
  const Status none = WhyFailed(remote, 127, "");
  CHECK(none.code() == ErrorCode::kNotInstalled);
  CHECK(none.message() ==
        "me@node7: Stepscope is not installed there; `stepscope serve --install "
        "ssh://me@node7:2222/` copies this program to it");
  // A text of the host does not make an error kNotInstalled.
  const Status said = WhyFailed(remote, 1, "motd\nStepscope is not installed there\n");
  CHECK(said.code() == ErrorCode::kIo);
  CHECK(said.message() == "me@node7: the connection ended: Stepscope is not installed there");
  CHECK(WhyFailed(remote, 255, "ssh: Could not resolve hostname node7: Name or service not known")
            .message() == "node7: there is no host of this name");
  CHECK(WhyFailed(remote, 255, "Connection to node7 closed by remote host.\r\n").message() ==
        "me@node7: the connection ended: Connection to node7 closed by remote host");
  const Status killed = WhyFailed(remote, 256 + 9, "");
  CHECK(killed.code() == ErrorCode::kIo);
  CHECK(killed.message() == "me@node7: the connection ended: ssh was ended by signal 9");
  CHECK(WhyFailed(remote, 255, "").message() ==
        "me@node7: the connection ended: the line broke, or the program there was killed");
  CHECK(WhyFailed(remote, 0, "").message() ==
        "me@node7: the connection ended: the program there ended too early");
  CHECK(WhyFailed(remote, 3, "\n").message() ==
        "me@node7: the connection ended: the program there ended with status 3");
}

TEST_CASE("A command that the user is to try has the port of the address") {
  const auto why = [](const char* address, const char* errors) {
    return WhyFailed(*ParseRemotePath(address), 255, errors).message();
  };
  CHECK(why("ssh://node7:2222/x", "Host key verification failed.").find("`ssh -p 2222 node7`") !=
        std::string::npos);
  CHECK(why("ssh://me@node7/x", "Permission denied (publickey).").find("`ssh me@node7`") !=
        std::string::npos);
}

}  // namespace
}  // namespace stepscope::remote
