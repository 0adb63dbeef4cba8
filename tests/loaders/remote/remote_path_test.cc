#include "loaders/remote/remote_path.h"

#include <doctest/doctest.h>

namespace stepscope::remote {
namespace {

TEST_CASE("An address names user, host, port and path") {
  const auto full = ParseRemotePath("ssh://me@node7.cluster:2222/logs/run 1/x.pb");
  REQUIRE(full.ok());
  CHECK(full->user == "me");
  CHECK(full->host == "node7.cluster");
  CHECK(full->port == "2222");
  CHECK(full->path == "/logs/run 1/x.pb");
  CHECK(full->Destination() == "me@node7.cluster");
  const auto plain = ParseRemotePath("ssh://node7/logs");
  REQUIRE(plain.ok());
  CHECK(plain->Destination() == "node7");
  CHECK(plain->port == "");
  CHECK(ParseRemotePath("ssh://h/~/logs")->path == "~/logs");
  CHECK(ParseRemotePath("ssh://h/~")->path == "~");
  CHECK(ParseRemotePath("ssh://h/~other")->path == "/~other");
  const auto six = ParseRemotePath("ssh://[fe80::1%eth0]:22/x");
  REQUIRE(six.ok());
  CHECK(six->host == "fe80::1%eth0");
  CHECK(six->port == "22");
  CHECK(IsRemotePath("ssh://h/x"));
  CHECK(!IsRemotePath("/ssh/h/x"));
}

TEST_CASE("What cannot be an address, or would be an option of ssh, is refused") {
  for (const char* address : {"ssh://", "ssh://host", "ssh:///path", "ssh://-oProxyCommand=x/p",
                              "ssh://a b/p", "ssh://h;x/p", "ssh://$(x)/p", "ssh://h:port/p",
                              "ssh://h:/p", "ssh://h:123456/p", "ssh://-u@h/p", "ssh://@h/p",
                              "ssh://[::1/p", "ssh://[::1]x/p", "ssh://h'/p", "http://h/p"}) {
    CAPTURE(address);
    const auto remote = ParseRemotePath(address);
    REQUIRE(!remote.ok());
    CHECK(remote.status().code() == ErrorCode::kUsage);
    CHECK(remote.status().message().find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace stepscope::remote
