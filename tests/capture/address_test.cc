#include "capture/address.h"

#include <doctest/doctest.h>

namespace stepscope::capture {
namespace {

std::string WrongIn(std::string_view text) {
  const auto addresses = ParseAddresses(text);
  REQUIRE_FALSE(addresses.ok());
  CHECK(addresses.status().code() == ErrorCode::kUsage);
  return addresses.status().message();
}

TEST_CASE("address: hosts and ports, one or several") {
  const auto one = ParseAddresses("node1:6009");
  REQUIRE(one.ok());
  CHECK(*one == std::vector<Address>{{"node1", "6009"}});
  const auto several = ParseAddresses("grpc://10.0.0.2:8466, [::1]:1 ,node-2.example:65535");
  REQUIRE(several.ok());
  CHECK(*several ==
        std::vector<Address>{{"10.0.0.2", "8466"}, {"::1", "1"}, {"node-2.example", "65535"}});
  CHECK(several->at(0).Text() == "10.0.0.2:8466");
  CHECK(several->at(1).Text() == "[::1]:1");
}

TEST_CASE("address: what is no address is said, with the form that is wanted") {
  for (const char* text : {"", "node1", "node1:", ":6009", "node1:0", "node1:65536", "node1:x",
                           "node1:6009,", "http://node1:6009", "me@node1:6009", "a/b:1", "a b:1",
                           "[]:1", "node1:-1", "node1:60 09"}) {
    CAPTURE(text);
    CHECK(WrongIn(text).find("write it as HOST:PORT") != std::string::npos);
  }
  CHECK(WrongIn("::1:6009").find("[ADDRESS]:PORT") != std::string::npos);
  CHECK(WrongIn("a:1,b:2,a:1") == "'a:1' is given twice");
  std::string many = "h:1";
  for (int i = 2; i <= static_cast<int>(kMaxAddresses) + 1; ++i) many += ",h:" + std::to_string(i);
  CHECK(WrongIn(many) == "at most 256 addresses can be recorded together");
}

TEST_CASE("address: names of files are distinct and lead nowhere") {
  CHECK(FileNamesOf(std::vector<Address>{{"node1", "1"}, {"node2", "1"}}) ==
        std::vector<std::string>{"node1", "node2"});
  CHECK(FileNamesOf(std::vector<Address>{{"node1", "1"}, {"node1", "2"}}) ==
        std::vector<std::string>{"node1_1", "node1_2"});
  CHECK(FileNamesOf(std::vector<Address>{{"::1", "1"}, {"..", "2"}, {"a$", "1"}, {"a%", "1"}}) ==
        std::vector<std::string>{"__1", "_.", "a_", "a_-2"});
  CHECK(FileNamesOf(std::vector<Address>{{std::string(300, 'x'), "1"}}).front().size() == 100);
}

}  // namespace
}  // namespace stepscope::capture
