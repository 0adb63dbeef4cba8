#include "loaders/remote/ssh.h"

#include <doctest/doctest.h>

namespace stepscope::remote {
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
  const Status killed = WhyFailed(remote, 256 + 9, "");
  CHECK(killed.code() == ErrorCode::kIo);
  CHECK(killed.message() == "me@node7: the connection ended: ssh was ended by signal 9");
}

}  // namespace
}  // namespace stepscope::remote
