#include "app/agents/show_request.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/app/temp_dir.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string ErrorOf(std::string_view line) {
  const Result<ShowRequest> request = ParseShowRequest(line);
  return request.ok() ? "" : request.status().message();
}

TEST_CASE("show request: reads all fields") {
  const Result<ShowRequest> request = ParseShowRequest(
      R"({"client": "Claude", "open": "/logs/a.pb", "panel": "memory/lifetimes",
          "select": "gemm", "event": 12, "range": "1ms..2ms"})");
  REQUIRE(request.ok());
  CHECK(request->client == "Claude");
  CHECK(request->open == "/logs/a.pb");
  CHECK(request->panel == "memory/lifetimes");
  CHECK(request->select == "gemm");
  CHECK(request->event == 12u);
  REQUIRE(request->range.has_value());
  CHECK(request->range->begin == 1'000'000'000);
  CHECK(request->range->end == 2'000'000'000);
  CHECK(ParseShowRequest("{}").ok());
}

TEST_CASE("show request: says what is wrong, and takes nothing else") {
  CHECK(ErrorOf("") == "the request is no JSON object");
  CHECK(ErrorOf("[1]") == "the request is no JSON object");
  CHECK(ErrorOf("{\"select\": \"\xff\"}") == "the request is no JSON object");
  CHECK(ErrorOf(R"({"command": "app.quit"})") ==
        "'command' is none of client, open, panel, range, select and event");
  CHECK(ErrorOf(R"({"select": 3})") == "select is no text");
  CHECK(ErrorOf(R"({"select": "a\nb"})") == "select has control characters");
  CHECK(ErrorOf(R"({"panel": "no_such"})") == "there is no panel 'no_such'");
  CHECK(ErrorOf(R"({"panel": "query/SELECT 1"})") ==
        "the panel query takes no query from a program");
  CHECK(ErrorOf(R"({"panel": "query"})").empty());
  CHECK(ErrorOf(R"({"range": "soon"})") == "'soon' is not a range; write it as 12ms..15ms");
  for (const char* event : {"-1", "1.5", "4294967295", "\"1\"", "99999999999999999999"})
    CHECK(ErrorOf(std::string(R"({"event": )") + event + "}") == "event is not the id of an event");
  CHECK(ErrorOf(R"({"select": ")" + std::string(5000, 'x') + "\"}") ==
        "select has more than 4096 bytes");
  CHECK(ErrorOf(std::string(9000, ' ')) == "the request has more than 8192 bytes");
  CHECK(ErrorOf(std::string(8000, '[')) == "the request is no JSON object");
}

TEST_CASE("show request: any bytes are a request or have an error") {
  const std::string good =
      R"({"client":"C","open":"/a","panel":"overview","select":"g","event":1,"range":"1ms..2ms"})";
  std::mt19937 random(1);
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string line = good.substr(0, below(8) == 0 ? below(good.size()) : good.size());
    for (size_t change = below(4); change > 0 && !line.empty(); --change)
      line[below(line.size())] =
          static_cast<char>(below(3) == 0 ? random() : R"({}[]",:\u-.e9)"[below(14)]);
    const Result<ShowRequest> request = ParseShowRequest(line);
    read += request.ok() ? 1 : 0;
    if (!request.ok()) REQUIRE_FALSE(request.status().message().empty());
  }
  CHECK(read > 1000);
}

TEST_CASE("show request: the name of a client is cut between characters") {
  std::string name;
  for (int i = 0; i < 30; ++i) name += "\xc3\xa9";
  const Result<ShowRequest> request = ParseShowRequest(R"({"client": "x)" + name + "\"}");
  REQUIRE(request.ok());
  CHECK(request->client == "x" + name.substr(0, 38));
}

TEST_CASE("paths in folders: links and dots lead nowhere else") {
  const TempDir dir, other;
  const fs::path inside = dir.path() / "a.pb", outside = other.path() / "b.pb";
  std::ofstream(inside) << "x";
  std::ofstream(outside) << "x";
  fs::create_symlink(outside, dir.path() / "link");
  fs::create_symlink(inside, other.path() / "back");
  const std::vector<std::string> folders = {"/no/such/folder", dir.path().string()};
  const auto ok = [&](const fs::path& path) { return PathInFolders(path.string(), folders).ok(); };
  const Result<std::string> found = PathInFolders(inside.string(), folders);
  REQUIRE(found.ok());
  CHECK(*found == fs::canonical(inside));
  CHECK(ok(dir.path()));
  CHECK(ok(other.path() / "back"));
  CHECK_FALSE(ok(outside));
  CHECK_FALSE(ok(dir.path() / "link"));
  CHECK_FALSE(ok(dir.path() / ".." / other.path().filename() / "b.pb"));
  CHECK_FALSE(ok(dir.path().string() + "x"));
  CHECK_FALSE(ok(dir.path() / "absent"));
  CHECK_FALSE(ok("ssh://host/" + inside.string()));
  CHECK_FALSE(ok("s3://bucket/a.pb"));
  CHECK_FALSE(ok(""));
}

}  // namespace
}  // namespace stepscope
