// Fingerprints depend on the contents of files only.
#include "app/session/profile_facts.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "app/system/paths.h"
#include "tests/app/temp_dir.h"

namespace stepscope {
namespace {

std::string IdOf(const std::filesystem::path& path) {
  Trace trace;
  trace.path = path.string();
  return ProfileFingerprint(trace);
}

TEST_CASE("fingerprint: is the same wherever a file lies, and another for other bytes") {
  const TempDir dir;
  std::string bytes(300'000, 'x');
  REQUIRE(WriteFileAtomically(dir.path() / "a.json", bytes));
  REQUIRE(WriteFileAtomically(dir.path() / "other" / "b.json", bytes));
  const std::string id = IdOf(dir.path() / "a.json");
  CHECK(id.size() == 16);
  CHECK(IdOf(dir.path() / "other" / "b.json") == id);
  bytes.back() = 'y';
  REQUIRE(WriteFileAtomically(dir.path() / "b.json", bytes));
  CHECK(IdOf(dir.path() / "b.json") != id);
  bytes.pop_back();
  REQUIRE(WriteFileAtomically(dir.path() / "b.json", bytes));
  CHECK(IdOf(dir.path() / "b.json") != id);
  REQUIRE(WriteFileAtomically(dir.path() / "empty", ""));
  CHECK(IdOf(dir.path() / "empty").size() == 16);
  CHECK(IdOf(dir.path() / "gone").empty());
}

TEST_CASE("fingerprint: depends on the files of all hosts") {
  const TempDir dir;
  REQUIRE(WriteFileAtomically(dir.path() / "a", "1"));
  REQUIRE(WriteFileAtomically(dir.path() / "b", "2"));
  Trace trace;
  trace.path = dir.path().string();
  for (const char* name : {"a", "b", "a"}) {
    Host host;
    host.file = (dir.path() / name).string();
    trace.hosts.push_back(host);
  }
  const std::string both = ProfileFingerprint(trace);
  CHECK(both.size() == 16);
  CHECK(both != IdOf(dir.path() / "a"));
  REQUIRE(WriteFileAtomically(dir.path() / "b", "3"));
  CHECK(ProfileFingerprint(trace) != both);
}

}  // namespace
}  // namespace stepscope
